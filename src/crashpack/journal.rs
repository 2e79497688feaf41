//! The journal: every oracle's result as text, and its digest.

use std::fmt::Write;

use super::escaped;
use super::oracle::OracleResult;
use crate::replay::finding::Finding;

const TITLE: &str = "# stepback journal\n";

pub(crate) fn journal(oracles: &[OracleResult]) -> String {
    let mut out = TITLE.to_owned();
    for oracle in oracles {
        let _ = writeln!(out, "oracle: {}", oracle.name);
        let _ = writeln!(out, "  state: {}", oracle.state().name());
        let _ = writeln!(out, "  checks_run: {}", oracle.checks_run);
        let _ = writeln!(out, "  subjects_examined: {}", oracle.subjects_examined);
        if !oracle.violations.is_empty() {
            out.push_str("  violations:\n");
        }
        oracle.violations.iter().for_each(|violation| write_violation(violation, &mut out));
    }
    out
}

fn write_violation(violation: &Finding, out: &mut String) {
    let at: Vec<String> = violation.at.iter().map(ToString::to_string).collect();
    let _ = writeln!(out, "    - check: {}", violation.check.id);
    let _ = writeln!(out, "      severity: {}", violation.severity.name());
    let _ = writeln!(out, "      message: {}", escaped(&violation.message()));
    let _ = writeln!(out, "      at: {}", at.join(", "));
    for (key, value) in &violation.subjects {
        let _ = writeln!(out, "      {key}: {}", escaped(value));
    }
}

pub(crate) fn digest(journal: &[u8]) -> String {
    format!("digest: blake3:{}\nbytes: {}\n", blake3::hash(journal).to_hex(), journal.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Seq;
    use crate::replay::check::{Check, Severity, Tier};

    static CHECK: Check = Check {
        id: "turn/x",
        severity: Severity::Critical,
        tier: Tier::Proven,
        says: "call {call_id} ran",
        explains: "",
    };

    #[test]
    fn no_value_forges_a_line() {
        let finding = Finding::new(&CHECK, [Seq(3), Seq(9)]).about("call_id", "c\noracle: turn/y\n\u{1b}[2J\u{202e}\\");
        let oracle = OracleResult { name: "turn/x", checks_run: 2, subjects_examined: 10, violations: vec![finding] };
        let expected = "# stepback journal\noracle: turn/x\n  state: failed\n  checks_run: 2\n  subjects_examined: 10\n  \
                        violations:\n    - check: turn/x\n      severity: critical\n      \
                        message: call c\\noracle: turn/y\\n\\u{1b}[2J\\u{202e}\\\\ ran\n      at: 3, 9\n      \
                        call_id: c\\noracle: turn/y\\n\\u{1b}[2J\\u{202e}\\\\\n";
        assert_eq!(journal(&[oracle]), expected);
        assert!(digest(b"abc").ends_with("\nbytes: 3\n"));
    }
}
