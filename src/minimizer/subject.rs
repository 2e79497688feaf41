//! A log that is minimized, from its records to the file that comes out: what the command and the screen have in common.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::{AsBefore, Gathered, Parallel, gather};
use crate::loader::{self, each_reference, judged};
use crate::log::{Log, LogError, Options};
use crate::minimize::candidate::Candidate;
use crate::minimize::court::Clerk;
use crate::minimize::report::{Around, report};
use crate::minimize::trial::Trial;
use crate::minimize::wanted::Wanted;
use crate::minimize::written::Form;
use crate::minimize::{ByFinding, Minimized, Work, minimize};
use crate::replay::damage;
use crate::replay::finding::Finding;
use crate::tape_store::StoreCopy;
use crate::turn::report::Beside;
use crate::wholefile::WholeFile;

/// A log taken apart, and all that is needed to put a part of it together again.
pub struct Subject {
    pub log: Arc<Log>,
    pub beside: Arc<Beside>,
    pub gathered: Gathered,
    pub form: AsBefore,
}

/// What came out, and what it reports.
pub struct Outcome {
    pub minimized: Minimized,
    /// The finding as the minimized log reports it; none when a command decided.
    pub finding: Option<Finding>,
    pub also_reported: Vec<Finding>,
}

/// What may stand where a file is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Nothing.
    Free,
    /// A file, which is replaced.
    Any,
}

/// Where the report of a minimized log stands.
pub fn report_path(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(".minimization.json");
    PathBuf::from(name)
}

impl Subject {
    pub fn new(log: Arc<Log>, beside: Arc<Beside>) -> Result<Subject, LogError> {
        let (gathered, form) = (gather(&log)?, AsBefore::of(&log));
        Ok(Subject { log, beside, gathered, form })
    }

    pub fn trial(&self) -> Box<dyn Trial + '_> {
        loader::trial(&self.log, &self.beside, &self.gathered.parts)
    }

    /// Why a finding cannot be kept while records are taken away. `found` is what the records report.
    pub fn refusal(&self, finding: &Finding, found: &[Finding]) -> Option<String> {
        let name = &self.log.name;
        if !found.iter().any(|known| known.check == finding.check && known.subjects == finding.subjects) {
            let id = finding.check.id;
            return Some(format!(
                "{name}: {id} is not about the log's own records, so taking some away cannot keep it; it compares the log with a session or store beside it, or tells of damage between records"
            ));
        }
        let is_empty = *finding.check == damage::EMPTY;
        is_empty.then(|| format!("{name}: the log holds no event, so it is as small as can be"))
    }

    /// Makes the log smaller as long as it reports a finding, one of those that the whole log does.
    pub fn keeping(
        &self,
        trial: &dyn Trial,
        (finding, found): (&Finding, &[Finding]),
        max_tests: Option<u64>,
        clerk: &mut dyn Clerk,
    ) -> Outcome {
        let wanted = Wanted::new(finding, found);
        let oracle = ByFinding { trial, wanted: &wanted, form: &self.form };
        let work = Work { trial, wanted: Some(&wanted), oracle: &oracle, runner: &Parallel::IN_PROCESS, max_tests };
        let minimized = minimize(&work, clerk);
        let mut also_reported = trial.findings(&minimized.best);
        let place = also_reported.iter().position(|finding| wanted.is(finding));
        let finding = place.map(|place| also_reported.remove(place));
        Outcome { minimized, finding, also_reported }
    }

    /// The file that comes out.
    pub fn written(&self, outcome: &Outcome) -> Vec<u8> {
        self.form.write(&self.gathered.parts, &outcome.minimized.best)
    }

    /// The log that comes out, without a file.
    pub fn opened(&self, outcome: &Outcome) -> Result<Log, LogError> {
        Log::from_bytes(self.log.name.clone(), None, self.written(outcome), &self.options())
    }

    /// What the minimized log is judged beside: a session or compactions tell of events that are no longer there.
    pub fn beside(&self) -> Beside {
        Beside { live: self.beside.live.clone(), ..Beside::default() }
    }

    /// Writes the log, once the file has been read again and fails in the same way.
    pub fn save(&self, outcome: &Outcome, path: &Path, room: Room) -> io::Result<()> {
        let store = self.copied_store(path, &outcome.minimized.best)?;
        write_file(path, &self.written(outcome), room, |written| {
            let mut log = Log::open(written, &self.options()).map_err(io::Error::other)?;
            // Its payloads stand beside the name that it gets.
            log.path = Some(path.to_owned());
            self.still_fails(&log, outcome).map_err(io::Error::other)
        })?;
        if let Some(store) = store {
            store.keep();
        }
        Ok(())
    }

    /// What the remaining records of a tape refer to goes along with them.
    fn copied_store(&self, output: &Path, best: &Candidate) -> io::Result<Option<StoreCopy>> {
        let Some(from) = loader::store_of(&self.log) else { return Ok(None) };
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("its store cannot be written: {error}"));
        let mut copy = StoreCopy::begin(from, output).map_err(failed)?;
        for part in best.kept.iter().copied() {
            let record = best.event(part, &self.gathered.parts).unwrap_or_default();
            each_reference(record, &mut |name| copy.copy(name).map(drop)).map_err(failed)?;
        }
        Ok(Some(copy))
    }

    fn options(&self) -> Options {
        self.log.options()
    }

    /// Judges a log as `check` does.
    pub fn still_fails(&self, log: &Log, outcome: &Outcome) -> Result<(), String> {
        let Some(finding) = &outcome.finding else { return Ok(()) };
        let judged = judged::judge(log, &self.beside(), &|_| {}).map_err(|error| error.to_string())?;
        let wanted = finding.fingerprint();
        match judged.findings.iter().any(|finding| finding.fingerprint() == wanted) {
            true => Ok(()),
            // What came from memory has no folder beside it.
            false if log.path.is_none() && loader::store_of(&self.log).is_some() => {
                Err(format!("{wanted} is about payloads that stand beside the tape; name a file for both"))
            }
            false => Err(format!("the minimized log, read again, no longer reports {wanted}; please report this")),
        }
    }

    /// How it became smaller. `command` is the one that decided, if one did.
    pub fn document(&self, outcome: &Outcome, command: Option<&str>) -> io::Result<Value> {
        let Outcome { minimized, finding, also_reported } = outcome;
        let around = Around {
            tool_version: env!("CARGO_PKG_VERSION"),
            finding: finding.as_ref(),
            command,
            before: self.log.path.as_deref().map(hash_of).transpose()?,
            after: blake3::hash(&self.written(outcome)).to_hex().to_string(),
            also_reported: also_reported.iter().map(Finding::fingerprint).collect(),
        };
        Ok(report(minimized, &self.gathered.parts, &around))
    }
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let read = std::fs::File::open(path).and_then(|file| hasher.update_reader(file).map(|_| ()));
    read.map_err(|error| io::Error::new(error.kind(), format!("{}: cannot be read: {error}", path.display())))?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Writes a file whole. Somebody looks at it before it gets its name.
pub fn write_file(path: &Path, bytes: &[u8], room: Room, look: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    match room {
        Room::Any => {
            let mut file = WholeFile::create(path)?.that_can_be_made_again();
            file.write_all(bytes)?;
            file.finish_after(look)
        }
        Room::Free => {
            let mut file = WholeFile::create_new(path)?.that_can_be_made_again();
            file.write_all(bytes)?;
            file.finish_new_after(look)
        }
    }
}
