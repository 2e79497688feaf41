//! Questions about the whole log: the list of what the model saw, the text of an answer, the name of a repaired copy.

use crate::tests::bench::{Bench, says};
use stepback::replay::Seq;
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
