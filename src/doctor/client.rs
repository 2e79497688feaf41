//! The client that would resume a session: which defects it heals by itself.

use std::fmt;
use std::str::FromStr;

/// A version of an agent, such as 2.1.86.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

impl FromStr for Version {
    type Err = UnknownClient;

    /// A suffix such as `-alpha.1` is ignored.
    fn from_str(text: &str) -> Result<Version, UnknownClient> {
        let plain = text.split(['-', '+']).next().unwrap_or_default();
        let mut parts = plain.split('.').map(|part| part.parse::<u32>());
        let mut part = || parts.next().and_then(Result::ok).ok_or(UnknownClient);
        let version = Version(part()?, part()?, part()?);
        if parts.next().is_some() { Err(UnknownClient) } else { Ok(version) }
    }
}

/// Since when a defect is healed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Healing {
    Since(Version),
    /// By every version.
    Always,
}

impl fmt::Display for Healing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Healing::Since(version) => version.fmt(f),
            Healing::Always => f.write_str("always"),
        }
    }
}

/// The client that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Client {
    /// Heals everything that any version heals.
    #[default]
    Current,
    /// Any other client of the provider: it heals nothing.
    None,
    /// The version that wrote the last line.
    Recorded,
    Version(Version),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected current, none, recorded, or a version such as 2.1.86")]
pub(crate) struct UnknownClient;

impl FromStr for Client {
    type Err = UnknownClient;

    fn from_str(text: &str) -> Result<Client, UnknownClient> {
        match text {
            "current" => Ok(Client::Current),
            "none" => Ok(Client::None),
            "recorded" => Ok(Client::Recorded),
            version => version.parse().map(Client::Version),
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Client::Current => f.write_str("current"),
            Client::None => f.write_str("none"),
            Client::Recorded => f.write_str("recorded"),
            Client::Version(version) => version.fmt(f),
        }
    }
}

impl Client {
    /// Whether the client heals what is healed since then. A session without a version counts as written by a client
    /// that heals nothing.
    pub(crate) fn heals(self, healing: Healing, recorded: Option<&str>) -> bool {
        let Healing::Since(since) = healing else { return true };
        match self {
            Client::Current => true,
            Client::None => false,
            Client::Version(version) => version >= since,
            Client::Recorded => {
                recorded.and_then(|text| text.parse().ok()).is_some_and(|version: Version| version >= since)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let healing = Healing::Since(Version(2, 1, 86));
        for (client, heals) in
            [("current", true), ("none", false), ("2.1.86", true), ("2.1.9", false), ("10.0.0", true)]
        {
            let client: Client = client.parse().expect("a client");
            assert_eq!(client.heals(healing, None), heals, "{client}");
            assert!(client.heals(Healing::Always, None), "{client}");
        }
        assert!(Client::Recorded.heals(healing, Some("2.1.270")));
        assert!(!Client::Recorded.heals(healing, Some("2.1.7")));
        assert!(!Client::Recorded.heals(healing, None));
    }

    #[test]
    fn other_texts_are_not_clients() {
        for text in ["", "newest", "2.1", "2.1.x", "2.1.86.1", "-1.0.0"] {
            assert_eq!(text.parse::<Client>(), Err(UnknownClient), "{text}");
        }
        assert_eq!("0.104.0-alpha.1".parse(), Ok(Client::Version(Version(0, 104, 0))));
    }
}
