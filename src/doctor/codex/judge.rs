//! The rules of Codex and the provider, applied to a rollout and its history.

use rustc_hash::FxHashSet;

use super::history::{CodexHistory, ItemAt, Made};
use super::item::{Address, Family, Item, ItemKind};
use super::line::CodexKind;
use super::{HeadKind, Rollout};
use crate::doctor::checks::{
    CODEX_BASE, CODEX_EMPTY, CODEX_FIRST_LINE, CODEX_HISTORY_MODE, CODEX_IMAGE_URL, CODEX_INVALID_UTF8, CODEX_ITEM_ID,
    CODEX_ITEM_SKIPPED, CODEX_ORDINAL_MISSING, CODEX_ORDINAL_REPEATED, CODEX_REASONING_ALONE, CODEX_ROLLBACK_CUT,
    CODEX_SUBAGENT_INCOMPLETE, CODEX_TOO_LONG, CODEX_WEB_SEARCH, MALFORMED_LINE, MISSING_RESULT, NUL_LINE,
    ORPHAN_RESULT, TORN_TAIL,
};
use crate::doctor::client::Healing;
use crate::doctor::lines::Damage;
use crate::doctor::names::Name;
use crate::doctor::problem::{Problem, Problems, Rule, Spot};

/// The provider's limit for the id of an item.
const MOST_ID: usize = 64;
/// The provider's limit for the arguments of a call.
const MOST_ARGUMENTS: usize = 1_048_576;

/// Everything that is wrong with a rollout.
pub(crate) fn judge(rollout: &Rollout, history: &CodexHistory) -> Problems {
    let mut problems = Problems::default();
    head(rollout, &mut problems);
    lines(rollout, &mut problems);
    ordinals(rollout, &mut problems);
    if let Some(entry) = history.cut {
        let predicted = "no error: everything before this compaction is left out";
        let line = rollout.document.entries[entry].number;
        problems.push(Problem::new(&CODEX_ROLLBACK_CUT, line, predicted).at(Spot { entry, ..Spot::default() }));
    }
    let judged = Judged { rollout, history };
    judged.pairs(&mut problems);
    let followed = judged.followed();
    for (index, is_followed) in followed.into_iter().enumerate() {
        judged.item(index, is_followed, &mut problems);
    }
    problems
}

/// The first line, and what it says.
fn head(rollout: &Rollout, problems: &mut Problems) {
    let Some(head) = &rollout.head else {
        problems.push(Problem::new(&CODEX_EMPTY, 0, "empty session file"));
        return;
    };
    let spot = Spot { entry: head.entry, ..Spot::default() };
    let mut push = |rule, predicted: String| problems.push(Problem::new(rule, head.number, predicted).at(spot));
    match &head.kind {
        HeadKind::Meta(_) if !head.has_bom => {}
        HeadKind::Other if !head.has_bom => {
            push(&CODEX_FIRST_LINE, "rollout at <path> does not start with session metadata".to_owned());
        }
        _ => push(&CODEX_FIRST_LINE, "failed to parse first rollout record at <path>".to_owned()),
    }
    let HeadKind::Meta(meta) = &head.kind else { return };
    if let Some(mode) = meta.history_mode.as_deref().filter(|_| !meta.is_known_mode()) {
        let problem = Problem::new(&CODEX_HISTORY_MODE, head.number, "invalid session metadata history_mode");
        problems.push(problem.about(mode).at(spot));
    }
    if let Some(failure) = &rollout.base_failure {
        let predicted = format!("invalid paginated history lineage for {}: {}", meta.id, failure.reason);
        problems.push(Problem::new(&CODEX_BASE, head.number, predicted).about(failure.rollout.clone()).at(spot));
    }
}

