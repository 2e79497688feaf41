//! What the model saw at an event: the history in force there, and what the sizes of prompts tell about its parts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::growth::Growth;
use super::answer::{Collector, Seen, read};
use super::block::Block;
use super::content::Content;
use super::rebuilt::Rebuilt;
use super::summary::words;
use crate::dialect::context::{ContextAt, ContextPart, WhichContext};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::doctor::context::{InForce, SentPart};
use crate::replay::Seq;
use crate::replay::caption::brief;

/// Longer descriptions are cut.
const ABOUT_CHARACTERS: usize = 200;

pub(super) fn contexts(log: &dyn OpenLog, wanted: &[WhichContext]) -> Result<Vec<ContextAt>, DialectError> {
    let rebuilt = Rebuilt::read(log)?;
    let histories = wanted.iter().map(|which| wanted_history(&rebuilt, log, *which)).collect::<Result<Vec<_>, _>>()?;
    let parts = histories.iter().flat_map(|(history, _)| &history.parts);
    let shown = parts.filter_map(|part| Some((rebuilt.event(part.line?)?, part.item))).collect();
    let watch = read(log, PartWatch { growth: Growth::default(), shown, about: FxHashMap::default() })?;
    let tokens = watch.growth.tokens_by_event();
    let part = |part: &SentPart| {
        let at = part.line.and_then(|line| rebuilt.event(line));
        ContextPart {
            at,
            item: part.item,
            message: part.message,
            role: part.role.clone(),
            kinds: part.kinds.clone(),
            bytes: part.bytes,
            // What a compaction left is measured as a whole.
            tokens: at.filter(|_| part.item.is_none()).and_then(|at| tokens.get(&at).copied()),
            about: at.and_then(|at| watch.about.get(&(at, part.item)).cloned()).unwrap_or_default(),
        }
    };
    let context = |(asked, (history, compaction)): (&WhichContext, &WantedHistory)| {
        let answer = history.answer.and_then(|line| rebuilt.event(line));
        let compaction = compaction.map(|(number, line)| (number, rebuilt.event(line)));
        let measured = || match (asked, compaction.and_then(|(_, at)| at)) {
            (WhichContext::BeforeCompaction(_), Some(at)) => watch.growth.prompt_before(at),
            (WhichContext::AfterCompaction(_), Some(at)) => watch.growth.prompt_after(at),
            _ => watch.growth.prompt_after(answer?),
        };
        ContextAt {
            asked: *asked,
            compaction,
            answer,
            tokens: history.prompt_tokens.or_else(measured),
            parts: history.parts.iter().map(part).collect(),
            is_continued: history.lacks_base,
        }
    };
    Ok(wanted.iter().zip(&histories).map(context).collect())
}

/// A history, and the number and line of the compaction that it was asked by.
type WantedHistory = (InForce, Option<(usize, u32)>);

fn wanted_history(rebuilt: &Rebuilt, log: &dyn OpenLog, which: WhichContext) -> Result<WantedHistory, DialectError> {
    let number = match which {
        WhichContext::Resume => return Ok((rebuilt.session.in_force(None), None)),
        WhichContext::At(at) => {
            rebuilt.expect(at, log)?;
            return Ok((rebuilt.session.in_force(rebuilt.line(at)), None));
        }
        WhichContext::BeforeCompaction(number) | WhichContext::AfterCompaction(number) => number,
    };
    let (name, known) = (log.name(), rebuilt.session.compactions());
    let refused = || match known {
        0 => DialectError::Refused(format!("{name}: the session has no compaction")),
        known => DialectError::Refused(format!("{name}: the compactions are numbered from 1 to {known}")),
    };
    let number = number.unwrap_or(known);
    let compacted = rebuilt.session.compacted(number).ok_or_else(refused)?;
    let is_before = matches!(which, WhichContext::BeforeCompaction(_));
    Ok((if is_before { compacted.before } else { compacted.after }, Some((number, compacted.line))))
}

/// Measures and describes the parts of histories.
struct PartWatch {
    growth: Growth,
    shown: FxHashSet<(Seq, Option<usize>)>,
    about: FxHashMap<(Seq, Option<usize>), String>,
}

impl Collector for PartWatch {
    fn see(&mut self, seen: &Seen<'_, '_>) {
        self.growth.see(seen);
        if self.shown.contains(&(seen.at, None)) {
            self.about.insert((seen.at, None), brief(&words(seen.event)));
        }
        for block in &seen.event.blocks {
            let Block::Compaction(compaction) = block else { continue };
            let items = compaction.left.into_iter().flat_map(|left| left.elements()).enumerate();
            for (index, item) in items.filter(|(index, _)| self.shown.contains(&(seen.at, Some(*index)))) {
                let text = Content::new(item.get("content")).beginning(ABOUT_CHARACTERS);
                self.about.insert((seen.at, Some(index)), brief(&text));
            }
        }
    }
}
