//! Search for the events of bookmarks in a log that has grown, was cut or was recorded again.
//!
//! The event at the bookmark's old position is compared first, then the events of its kind and step, and only if none
//! of them has the same content, every event of its kind. One walk serves all bookmarks, so the work is proportional to
//! the log, however many there are.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Bookmark;
use super::anchor::{Anchor, turn_content};
use super::content::EventHash;
use crate::replay::Seq;
use crate::replay::index::{GROUP, Rows};
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;
use crate::replay::vocabulary::KindId;

/// Where a bookmark's event is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BookmarkPlace {
    /// At its old position.
    Exact(Seq),
    /// The same event at another position. Of several with the same content, it is the nearest to the event with the
    /// same step and ordinal, or else to the old position.
    Moved(Seq),
    /// No event has the same content. This one has the same kind, step and ordinal, as in a new recording of the run.
    Near(Seq),
    Lost,
}

impl BookmarkPlace {
    pub(crate) fn at(self) -> Option<Seq> {
        match self {
            BookmarkPlace::Exact(at) | BookmarkPlace::Moved(at) | BookmarkPlace::Near(at) => Some(at),
            BookmarkPlace::Lost => None,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            BookmarkPlace::Exact(_) => "exact",
            BookmarkPlace::Moved(_) => "moved",
            BookmarkPlace::Near(_) => "near",
            BookmarkPlace::Lost => "lost",
        }
    }
}

/// Finds the events of all bookmarks, in the same order.
pub(crate) fn find(bookmarks: &[Bookmark], replay: &dyn Replay) -> Result<Vec<BookmarkPlace>, Gone> {
    let anchors: Vec<&Anchor> = bookmarks.iter().map(|bookmark| &bookmark.anchor).collect();
    let old_places: BTreeSet<Seq> = anchors.iter().map(|anchor| anchor.at).collect();
    let mut there = BTreeMap::new();
    each_content(replay, &Vec::from_iter(old_places), &mut |at, content| {
        there.insert(at, content);
    })?;
    let is_exact = |anchor: &Anchor| there.get(&anchor.at) == Some(&anchor.content);
    let open: Vec<&Anchor> = anchors.iter().copied().filter(|anchor| !is_exact(anchor)).collect();
    let peers = Peers::of(&open, replay);
    let equal = equal_events(&open, &peers, replay)?;
    let place = |anchor: &Anchor| {
        if is_exact(anchor) {
            return BookmarkPlace::Exact(anchor.at);
        }
        let pointed_to = peers.pointed_to(anchor);
        let same = equal.get(&anchor.content).and_then(|places| nearest(places, pointed_to.unwrap_or(anchor.at)));
        same.map(BookmarkPlace::Moved).or(pointed_to.map(BookmarkPlace::Near)).unwrap_or(BookmarkPlace::Lost)
    };
    Ok(anchors.into_iter().map(place).collect())
}

/// The positions of each content that is searched for, ascending.
type FoundPlaces = BTreeMap<EventHash, Vec<Seq>>;

fn equal_events(open: &[&Anchor], peers: &Peers, replay: &dyn Replay) -> Result<FoundPlaces, Gone> {
    let mut places: FoundPlaces = open.iter().map(|anchor| (anchor.content, Vec::new())).collect();
    look_for(&mut places, &peers.all(), replay)?;
    let is_missing = |content: &EventHash| places.get(content).is_some_and(Vec::is_empty);
    let mut missing: FoundPlaces = FoundPlaces::new();
    let mut kinds = [false; 256];
    for anchor in open.iter().filter(|anchor| is_missing(&anchor.content)) {
        if let Some(kind) = replay.vocabulary().kind(&anchor.kind) {
            kinds[kind.0 as usize] = true;
            missing.insert(anchor.content, Vec::new());
        }
    }
    if !missing.is_empty() {
        let mut of_kinds = Vec::new();
        replay.rows(&mut |rows| {
            let is_wanted = |at: &Seq| rows.kind(*at).is_some_and(|kind| kinds[kind.0 as usize]);
            of_kinds = (0..rows.len()).map(Seq).filter(is_wanted).collect();
        });
        look_for(&mut missing, &of_kinds, replay)?;
        places.append(&mut missing);
    }
    Ok(places)
}

fn look_for(places: &mut FoundPlaces, among: &[Seq], replay: &dyn Replay) -> Result<(), Gone> {
    each_content(replay, among, &mut |at, content| {
        if let Some(found) = places.get_mut(&content) {
            found.push(at);
        }
    })
}

