//! The effects of the commands of the `:` line.

use std::path::PathBuf;

use super::{lists, only_events, panes, quit, stops, tour};
use crate::replay::check::Severity;
use crate::replay::debugger::selected_events::SelectedEvents;
use crate::replay::target::Target;
use crate::tui::action::Action;
use crate::tui::command::{CommandAction, CommandArgument, ScreenCommand, parse, parse_break};
use crate::tui::compare::update as compare;
use crate::tui::export::update as export;
use crate::tui::form::PackTrace;
use crate::tui::inquiry::state::Question;
use crate::tui::inquiry::update as inquiry;
use crate::tui::minimize::update as minimize;
use crate::tui::model::{Model, PopupBody};
use crate::tui::request::Request;
use crate::tui::sentence::Sentence;
use crate::tui::theme::Palette;

pub(crate) fn run(model: &mut Model, line: &str) -> Result<Request, Sentence> {
    let Some((command, argument)) = parse(line) else {
        go_to(model, line)?;
        return Ok(Request::Nothing);
    };
    if argument.is_empty()
        && !matches!(command.takes, CommandArgument::Nothing | CommandArgument::PathOrNothing | CommandArgument::Text)
    {
        return Err(format!(":{} needs {}: {}", command.name, command.argument, command.describes).into());
    }
    perform(model, command, argument)
}

fn perform(model: &mut Model, command: &ScreenCommand, argument: &str) -> Result<Request, Sentence> {
    match command.does {
        CommandAction::Break => stops::set(model, argument)?,
        CommandAction::Hide => hide(model, argument)?,
        CommandAction::Only => only(model, argument)?,
        CommandAction::All => {
            model.debugger.filter.open();
            model.message = Some("showing every event".to_owned());
        }
        CommandAction::Pin => pin(model, argument)?,
        CommandAction::Bookmark => return Ok(lists::mark(model, argument, "")),
        CommandAction::Compare => return Ok(compare::command(model, argument)),
        CommandAction::Minimize => {
            let path = (!argument.is_empty()).then(|| PathBuf::from(argument));
            return Ok(minimize::ask(model, path));
        }
        CommandAction::Export => {
            let path = (!argument.is_empty()).then(|| PathBuf::from(argument));
            return Ok(export::ask(model, path));
        }
        CommandAction::Context => return inquiry::ask_context(model, argument),
        CommandAction::Explain => return Ok(inquiry::ask(model, Question::Explain(argument.to_owned()))),
        CommandAction::Resume => return Ok(inquiry::ask(model, Question::Health)),
        CommandAction::Time => return Ok(inquiry::toggle_time(model)),
        CommandAction::Screenshot => return Ok(Request::Picture(PathBuf::from(argument))),
        CommandAction::Save => match &model.whatif {
            Some(whatif) if whatif.variant.is_changed() => return Ok(Request::SaveVariant(PathBuf::from(argument))),
            _ => {
                let (edit, skip) = (model.key(Action::EditEvent), model.key(Action::SkipEvent));
                let text = format!("there is no what-if variant to save; {edit} edits this event, {skip} skips it");
                model.message = Some(text);
            }
        },
        CommandAction::Theme => match Palette::by_name(argument) {
            Some(palette) => model.opening.theme.palette = palette,
            None => {
                let known = Palette::ALL.map(|known| known.0).join(", ");
                return Err(format!("there is no theme {argument:?}; there are {known}").into());
            }
        },
        CommandAction::Reload => return Ok(quit::unless_lost(model, Request::Reopen)),
        CommandAction::Original => return Ok(quit::unless_lost(model, Request::Trace(PackTrace::Recorded))),
        CommandAction::Minimized => return Ok(quit::unless_lost(model, Request::Trace(PackTrace::Minimized))),
        CommandAction::Tour => tour::start(model),
        CommandAction::Help => model.show_text("Keys", PopupBody::Help),
        CommandAction::Quit => quit::quit(model),
    }
    Ok(Request::Nothing)
}

fn go_to(model: &mut Model, place: &str) -> Result<(), Sentence> {
    // `+3` and `-3` move relative to the playhead.
    if place.starts_with(['+', '-'])
        && let Ok(by) = place.parse::<i64>()
    {
        model.debugger.step_listed(by);
        return Ok(());
    }
    let marks: Vec<_> =
        model.debugger.bookmarks().iter().map(|(mark, found)| (mark.name.clone(), found.at())).collect();
    let mark = |name: &str| marks.iter().find(|known| known.0 == name).and_then(|known| known.1);
    let target = place.parse::<Target>().map_err(|reason| match place.parse::<f64>() {
        Ok(_) => reason.to_string(),
        Err(_) => format!("{place:?} is neither a command nor a place; Tab completes, `:help` lists the commands"),
    })?;
    model.debugger.go_to(&target, &mark).map_err(|error| error.to_string())?;
    Ok(())
}

fn hide(model: &mut Model, name: &str) -> Result<(), Sentence> {
    let vocabulary = model.replay().vocabulary();
    let filter = &mut model.debugger.filter;
    let hidden = if let Some(kind) = vocabulary.kind_by_any_name(name) {
        filter.toggle_kind(kind);
        filter.hides_kind(kind)
    } else if let Some(lane) = vocabulary.lane_by_name(name) {
        filter.toggle_lane(lane);
        filter.hides_lane(lane)
    } else {
        return Err(format!("there is no kind or lane {name:?}; Tab completes known names").into());
    };
    let how = if hidden { "are hidden; `:all` shows every event again" } else { "are shown again" };
    model.message = Some(format!("{name} events {how}"));
    Ok(())
}

fn only(model: &mut Model, what: &str) -> Result<(), Sentence> {
    match what {
        "findings" => model.debugger.filter.findings = Some(Severity::Warning),
        "hits" if model.debugger.search.is_none() => {
            return Err(format!("there is no search yet; {} starts one", model.key(Action::Search)).into());
        }
        "hits" => model.debugger.filter.hits = true,
        filter => {
            let on = parse_break(filter, model.replay())?;
            only_events::begin(model, SelectedEvents::on(on, filter.to_owned()));
            return Ok(());
        }
    }
    model.debugger.filter.only = None;
    model.message = Some(format!("showing only events with {what}; `:all` shows every event again"));
    Ok(())
}

fn pin(model: &mut Model, name: &str) -> Result<(), Sentence> {
    let unknown = || format!("there is no field {name:?}; Tab completes known names");
    let field = model.replay().vocabulary().field(name).ok_or_else(unknown)?;
    model.choose_field(field);
    panes::pin(model);
    Ok(())
}
