//! The files of a pack besides its trace: journal, ledger, logs by concern, README and script.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use super::json;
use crate::crashpack::concern::{CONCERNS, concern_of, file_of, line};
use crate::crashpack::evidence::{Artifact, Given, ledger};
use crate::crashpack::journal::{digest, journal};
use crate::crashpack::manifest::Subject;
use crate::crashpack::oracle::{self, SeenCounts};
use crate::crashpack::readme::{ReadmeFacts, readme};
use crate::crashpack::{self, JOURNAL, JOURNAL_DIGEST, LEDGER, ORACLES, README, SCRIPT, script};
use crate::crashpack_folder::PackWriter;
use crate::dialect::Dialect;
use crate::loader::check_results::CheckResults;
use crate::log::Log;
use crate::log::walk::each_record;
use crate::replay::Seq;
use crate::replay::damage;
use crate::replay::finding::Finding;

pub(super) struct Contents<'c> {
    /// The packed trace.
    pub log: &'c Log,
    pub checked: &'c CheckResults,
    pub finding: &'c Finding,
    pub subject: &'c Subject,
    pub given: &'c Given,
    pub variables: &'c BTreeMap<String, u64>,
    pub is_redacted: bool,
}

impl Contents<'_> {
    fn dialect(&self) -> &'static Dialect {
        self.log.dialect
    }

    pub(super) fn write(&self, writer: &mut PackWriter) -> io::Result<()> {
        let first_bad = self.write_logs(writer)?;
        let checks = damage::CHECKS.iter().chain(self.dialect().checks).copied();
        let seen = SeenCounts { events: u64::from(self.checked.events), records: u64::from(self.checked.records) };
        let oracles = oracle::results(checks, &self.checked.findings, seen);
        let journal = journal(&oracles);
        writer.write(JOURNAL, journal.as_bytes())?;
        writer.write(JOURNAL_DIGEST, digest(journal.as_bytes()).as_bytes())?;
        writer.write(ORACLES, &json(&oracle::document(&oracles))?)?;
        writer.write(README, self.readme(&first_bad).as_bytes())?;
        writer.write_script(SCRIPT, &script::script(self.variables, &self.subject.finding.fingerprint))?;
        let artifacts: Vec<Artifact> =
            writer.names().map(|name| Artifact { name: name.to_owned(), role: self.role(name) }).collect();
        writer.write(LEDGER, &json(&ledger(&oracles, self.given, &artifacts))?)
    }

    fn readme(&self, first_bad: &str) -> String {
        readme(&ReadmeFacts {
            dialect: self.dialect().title,
            trace: &self.subject.trace,
            minimized: self.subject.minimized.as_deref(),
            events: u64::from(self.checked.events),
            finding: self.finding,
            first_bad,
            is_redacted: self.is_redacted,
            environment: &self.subject.environment,
        })
    }

    fn role(&self, name: &str) -> &'static str {
        let sidecar = self.dialect().export.roles.iter().find(|(part, _)| name.contains(part));
        match name {
            name if name == self.subject.trace => "trace",
            name if Some(name) == self.subject.minimized.as_deref() => "minimized trace",
            _ if sidecar.is_some() => sidecar.map_or("", |(_, role)| role),
            name if name.starts_with("logs/") => "log",
            JOURNAL => "journal",
            JOURNAL_DIGEST => "digest",
            ORACLES => "oracle results",
            README => "readme",
            SCRIPT => "replay",
            crashpack::BOOKMARKS => "bookmarks",
            crashpack::REDACTIONS => "redactions",
            _ => "minimization",
        }
    }

    /// Splits the trace by concern. Returns the line of the first bad event.
    fn write_logs(&self, writer: &mut PackWriter) -> io::Result<String> {
        let mut logs: BTreeMap<&str, BufWriter<File>> = BTreeMap::new();
        for concern in CONCERNS {
            logs.insert(concern, writer.create(&file_of(concern))?);
        }
        let wanted = self.finding.at.first().copied().unwrap_or_default();
        let mut first_bad = String::new();
        each_record(self.log, |at, (_, record)| {
            let (concern, text) = self.line(at, record);
            if at == wanted {
                first_bad.clone_from(&text);
            }
            logs.get_mut(concern).map_or(Ok(()), |log| log.write_all(text.as_bytes()))
        })
        .map_err(io::Error::other)??;
        for (concern, mut log) in logs {
            log.flush()?;
            drop(log);
            writer.adopt(&file_of(concern))?;
        }
        Ok(first_bad)
    }

    fn line(&self, at: Seq, record: &[u8]) -> (&'static str, String) {
        let dialect = self.dialect();
        let vocabulary = dialect.vocabulary;
        match self.log.wrapping.event_in(record).and_then(dialect.glance) {
            Ok(glance) => {
                let lane = vocabulary.kinds.iter().find(|word| word.name == glance.kind).map(|word| word.lane);
                let lane = lane.map_or("", |lane| vocabulary.lane_name(lane));
                (concern_of(lane), line(at, glance.kind, &glance.summary))
            }
            Err(malformed) => (concern_of(""), line(at, "malformed", &malformed.reason)),
        }
    }
}
