//! Laws of repairs, over damaged sessions.

use proptest::prelude::*;

use super::generate::{claude, codex, damaged};
use crate::doctor::checks::{
    CODEX_BASE, CODEX_EMPTY, CODEX_FIRST_LINE, CODEX_HISTORY_MODE, CODEX_SUBAGENT_INCOMPLETE, NO_CONVERSATION, TOO_BIG,
};
use crate::doctor::client::Client;
use crate::doctor::detect::Agent;
use crate::doctor::problem::Problem;
use crate::doctor::session::Session;
use crate::tests::cases::cases;
use crate::tests::fuzz::doctor::{hold, mended};

/// What cannot be mended, and is said to be so.
fn is_unmendable(problem: &Problem) -> bool {
    let unmendable = [
        &NO_CONVERSATION,
        &TOO_BIG,
        &CODEX_EMPTY,
        &CODEX_HISTORY_MODE,
        &CODEX_BASE,
        &CODEX_SUBAGENT_INCOMPLETE,
        &CODEX_FIRST_LINE,
    ];
    unmendable.contains(&problem.rule)
}

fn clients() -> impl Strategy<Value = Client> {
    prop_oneof![Just(Client::None), Just(Client::Current), Just(Client::Recorded)]
}

proptest! {
    #![proptest_config(cases!(150, "doctor"))]

    #[test]
    fn healthy_sessions_need_no_repair(seed in any::<u64>(), turns in 1..12_usize, client in clients()) {
        for (agent, bytes) in [(Agent::Claude, claude(seed, turns)), (Agent::Codex, codex(seed, turns))] {
            let session = Session::of_bytes(agent, &bytes);
            let problems = session.examine().problems;
            let shown: Vec<_> = problems.iter().map(|found| (found.line, found.rule.check.id)).collect();
            prop_assert!(session.verdict(&problems, client).is_ok(), "{shown:?}");
            let mended = mended(agent, &bytes, client);
            prop_assert!(mended.repair.edits.is_empty() && mended.repair.unmended.is_empty());
            prop_assert_eq!(mended.copy, bytes);
        }
    }

    #[test]
    fn damaged_sessions_are_mended(seed in any::<u64>(), damage in any::<u64>(), turns in 1..8_usize, client in clients()) {
        for (agent, bytes) in [(Agent::Claude, claude(seed, turns)), (Agent::Codex, codex(seed, turns))] {
            let bytes = damaged(&bytes, damage);
            hold(agent, &bytes, client);
            let unmended = mended(agent, &bytes, client).repair.unmended;
            let unsaid: Vec<_> = unmended.iter().filter(|found| !is_unmendable(found)).collect();
            prop_assert!(unsaid.is_empty(), "{unsaid:?}");
        }
    }

    #[test]
    fn relinking_changes_parents_only(seed in any::<u64>(), damage in any::<u64>(), turns in 1..8_usize) {
        let bytes = damaged(&claude(seed, turns), damage);
        let mut session = Session::of_bytes(Agent::Claude, &bytes);
        let (relinked, edits) = session.relink(&&bytes[..]);
        prop_assert_eq!(relinked == 0, edits.is_empty());
        prop_assert!(edits.members.iter().all(|members| members == &["parentUuid"]));
        let copy = session.bytes(&bytes);
        let after = Session::of_bytes(Agent::Claude, &copy).examine();
        let is_broken = |found: &Problem| found.rule.check.id == "doctor/chain-broken";
        prop_assert!(!after.problems.iter().any(is_broken), "{:?}", after.problems);
    }
}

/// Seeds that once broke a law.
#[test]
fn sessions_that_were_once_repaired_wrongly() {
    // Another answer came between the lines of one: its last result belongs before that answer.
    let bytes = damaged(&claude(16196875682985679752, 4), 8688435574366097660);
    hold(Agent::Claude, &bytes, Client::None);
}

/// A result that hangs beside the chain parts two answers. Its placeholder is sent only if the line is in the chain.
#[test]
fn a_placeholder_beside_the_chain_enters_it() {
    let bytes = damaged(&claude(6871338822733992201, 7), 16977744353460897278);
    hold(Agent::Claude, &bytes, Client::None);
    let edits = mended(Agent::Claude, &bytes, Client::None).repair.edits;
    assert_eq!((edits.dropped, edits.changed), (vec![4], vec![47, 58, 68]));
}
