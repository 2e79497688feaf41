//! The effect of actions on the model. Anything that needs files, threads or the terminal is returned as a [`Request`].

mod after;
mod command;
mod lists;
pub(crate) mod mouse;
mod moving;
pub(crate) mod news;
mod only_events;
mod panes;
pub(crate) mod play;
mod quit;
mod search;
mod sharing;
mod stop_marks;
mod stops;
pub(crate) mod tour;
mod typing;

use crossterm::event::{KeyEvent, KeyEventKind};
use ratatui::layout::Rect;

use super::action::{Action, Pane};
use super::compare::update as compare;
use super::export::update as export;
use super::form::LogForm;
use super::inquiry::state::Question;
use super::inquiry::update as inquiry;
use super::key;
use super::minimize::update as minimize;
use super::model::permission::Intent;
use super::model::{InputMode, Model, PopupBody};
use super::palette::{self, Chosen};
use super::popup;
use super::request::Request;
use super::typing::PromptKind;
use super::whatif::update as whatif;
use crate::text::clean;
use after::after;

/// The width of a text that is laid out to be copied, whatever the width of the screen.
const COPIED_COLUMNS: usize = 200;

/// A key was pressed.
pub(crate) fn press(model: &mut Model, event: KeyEvent) -> Request {
    if event.kind == KeyEventKind::Release {
        return Request::Nothing;
    }
    let name = key::name(event);
    if tour::press(model, &name) {
        return Request::Nothing;
    }
    let request = press_named(model, event, &name);
    after(model);
    request
}

fn press_named(model: &mut Model, event: KeyEvent, name: &str) -> Request {
    let action = model.keymap().lookup(name, model.key_context());
    if action == Some(Action::Submit)
        && let InputMode::Prompt(prompt) = &model.mode
        && prompt.kind == PromptKind::Palette
    {
        let chosen = palette::chosen(model, prompt);
        return do_chosen(model, chosen);
    }
    if matches!(model.mode, InputMode::Prompt(_) | InputMode::Editor(_)) {
        return typing::press(model, event, action);
    }
    model.message = None;
    if !matches!(action, Some(Action::Quit | Action::Reload)) {
        model.warned = false;
    }
    let is_normal = matches!(model.mode, InputMode::Normal);
    let digit = name.parse::<u32>().ok().filter(|digit| *digit < 10 && (*digit > 0 || model.count.is_some()));
    if let Some(digit) = digit.filter(|_| is_normal) {
        model.count = Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        return Request::Nothing;
    }
    action.map_or(Request::Nothing, |action| update(model, action))
}

/// Does what was chosen in the palette.
fn do_chosen(model: &mut Model, chosen: Option<Chosen>) -> Request {
    model.mode = InputMode::Normal;
    match chosen {
        Some(Chosen::Do(action)) => return update(model, action),
        Some(Chosen::Write(line)) => model.ask_with(PromptKind::Command, &line),
        None => model.message = Some("nothing matches".to_owned()),
    }
    Request::Nothing
}

/// What a key would do now, in a few words; nothing if it would do nothing, or type a letter.
pub(crate) fn words(model: &Model, event: KeyEvent) -> &'static str {
    let binding = model.keymap().binding(&key::name(event), model.key_context());
    // The rest is about variants of it.
    binding.and_then(|binding| binding.describes.split(';').next()).unwrap_or_default()
}

pub(crate) fn update(model: &mut Model, action: Action) -> Request {
    let before = model.at();
    let request = match &model.mode {
        InputMode::List(list) => lists::update(model, *list, action),
        InputMode::Text(_) => in_text(model, action),
        InputMode::Export => export::update(model, action),
        _ => in_panes(model, action),
    };
    if model.at() != before {
        model.effects_scroll = 0;
        model.look();
    }
    model.settle();
    request
}

