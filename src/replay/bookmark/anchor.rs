//! Anchors: what identifies a bookmark's event, and what identifies a log.

use serde::{Deserialize, Serialize};

use super::content::EventHash;
use crate::replay::Seq;
use crate::replay::index::Rows;
use crate::replay::source::Gone;
use crate::replay::timeline::Replay;

/// Describes one event, so that it can be found again after the log has grown, was cut or was recorded again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Anchor {
    /// Where it was.
    pub at: Seq,
    pub kind: String,
    pub step: u32,
    /// How many events of its kind are before it in the same step of the same turn.
    pub ordinal: u32,
    /// The turn of the event, if the log has named one by then.
    pub turn: Option<TurnAnchor>,
    pub content: EventHash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnAnchor {
    /// The position among the turns of the log.
    pub number: u32,
    /// A hash of the turn's name, which may be of any length.
    pub name: EventHash,
}

impl Anchor {
    /// The anchor of an event; `None` if the pass has not reached it.
    pub(crate) fn of(at: Seq, replay: &dyn Replay) -> Result<Option<Anchor>, Gone> {
        let mut described = None;
        replay.rows(&mut |rows| described = describe(at, rows));
        let (Some((step, ordinal, turn)), Some(row)) = (described, replay.row(at)) else { return Ok(None) };
        let Some(record) = replay.record(at)? else { return Ok(None) };
        let content = EventHash::of_event(replay.event_of(&record));
        let kind = replay.vocabulary().kind_name(row.kind).to_owned();
        Ok(Some(Anchor { at, kind, step, ordinal, turn, content }))
    }
}

fn describe(at: Seq, rows: &Rows) -> Option<(u32, u32, Option<TurnAnchor>)> {
    let row = rows.get(at)?;
    let is_peer = |other: &Seq| {
        rows.kind(*other) == Some(row.kind) && rows.step(*other) == Some(row.step) && rows.turn(*other) == row.turn
    };
    let ordinal = (0..at.0).map(Seq).filter(is_peer).count() as u32;
    let named = |number: u32| Some(TurnAnchor { number, name: turn_content(rows, number)? });
    Some((row.step, ordinal, row.turn.and_then(named)))
}

pub(super) fn turn_content(rows: &Rows, number: u32) -> Option<EventHash> {
    rows.turn_name(number).map(|name| EventHash::of_bytes(name.as_bytes()))
}

/// The key of a log: the hash of its head, or of the first event that names a turn, or of the first event. It stays the
/// same if the log grows, moves or changes its container. The name of the turn does not count, so a new recording of
/// the same request has the same key.
///
/// Two logs that begin with the same event share their bookmarks. This is harmless: each bookmark is anchored to its
/// own event, and in a log that lacks the event it is near or lost.
///
/// `None` until the pass has reached such an event, and for a log without events.
pub(crate) fn key(replay: &dyn Replay) -> Result<Option<String>, Gone> {
    // All tapes begin with the same clock reading; they differ in the command that was run.
    if let Some(head) = replay.source().head() {
        return Ok(Some(EventHash::of_event(&head.bytes).to_string()));
    }
    let at_end = replay.progress().at_end;
    let mut first = None;
    replay.rows(&mut |rows| {
        let named = (0..rows.len()).map(Seq).find(|at| rows.turn(*at).is_some());
        first = named.or_else(|| (at_end && !rows.is_empty()).then_some(Seq(0)));
    });
    let Some(first) = first else { return Ok(None) };
    let turn = replay.row(first).and_then(|row| row.turn).and_then(|turn| replay.turn_name(turn));
    let of = |record: Vec<u8>| EventHash::of_event_without(replay.event_of(&record), turn.as_deref()).to_string();
    Ok(replay.record(first)?.map(of))
}
