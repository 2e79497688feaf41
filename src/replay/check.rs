//! Checks: each is a row of a table with its id, severity, message and explanation.

/// How bad a finding is. Ordered: `check --fail-on` compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Info,
    Warning,
    Error,
    Critical,
}

impl Severity {
    pub const ALL: [Severity; 4] = [Severity::Info, Severity::Warning, Severity::Error, Severity::Critical];

    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Critical => "critical",
        }
    }
}

/// How strong the evidence of a finding is. Ordered from the weakest: `check --fail-on-tier` compares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Worth a look; healthy logs have it, too.
    Hint,
    /// Something is probably wrong, but the log does not prove it.
    Likely,
    /// Two records contradict each other, or a record names something that does not exist.
    Proven,
}

impl Tier {
    pub const ALL: [Tier; 3] = [Tier::Hint, Tier::Likely, Tier::Proven];

    pub const fn name(self) -> &'static str {
        match self {
            Tier::Hint => "hint",
            Tier::Likely => "likely",
            Tier::Proven => "proven",
        }
    }
}

/// One check of the catalogue.
#[derive(Debug)]
pub struct Check {
    pub id: &'static str,
    pub severity: Severity,
    pub tier: Tier,
    /// The message of a finding; `{name}` is replaced by a subject, `{expected}` or `{actual}`.
    pub says: &'static str,
    /// The explanation for the user: what it means, what usually causes it, what to look at next.
    pub explains: &'static str,
}

impl Check {
    /// Whether the check compares the log with a sidecar: saved messages, compaction rows or a live snapshot.
    pub fn needs_sidecars(&self) -> bool {
        self.id.starts_with("cover/") || self.id == "gate/live-projection"
    }
}

impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// Defines the checks of a family: a static for each, and a table of all of them. A check without a tier is proven.
macro_rules! checks {
    (@tier) => { $crate::replay::check::Tier::Proven };
    (@tier $tier:ident) => { $crate::replay::check::Tier::$tier };
    ($($name:ident $id:literal $severity:ident $($tier:ident)? $says:literal $explains:literal)*) => {
        $(pub(crate) static $name: $crate::replay::check::Check = $crate::replay::check::Check {
            id: $id,
            severity: $crate::replay::check::Severity::$severity,
            tier: $crate::replay::check::checks!(@tier $($tier)?),
            says: $says,
            explains: $explains,
        };)*

        /// Every check of this family, in the order of the catalogue.
        pub(crate) static CHECKS: &[&$crate::replay::check::Check] = &[$(&$name),*];
    };
}

pub(crate) use checks;
