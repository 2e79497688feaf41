//! Comparing with another log: beginning and ending it, and moving through both logs.

use std::path::PathBuf;

use super::state::{CompareNews, Compared, LogComparison};
use crate::compare::run::{AlignedPair, How, Side};
use crate::replay::Seq;
use crate::replay::direction::Direction;
use crate::tui::action::Action;
use crate::tui::model::Model;
use crate::tui::request::Request;

/// `:compare FILE` begins to compare, `:compare` alone ends it.
pub(crate) fn command(model: &mut Model, path: &str) -> Request {
    if !path.is_empty() {
        return Request::Compare(PathBuf::from(path));
    }
    model.message = Some(match end(model) {
        Some(ended) if ended.compared.is_some() => format!("the comparison with {} has ended", ended.name),
        Some(_) => "the comparison was cancelled".to_owned(),
        None => "no log is compared; `:compare FILE` compares with another log".to_owned(),
    });
    Request::Nothing
}

/// Ends the comparison. The host ends its background jobs.
pub(crate) fn end(model: &mut Model) -> Option<LogComparison> {
    let ended = model.shown_log.end_comparison();
    if ended.is_some() {
        model.look();
    }
    ended
}

pub(crate) fn news(model: &mut Model, news: CompareNews) {
    match news {
        CompareNews::Begun { name, from } => begin(model, name, from),
        CompareNews::Opened { name, word } => {
            if let Some(comparison) = model.shown_log.comparison_mut() {
                (comparison.name, comparison.word) = (name, word);
            }
        }
        CompareNews::Doing(text) => {
            if let Some(comparison) = model.shown_log.comparison_mut() {
                comparison.doing = Some(text);
            }
        }
        CompareNews::Compared(compared) => arrived(model, *compared),
        CompareNews::Failed(reason) => {
            let had_compared = end(model).is_some_and(|ended| ended.compared.is_some());
            let lead = if had_compared { "the comparison has ended: " } else { "" };
            model.message = Some(format!("{lead}{reason}"));
        }
    }
}

/// Another log is being opened. If the playhead is still at `from` when both are compared, it goes to the first
/// difference.
fn begin(model: &mut Model, name: String, from: Option<Seq>) {
    let doing = Some(format!("opening {name}…"));
    model.shown_log.compare(LogComparison { word: name.clone(), name, doing, from, compared: None });
    model.look();
}

fn arrived(model: &mut Model, compared: Compared) {
    let first = compared.comparison().first_divergence();
    let at = model.at();
    let Some(comparison) = model.shown_log.comparison_mut() else { return };
    comparison.doing = None;
    let spot_before = comparison.compared.as_ref().and_then(Compared::spot);
    comparison.compared = Some(compared);
    // If the user has moved meanwhile, the playhead stays.
    let goes = comparison.from.take() == Some(at);
    match (first.filter(|_| goes), spot_before) {
        (Some(first), _) => go(model, first, true),
        // After comparing again, the place may be an event of the other log only.
        (None, Some(spot)) if spot.how == How::OnlyRight => {
            let again = model.compared().and_then(|compared| compared.comparison().spot(Side::Right, spot.right));
            again.into_iter().for_each(|spot| go(model, spot, false));
        }
        _ => model.look(),
    }
}

/// Goes to a place of the alignment. A jump is added to the history.
pub(crate) fn go(model: &mut Model, spot: AlignedPair, is_jump: bool) {
    let Some(compared) = model.shown_log.compared_mut() else { return };
    let to = compared.go(spot);
    if is_jump {
        model.debugger.jump(to);
    } else {
        model.debugger.step(i64::from(to.0) - i64::from(model.at().0));
    }
    model.effects_scroll = 0;
    // The place may change while the left playhead stays at its event.
    model.look();
}

/// Moves by a number of places. Returns false at the ends of the alignment, or if no logs are compared.
pub(crate) fn step(model: &mut Model, by: i64) -> bool {
    let Some((compared, here)) = model.compared().and_then(|compared| Some((compared, compared.spot()?))) else {
        return false;
    };
    let to = compared.comparison().step(here, by);
    if to != here {
        go(model, to, false);
    }
    to != here
}

/// Goes to the first or the last place of the alignment, which may be before or after the open log's events.
pub(crate) fn to_end(model: &mut Model, direction: Direction) {
    let comparison = model.compared().map(Compared::comparison);
    let end = comparison.and_then(|comparison| match direction {
        Direction::Forward => comparison.last(),
        Direction::Backward => comparison.first(),
    });
    if let Some(end) = end {
        go(model, end, true);
    }
}

pub(crate) fn update(model: &mut Model, action: Action, times: u32) {
    let Some(compared) = model.compared() else {
        model.message = Some(match model.shown_log.comparison() {
            Some(_) => "the logs are still being compared".to_owned(),
            None => "no log is compared; `:compare FILE` compares with another log".to_owned(),
        });
        return;
    };
    let (comparison, here) = (compared.comparison(), compared.spot());
    let Some(first) = comparison.first_divergence() else {
        model.message = Some("the logs do not differ".to_owned());
        return;
    };
    let found = match action {
        Action::Difference(direction) => {
            let mut found = None;
            for _ in 0..times {
                match found.or(here).and_then(|from| comparison.next(from, direction)) {
                    Some(next) => found = Some(next),
                    None => break,
                }
            }
            found
        }
        _ => Some(first),
    };
    match (found, action) {
        (Some(spot), _) => go(model, spot, true),
        (None, Action::Difference(Direction::Forward)) => {
            model.message = Some("no difference after this event".to_owned())
        }
        (None, _) => model.message = Some("no difference before this event".to_owned()),
    }
}
