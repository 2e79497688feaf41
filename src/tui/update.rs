//! What an action does to the model. Whatever needs the world outside is answered as a wish for the loop to fulfil.

pub mod command;
pub mod exporting;
pub mod lists;
pub mod minimizing;
pub mod mouse;
mod moving;
pub mod play;
mod sharing;
mod stops;
mod typing;
pub mod versus;
pub mod whatif;

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::{KeyEvent, KeyEventKind};
use ratatui::layout::Rect;

use super::action::{Action, Pane};
use super::detail::Tab;
use super::key;
use super::model::{Body, Mode, Model, Text};
use super::outline::Outline;
use super::popup;
use super::typing::Asks;
use crate::compare::run::{How, Side};
use crate::crashpack::evidence::weight_told;
use crate::replay::Seq;
use crate::replay::bookmark::BookmarkEdit;
use crate::replay::shared::PassProgress;
use crate::replay::timeline::Replay;

/// What the loop is to do after an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    Suspend,
    Redraw,
    /// Change the kept bookmarks.
    Keep(BookmarkEdit),
    /// Put a text where others can paste it. The first says what it is.
    Copy(String, String),
    /// Save the screen.
    Picture(PathBuf),
    /// Open the log again.
    Reopen,
    /// Show the one or the other trace of a pack.
    Trace {
        minimized: bool,
    },
    /// Replay the what-if variant as it stands now, and show this event of it.
    Vary(Seq),
    /// Write the variant as a new log.
    SaveVariant(PathBuf),
    /// Compare with this log.
    Compare(PathBuf),
    /// Minimize the finding of this number, and save what comes out if there is a name for it.
    Minimize(usize, Option<PathBuf>),
    /// Write the minimized log.
    SaveMinimized(PathBuf),
    /// Show the minimized log instead of the whole one.
    OpenMinimized,
    /// Look for the secrets in what would be packed.
    LookForSecrets,
    /// Write the pack that was reviewed into this folder.
    Export(PathBuf),
}

/// How many events a search looks at between two looks at the keyboard.
pub const SEARCH_SLICE: u32 = 16_384;

/// What is laid out to be copied is as wide as this, whatever the screen is.
const COPIED_COLUMNS: usize = 200;

/// A key was pressed.
pub fn press(model: &mut Model, event: KeyEvent) -> Wish {
    if event.kind == KeyEventKind::Release {
        return Wish::Nothing;
    }
    let name = key::name(event);
    let action = model.keymap().lookup(&name, model.place());
    if matches!(model.mode, Mode::Prompt(_) | Mode::Editor(_)) {
        return typing::press(model, event, action);
    }
    model.message = None;
    if !matches!(action, Some(Action::Quit | Action::Reload)) {
        model.warned = false;
    }
    let is_normal = matches!(model.mode, Mode::Normal);
    let digit = name.parse::<u32>().ok().filter(|digit| *digit < 10 && (*digit > 0 || model.count.is_some()));
    if let Some(digit) = digit.filter(|_| is_normal) {
        model.count = Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        return Wish::Nothing;
    }
    action.map_or(Wish::Nothing, |action| update(model, action))
}

pub fn update(model: &mut Model, action: Action) -> Wish {
    let before = model.at();
    let wish = match &model.mode {
        Mode::List(list) => lists::update(model, *list, action),
        Mode::Text(_) => in_text(model, action),
        Mode::Export => exporting::update(model, action),
        _ => in_panes(model, action),
    };
    model.tour_sees(action);
    if model.at() != before {
        model.effects_scroll = 0;
        model.look();
    }
    model.settle();
    wish
}