/// Calls `visit` with the contents of some events, in ascending order. Events close together are read in one walk.
fn each_content(replay: &dyn Replay, wanted: &[Seq], visit: &mut dyn FnMut(Seq, EventHash)) -> Result<(), Gone> {
    for walk in wanted.chunk_by(|one, next| next.0 / GROUP - one.0 / GROUP <= 1) {
        let (Some(first), Some(last)) = (walk.first(), walk.last()) else { continue };
        let mut rest = walk.iter().peekable();
        replay.records(first.0..last.0.saturating_add(1), &mut |at, record| {
            if rest.next_if_eq(&&at).is_some() {
                visit(at, EventHash::of_event(replay.event_of(record)));
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(())
}

fn nearest(ascending: &[Seq], to: Seq) -> Option<Seq> {
    let after = ascending.partition_point(|at| *at < to);
    let around = &ascending[after.saturating_sub(1)..ascending.len().min(after + 1)];
    around.iter().copied().min_by_key(|at| at.0.abs_diff(to.0))
}

/// The events with the kind and step of a bookmark, from the index alone.
#[derive(Default)]
struct Peers {
    kinds: FxHashMap<String, KindId>,
    /// By turn, kind and step.
    groups: FxHashMap<(Option<u32>, KindId, u32), Vec<Seq>>,
    turns: BTreeMap<EventHash, u32>,
}

impl Peers {
    fn of(anchors: &[&Anchor], replay: &dyn Replay) -> Peers {
        let mut peers = Peers::default();
        let mut wanted = FxHashSet::default();
        for anchor in anchors {
            if let Some(kind) = replay.vocabulary().kind(&anchor.kind) {
                peers.kinds.insert(anchor.kind.clone(), kind);
                wanted.insert((kind, anchor.step));
            }
        }
        if !wanted.is_empty() {
            let names = anchors.iter().filter_map(|anchor| Some(anchor.turn?.name)).collect();
            replay.rows(&mut |rows| peers.gather(rows, &wanted, &names));
        }
        peers
    }

    fn gather(&mut self, rows: &Rows, wanted: &FxHashSet<(KindId, u32)>, names: &BTreeSet<EventHash>) {
        for at in (0..rows.len()).map(Seq) {
            let (Some(kind), Some(step)) = (rows.kind(at), rows.step(at)) else { break };
            if wanted.contains(&(kind, step)) {
                self.groups.entry((rows.turn(at), kind, step)).or_default().push(at);
            }
        }
        let numbered = |number| Some((turn_content(rows, number)?, number));
        self.turns = (0..rows.turn_count()).filter_map(numbered).filter(|(name, _)| names.contains(name)).collect();
    }

    fn all(&self) -> Vec<Seq> {
        let mut all: Vec<Seq> = self.groups.values().flatten().copied().collect();
        all.sort_unstable();
        all
    }

    /// The event of the same kind, step and ordinal, in the turn of the same name or else at the same position among
    /// the turns.
    fn pointed_to(&self, anchor: &Anchor) -> Option<Seq> {
        let kind = *self.kinds.get(&anchor.kind)?;
        let turn = anchor.turn.map(|turn| self.turns.get(&turn.name).copied().unwrap_or(turn.number));
        self.groups.get(&(turn, kind, anchor.step))?.get(anchor.ordinal as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loader::Loaded;
    use crate::log::{Log, Options};
    use crate::replay::bookmark::anchor::key;

    fn load(events: &[String]) -> Loaded {
        let log = Log::from_bytes("log".to_owned(), None, events.join("\n").into_bytes(), &Options::default());
        let loaded = Loaded::begin_log_only(log.expect("a log"), false).expect("begun");
        loaded.wait_to_end(|_| {}).expect("passed");
        loaded
    }

    fn start(turn: &str) -> String {
        format!(r#"{{"event_type":"turn_started","turn_id":"{turn}","mode":"agent","input_text":"x","max_steps":9}}"#)
    }

    fn request(turn: &str, step: u32) -> String {
        let fp = r#"{"static_prefix_sha256":"a","full_prefix_sha256":"b"}"#;
        format!(
            r#"{{"event_type":"model_request_issued","turn_id":"{turn}","step_idx":{step},"request_fp":{fp},"token_budget":1}}"#
        )
    }

    fn steer(turn: &str, step: u32, text: &str) -> String {
        format!(r#"{{"event_type":"steer_injected","turn_id":"{turn}","step_idx":{step},"text":"{text}"}}"#)
    }

    fn log() -> Vec<String> {
        vec![
            start("t"),
            request("t", 1),
            steer("t", 1, "a"),
            steer("t", 1, "b"),
            steer("t", 1, "b"),
            request("t", 2),
            steer("t", 2, "a"),
        ]
    }

    /// Sets bookmarks at every event of one log and searches for them in another.
    fn check(before: &[String], after: &[String], expected: &[BookmarkPlace]) {
        let (before, after) = (load(before), load(after));
        let mark = |at| Bookmark {
            name: format!("b{at}"),
            note: String::new(),
            anchor: Anchor::of(Seq(at), &**before.replay()).expect("there").expect("passed"),
        };
        let marks: Vec<Bookmark> = (0..before.replay().len()).map(mark).collect();
        assert_eq!(find(&marks, &**after.replay()).expect("there"), expected);
    }

    #[test]
    fn bookmarks_keep_their_positions_in_a_log_that_has_grown() {
        let mut grown = log();
        grown.push(steer("t", 2, "a"));
        check(&log(), &grown, &(0..7).map(|at| BookmarkPlace::Exact(Seq(at))).collect::<Vec<_>>());
    }

    #[test]
    fn equal_events_are_distinguished_by_their_ordinal_in_the_step() {
        let mut shifted = vec![start("t"), request("t", 0), steer("t", 0, "b"), steer("t", 0, "x")];
        shifted.extend(log().drain(1..));
        let mut expected = vec![BookmarkPlace::Exact(Seq(0))];
        expected.extend((4..10).map(|at| BookmarkPlace::Moved(Seq(at))));
        check(&log(), &shifted, &expected);
    }

    #[test]
    fn an_event_is_found_in_another_step_too() {
        // The call names no step, so the step in force counts.
        let call = r#"{"event_type":"tool_call_started","turn_id":"t","call_id":"c","wave_idx":0}"#.to_owned();
        let before = [start("t"), request("t", 1), call.clone(), steer("t", 1, "x")];
        let after = [start("t"), request("t", 2), call.clone(), request("t", 3), call];
        check(
            &before,
            &after,
            &[BookmarkPlace::Exact(Seq(0)), BookmarkPlace::Lost, BookmarkPlace::Exact(Seq(2)), BookmarkPlace::Lost],
        );
        let after = [&after[..2], &after[3..]].concat();
        check(
            &before,
            &after,
            &[BookmarkPlace::Exact(Seq(0)), BookmarkPlace::Lost, BookmarkPlace::Moved(Seq(3)), BookmarkPlace::Lost],
        );
    }

    #[test]
    fn a_new_recording_has_the_same_steps() {
        let anew: Vec<String> =
            log().iter().map(|event| event.replace("\"t\"", "\"u\"").replace("\"b\"", "\"c\"")).collect();
        check(&log(), &anew, &(0..7).map(|at| BookmarkPlace::Near(Seq(at))).collect::<Vec<_>>());
    }

    #[test]
    fn turns_are_matched_by_name_before_position() {
        let two = [start("t"), request("t", 1), start("u"), request("u", 1)];
        let only = [start("u"), request("u", 1).replace(":1}", ":5}")];
        check(&two[2..], &only, &[BookmarkPlace::Exact(Seq(0)), BookmarkPlace::Near(Seq(1))]);
        check(
            &two,
            &only,
            &[
                BookmarkPlace::Near(Seq(0)),
                BookmarkPlace::Near(Seq(1)),
                BookmarkPlace::Moved(Seq(0)),
                BookmarkPlace::Near(Seq(1)),
            ],
        );
    }

    #[test]
    fn the_nearest_of_equal_events_is_found_by_bisection() {
        let places = [Seq(2), Seq(9)];
        let of = |to| nearest(&places, Seq(to)).map(|at| at.0);
        assert_eq!([of(0), of(2), of(5), of(6), of(9), of(u32::MAX)], [2, 2, 2, 9, 9, 9].map(Some));
        assert_eq!(nearest(&[], Seq(0)), None);
    }

    #[test]
    fn the_key_of_a_log_is_its_first_event_that_names_a_turn() {
        let of = |events: &[String]| key(&**load(events).replay()).expect("there");
        let schema = r#"{"event_type":"schema_version","version":1}"#.to_owned();
        let mut headed = vec![schema.clone()];
        headed.extend(log());
        assert!(of(&log()).is_some_and(|key| key.len() == 32));
        assert_eq!(of(&log()), of(&log()[..1]));
        assert_eq!(of(&log()), of(&headed));
        assert_eq!(of(&log()), of(&[start("u")]), "the turn's name does not count");
        assert_ne!(of(&log()), of(&[request("t", 1)]));
        assert_ne!(of(&[schema]), None);
    }
}