fn in_panes(model: &mut Model, action: Action) -> Request {
    let count = model.count.take();
    let was_moving = model.playing || model.running.is_some();
    // Any other action stops playing and running.
    let keeps_playing = matches!(
        action,
        Action::Play | Action::TurnAround | Action::Faster | Action::Slower | Action::Focus(_) | Action::FocusOn(_)
    );
    if !keeps_playing && action != Action::Escape {
        model.stop_moving();
        model.goes_to_end = false;
    }
    let times = count.unwrap_or(1).max(1);
    match action {
        Action::Difference(_) | Action::FirstDifference => compare::update(model, action, times),
        Action::Continue(direction) => stops::begin_run(model, direction, times),
        Action::Watch => stops::watch(model),
        Action::BreakOnKind => stops::break_on_kind(model),
        Action::Play | Action::TurnAround | Action::Faster | Action::Slower => play::update(model, action),
        Action::Pin => panes::pin(model),
        Action::Explain => panes::explain(model),
        Action::Minimize => return minimize::ask(model, None),
        Action::Export => return export::ask(model, None),
        Action::Widen(by) => panes::widen(model, i64::from(by) * i64::from(times)),
        Action::Heighten(by) => panes::heighten(model, i64::from(by) * i64::from(times)),
        Action::UsualSizes => panes::usual_sizes(model),
        Action::FoldFields => panes::list_all_fields(model),
        Action::OnlyLikeThis => only_events::next(model),
        Action::FoldCalls => panes::fold_calls(model),
        Action::NextView(direction) => model.detail.next_tab(direction),
        Action::Fold => panes::fold(model),
        Action::FoldAll => {
            model.folds_all = !model.folds_all;
            model.detail.fold_all(model.folds_all);
        }
        Action::Mark => lists::ask_note(model),
        Action::List(kind) => lists::open(model, kind),
        Action::Family => return Request::Family,
        Action::Context => return inquiry::ask_context(model, "").unwrap_or(Request::Nothing),
        Action::Time => return inquiry::toggle_time(model),
        Action::Health => return inquiry::ask(model, Question::Health),
        Action::LeaveLog => quit::leave_log(model),
        Action::Copy(what) => return sharing::copy(model, what),
        Action::Search if model.focus == Pane::Detail => search::begin(model, PromptKind::SearchWithin),
        Action::Search => search::begin(model, PromptKind::Search),
        Action::Command => model.ask(PromptKind::Command),
        Action::Palette => model.ask(PromptKind::Palette),
        Action::Focus(by) => moving::focus(model, by),
        Action::FocusOn(pane) => model.focus = pane,
        Action::Zoom => model.zoomed = !model.zoomed,
        Action::FreeMouse => panes::free_mouse(model),
        Action::Original => return switch_form(model),
        action if action.varies() => return whatif::update(model, action, times),
        Action::Tour => tour::toggle(model),
        Action::NextLesson => tour::skip(model),
        Action::Help => model.show_text("Keys", PopupBody::Help),
        Action::Escape => escape(model),
        Action::Quit if was_moving => model.message = Some("stopped".to_owned()),
        Action::Quit if go_back(model) => {}
        Action::Quit => quit::quit(model),
        Action::QuitAtOnce => model.is_over = true,
        Action::Suspend => return Request::Suspend,
        Action::Redraw => return Request::Redraw,
        Action::Reload => return quit::unless_lost(model, Request::Reopen),
        other => moving::update(model, other, count),
    }
    Request::Nothing
}

/// Toggles between the original log and the form that was shown before.
fn switch_form(model: &mut Model) -> Request {
    if let Some(reason) = model.refusal(Intent::SwitchForm) {
        model.message = Some(reason);
        return Request::Nothing;
    }
    match model.shown_log.form() {
        _ if minimize::can_switch(model) => minimize::switch_form(model),
        LogForm::PackTrace(trace) if model.whatif.is_none() => {
            return quit::unless_lost(model, Request::Trace(trace.other()));
        }
        _ => whatif::switch_form(model),
    }
    Request::Nothing
}

