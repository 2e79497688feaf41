//! The transfer oracles: what each of them demands of a transfer state, and the evidence of a violation.
//!
//! Each oracle judges each state by itself. Whether operations may be pending in the middle of a transfer depends on
//! when the states were taken, which a state does not say; therefore quiescence judges every state, too, and can be
//! skipped.

use super::checks;
use super::event::ObservedState;
use crate::replay::check::Check;

/// One oracle. The id of its check is `transfer/` and the name of the oracle.
pub(crate) struct TransferOracle {
    pub name: &'static str,
    pub check: &'static Check,
    /// The evidence against a state; `None` if the state satisfies the oracle.
    pub judge: fn(&ObservedState) -> Option<Evidence>,
}

pub(crate) const ORACLE_COUNT: usize = 5;
pub(crate) const QUIESCENCE: usize = 2;
pub(crate) const OBLIGATION_LEAK: usize = 3;

pub(crate) static ORACLES: [TransferOracle; ORACLE_COUNT] = [
    TransferOracle {
        name: "manifest_integrity",
        check: &checks::MANIFEST_INTEGRITY,
        judge: |state| {
            let ObservedState { manifest_hash: actual, expected_manifest_hash: expected, .. } = state;
            (actual != expected)
                .then(|| Evidence::Hashes { expected: expected.as_str().into(), actual: actual.as_str().into() })
        },
    },
    TransferOracle {
        name: "journal_consistency",
        check: &checks::JOURNAL_CONSISTENCY,
        judge: |state| Evidence::counted("gap_count", state.journal_gaps),
    },
    TransferOracle {
        name: "quiescence",
        check: &checks::QUIESCENCE,
        judge: |state| Evidence::counted("pending_count", state.pending_operations),
    },
    TransferOracle {
        name: "obligation_leak",
        check: &checks::OBLIGATION_LEAK,
        judge: |state| Evidence::counted("leak_count", state.leaked_obligations),
    },
    TransferOracle {
        name: "path_consistency",
        check: &checks::PATH_CONSISTENCY,
        judge: |state| (!state.path_outcomes_consistent).then_some(Evidence::Paths),
    },
];

/// The number of the oracle with this name.
pub(crate) fn oracle_number(name: &str) -> Option<usize> {
    ORACLES.iter().position(|oracle| oracle.name == name)
}

/// What shows that a state violates an oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Hashes {
        expected: Box<str>,
        actual: Box<str>,
    },
    /// The name of the count, and its value, which should be 0.
    Count(&'static str, u64),
    Paths,
}

impl Evidence {
    fn counted(name: &'static str, count: u64) -> Option<Evidence> {
        (count > 0).then_some(Evidence::Count(name, count))
    }

    pub(crate) fn expected(&self) -> String {
        match self {
            Evidence::Hashes { expected, .. } => expected.to_string(),
            Evidence::Count(name, _) => format!("{name} 0"),
            Evidence::Paths => "consistent outcomes".to_owned(),
        }
    }

    pub(crate) fn actual(&self) -> String {
        match self {
            Evidence::Hashes { actual, .. } => actual.to_string(),
            Evidence::Count(name, count) => format!("{name} {count}"),
            Evidence::Paths => "inconsistent outcomes".to_owned(),
        }
    }

    /// The evidence by name, as a journal lists it.
    pub(crate) fn named(&self) -> Vec<(&'static str, String)> {
        match self {
            Evidence::Hashes { expected, actual } => {
                vec![("expected_hash", expected.to_string()), ("actual_hash", actual.to_string())]
            }
            Evidence::Count(name, count) => vec![(name, count.to_string())],
            Evidence::Paths => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::check::Severity;

    fn clean() -> ObservedState {
        ObservedState { path_outcomes_consistent: true, ..ObservedState::default() }
    }

    #[test]
    fn each_oracle_judges_its_own_members() {
        for (state, name, severity, evidence) in [
            (
                ObservedState { manifest_hash: "b".into(), expected_manifest_hash: "a".into(), ..clean() },
                "manifest_integrity",
                Severity::Error,
                vec![("expected_hash", "a"), ("actual_hash", "b")],
            ),
            (
                ObservedState { journal_gaps: 3, ..clean() },
                "journal_consistency",
                Severity::Error,
                vec![("gap_count", "3")],
            ),
            (
                ObservedState { pending_operations: 4, ..clean() },
                "quiescence",
                Severity::Warning,
                vec![("pending_count", "4")],
            ),
            (
                ObservedState { leaked_obligations: 2, ..clean() },
                "obligation_leak",
                Severity::Error,
                vec![("leak_count", "2")],
            ),
            (ObservedState { path_outcomes_consistent: false, ..clean() }, "path_consistency", Severity::Error, vec![]),
        ] {
            let found: Vec<_> = ORACLES.iter().filter_map(|oracle| Some((oracle, (oracle.judge)(&state)?))).collect();
            let [(oracle, found)] = &found[..] else { panic!("{state:?}") };
            assert_eq!((oracle.name, oracle.check.severity), (name, severity));
            let named = found.named();
            assert_eq!(named.iter().map(|(key, value)| (*key, value.as_str())).collect::<Vec<_>>(), evidence);
        }
        assert!(ORACLES.iter().all(|oracle| (oracle.judge)(&clean()).is_none()));
    }

    #[test]
    fn the_id_of_a_check_is_the_name_of_its_oracle() {
        for (number, oracle) in ORACLES.iter().enumerate() {
            assert_eq!(oracle.check.id, format!("transfer/{}", oracle.name));
            assert_eq!(oracle_number(oracle.name), Some(number));
        }
        assert_eq!((ORACLES[QUIESCENCE].name, ORACLES[OBLIGATION_LEAK].name), ("quiescence", "obligation_leak"));
    }
}
