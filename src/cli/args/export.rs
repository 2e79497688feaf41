//! The arguments of `stepback export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Input;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub input: Input,

    /// Write to this folder; it must be new or empty
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["review", "html", "format"])]
    pub output: Option<PathBuf>,

    /// Choose the finding by its number in the output of `check`, by its fingerprint, or by the id of its check
    /// [default: the first one of the highest severity]
    #[arg(long, value_name = "FINGERPRINT|N")]
    pub finding: Option<String>,

    /// Add the smallest log that still reports the finding
    #[arg(long)]
    pub minimize: bool,

    /// Write one HTML page instead, for people without stepback: the minimized trace event by event. Secrets are masked, and
    /// the page does not use the network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "minimize", "transfer", "review", "seed", "meta", "json"])]
    pub html: Option<PathBuf>,

    /// Print what `--html` writes in this format instead
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["html", "output", "minimize", "transfer", "review", "seed", "meta", "json"])]
    pub format: Option<PageFormat>,

    /// Write the results of a transfer log as a transfer crashpack; the log may be clean
    #[arg(long, conflicts_with = "minimize")]
    pub transfer: bool,

    /// Hide secrets; fails if the log no longer reports the finding without them
    #[arg(long)]
    pub redact: bool,

    /// Hide e-mail addresses as well
    #[arg(long, requires = "redact")]
    pub redact_emails: bool,

    /// Hide the names of users in paths of home directories as well
    #[arg(long, requires = "redact")]
    pub redact_homes: bool,

    /// Hide what this pattern matches as well: its groups, or the whole match if it has none (can be repeated)
    #[arg(long, value_name = "REGEX", requires = "redact")]
    pub redact_pattern: Vec<String>,

    /// Keep the text that this mask would replace; `--review` lists the masks (can be repeated)
    #[arg(long, value_name = "MASK", requires = "redact")]
    pub spare: Vec<String>,

    /// List what would be hidden, by place and rule, without writing anything
    #[arg(long, requires = "redact", conflicts_with_all = ["output", "minimize"])]
    pub review: bool,

    /// Add a random seed of the run to the replay script and the evidence ledger (can be repeated)
    #[arg(long, value_name = "NAME=N", value_parser = seed)]
    pub seed: Vec<(String, u64)>,

    /// Add a key and a value to the evidence ledger (can be repeated)
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub meta: Vec<(String, String)>,

    /// Replace an existing crashpack that is unchanged; other folders are never replaced
    #[arg(long)]
    pub force: bool,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A format in which a finding is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// a comment for a pull request
    Markdown,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum InvalidPair {
    #[error("expected a name, `=` and a value")]
    NoPair,
    #[error("a seed is a whole number from 0 to {}", u64::MAX)]
    NoNumber,
}

fn pair(text: &str) -> Result<(String, String), InvalidPair> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(InvalidPair::NoPair),
    }
}

fn seed(text: &str) -> Result<(String, u64), InvalidPair> {
    let (name, value) = pair(text)?;
    let number = value.parse().map_err(|_| InvalidPair::NoNumber)?;
    Ok((name, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_name_and_a_number() {
        assert_eq!(seed("rng=18446744073709551615"), Ok(("rng".to_owned(), u64::MAX)));
        for text in ["rng", "=1", "rng=-1", "rng=1.5", "rng=18446744073709551616"] {
            assert!(seed(text).is_err(), "{text}");
        }
        assert_eq!(pair("note=a=b"), Ok(("note".to_owned(), "a=b".to_owned())));
    }
}
