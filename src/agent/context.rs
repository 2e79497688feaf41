//! What the model saw at an event: the history in force there, and what the sizes of prompts tell about its parts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::growth::Growth;
use super::answer::{Collector, Seen, read};
use super::block::Block;
use super::content::Content;
use super::rebuilt::Rebuilt;
use super::summary::words;
use crate::dialect::context::{ContextAt, ContextPart};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::doctor::context::{InForce, SentPart};
use crate::replay::Seq;
use crate::replay::caption::brief;

/// Longer descriptions are cut.
const ABOUT_CHARACTERS: usize = 200;

pub(super) fn contexts(log: &dyn OpenLog, wanted: &[Option<Seq>]) -> Result<Vec<ContextAt>, DialectError> {
    let rebuilt = Rebuilt::read(log)?;
    for at in wanted.iter().flatten() {
        rebuilt.expect(*at, log)?;
    }
    let in_force = |at: &Option<Seq>| rebuilt.session.in_force(at.and_then(|at| rebuilt.line(at)));
    let histories: Vec<InForce> = wanted.iter().map(in_force).collect();
    let parts = histories.iter().flat_map(|history| &history.parts);
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
    let context = |(asked, history): (&Option<Seq>, &InForce)| {
        let answer = history.answer.and_then(|line| rebuilt.event(line));
        ContextAt {
            asked: *asked,
            answer,
            tokens: history.prompt_tokens.or_else(|| watch.growth.prompt_after(answer?)),
            parts: history.parts.iter().map(part).collect(),
            is_continued: history.lacks_base,
        }
    };
    Ok(wanted.iter().zip(&histories).map(context).collect())
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