fn in_text(model: &mut Model, action: Action) -> Request {
    let rows = model.screen().height.saturating_sub(4) as usize;
    let most = popup::last_scroll(model);
    let InputMode::Text(text) = &mut model.mode else { return Request::Nothing };
    if matches!(action, Action::SaveMinimized | Action::OpenMinimized) {
        // Other texts cannot be saved or opened.
        return match text.body {
            PopupBody::Minimized => minimize::in_text(model, action),
            PopupBody::Answer(_) if action == Action::SaveMinimized => {
                inquiry::ask_name(model);
                Request::Nothing
            }
            _ => Request::Nothing,
        };
    }
    if action == Action::Palette {
        if text.body == PopupBody::Help {
            model.ask(PromptKind::Palette);
        }
        return Request::Nothing;
    }
    // Scrolling stops at the end: otherwise the keys for going back would seem to have no effect at first.
    let scrolled = |by: isize| text.scroll.min(most).saturating_add_signed(by).min(most);
    match action {
        Action::Cursor(by) => text.scroll = scrolled(by as isize),
        Action::Page(pages) => text.scroll = scrolled(pages as isize * rows as isize),
        Action::Copy(_) => {
            let lines = match &text.body {
                PopupBody::Help => return Request::Nothing,
                PopupBody::Lines(lines) | PopupBody::Explanation(lines) | PopupBody::Answer(lines) => lines.clone(),
                PopupBody::Minimized => {
                    let lines = model.minimizing.as_ref().map(|minimizing| minimizing.report(COPIED_COLUMNS));
                    lines.unwrap_or_default().into_iter().map(|(_, line)| line).collect()
                }
            };
            // A text of the log may not add lines.
            let lines: Vec<String> = lines.iter().map(|line| clean(line)).collect();
            return Request::Copy("the text".to_owned(), lines.join("\n"));
        }
        Action::QuitAtOnce => model.is_over = true,
        _ => model.mode = InputMode::Normal,
    }
    Request::Nothing
}

fn escape(model: &mut Model) {
    if model.running.take().is_some() {
        model.message = Some("stopped".to_owned());
    } else if std::mem::take(&mut model.playing) {
        model.message = Some("paused".to_owned());
    } else if minimize::end(model) {
        // The call has set its own message.
    } else if model.shown_log.comparison().is_some_and(|comparison| comparison.compared.is_none()) {
        compare::end(model);
        model.message = Some("the comparison was cancelled".to_owned());
    } else if model.focus == Pane::Detail && model.detail.pattern().is_some() {
        // An empty pattern ends the search, and is never rejected.
        let _ = model.detail.search("");
    } else if go_back(model) {
        // The pane was left.
    } else if model.debugger.search.take().is_some() {
        // The list cannot be filtered by hits without a search.
        model.debugger.filter.hits = false;
    } else if !model.debugger.filter.is_open() {
        model.debugger.filter.open();
        model.message = Some("showing every event".to_owned());
    } else {
        let (quit, help) = (model.key(Action::Quit), model.key(Action::Help));
        let tour = model.tour.map(|_| format!("{} leaves the tour, ", model.key(Action::Tour))).unwrap_or_default();
        model.message = Some(format!("{tour}{quit} quits, {help} shows all keys"));
    }
}

/// Leaves the zoom, then the pane. Returns false in the list of events, the top level.
fn go_back(model: &mut Model) -> bool {
    let is_below = model.is_below_top();
    if !std::mem::take(&mut model.zoomed) {
        model.focus = Pane::Events;
    }
    is_below
}

/// Continues a run or a search for one slice. Returns whether there is more to do.
pub(crate) fn work(model: &mut Model) -> bool {
    let before = model.at();
    stops::run_further(model);
    search::advance(model);
    only_events::advance(model);
    if model.at() != before {
        model.look();
    }
    after(model);
    model.is_busy()
}

/// Handles pasted text. It goes into a prompt or an editor, and is ignored elsewhere.
pub(crate) fn paste(model: &mut Model, text: &str) {
    typing::paste(model, text);
}

/// Handles a new size of the terminal.
pub(crate) fn resized(model: &mut Model, width: u16, height: u16) {
    model.opening.screen = Rect::new(0, 0, width, height);
    model.look();
}
