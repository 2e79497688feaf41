//! The annotations of a tape: reading them as notes, and checking whether they fit.

use std::collections::BTreeMap;
use std::path::Path;

use crate::dialect::open_log::{DialectError, OpenLog};
use crate::replay::Seq;
use crate::replay::finding::Finding;
use crate::replay::note::Notes;
use crate::tape::annotation::Annotations;
use crate::tape::checks;
use crate::tape::event::{Line, Record};
use crate::tape::store::read_annotations;

pub(super) fn read(log: &dyn OpenLog, path: &Path) -> Result<(Notes, Vec<Finding>), DialectError> {
    let annotations = match read_annotations(path) {
        Ok(None) => return Ok(Default::default()),
        Ok(Some(annotations)) => annotations,
        Err(error) => {
            let finding = Finding::new(&checks::ANNOTATIONS_UNREADABLE, [Seq(0)]);
            return Ok((Notes::default(), vec![finding.expected("annotations").actual(error.to_string())]));
        }
    };
    let known = KnownRecords::of(log, annotations.header.tape_content_hash.is_some())?;
    let hash = known.hash();
    let places = known.places;
    let notes = annotations.notes(|seq| places.get(&seq).copied());
    Ok((Notes::of(notes), findings(&annotations, &places, hash)))
}

/// The content hash of a tape, as annotations contain it.
pub(super) fn content_hash(log: &dyn OpenLog) -> Result<String, DialectError> {
    Ok(KnownRecords::of(log, true)?.hash())
}

fn findings(annotations: &Annotations, places: &BTreeMap<u64, Seq>, content_hash: String) -> Vec<Finding> {
    let validation = annotations.validate_against(|seq| places.contains_key(&seq), places.keys().last(), content_hash);
    let finding = |problem: &crate::tape::annotation::Problem| {
        let (subject, expected, actual) = problem.described();
        let about = annotations.list.iter().find(|annotation| annotation.is_called(subject));
        let at = about.and_then(|annotation| places.get(&annotation.event_id)).copied().unwrap_or_default();
        Finding::new(&checks::ANNOTATION, [at]).about("annotation", subject).expected(expected).actual(actual)
    };
    validation.problems.iter().map(finding).collect()
}

/// The place of each record by its number, and the content hash of all of them.
struct KnownRecords {
    places: BTreeMap<u64, Seq>,
    hasher: Option<blake3::Hasher>,
}

impl KnownRecords {
    fn of(log: &dyn OpenLog, hashes: bool) -> Result<KnownRecords, DialectError> {
        let mut known = KnownRecords { places: BTreeMap::new(), hasher: hashes.then(blake3::Hasher::new) };
        log.each_record(&mut |read| {
            if let Ok(Ok(Line::Record(record))) = std::str::from_utf8(read.record).map(Line::parse) {
                known.see(read.at, &record);
            }
        })?;
        Ok(known)
    }

    fn hash(&self) -> String {
        self.hasher.as_ref().map(|hasher| hasher.finalize().to_hex().to_string()).unwrap_or_default()
    }

    fn see(&mut self, at: Seq, record: &Record) {
        self.places.entry(record.seq).or_insert(at);
        if let (Some(hasher), Ok(understood)) = (&mut self.hasher, record.understood()) {
            hasher.update(understood.as_bytes());
            hasher.update(b"\n");
        }
    }
}
