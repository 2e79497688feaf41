//! Repairs of a rollout: the smallest edits after which Codex loads it and the provider accepts it.

use super::history::CodexHistory;
use super::judge::judge;
use super::line::{CodexKind, line};
use super::{BOM, HeadKind, Rollout};
use crate::doctor::checks::{
    CODEX_FIRST_LINE, CODEX_IMAGE_URL, CODEX_INVALID_UTF8, CODEX_ITEM_ID, CODEX_ORDINAL_MISSING, CODEX_TOO_LONG,
    CODEX_WEB_SEARCH, TORN_TAIL,
};
use crate::doctor::claude::mend::is_repaired;
use crate::doctor::document::EntryId;
use crate::doctor::lines::Lines;
use crate::doctor::problem::{Asked, Problem, Spot};
use crate::doctor::session::Step;
use crate::doctor::shape::{At, Shape};
use crate::doctor::splice::{literal, replaced, with_member, with_member_behind, without_member};

/// Every edit removes its defect, and few bring others to light.
const ROUNDS_MOST: usize = 8;
const TOO_LONG: &str = "[These arguments were too long for the provider.]";
const LOST_IMAGE: &str = "[An image was here whose address the provider refuses.]";

/// Mends a rollout. Returns the problems that could not be mended.
pub(crate) fn mend(rollout: &mut Rollout, lines: &dyn Lines, by: Asked<'_>, steps: &mut Vec<Step>) -> Vec<Problem> {
    for _ in 0..ROUNDS_MOST {
        let history = CodexHistory::new(rollout, None);
        let problems = judge(rollout, &history).into_sorted();
        let wanted: Vec<Problem> = problems.into_iter().filter(|problem| is_repaired(problem, by)).collect();
        let mut mender = CodexMender { rollout, lines };
        // All are tried, also after one that cannot be mended.
        let known = steps.len();
        steps.extend(wanted.iter().filter_map(|problem| Some(Step::new(problem, mender.apply(problem)?))));
        if steps.len() == known {
            return wanted;
        }
        rollout.refresh();
    }
    let history = CodexHistory::new(rollout, None);
    judge(rollout, &history).into_sorted().into_iter().filter(|problem| is_repaired(problem, by)).collect()
}

struct CodexMender<'a> {
    rollout: &'a mut Rollout,
    lines: &'a dyn Lines,
}