/// Lines that are not read.
fn lines(rollout: &Rollout, problems: &mut Problems) {
    let is_paginated = rollout.is_paginated();
    let head = rollout.head.as_ref().map(|head| head.number);
    for (entry, found) in rollout.document.present() {
        let spot = Spot { entry, ..Spot::default() };
        let is_head = Some(found.number) == head;
        if !found.line.is_utf8 && !is_paginated {
            let predicted = "failed to load thread history <path>: stream did not contain valid UTF-8";
            problems.push(Problem::new(&CODEX_INVALID_UTF8, found.number, predicted).at(spot));
        }
        let is_unread = !found.line.is_utf8 && is_paginated;
        for line in found.number..found.number + found.run {
            let (rule, predicted, healing): (&'static Rule, &str, _) = match &found.line.kind {
                CodexKind::Damaged { damage: Damage::Torn, .. } => (&TORN_TAIL, "", None),
                // The head has a finding of its own.
                _ if is_head => continue,
                CodexKind::Damaged { damage: Damage::Malformed, is_item: false } => {
                    (&MALFORMED_LINE, "no error: the line is left out", Some(Healing::Always))
                }
                CodexKind::Damaged { damage: Damage::Nul, .. } => (&NUL_LINE, "", Some(Healing::Always)),
                CodexKind::Damaged { .. } | CodexKind::Skipped => {
                    (&CODEX_ITEM_SKIPPED, "no error: the line does not decode and is left out", None)
                }
                CodexKind::Item(_) | CodexKind::Compacted(_) if is_unread => {
                    (&CODEX_ITEM_SKIPPED, "no error: the line does not decode and is left out", None)
                }
                _ => continue,
            };
            problems.push(Problem::new(rule, line, predicted).healed(healing).at(spot));
        }
    }
}

/// The numbers of the records of a paginated rollout.
fn ordinals(rollout: &Rollout, problems: &mut Problems) {
    let Some(meta) = rollout.any_meta().filter(|meta| meta.is_paginated()) else { return };
    for jump in &rollout.jumps {
        let predicted = format!("expected ordinal {}, got {}", jump.expected, jump.found);
        problems.push(Problem::new(&CODEX_ORDINAL_REPEATED, jump.number, predicted).about(jump.found.to_string()));
    }
    let Some(last) = rollout.last else { return };
    let spot = Spot { entry: last.entry, ..Spot::default() };
    let Some(ordinal) = last.ordinal else {
        let predicted = "final paginated rollout record at <path> is missing an ordinal";
        problems.push(Problem::new(&CODEX_ORDINAL_MISSING, last.number, predicted).at(spot));
        return;
    };
    if let Some(inherited) = meta.subagent_start.and_then(|start| start.checked_sub(1)).filter(|end| ordinal < *end) {
        let predicted = format!(
            "paginated subagent rollout at <path> is incomplete: expected inherited prefix through ordinal {inherited}, \
             found final durable ordinal {ordinal}"
        );
        problems.push(Problem::new(&CODEX_SUBAGENT_INCOMPLETE, last.number, predicted).at(spot));
    }
}

struct Judged<'r> {
    rollout: &'r Rollout,
    history: &'r CodexHistory,
}