fn in_panes(model: &mut Model, action: Action) -> Wish {
    let count = model.count.take();
    // Whoever takes the wheel does not want to be driven any further.
    let keeps_playing = matches!(action, Action::Play | Action::TurnAround | Action::Faster(_) | Action::Focus(_));
    if !keeps_playing && action != Action::Escape {
        (model.playing, model.running) = (None, None);
        model.goes_to_end = false;
    }
    if versus::refuses(model, action) || minimizing::refuses(model, action) {
        return Wish::Nothing;
    }
    match action {
        Action::Difference(_) | Action::FirstDifference => versus::update(model, action, count.unwrap_or(1).max(1)),
        Action::Continue(forward) => stops::begin_run(model, forward, count.unwrap_or(1).max(1)),
        Action::Watch => stops::watch(model),
        Action::BreakOnKind => stops::break_on_kind(model),
        Action::Play | Action::TurnAround | Action::Faster(_) => play::update(model, action),
        Action::Pin => pin(model),
        Action::Explain => explain(model),
        Action::Minimize => return minimizing::ask(model, None),
        Action::Export => return exporting::ask(model, None),
        Action::FoldCalls => fold_calls(model),
        Action::NextView(forward) => model.detail.next_tab(forward),
        Action::Fold => fold(model),
        Action::FoldAll => {
            model.folds_all = !model.folds_all;
            model.detail.fold_all(model.folds_all);
        }
        Action::Mark => lists::ask_note(model),
        Action::List(of) => lists::open(model, of),
        Action::Copy(what) => return sharing::copy(model, what),
        Action::Search if model.focus == Pane::Detail => typing::ask(model, Asks::SearchWithin),
        Action::Search => typing::ask(model, Asks::Search),
        Action::Command => typing::ask(model, Asks::Command),
        Action::Focus(by) => moving::focus(model, by),
        Action::Zoom => model.zoomed = !model.zoomed,
        Action::FreeMouse => {
            model.mouse = !model.mouse;
            let key = model.key(Action::FreeMouse);
            model.message = Some(match model.mouse {
                true => "the mouse is stepback's again".to_owned(),
                false => format!("the mouse is the terminal's; {key} takes it back"),
            });
        }
        Action::Original if minimizing::turns_over(model) => minimizing::turn_over(model),
        Action::Original if model.whatif.is_none() && model.shows_minimized.is_some() => {
            return Wish::Trace { minimized: model.shows_minimized == Some(false) };
        }
        action if action.varies() || action == Action::Original => {
            return whatif::update(model, action, count.unwrap_or(1).max(1));
        }
        Action::Help => help(model),
        Action::Escape => escape(model),
        Action::Quit if model.zoomed => model.zoomed = false,
        Action::Quit => quit(model),
        Action::QuitAtOnce => model.is_over = true,
        Action::Suspend => return Wish::Suspend,
        Action::Redraw => return Wish::Redraw,
        Action::Reload => return Wish::Reopen,
        other => moving::update(model, other, count),
    }
    Wish::Nothing
}

fn in_text(model: &mut Model, action: Action) -> Wish {
    let rows = model.screen().height.saturating_sub(4) as usize;
    let most = popup::last_scroll(model);
    let Mode::Text(text) = &mut model.mode else { return Wish::Nothing };
    if matches!(action, Action::SaveMinimized | Action::OpenMinimized) {
        // Of other texts there is nothing to save or to open.
        return if text.body == Body::Minimized { minimizing::in_text(model, action) } else { Wish::Nothing };
    }
    // Beyond the end nothing moves, and the way back would seem to be stuck.
    let scrolled = |by: isize| text.scroll.min(most).saturating_add_signed(by).min(most);
    match action {
        Action::Cursor(by) => text.scroll = scrolled(by as isize),
        Action::Page(pages) => text.scroll = scrolled(pages as isize * rows as isize),
        Action::Copy(_) => {
            let lines = match &text.body {
                Body::Help => return Wish::Nothing,
                Body::Lines(lines) => lines.clone(),
                Body::Minimized => {
                    let told = model.minimizing.as_ref().map(|minimizing| minimizing.told(COPIED_COLUMNS));
                    told.unwrap_or_default().into_iter().map(|(_, line)| line).collect()
                }
            };
            return Wish::Copy("the text".to_owned(), lines.join("\n"));
        }
        Action::QuitAtOnce => model.is_over = true,
        _ => model.mode = Mode::Normal,
    }
    Wish::Nothing
}

/// Leaves, unless somebody would lose what he may want to keep.
pub fn quit(model: &mut Model) {
    if model.would_lose().is_some() && !model.warned {
        warn(model);
    } else {
        model.is_over = true;
    }
}

/// Says what would be lost; the same key does it then all the same.
pub fn warn(model: &mut Model) {
    model.warned = true;
    model.message = model.would_lose().map(|what| format!("{what}; the same key again leaves it"));
}

fn escape(model: &mut Model) {
    if model.running.take().is_some() {
        model.message = Some("stopped".to_owned());
    } else if model.playing.take().is_some() {
        model.message = Some("paused".to_owned());
    } else if minimizing::end(model) {
        // It says itself what became of it.
    } else if model.versus.as_ref().is_some_and(|versus| versus.compared.is_none()) {
        versus::end(model);
        model.message = Some("comparing was given up".to_owned());
    } else if let Some(tour) = &mut model.tour {
        // One Esc too many after closing something must not cost the tour.
        if tour.asks_to_end() {
            model.message = Some(format!("{} again ends the tour", model.key(Action::Escape)));
        } else {
            model.tour = None;
            model.message = Some("the tour is over; :tour begins it again".to_owned());
        }
    } else if model.focus == Pane::Detail && model.detail.pattern().is_some() {
        // An empty pattern is none, and is never refused.
        let _ = model.detail.search("");
    } else if model.zoomed {
        model.zoomed = false;
    } else {
        model.debugger.search = None;
        // Without a search there is nothing that the list could be held to.
        model.debugger.filter.hits = false;
    }
}