impl CodexMender<'_> {
    /// Makes the edit for a problem, and says which.
    fn apply(&mut self, problem: &Problem) -> Option<&'static str> {
        let (rule, spot) = (problem.rule, problem.spot);
        if rule == &TORN_TAIL {
            self.rollout.document.drop_line(spot.entry);
            Some("drop the line")
        } else if rule == &CODEX_FIRST_LINE {
            self.begin_with_metadata()
        } else if rule == &CODEX_INVALID_UTF8 {
            let bytes = self.rollout.document.bytes(spot.entry, self.lines)?;
            self.put(spot.entry, String::from_utf8_lossy(&bytes).into_owned().into_bytes())?;
            Some("replace the bytes by U+FFFD")
        } else if rule == &CODEX_ORDINAL_MISSING {
            let next = self.rollout.last?.greatest.map_or(Some(0), |last| last.checked_add(1))?.to_string();
            let add = |shape: &Shape| with_member_behind(shape, Shape::ROOT, "timestamp", "ordinal", next.as_bytes());
            self.edit(spot.entry, |shape| Some(add(shape)))?;
            Some("add the next ordinal")
        } else if rule == &CODEX_ITEM_ID {
            self.edit_item(spot, |shape, item| Some(without_member(shape, item, "id")))?;
            Some("remove the id")
        } else if rule == &CODEX_TOO_LONG {
            self.edit_item(spot, |shape, item| Some(with_note(shape, item)))?;
            Some("replace the arguments by a note")
        } else if rule == &CODEX_IMAGE_URL {
            let text = [&br#"{"type":"input_text","text":"#[..], &literal(LOST_IMAGE), b"}"].concat();
            self.edit_item(spot, |shape, item| {
                let list = ["content", "output"].iter().find_map(|name| shape.get(item, name))?;
                let image = shape.elements(list).nth(spot.part?)?;
                Some(replaced(shape.bytes(), shape.span(image), &text))
            })?;
            Some("replace the image by a note")
        } else if rule == &CODEX_WEB_SEARCH {
            let search = |shape: &Shape, action: At| with_member(shape, action, "type", b"\"search\"");
            self.edit_item(spot, |shape, item| Some(search(shape, shape.get(item, "action")?)))?;
            Some("make it a search")
        } else {
            None
        }
    }

    /// Removes the byte order mark, or everything before the metadata.
    fn begin_with_metadata(&mut self) -> Option<&'static str> {
        let head = self.rollout.head.clone()?;
        if head.has_bom && matches!(head.kind, HeadKind::Meta(_)) {
            let bytes = self.rollout.document.bytes(head.entry, self.lines)?;
            self.put(head.entry, bytes.strip_prefix(BOM)?.to_vec())?;
            return Some("remove the byte order mark");
        }
        let is_meta = |entry: EntryId| matches!(self.rollout.document.entries[entry].line.kind, CodexKind::Meta(_));
        let before: Vec<EntryId> =
            self.rollout.document.present().map(|(entry, _)| entry).take_while(|entry| !is_meta(*entry)).collect();
        let records = before.iter().filter_map(|entry| self.rollout.document.entries[*entry].line.record);
        let is_counted = records.into_iter().any(|record| record.ordinal.is_some());
        if is_counted || self.rollout.document.present().count() == before.len() {
            return None;
        }
        before.into_iter().for_each(|entry| self.rollout.document.drop_line(entry));
        Some("drop everything before the metadata")
    }

    fn put(&mut self, entry: EntryId, bytes: Vec<u8>) -> Option<()> {
        let mut line = match Shape::object(&bytes) {
            Some(shape) => line(&shape, &mut self.rollout.names),
            // A line that is not a record stays one.
            None => self.rollout.document.entries[entry].line.clone(),
        };
        line.is_utf8 = std::str::from_utf8(&bytes).is_ok();
        self.rollout.document.change(entry, bytes, line);
        Some(())
    }

    fn edit(&mut self, entry: EntryId, edit: impl FnOnce(&Shape) -> Option<Vec<u8>>) -> Option<()> {
        let bytes = self.rollout.document.bytes(entry, self.lines)?;
        let changed = edit(&Shape::object(&bytes)?)?;
        self.put(entry, changed)
    }

    /// Changes an item of the history. Items of other rollouts cannot be changed.
    fn edit_item(&mut self, spot: Spot, edit: impl FnOnce(&Shape, At) -> Option<Vec<u8>>) -> Option<()> {
        let index = match &self.rollout.document.entries.get(spot.entry)?.line.kind {
            CodexKind::Compacted(compacted) => Some(compacted.replacement.as_ref()?.get(spot.block)?.index?),
            _ => None,
        };
        self.edit(spot.entry, |shape| {
            let payload = shape.get(Shape::ROOT, "payload")?;
            let item = match index {
                Some(index) => shape.elements(shape.get(payload, "replacement_history")?).nth(index)?,
                None => payload,
            };
            edit(shape, item)
        })
    }
}

/// Puts a note in the place of arguments. They are JSON in a string; the input of a custom tool is any text.
fn with_note(shape: &Shape, item: At) -> Vec<u8> {
    if shape.get(item, "input").is_some() {
        return with_member(shape, item, "input", &literal(TOO_LONG));
    }
    with_member(shape, item, "arguments", &literal(&format!("{{\"note\":\"{TOO_LONG}\"}}")))
}

impl Rollout {
    /// Brings the head and the last record up to date after changes.
    fn refresh(&mut self) {
        let first =
            self.document.present().next().map(|(entry, found)| (entry, found.number, super::head_kind(&found.line)));
        self.head = first.map(|(entry, number, kind)| {
            let had_bom = self.head.as_ref().is_some_and(|head| head.has_bom && head.entry == entry);
            // The mark is gone once the line was changed.
            let has_bom = had_bom && !self.document.is_changed(entry);
            super::RolloutHead { number, entry, kind, has_bom }
        });
        if let Some(last) = &mut self.last {
            let record = self.document.entries[last.entry].line.record;
            last.ordinal = record.and_then(|record| record.ordinal);
            last.greatest = last.ordinal.or(last.greatest);
        }
    }
}