impl Judged<'_> {
    fn get(&self, index: usize) -> Option<(&ItemAt, &Item)> {
        let at = self.history.items.get(index)?;
        Some((at, self.rollout.item(at).filter(|_| at.made == Made::Recorded)?))
    }

    fn name(&self, name: Name) -> std::sync::Arc<str> {
        self.rollout.names.text(name)
    }

    /// A problem of an item. What is wrong with a rollout that this one continues is shown at the head.
    fn problem(&self, rule: &'static Rule, index: usize, predicted: String) -> Problem {
        let at = &self.history.items[index];
        let line = self.rollout.line_of(at).unwrap_or_else(|| self.rollout.head.as_ref().map_or(1, |head| head.number));
        let entry = if at.file == self.rollout.own() { at.entry } else { usize::MAX };
        let spot = Spot { entry, block: at.item.unwrap_or(0), part: None, message: Some(index) };
        Problem::new(rule, line, predicted).at(spot)
    }

    /// Calls and outputs without each other; Codex deals with both.
    fn pairs(&self, problems: &mut Problems) {
        let mut calls: FxHashSet<(Family, Name)> = FxHashSet::default();
        let mut outputs: FxHashSet<(Family, Name)> = FxHashSet::default();
        for (_, item) in (0..self.history.items.len()).filter_map(|index| self.get(index)) {
            match (item.kind, item.call) {
                (ItemKind::Call(family), Some(call)) => calls.insert((family, call)),
                (ItemKind::Output(family), Some(call)) => outputs.insert((family, call)),
                _ => false,
            };
        }
        for index in 0..self.history.items.len() {
            let Some((_, item)) = self.get(index) else { continue };
            let Some(call) = item.call else { continue };
            let name = self.name(call);
            let (rule, predicted) = match item.kind {
                ItemKind::Call(family) if !outputs.contains(&(family, call)) => {
                    (&MISSING_RESULT, format!("No tool output found for function call {name}."))
                }
                ItemKind::Output(family) if !calls.contains(&(family, call)) => {
                    (&ORPHAN_RESULT, format!("No tool call found for function call output with call_id {name}."))
                }
                _ => continue,
            };
            problems.push(self.problem(rule, index, predicted).about(name).healed(Some(Healing::Always)));
        }
    }

    fn item(&self, index: usize, is_followed: bool, problems: &mut Problems) {
        let Some((_, item)) = self.get(index) else { return };
        self.id(index, item, problems);
        if item.characters > MOST_ARGUMENTS {
            let member = if item.kind == ItemKind::Call(Family::Custom) { "input" } else { "arguments" };
            let predicted = format!(
                "Invalid 'input[{index}].{member}': string too long. Expected a string with maximum length \
                 {MOST_ARGUMENTS}, but got a string with length {} instead.",
                item.characters
            );
            let problem = self.problem(&CODEX_TOO_LONG, index, predicted);
            problems.push(item.call.map_or_else(|| problem.clone(), |call| problem.clone().about(self.name(call))));
        }
        if let Some(action) = item.refused_action {
            let predicted = format!(
                "Invalid value: '{}'. Supported values are: 'search', 'open_page', and 'find_in_page'.",
                self.name(action)
            );
            let problem = self.problem(&CODEX_WEB_SEARCH, index, predicted);
            problems.push(item.id.map_or_else(|| problem.clone(), |id| problem.clone().about(self.name(id))));
        }
        for (part, address) in &item.images {
            let list = if item.kind == ItemKind::Message { "content" } else { "output" };
            let at = format!("Invalid 'input[{index}].{list}[{part}].image_url'.");
            let (predicted, healing) = match address {
                Address::Foreign => {
                    (format!("{at} Expected a valid URL, but got a value with an invalid format."), None)
                }
                Address::BadData => {
                    let expected = "Expected a base64-encoded data URL with an image MIME type";
                    (format!("{at} {expected}"), Some(Healing::Always))
                }
            };
            let mut problem = self.problem(&CODEX_IMAGE_URL, index, predicted).healed(healing);
            problem.spot.part = Some(*part);
            problems.push(problem);
        }
        if let Some(id) = self.sent_id(item).filter(|_| item.kind == ItemKind::Reasoning && !is_followed) {
            let predicted =
                format!("Item '{id}' of type 'reasoning' was provided without its required following item.");
            problems.push(self.problem(&CODEX_REASONING_ALONE, index, predicted).about(id));
        }
    }

    /// The id that is sent with an item: one with a prefix.
    fn sent_id(&self, item: &Item) -> Option<std::sync::Arc<str>> {
        let id = self.name(item.id?);
        let is_prefixed = id.split_once('_').is_some_and(|(prefix, rest)| !prefix.is_empty() && !rest.is_empty());
        is_prefixed.then_some(id)
    }

    fn id(&self, index: usize, item: &Item, problems: &mut Problems) {
        let Some(id) = self.sent_id(item) else { return };
        let prefix = match item.kind {
            ItemKind::Message => "msg",
            ItemKind::Reasoning => "rs",
            ItemKind::Call(Family::Function) if &*self.name(item.kind_name) == "function_call" => "fc",
            _ => "",
        };
        let length = id.chars().count();
        let predicted = if length > MOST_ID {
            format!(
                "Invalid 'input[{index}].id': string too long. Expected a string with maximum length {MOST_ID}, but got a \
                 string with length {length} instead."
            )
        } else if !prefix.is_empty() && id.split('_').next() != Some(prefix) {
            format!("Invalid 'input[{index}].id': '{id}'. Expected an ID that begins with '{prefix}'.")
        } else {
            return;
        };
        problems.push(self.problem(&CODEX_ITEM_ID, index, predicted).about(id));
    }

    /// For each item, whether a part of the same response follows it. Reasoning may come in several items.
    fn followed(&self) -> Vec<bool> {
        let is_of_response = |item: &Item| match item.kind {
            ItemKind::Message => &*self.name(item.shown) == "assistant",
            ItemKind::Call(_) | ItemKind::WebSearch | ItemKind::Other => true,
            _ => false,
        };
        let mut followed = vec![false; self.history.items.len()];
        let mut by_response = false;
        for index in (0..followed.len()).rev() {
            followed[index] = by_response;
            match self.get(index) {
                // A message of another agent may come in between.
                Some((_, item)) if matches!(item.kind, ItemKind::Reasoning | ItemKind::AgentMessage) => {}
                item => by_response = item.is_some_and(|(_, item)| is_of_response(item)),
            }
        }
        followed
    }
}
