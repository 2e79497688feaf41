//! What the commands of the `:` line do.

use std::path::PathBuf;

use super::{Wish, help, lists, stops};
use crate::replay::check::Severity;
use crate::replay::target::Target;
use crate::tui::command::{Command, Does, Takes, parse};
use crate::tui::model::Model;
use crate::tui::theme::Palette;
use crate::tui::tour::Tour;

pub fn run(model: &mut Model, line: &str) -> Wish {
    let Some((command, argument)) = parse(line) else {
        go_to(model, line);
        return Wish::Nothing;
    };
    if argument.is_empty() && !matches!(command.takes, Takes::Nothing | Takes::Text) {
        model.message = Some(format!(":{} {} — {}", command.name, command.argument, command.describes));
        return Wish::Nothing;
    }
    perform(model, command, argument)
}

fn perform(model: &mut Model, command: &Command, argument: &str) -> Wish {
    match command.does {
        Does::Break => stops::set(model, argument),
        Does::Hide => hide(model, argument),
        Does::Only => only(model, argument),
        Does::All => {
            model.debugger.filter = Default::default();
            model.message = Some("every event on its line".to_owned());
        }
        Does::Pin => pin(model, argument),
        Does::Bookmark => return lists::mark(model, argument, ""),
        Does::Screenshot => return Wish::Picture(PathBuf::from(argument)),
        Does::Save => match &model.whatif {
            Some(whatif) if whatif.variant.is_changed() => return Wish::SaveVariant(PathBuf::from(argument)),
            _ => model.message = Some("there is no what-if variant to save; i edits this event, d skips it".to_owned()),
        },
        Does::Theme => match Palette::by_name(argument) {
            Some(palette) => model.opening.theme.palette = palette,
            None => {
                let known = Palette::ALL.map(|known| known.0).join(", ");
                model.message = Some(format!("there is no theme {argument:?}; there are {known}"));
            }
        },
        Does::Reload => return Wish::Reopen,
        Does::Tour => model.tour = Some(Tour::default()),
        Does::Help => help(model),
        Does::Quit => super::quit(model),
    }
    Wish::Nothing
}

fn go_to(model: &mut Model, place: &str) {
    let marks: Vec<_> =
        model.debugger.bookmarks().iter().map(|(mark, found)| (mark.name.clone(), found.at())).collect();
    let mark = |name: &str| marks.iter().find(|known| known.0 == name).and_then(|known| known.1);
    let went = place.parse::<Target>().and_then(|target| model.debugger.go_to(&target, &mark));
    if let Err(reason) = went {
        model.message = Some(reason);
    }
}

fn hide(model: &mut Model, name: &str) {
    let vocabulary = model.replay().vocabulary();
    let filter = &mut model.debugger.filter;
    let hidden = if let Some(kind) = vocabulary.kind(name) {
        filter.toggle_kind(kind);
        filter.hides_kind(kind)
    } else if let Some(lane) = vocabulary.lane_by_name(name) {
        filter.toggle_lane(lane);
        filter.hides_lane(lane)
    } else {
        model.message = Some(format!("there is no kind and no lane {name:?}; Tab offers those that there are"));
        return;
    };
    let how = if hidden { "are left out; :all lists every event again" } else { "are listed again" };
    model.message = Some(format!("{name} events {how}"));
}

fn only(model: &mut Model, what: &str) {
    match what {
        "findings" => model.debugger.filter.findings = Some(Severity::Warning),
        "hits" if model.debugger.search.is_none() => {
            model.message = Some("no search yet; / begins one".to_owned());
            return;
        }
        "hits" => model.debugger.filter.hits = true,
        other => {
            model.message = Some(format!("only `findings` or `hits`, not {other:?}"));
            return;
        }
    }
    model.message = Some(format!("only events with {what}; :all lists every event again"));
}

fn pin(model: &mut Model, name: &str) {
    match model.replay().vocabulary().field(name) {
        Some(field) => {
            model.field = model.fields().iter().position(|known| *known == field).unwrap_or(0);
            super::pin(model);
        }
        None => model.message = Some(format!("there is no field {name:?}; Tab offers those that there are")),
    }
}
