//! Laws of the timeline for random sessions, and of their decoding for any bytes.

use proptest::prelude::*;
use serde_json::Value;
use stepback::agent;
use stepback::agent::decode::AgentDecoder;
use stepback::agent::machine::{AgentLog, VOCABULARY};
use stepback::agent::state::AgentState;
use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::machine::Machine;
use stepback::replay::timeline::Replay;

use super::random::lines;
use crate::tests::fuzz::agent::gaps_are_closed;

pub(super) fn options() -> Options {
    Options { dialect: Some(&agent::dialect::DIALECT), ..Options::default() }
}

pub(super) fn loaded(text: Vec<u8>) -> Loaded {
    let log = Log::from_bytes("test".to_owned(), None, text, &options()).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    loaded
}

fn values(state: &AgentState) -> Vec<Value> {
    VOCABULARY.field_ids().map(|field| AgentLog::value(state, field)).collect()
}

/// The values of every field after each line, computed the slow way; the first entry has the initial values.
fn folded(lines: &[String], decoder: AgentDecoder) -> Vec<Vec<Value>> {
    let mut state = AgentState::default();
    let mut all = vec![values(&state)];
    for (line, at) in lines.iter().zip(0..) {
        if let Ok(event) = decoder.decode(line.as_bytes()) {
            state.apply(Seq(at), &event, &mut |_| {});
        }
        all.push(values(&state));
    }
    all
}

fn found(replay: &dyn Replay) -> Vec<Value> {
    replay.findings().list.iter().map(|finding| finding.to_json()).collect()
}

proptest! {
    #![proptest_config(crate::tests::cases::cases!(24, "agent"))]

    #[test]
    fn a_moment_is_the_fold_up_to_it(
        lines in lines(400),
        seeks in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
    ) {
        let text = lines.join("\n");
        let log = Log::from_bytes("test".to_owned(), None, text.clone().into_bytes(), &options()).expect("a log");
        let decoder = agent::sidecar::known(&log).expect("readable");
        let loaded = loaded(text.into_bytes());
        let replay = loaded.replay();
        prop_assert_eq!(replay.len() as usize, lines.len());
        let expected = folded(&lines, decoder);
        for seek in seeks {
            let at = seek.index(lines.len());
            let moment = replay.moment(Seq(at as u32)).expect("the log is as it was").expect("a moment");
            for field in VOCABULARY.field_ids() {
                let (index, name) = (field.0 as usize, VOCABULARY.field_name(field));
                prop_assert_eq!(moment.sides.before(field), expected[at][index].clone(), "{} before {}", name, at);
                prop_assert_eq!(moment.sides.after(field), expected[at + 1][index].clone(), "{} after {}", name, at);
                let differs = expected[at][index] != expected[at + 1][index];
                prop_assert_eq!(moment.sides.changed().contains(field), differs, "{} changed at {}", name, at);
            }
        }
    }

    #[test]
    fn joined_lines_and_filling_change_nothing_else(lines in lines(60), joined in prop::collection::vec(any::<bool>(), 60)) {
        let plain = loaded(lines.join("\n").into_bytes());
        let mut text = String::new();
        for (line, joined) in lines.iter().zip(joined.iter().chain(std::iter::repeat(&false))) {
            text.push_str(line);
            text.push_str(if *joined { "" } else { "\0\n" });
        }
        let other = loaded(text.into_bytes());
        prop_assert_eq!(other.replay().len(), plain.replay().len());
        let without_damage = |loaded: &Loaded| -> Vec<Value> {
            found(&**loaded.replay()).into_iter().filter(|finding| finding["check"] != "log/joined-lines").collect()
        };
        prop_assert_eq!(without_damage(&other), without_damage(&plain));
    }

    #[test]
    fn the_end_of_a_prefix_can_be_taken_back(lines in lines(120), cut in any::<prop::sample::Index>()) {
        let check = |asked_at: Option<usize>| {
            let (decoder, mut checker) = (AgentDecoder::default(), agent::checker::AgentChecker::default());
            for (line, at) in lines.iter().zip(0..) {
                if asked_at == Some(at as usize) {
                    checker.at_end();
                }
                if let Ok(event) = decoder.decode(line.as_bytes()) {
                    checker.see(Seq(at), &event);
                }
            }
            let at_end = checker.findings_at_end();
            checker.found.findings.followed_by(at_end).into_sorted()
        };
        prop_assert_eq!(check(Some(cut.index(lines.len()))), check(None));
    }

    #[test]
    fn a_session_with_gaps_is_checked_like_one_whose_gaps_are_closed(
        lines in lines(60),
        removed in prop::collection::vec(any::<bool>(), 60),
    ) {
        let records: Vec<Vec<u8>> = lines.into_iter().map(String::into_bytes).collect();
        gaps_are_closed(&records, AgentDecoder::default(), &|number| removed.get(number) == Some(&true));
    }

    #[test]
    fn no_bytes_panic(lead in "[\\[{ \n]{0,3}", bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut text = lead.into_bytes();
        text.extend(&bytes);
        loaded(text);
    }
}
