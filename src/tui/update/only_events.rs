//! The list restricted to some events: by a condition, or to those like the event at the playhead.

use std::sync::Arc;

use crate::replay::Seq;
use crate::replay::condition::used_steps;
use crate::replay::debugger::breakpoint::On;
use crate::replay::debugger::selected_events::SelectedEvents;
use crate::text::count;
use crate::tui::action::Action;
use crate::tui::model::Model;

/// How many events are tested before the keyboard is read again.
const SLICE: u32 = 16_384;
/// How many steps of filters are taken before the keyboard is read again.
const SLICE_STEPS: u64 = 500_000;
/// How far from its beginning the events of a call are looked for.
const CALL_EVENTS: u32 = 2048;

pub(crate) fn begin(model: &mut Model, only: SelectedEvents) {
    let text = only.text.clone();
    model.debugger.filter.only = Some(only);
    advance(model);
    let Some(only) = &model.debugger.filter.only else { return };
    let all = match only.is_done(model.replay()) {
        true => format!(" ({})", count(u64::from(only.count()), "event")),
        false => String::new(),
    };
    let escape = model.key(Action::Escape);
    model.message = Some(format!("showing only {text}{all}; {escape} or `:all` shows every event again"));
}

/// Tests the next events.
pub(crate) fn advance(model: &mut Model) {
    let replay = Arc::clone(model.debugger.replay());
    let Some(only) = &mut model.debugger.filter.only else { return };
    let start = used_steps();
    let give_up = || used_steps().wrapping_sub(start) > SLICE_STEPS;
    if let Err(gone) = only.advance(&*replay, SLICE, &give_up) {
        model.message = Some(gone.reason);
        model.debugger.filter.only = None;
    }
}

/// Restricts the list to the events of this kind, or to the next group of events that this one is in.
pub(crate) fn next(model: &mut Model) {
    if model.compared().is_some() {
        model.message = Some("compared logs always show all events".to_owned());
        return;
    }
    let choices = choices(model);
    let now = model.debugger.filter.only.as_ref().map(|only| only.text.as_str());
    let here = now.and_then(|now| choices.iter().position(|choice| choice.text == now));
    let wanted = match (here, now) {
        (Some(here), _) => choices.into_iter().nth(here + 1),
        // Another restriction is replaced by the first of these.
        (None, _) => choices.into_iter().next(),
    };
    match wanted {
        Some(only) => {
            begin(model, only);
            let key = model.key(Action::OnlyLikeThis).to_owned();
            model.message = model.message.take().map(|text| format!("{text}; {key} goes on"));
        }
        None => {
            model.debugger.filter.only = None;
            model.message = Some("showing every event".to_owned());
        }
    }
}

/// The groups of events that the one at the playhead is in.
fn choices(model: &Model) -> Vec<SelectedEvents> {
    let (replay, at) = (model.replay(), model.at());
    let Some(row) = replay.row(at) else { return Vec::new() };
    let kind = format!("kind:{}", replay.vocabulary().kind_name(row.kind));
    let mut choices = vec![SelectedEvents::on(On::Kind(row.kind), kind)];
    let call = call_events(model);
    if call.len() > 1 {
        choices.push(SelectedEvents::of(call, "the events of this call".to_owned()));
    }
    let findings = replay.findings();
    let chosen = model.finding.and_then(|number| findings.list.get(number)).filter(|finding| finding.at.contains(&at));
    if let Some(finding) = chosen {
        let mut events = finding.at.to_vec();
        events.sort_unstable();
        events.dedup();
        choices.push(SelectedEvents::of(events, format!("the events of {}", finding.check.id)));
    }
    choices
}

/// The events of the call that the one at the playhead belongs to.
fn call_events(model: &Model) -> Vec<Seq> {
    let (replay, at) = (model.replay(), model.at());
    let begin_of = |at: Seq| replay.stories(&[at]).ok()?.pop()??.begin.map(|(begin, _)| begin);
    let Some(begin) = begin_of(at) else { return Vec::new() };
    let end = replay.len().min(begin.0.saturating_add(CALL_EVENTS).max(at.0 + 1));
    let near: Vec<Seq> = (begin.0..end).map(Seq).collect();
    let Ok(stories) = replay.stories(&near) else { return Vec::new() };
    let is_of_call = |story: Option<crate::replay::timeline::CallStory>| {
        story.and_then(|story| story.begin).is_some_and(|(first, _)| first == begin)
    };
    near.into_iter().zip(stories).filter_map(|(at, story)| is_of_call(story).then_some(at)).collect()
}
