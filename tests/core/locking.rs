//! The pass can publish at any moment: no reader of a log holds its lock while records are read.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use regex::bytes::Regex;
use serde_json::json;
use stepback::replay::imprint::Names;
use stepback::replay::machine::Malformed;
use stepback::replay::pass::{Feed, Pass};
use stepback::replay::source::{Gone, Source, Span};
use stepback::replay::timeline::{Replay, Timeline};
use stepback::replay::{Place, Seq};
use stepback::turn::checker::TurnChecker;
use stepback::turn::machine::TurnLog;

/// Far longer than publishing takes on any machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Records in memory. While a group of them is read, another thread makes the pass publish, which needs the lock that
/// readers share; reading continues only when that is done.
struct Interrupted {
    records: Vec<String>,
    pass: Mutex<Option<Arc<Mutex<Pass<TurnLog>>>>>,
    interruptions: AtomicU32,
}

impl Interrupted {
    fn publish(&self) {
        let Some(pass) = self.pass.lock().expect("not poisoned").clone() else { return };
        let (done, is_done) = mpsc::channel();
        std::thread::spawn(move || {
            pass.lock().expect("not poisoned").publish();
            let _ = done.send(());
        });
        is_done.recv_timeout(PATIENCE).expect("the pass publishes while records are read");
        self.interruptions.fetch_add(1, Ordering::Relaxed);
    }
}

impl Source for Interrupted {
    fn read(&self, spans: &[Span], visit: &mut dyn FnMut(usize, &[u8])) -> Result<(), Gone> {
        self.publish();
        for (position, span) in spans.iter().enumerate() {
            visit(position, self.records[span.offset as usize].as_bytes());
        }
        Ok(())
    }

    fn event<'a>(&self, record: &'a [u8]) -> Result<&'a [u8], Malformed> {
        Ok(record)
    }

    fn place(&self, _: (Span, Place), wanted: Span) -> Place {
        Place { line: wanted.offset + 1, byte: 0 }
    }
}

/// A replay of three groups of records, and its source.
fn interrupted() -> (Arc<Timeline<TurnLog>>, Arc<Interrupted>) {
    let planned = |at: u32| {
        json!({"event_type": "tool_call_planned", "turn_id": "t", "step_idx": 0, "call_id": format!("call-{at}"),
        "tool_name": "read_file", "input_json": "{}", "decision": {"approval_required": false, "parallel_eligible": false, "read_only": true}})
    };
    let records: Vec<String> = (0..700).map(|at| planned(at).to_string()).collect();
    let source = Arc::new(Interrupted { records, pass: Mutex::default(), interruptions: AtomicU32::default() });
    let (replay, mut pass) = Timeline::<TurnLog>::begin(Arc::clone(&source) as _, TurnChecker::new(None));
    for (at, record) in source.records.iter().enumerate() {
        let span = Span { offset: at as u64, length: record.len() as u32 };
        pass.record(span, Place::default(), record.as_bytes());
    }
    pass.publish();
    *source.pass.lock().expect("not poisoned") = Some(Arc::new(Mutex::new(pass)));
    (replay, source)
}

fn go_on<T>(_: T) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn the_pass_publishes_while_a_call_is_searched_for() {
    let (replay, source) = interrupted();
    assert_eq!(replay.find_call("call-699").expect("readable"), Some(Seq(699)));
    assert_eq!(replay.find_call("call-7000").expect("readable"), None);
    assert!(source.interruptions.load(Ordering::Relaxed) >= 3, "every group was read");
}

#[test]
fn the_pass_publishes_during_every_kind_of_read() {
    type Look = fn(&dyn Replay) -> Result<(), Gone>;
    let looks: [(&str, Look); 9] = [
        ("moment", |replay| replay.moment(Seq(600)).map(drop)),
        ("lines", |replay| replay.lines(&[Seq(0), Seq(300), Seq(600)]).map(drop)),
        ("stories", |replay| replay.stories(&[Seq(0), Seq(300)]).map(drop)),
        ("said", |replay| replay.said(Seq(300), 400, 400).map(drop)),
        ("scan", |replay| replay.scan(0..700, &mut |_| go_on(()))),
        ("records", |replay| replay.records(0..700, &mut |at, _| go_on(replay.row(at)))),
        ("matching", |replay| {
            let regex = Regex::new("call-6").expect("a pattern");
            replay.matching(0..700, &regex, &mut |at| go_on(replay.row(at)))
        }),
        ("imprints", |replay| replay.imprints(0..700, Names::Exact, &mut |_| go_on(replay.len()))),
        ("decoded", |replay| replay.decoded(Seq(600)).map(drop)),
    ];
    for (name, look) in looks {
        let (replay, source) = interrupted();
        look(&*replay).expect("readable");
        assert!(source.interruptions.load(Ordering::Relaxed) > 0, "{name} reads records");
    }
}
