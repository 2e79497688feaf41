//! A place in a log as the user writes it: `412`, `34%`, `step:31`, `call:c-88`, `finding:2`, `bookmark:NAME`.

use std::str::FromStr;

use super::Seq;
use super::direction::Direction;
use super::source::Gone;
use super::timeline::Replay;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Event(u32),
    Percent(f64),
    Step(u32),
    Call(String),
    Finding(usize),
    Bookmark(String),
}

/// A text that is not a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a place; expected an event number, `34%`, `step:31`, `call:ID`, `finding:2` or `bookmark:NAME`")]
pub(crate) struct BadTarget(String);

/// Why a place names no event of the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TargetError {
    #[error("the log holds no event")]
    EmptyLog,
    #[error("there is no event {at}; the last one is {last}")]
    NoEvent { at: u32, last: u32 },
    #[error("no event names step {0}")]
    NoStep(u32),
    #[error("no event names call {0:?}")]
    NoCall(String),
    #[error("there is no finding {number}; the log has {kept}{}", and_more(*.dropped))]
    NoFinding { number: usize, kept: usize, dropped: u64 },
    #[error("there is no bookmark {0:?} in this log")]
    NoBookmark(String),
    #[error(transparent)]
    Gone(#[from] Gone),
}

impl FromStr for Target {
    type Err = BadTarget;

    fn from_str(text: &str) -> Result<Self, BadTarget> {
        let wrong = || BadTarget(text.to_owned());
        if let Some(percent) = text.strip_suffix('%') {
            let percent: f64 = percent.parse().map_err(|_| wrong())?;
            return if (0.0..=100.0).contains(&percent) { Ok(Target::Percent(percent)) } else { Err(wrong()) };
        }
        match text.split_once(':') {
            Some(("step", step)) => step.parse().map(Target::Step).map_err(|_| wrong()),
            Some(("call", call)) => Ok(Target::Call(call.to_owned())),
            Some(("finding", finding)) => finding.parse().map(Target::Finding).map_err(|_| wrong()),
            Some(("bookmark", name)) if !name.is_empty() => Ok(Target::Bookmark(name.to_owned())),
            Some(_) => Err(wrong()),
            None => text.parse().map(Target::Event).map_err(|_| wrong()),
        }
    }
}

impl Target {
    /// The event of the place, as far as the pass has come. `bookmark` looks up bookmarks.
    pub(crate) fn resolve(
        &self,
        replay: &dyn Replay,
        bookmark: &dyn Fn(&str) -> Option<Seq>,
    ) -> Result<Seq, TargetError> {
        let last = replay.len().checked_sub(1).ok_or(TargetError::EmptyLog)?;
        match self {
            Target::Event(at) if *at <= last => Ok(Seq(*at)),
            Target::Event(at) => Err(TargetError::NoEvent { at: *at, last }),
            Target::Percent(percent) => Ok(Seq((f64::from(last) * percent / 100.0).round() as u32)),
            Target::Step(step) => first_of_step(replay, *step).ok_or(TargetError::NoStep(*step)),
            Target::Call(call) => replay.find_call(call)?.ok_or_else(|| TargetError::NoCall(call.clone())),
            Target::Finding(number) => {
                let findings = replay.findings();
                let finding = number.checked_sub(1).and_then(|index| findings.list.get(index));
                let at = finding.and_then(|finding| finding.at.first().copied());
                let (kept, dropped) = (findings.list.len(), findings.dropped);
                at.ok_or(TargetError::NoFinding { number: *number, kept, dropped })
            }
            Target::Bookmark(name) => bookmark(name).ok_or_else(|| TargetError::NoBookmark(name.clone())),
        }
    }
}

fn and_more(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!(" and {count} more that were counted but not kept"),
    }
}

fn first_of_step(replay: &dyn Replay, step: u32) -> Option<Seq> {
    let is_of_step = |rows: &super::index::Rows, at: Seq| rows.step(at) == Some(step);
    let mut is_first = false;
    replay.rows(&mut |rows| is_first = is_of_step(rows, Seq(0)));
    if is_first { Some(Seq(0)) } else { replay.find_row(Seq(0), Direction::Forward, is_of_step) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_parsed() {
        assert_eq!("412".parse(), Ok(Target::Event(412)));
        assert_eq!("34.5%".parse(), Ok(Target::Percent(34.5)));
        assert_eq!("step:31".parse(), Ok(Target::Step(31)));
        assert_eq!("call:a:step:1".parse(), Ok(Target::Call("a:step:1".to_owned())));
        assert_eq!("finding:2".parse(), Ok(Target::Finding(2)));
        assert_eq!("bookmark:why: here".parse(), Ok(Target::Bookmark("why: here".to_owned())));
        for wrong in ["", "x", "-1", "101%", "stop:3", "step:x", "bookmark:"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }
}
