//! A place in a log as a person writes it: `412`, `34%`, `step:31`, `call:c-88`, `finding:2`.

use std::ops::ControlFlow;
use std::str::FromStr;

use color_eyre::eyre::{self, eyre};

use super::open::Opened;
use super::pass::{judge, walk, walk_records};
use super::progress::Progress;
use crate::log::Log;
use crate::replay::Seq;
use crate::turn::event::Event;

#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Event(u32),
    Percent(f64),
    Step(u32),
    Call(String),
    Finding(usize),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is no place; write an event number, `34%`, `step:31`, `call:ID` or `finding:2`");
        if let Some(percent) = text.strip_suffix('%') {
            let percent: f64 = percent.parse().map_err(|_| wrong())?;
            return if (0.0..=100.0).contains(&percent) { Ok(Target::Percent(percent)) } else { Err(wrong()) };
        }
        match text.split_once(':') {
            Some(("step", step)) => step.parse().map(Target::Step).map_err(|_| wrong()),
            Some(("call", call)) => Ok(Target::Call(call.to_owned())),
            Some(("finding", finding)) => finding.parse().map(Target::Finding).map_err(|_| wrong()),
            Some(_) => Err(wrong()),
            None => text.parse().map(Target::Event).map_err(|_| wrong()),
        }
    }
}

impl Target {
    /// The event that the place names.
    pub fn resolve(&self, opened: &Opened) -> eyre::Result<Seq> {
        let log = &opened.log;
        let first = |matches: &dyn Fn(&Event<'_>) -> bool| -> eyre::Result<Option<Seq>> {
            let mut found = None;
            walk(log, |at, _, event| {
                if event.is_ok_and(|event| matches(&event)) {
                    found = Some(at);
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
            Ok(found)
        };
        match self {
            Target::Event(at) => {
                let last = last_event(log)?;
                eyre::ensure!(*at <= last, "{}: there is no event {at}; the last one is {last}", log.name);
                Ok(Seq(*at))
            }
            Target::Percent(percent) => Ok(Seq((f64::from(last_event(log)?) * percent / 100.0).round() as u32)),
            Target::Step(step) => first(&|event| event.step() == Some(*step))?
                .ok_or_else(|| eyre!("{}: no event names step {step}", log.name)),
            Target::Call(call) => first(&|event| event.call_id().is_some_and(|id| *id == **call))?
                .ok_or_else(|| eyre!("{}: no event names call {call:?}", log.name)),
            Target::Finding(number) => {
                let findings = judge(opened, &Progress::none())?.findings;
                let finding = number.checked_sub(1).and_then(|index| findings.get(index));
                finding
                    .and_then(|finding| finding.at.first().copied())
                    .ok_or_else(|| eyre!("{}: there is no finding {number}; the log has {}", log.name, findings.len()))
            }
        }
    }
}

fn last_event(log: &Log) -> eyre::Result<u32> {
    let mut records = 0_u32;
    walk_records(log, |_, _| {
        records += 1;
        ControlFlow::Continue(())
    })?;
    records.checked_sub(1).ok_or_else(|| eyre!("{}: the log holds no event", log.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_written() {
        assert_eq!("412".parse(), Ok(Target::Event(412)));
        assert_eq!("34.5%".parse(), Ok(Target::Percent(34.5)));
        assert_eq!("step:31".parse(), Ok(Target::Step(31)));
        assert_eq!("call:a:step:1".parse(), Ok(Target::Call("a:step:1".to_owned())));
        assert_eq!("finding:2".parse(), Ok(Target::Finding(2)));
        for wrong in ["", "x", "-1", "101%", "stop:3", "step:x"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }
}
