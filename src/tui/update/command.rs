//! What the commands of the `:` line do.

use std::path::PathBuf;

use super::{Wish, exporting, help, lists, minimizing, stops, versus};
use crate::replay::check::Severity;
use crate::replay::target::Target;
use crate::tui::action::Action;
use crate::tui::command::{Command, Does, Takes, parse};
use crate::tui::model::Model;
use crate::tui::theme::Palette;
use crate::tui::tour::Tour;

pub fn run(model: &mut Model, line: &str) -> Result<Wish, String> {
    let Some((command, argument)) = parse(line) else {
        go_to(model, line)?;
        return Ok(Wish::Nothing);
    };
    if argument.is_empty() && !matches!(command.takes, Takes::Nothing | Takes::PathOrNothing | Takes::Text) {
        return Err(format!(":{} {} does: {}", command.name, command.argument, command.describes));
    }
    perform(model, command, argument)
}

fn perform(model: &mut Model, command: &Command, argument: &str) -> Result<Wish, String> {
    match command.does {
        Does::Break => stops::set(model, argument)?,
        Does::Hide => hide(model, argument)?,
        Does::Only => only(model, argument)?,
        Does::All => {
            model.debugger.filter = Default::default();
            model.message = Some("every event on its line".to_owned());
        }
        Does::Pin => pin(model, argument)?,
        Does::Bookmark => return Ok(lists::mark(model, argument, "")),
        Does::Compare => return Ok(versus::command(model, argument)),
        Does::Minimize => {
            let path = (!argument.is_empty()).then(|| PathBuf::from(argument));
            return Ok(minimizing::ask(model, path));
        }
        Does::Export => {
            let path = (!argument.is_empty()).then(|| PathBuf::from(argument));
            return Ok(exporting::ask(model, path));
        }
        Does::Screenshot => return Ok(Wish::Picture(PathBuf::from(argument))),
        Does::Save => match &model.whatif {
            Some(whatif) if whatif.variant.is_changed() => return Ok(Wish::SaveVariant(PathBuf::from(argument))),
            _ => {
                let (edit, skip) = (model.key(Action::EditEvent), model.key(Action::SkipEvent));
                let text = format!("there is no what-if variant to save; {edit} edits this event, {skip} skips it");
                model.message = Some(text);
            }
        },
        Does::Theme => match Palette::by_name(argument) {
            Some(palette) => model.opening.theme.palette = palette,
            None => {
                let known = Palette::ALL.map(|known| known.0).join(", ");
                return Err(format!("there is no theme {argument:?}; there are {known}"));
            }
        },
        Does::Reload => return Ok(Wish::Reopen),
        Does::Original => return Ok(Wish::Trace { minimized: false }),
        Does::Minimized => return Ok(Wish::Trace { minimized: true }),
        Does::Tour => model.tour = Some(Tour::default()),
        Does::Help => help(model),
        Does::Quit => super::quit(model),
    }
    Ok(Wish::Nothing)
}

fn go_to(model: &mut Model, place: &str) -> Result<(), String> {
    // `+3` and `-3` are so many events from here.
    if place.starts_with(['+', '-'])
        && let Ok(by) = place.parse::<i64>()
    {
        model.debugger.step_shown(by);
        return Ok(());
    }
    let marks: Vec<_> =
        model.debugger.bookmarks().iter().map(|(mark, found)| (mark.name.clone(), found.at())).collect();
    let mark = |name: &str| marks.iter().find(|known| known.0 == name).and_then(|known| known.1);
    let target = place.parse::<Target>().map_err(|reason| match place.parse::<f64>() {
        Ok(_) => reason,
        Err(_) => format!("{place:?} is no command and no place; Tab completes, :help lists the commands"),
    })?;
    model.debugger.go_to(&target, &mark).map(|_| ())
}

fn hide(model: &mut Model, name: &str) -> Result<(), String> {
    let vocabulary = model.replay().vocabulary();
    let filter = &mut model.debugger.filter;
    let hidden = if let Some(kind) = vocabulary.kind_by_any_name(name) {
        filter.toggle_kind(kind);
        filter.hides_kind(kind)
    } else if let Some(lane) = vocabulary.lane_by_name(name) {
        filter.toggle_lane(lane);
        filter.hides_lane(lane)
    } else {
        return Err(format!("there is no kind and no lane {name:?}; Tab offers those that there are"));
    };
    let how = if hidden { "are left out; :all lists every event again" } else { "are listed again" };
    model.message = Some(format!("{name} events {how}"));
    Ok(())
}

fn only(model: &mut Model, what: &str) -> Result<(), String> {
    match what {
        "findings" => model.debugger.filter.findings = Some(Severity::Warning),
        "hits" if model.debugger.search.is_none() => {
            return Err(format!("no search yet; {} begins one", model.key(Action::Search)));
        }
        "hits" => model.debugger.filter.hits = true,
        other => return Err(format!("only `findings` or `hits`, not {other:?}")),
    }
    model.message = Some(format!("only events with {what}; :all lists every event again"));
    Ok(())
}

fn pin(model: &mut Model, name: &str) -> Result<(), String> {
    let unknown = || format!("there is no field {name:?}; Tab offers those that there are");
    let field = model.replay().vocabulary().field(name).ok_or_else(unknown)?;
    model.field = model.fields().iter().position(|known| *known == field).unwrap_or(0);
    super::pin(model);
    Ok(())
}
