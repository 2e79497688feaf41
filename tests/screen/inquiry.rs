//! Questions about the whole log: the list of what the model saw, the text of an answer, the name of a repaired copy.

use crate::tests::bench::{Bench, says};
use stepback::replay::Seq;
use stepback::replay::time_shares::{Party, TimeShares};
use stepback::replay::vocabulary::Concern;
use stepback::text::styled::Tone;
use stepback::tui::inquiry::state::{Question, Reply, ReplyList, ReplyRow};
use stepback::tui::news::News;
use stepback::tui::request::Request;
use stepback::tui::update::news;

fn bench() -> Bench {
    let mut bench = Bench::open("fixtures/agent/claude-code/forgotten.jsonl", 100, 30);
    bench.model.inquiry.is_open = true;
    bench
}

fn list() -> Reply {
    let row = |at: u32, text: &str| ReplyRow {
        at: Some(Seq(at)),
        spans: vec![Tone::Dim.on(format!("{at:>4} ")), text.into()],
    };
    Reply::List(ReplyList {
        title: "what the model saw when it answered at event 3".to_owned(),
        heads: vec!["3 messages, 21 400 tokens recorded".to_owned()],
        rows: vec![row(0, "the first prompt"), row(1, "a call"), row(2, "its result")],
        begins_at_end: true,
    })
}

#[test]
fn what_the_model_saw_is_a_list_of_events() {
    let mut bench = bench();
    bench.go(3).keys("W");
    assert_eq!(bench.requests, [Request::Ask(Question::Context { at: Seq(3), against: None })]);
    news::apply(&mut bench.model, [News::Reply(Ok(list()))]);
    says(&bench, &["what the model saw when it answered", "21 400 tokens recorded", "the first prompt", "its result"]);
    bench.keys("k Enter");
    assert_eq!(bench.model.at(), Seq(1));
    bench.keys(": <context 0> Enter");
    assert_eq!(bench.requests.last(), Some(&Request::Ask(Question::Context { at: Seq(1), against: Some(Seq(0)) })));
    bench.keys(": <context nowhere> Enter");
    says(&bench, &["nowhere"]);
}

#[test]
fn what_a_compaction_dropped_is_asked_by_its_number() {
    let mut bench = bench();
    bench.keys(": <context dropped 2> Enter");
    assert_eq!(bench.requests, [Request::Ask(Question::Dropped(Some(2)))]);
    bench.keys(": <context dropped> Enter");
    assert_eq!(bench.requests.last(), Some(&Request::Ask(Question::Dropped(None))));
    bench.keys(": <context dropped all> Enter");
    says(&bench, &["\"all\" is not the number of a compaction"]);
}

/// Of 40 seconds the model took 30, and the user 10.
fn shares() -> TimeShares {
    static PARTIES: [Party; 2] = [
        Party { name: "model", letter: "m", concern: Concern::Model },
        Party { name: "person", letter: "p", concern: Concern::User },
    ];
    TimeShares {
        parties: &PARTIES,
        total: vec![30_000_000, 10_000_000],
        measured: vec![30_000_000, 0],
        steps: vec![(Seq(2), vec![5_000_000, 0])],
        waits: vec![(Seq(0), 1, 10_000_000), (Seq(3), 0, 30_000_000)],
    }
}

#[test]
fn the_strip_shows_who_took_the_time() {
    let mut bench = bench();
    let before = bench.frame();
    bench.keys("Alt-t");
    assert_eq!(bench.requests, [Request::Ask(Question::Time)]);
    news::apply(&mut bench.model, [News::Reply(Ok(Reply::Time(shares())))]);
    says(&bench, &["all 40.0 s  model 75 %", "person ≤25 %"]);
    assert!(!bench.frame().contains("step 5.0 s"), "no step has begun");
    bench.go(4);
    says(&bench, &["step 5.0 s  model 100 %"]);
    bench.keys("Alt-t").go(0);
    assert_eq!(bench.frame(), before, "the strip is as it was");
    assert_eq!(bench.requests.len(), 1);
}

#[test]
fn without_colours_letters_say_who_took_the_time() {
    let mut bench = bench();
    bench.keys(": <theme none> Enter");
    news::apply(&mut bench.model, [News::Reply(Ok(Reply::Time(shares())))]);
    let strip = bench.frame().lines().nth(2).map(str::to_owned).unwrap_or_default();
    assert!(strip.contains("ppp") && strip.contains("mmm"), "{strip}");
}

#[test]
fn a_reply_does_not_take_away_what_the_user_does_meanwhile() {
    let mut bench = bench();
    bench.keys("W : <hide>");
    news::apply(&mut bench.model, [News::Reply(Ok(list()))]);
    says(&bench, &[":hide"]);
}

#[test]
fn a_repair_is_written_under_a_name_that_the_user_confirms() {
    let mut bench = bench();
    bench.keys("R");
    assert_eq!(bench.requests, [Request::Ask(Question::Health)]);
    let lines = vec!["refused  line 4  doctor/orphan-result".to_owned()];
    let reply = |repaired: Option<&str>| Reply::Text {
        title: "Can the session be resumed?".to_owned(),
        lines: lines.clone(),
        repaired: repaired.map(str::to_owned),
    };
    news::apply(&mut bench.model, [News::Reply(Ok(reply(Some("x.repaired.jsonl"))))]);
    says(&bench, &["doctor/orphan-result", "s save"]);
    bench.keys("s");
    says(&bench, &["write the repaired copy as: x.repaired.jsonl"]);
    assert_eq!(bench.requests.len(), 1, "nothing is written before the name is confirmed");
    bench.keys("Enter");
    assert_eq!(bench.requests.last(), Some(&Request::Ask(Question::Repair("x.repaired.jsonl".into()))));
    news::apply(&mut bench.model, [News::Reply(Err("x.repaired.jsonl exists".to_owned().into()))]);
    says(&bench, &["x.repaired.jsonl exists"]);
    bench.keys("R");
    news::apply(&mut bench.model, [News::Reply(Ok(reply(None)))]);
    assert!(!bench.frame().contains("s save"), "there is nothing to repair");
}
