//! Moving through two logs that are compared, and what begins and ends that.

use std::path::PathBuf;

use super::Wish;
use crate::compare::run::{AlignedPair, How, Side};
use crate::replay::Seq;
use crate::tui::action::Action;
use crate::tui::model::Model;
use crate::tui::versus::{Compared, Versus};

/// `:compare FILE` begins to compare, `:compare` alone ends it.
pub fn command(model: &mut Model, path: &str) -> Wish {
    if !path.is_empty() {
        return Wish::Compare(PathBuf::from(path));
    }
    model.message = Some(match end(model) {
        Some(versus) if versus.compared.is_some() => format!("no longer compared with {}", versus.name),
        Some(_) => "comparing was given up".to_owned(),
        None => "no log to compare with yet; :compare FILE names one".to_owned(),
    });
    Wish::Nothing
}

/// Ends comparing. What goes on beside the screen for it ends with it.
pub fn end(model: &mut Model) -> Option<Versus> {
    let versus = model.versus.take();
    if versus.is_some() {
        model.look();
    }
    versus
}

/// Another log is being opened to be compared with. `from` is where the playhead stands, for whoever wants to be taken to
/// the first difference.
pub fn begin(model: &mut Model, name: String, from: Option<Seq>) {
    let doing = Some(format!("opening {name}…"));
    model.versus = Some(Versus { word: name.clone(), name, doing, from, compared: None });
    model.look();
}

/// The logs have been compared.
pub fn arrived(model: &mut Model, compared: Compared) {
    let first = compared.comparison().first_divergence();
    let at = model.at();
    let Some(versus) = &mut model.versus else { return };
    versus.doing = None;
    let stands = versus.compared.as_ref().and_then(Compared::spot);
    versus.compared = Some(compared);
    // Whoever has gone elsewhere meanwhile does not want to be taken away from there.
    let goes = versus.from.take() == Some(at);
    match (first.filter(|_| goes), stands) {
        (Some(first), _) => go(model, first, true),
        // In one that was compared before, the place may be one that only the other log has.
        (None, Some(spot)) if spot.how == How::OnlyRight => {
            let again = model.compared().and_then(|compared| compared.comparison().spot(Side::Right, spot.right));
            again.into_iter().for_each(|spot| go(model, spot, false));
        }
        _ => model.look(),
    }
}

/// Goes to a place of the alignment. A jump can be gone back from.
pub fn go(model: &mut Model, spot: AlignedPair, is_jump: bool) {
    let Some(compared) = model.versus.as_mut().and_then(|versus| versus.compared.as_mut()) else { return };
    let to = compared.go(spot);
    if is_jump {
        model.debugger.jump(to);
    } else {
        model.debugger.step(i64::from(to.0) - i64::from(model.at().0));
    }
    model.effects_scroll = 0;
    // Between two events of the left log its playhead stays where it is, and what is shown is another place all the same.
    model.look();
}

/// So many places further, or back. False where there are no more, or nothing is compared.
pub fn step(model: &mut Model, by: i64) -> bool {
    let Some((compared, here)) = model.compared().and_then(|compared| Some((compared, compared.spot()?))) else {
        return false;
    };
    let to = compared.comparison().step(here, by);
    if to != here {
        go(model, to, false);
    }
    to != here
}

/// The first and the last place of the alignment: those of the log that is open may lie further in.
pub fn to_end(model: &mut Model, forward: bool) {
    let comparison = model.compared().map(Compared::comparison);
    let end = comparison.and_then(|comparison| if forward { comparison.last() } else { comparison.first() });
    if let Some(end) = end {
        go(model, end, true);
    }
}

pub fn update(model: &mut Model, action: Action, times: u32) {
    let Some(compared) = model.compared() else {
        model.message = Some(match model.versus {
            Some(_) => "the logs are still being compared".to_owned(),
            None => "nothing is compared; :compare FILE compares with another log".to_owned(),
        });
        return;
    };
    let (comparison, here) = (compared.comparison(), compared.spot());
    let Some(first) = comparison.first_divergence() else {
        model.message = Some("the logs do not differ".to_owned());
        return;
    };
    let found = match action {
        Action::Difference(forward) => {
            let mut found = None;
            for _ in 0..times {
                match found.or(here).and_then(|from| comparison.next(from, forward)) {
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
        (None, Action::Difference(true)) => model.message = Some("no difference after this event".to_owned()),
        (None, _) => model.message = Some("no difference before this event".to_owned()),
    }
}

/// That what-if has to wait: a variant would be another log than the one that was compared.
pub fn refuses(model: &mut Model, action: Action) -> bool {
    let refuses = (action.varies() || action == Action::Original) && model.versus.is_some();
    if refuses {
        model.message = Some("no what-if while two logs are compared; :compare alone ends that".to_owned());
    }
    refuses
}
