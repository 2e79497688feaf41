//! A session as `doctor` rebuilds it, with the events of its lines.

use std::ops::ControlFlow;

use super::sidecar::known;
use crate::dialect::open_log::{DialectError, OpenLog, RecordRead};
use crate::doctor::detect::{Agent, Detection};
use crate::doctor::lines::LineAt;
use crate::doctor::session::Session;
use crate::replay::Seq;

pub(crate) struct Rebuilt {
    pub session: Session,
    /// The first event of each line, in order.
    lines: Vec<(u32, Seq)>,
    /// The number of events.
    events: u32,
}

fn line_at(read: &RecordRead<'_>) -> LineAt {
    // Whether the last line was cut does not matter: it is not part of any history.
    LineAt { number: u32::try_from(read.place.line).unwrap_or(u32::MAX), from: read.place.byte, is_terminated: true }
}

impl Rebuilt {
    pub(crate) fn read(log: &dyn OpenLog) -> Result<Rebuilt, DialectError> {
        let Some(agent) = agent_of(log)? else {
            let program = known(log)?.format.map_or("this program", |format| format.program);
            let name = log.name();
            return Err(DialectError::Refused(format!("{name}: what {program} sends to the model is not known")));
        };
        let (mut session, mut lines) = (Session::new(agent), Vec::<(u32, Seq)>::new());
        let mut events = 0;
        let mut waiting: Option<(LineAt, Vec<u8>)> = None;
        log.each_record(&mut |read| {
            let at = line_at(&read);
            events = read.at.0 + 1;
            match &mut waiting {
                // The programs skip a line with several records.
                Some((last, bytes)) if last.number == at.number => bytes.extend_from_slice(read.record),
                waiting => {
                    if let Some((at, bytes)) = waiting.replace((at, read.record.to_vec())) {
                        session.read(at, &bytes);
                    }
                    lines.push((at.number, read.at));
                }
            }
        })?;
        if let Some((at, bytes)) = waiting {
            session.read(at, &bytes);
        }
        Ok(Rebuilt { session, lines, events })
    }

    /// Refuses an event that the log does not have.
    pub(crate) fn expect(&self, at: Seq, log: &dyn OpenLog) -> Result<(), DialectError> {
        if at.0 < self.events {
            return Ok(());
        }
        let (name, last) = (log.name(), self.events.saturating_sub(1));
        Err(DialectError::Refused(format!("{name}: there is no event {at}; the last one is {last}")))
    }

    /// The line of an event.
    pub(crate) fn line(&self, at: Seq) -> Option<u32> {
        let place = self.lines.partition_point(|(_, event)| *event <= at);
        Some(self.lines[place.checked_sub(1)?].0)
    }

    /// The first event of a line.
    pub(crate) fn event(&self, line: u32) -> Option<Seq> {
        let place = self.lines.binary_search_by_key(&line, |(line, _)| *line).ok()?;
        Some(self.lines[place].1)
    }
}

/// The program whose rules `doctor` knows.
fn agent_of(log: &dyn OpenLog) -> Result<Option<Agent>, DialectError> {
    let mut detection = Detection::default();
    log.each_record_until(&mut |read| match detection.ask(line_at(&read), read.record) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })?;
    Ok(detection.agent(log.path().and_then(|path| path.file_name()).and_then(|name| name.to_str())))
}