fn help(model: &mut Model) {
    show_text(model, "Keys", Body::Help);
}

pub fn show_text(model: &mut Model, title: &str, body: Body) {
    model.mode = Mode::Text(Text { title: title.to_owned(), body, scroll: 0 });
}

fn pin(model: &mut Model) {
    let Some(field) = model.chosen_field() else { return };
    model.pinned.0 ^= 1 << field.0;
    let name = model.replay().vocabulary().field_name(field);
    let whether = if model.pinned.contains(field) { "stays on top" } else { "is no longer pinned" };
    model.message = Some(format!("{name} {whether}"));
    // The choice goes along with the field.
    model.field = model.fields().iter().position(|known| *known == field).unwrap_or(0);
}

/// The explanation of the check whose finding is chosen.
fn explain(model: &mut Model) {
    let findings = model.replay().findings();
    let Some(finding) = model.chosen_finding().and_then(|number| findings.list.get(number)) else {
        model.message = Some("the log has no finding to explain".to_owned());
        return;
    };
    let check = finding.check;
    let places: Vec<String> = finding.at.iter().map(ToString::to_string).collect();
    let lines = vec![
        finding.message(),
        String::new(),
        format!("expected  {}", finding.expected),
        format!("actual    {}", finding.actual),
        format!("at        {}", places.join(", ")),
        format!("weight    {}", weight_told(finding.severity)),
        String::new(),
        check.explains.to_owned(),
    ];
    let title = format!("{} ({})", check.id, finding.severity.name());
    show_text(model, &title, Body::Lines(lines));
}

fn fold_calls(model: &mut Model) {
    let folds = &mut model.debugger.filter.folds_calls;
    *folds = !*folds;
    let is_folded = *folds;
    let key = model.key(Action::FoldCalls);
    model.message = Some(match is_folded {
        true => format!("every call on one line; {key} shows all events again"),
        false => "every event on its line".to_owned(),
    });
}

/// Folds the value under the cursor; in the conversation goes to the event that said what stands there.
fn fold(model: &mut Model) {
    match (model.detail.tab(), model.detail.event()) {
        (Tab::Transcript, Some(at)) => match model.compared().filter(|compared| compared.how() == How::OnlyRight) {
            Some(compared) => {
                let spot = compared.comparison().spot(Side::Right, at);
                spot.into_iter().for_each(|spot| versus::go(model, spot, true));
            }
            None => {
                model.debugger.jump(at);
            }
        },
        _ => model.detail.toggle_fold(),
    }
}

/// Goes on with what takes long, for a while. True while there is more to do.
pub fn work(model: &mut Model) -> bool {
    let before = model.at();
    stops::run_further(model);
    look_further(model);
    if model.at() != before {
        model.look();
    }
    model.is_busy()
}

/// Goes on with the search for a while.
fn look_further(model: &mut Model) {
    let replay = Arc::clone(model.debugger.replay());
    let Some(search) = &mut model.debugger.search else { return };
    if let Err(gone) = search.advance(&*replay, SEARCH_SLICE) {
        model.message = Some(gone.reason);
        model.debugger.search = None;
    }
}

/// The pass has gone on.
pub fn progressed(model: &mut Model) {
    let stood_at_end = model.at().0 + 1 >= model.progress.events && model.progress.at_end;
    let stood_at_end = stood_at_end || model.goes_to_end;
    model.progress = model.replay().progress();
    model.goes_to_end &= !model.progress.at_end;
    model.debugger.grown(stood_at_end);
    model.look();
}

/// Another log, or another form of this one, is shown from now on.
pub fn reopened(model: &mut Model, replay: Arc<dyn Replay>, at: Seq) {
    model.debugger.reopened(replay, at);
    // As many events as before may still be others.
    model.outline = Outline::default();
    // Whoever stood at the end of the other one keeps his place in this one.
    model.progress = PassProgress::default();
    progressed(model);
}

/// A text was pasted: into what is typed, else it is none of ours.
pub fn paste(model: &mut Model, text: &str) {
    typing::paste(model, text);
}

/// The screen has another size.
pub fn resized(model: &mut Model, width: u16, height: u16) {
    model.opening.screen = Rect::new(0, 0, width, height);
    model.look();
}
