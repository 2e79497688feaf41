//! Masking of everything that goes into a pack: everything is searched first, then equal secrets get equal masks.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::{Value, json};

use super::marks::PackedBookmark;
use super::{Cancelled, ExportError, Given, MaskSubject, Redaction, trace};
use crate::log::Log;
use crate::redact::layer::readable;
use crate::redact::loose::LooseText;
use crate::redact::rehash::{BeginRehash, Rehash};
use crate::redact::streamed::DeltaStreams;
use crate::redact::{MaskOptions, Masker, Removal};
use crate::text::harmless;

const SCHEMA: &str = "stepback-redactions/1";
const MEANING: &str = "each mask replaces one text, and equal masks replace equal texts; a mask names a rule, a number and a range of lengths, and is not derived from the text";

/// A secret that was found, for the review before sharing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reviewed {
    pub mask: String,
    pub rule: String,
    pub length_class: &'static str,
    /// The number of occurrences.
    pub times: usize,
    /// The file and the path of its first occurrence.
    pub place: String,
    pub path: String,
    pub is_spared: bool,
}

pub(crate) struct Masks {
    masker: Masker,
    /// Repairs the hashes by which records refer to payloads: a function that makes a new one, and the current one.
    rehash: Option<(BeginRehash, Box<dyn Rehash>)>,
    streams: DeltaStreams,
    loose: LooseText,
    spared: BTreeSet<String>,
}

impl Masks {
    /// Searches everything that an order packs.
    pub(crate) fn of(
        subject: &MaskSubject<'_>,
        redaction: &Redaction,
        marks: &[PackedBookmark],
    ) -> Result<Masks, ExportError> {
        let mut masks = Masks::looked(subject.log, redaction, marks, subject.given, subject.is_cancelled)?;
        if let Some(unknown) = masks.unknown(&redaction.spared) {
            let reason = format!("no secret has the mask {unknown:?}; `stepback export --redact --review` lists them");
            return Err(ExportError::Refused { name: subject.log.name.clone(), reason });
        }
        redaction.spared.iter().for_each(|mask| masks.spare(mask, true));
        // Seeds become names of variables, which cannot be masked.
        let seeds = json!(subject.given.seeds).to_string();
        if masks.hidden("seeds", &seeds) != seeds {
            let reason = "the name of a seed contains a secret; rename the seed".to_owned();
            return Err(ExportError::Refused { name: subject.log.name.clone(), reason });
        }
        Ok(masks)
    }

    /// Searches a log and its sidecars, for documents that are derived from it.
    pub(crate) fn of_log(log: &Log, options: MaskOptions) -> Result<Masks, ExportError> {
        let redaction = Redaction { options, ..Redaction::default() };
        Masks::looked(log, &redaction, &[], &Given::default(), &|| false)
    }

    /// Masks texts that are derived from the log and shared together, such as its events in another container or a
    /// report. They are searched first, because a sidecar or a message may contain secrets that the log does not.
    pub(crate) fn derived(&mut self, place: &str, texts: Vec<String>) -> Vec<String> {
        let mut streams = DeltaStreams::default();
        for text in &texts {
            streams.look(text.as_bytes());
            self.masker.look(place, text.as_bytes());
        }
        streams.show(&mut self.masker);
        streams.begin(&mut self.masker);
        let masked = texts.into_iter().map(|text| {
            let pieced = streams.apply(text.as_bytes());
            String::from_utf8_lossy(&self.masker.apply(place, &pieced)).into_owned()
        });
        masked.collect()
    }

    /// The rules that applied.
    pub(crate) fn rules(&self) -> BTreeSet<&str> {
        self.masker.removals_by_rule().into_keys().collect()
    }

    /// The first of these masks that no secret has.
    fn unknown<'m>(&self, masks: &'m BTreeSet<String>) -> Option<&'m String> {
        let known: BTreeSet<String> = match masks.is_empty() {
            true => return None,
            false => self.masker.found().map(|found| found.mask).collect(),
        };
        masks.iter().find(|mask| !known.contains(*mask))
    }

    fn looked(
        log: &Log,
        redaction: &Redaction,
        marks: &[PackedBookmark],
        given: &Given,
        is_cancelled: Cancelled<'_>,
    ) -> Result<Masks, ExportError> {
        let rehash = log.dialect.export.rehash.map(|begin| (begin, begin()));
        let (masker, streams) = (Masker::new(&redaction.options)?, DeltaStreams::default());
        let mut masks = Masks { masker, rehash, streams, loose: LooseText::default(), spared: BTreeSet::new() };
        trace::look(log, &mut masks, is_cancelled)?;
        masks.loose.end(&mut masks.masker);
        masks.streams.show(&mut masks.masker);
        for mark in marks {
            masks.look("bookmarks", mark.bookmark.name.as_bytes());
            masks.look("bookmarks", mark.bookmark.note.as_bytes());
        }
        masks.look("seeds", json!(given.seeds).to_string().as_bytes());
        masks.look("metadata", json!(given.metadata).to_string().as_bytes());
        Ok(masks)
    }

    pub(crate) fn look(&mut self, place: &str, bytes: &[u8]) {
        self.masker.look(place, bytes);
    }

    /// Whether any secret is masked.
    pub(crate) fn hides_something(&self) -> bool {
        self.masker.hides_something()
    }

    /// Searches a record, or a document of records.
    pub(crate) fn look_at_record(&mut self, place: &str, bytes: &[u8]) {
        self.streams.look(bytes);
        self.loose.look(&mut self.masker, bytes);
        self.look(place, bytes);
    }

    /// Searches the whole text of a damaged document. Its records are masked one by one.
    pub(crate) fn look_at_parts(&mut self, place: &str, bytes: &[u8]) {
        self.masker.look_at_parts(place, &readable(bytes));
    }

    /// Starts masking from the beginning, in the order of the search.
    pub(crate) fn begin(&mut self) {
        self.rehash = self.rehash.take().map(|(begin, _)| (begin, begin()));
        self.masker.forget_removals();
        self.streams.begin(&mut self.masker);
    }

    pub(crate) fn spare(&mut self, mask: &str, spared: bool) {
        self.masker.spare(mask, spared);
        if spared {
            self.spared.insert(mask.to_owned())
        } else {
            self.spared.remove(mask)
        };
    }

    /// Masks a record, or a document of records.
    pub(crate) fn record<'b>(&mut self, place: &str, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if let Some((_, rehash)) = &mut self.rehash {
            return rehash.record(&mut self.masker, place, bytes);
        }
        match self.streams.apply(bytes) {
            Cow::Borrowed(bytes) => self.masker.apply(place, bytes),
            Cow::Owned(pieced) => Cow::Owned(self.masker.apply(place, &pieced).into_owned()),
        }
    }

    /// Masks a stored payload. Returns its new name and its bytes.
    pub(crate) fn entry<'b>(&mut self, place: &str, name: &str, bytes: &'b [u8]) -> (String, Cow<'b, [u8]>) {
        match &mut self.rehash {
            Some((_, rehash)) => rehash.payload(&mut self.masker, place, name, bytes),
            None => (name.to_owned(), self.masker.apply(place, bytes)),
        }
    }

    pub(crate) fn hidden_bytes<'b>(&mut self, place: &str, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        self.masker.apply(place, bytes)
    }

    pub(crate) fn hidden(&mut self, place: &str, text: &str) -> String {
        String::from_utf8_lossy(&self.masker.apply(place, text.as_bytes())).into_owned()
    }

    /// Masks the metadata that the user gave. Seeds are numbers.
    pub(crate) fn hide_in(&mut self, given: &mut Given) {
        let masked = self.hidden("metadata", &json!(given.metadata).to_string());
        // Valid JSON stays valid; if two keys become equal, one remains.
        given.metadata = serde_json::from_str(&masked).unwrap_or_default();
    }

    pub(crate) fn removals(&self) -> usize {
        self.masker.removals().len()
    }

    /// The masks that were used, in order of appearance.
    pub(crate) fn used(&self) -> Vec<Removal> {
        let mut seen = BTreeSet::new();
        self.masker.removals().filter(|removal| seen.insert(removal.mask.clone())).collect()
    }

    /// Writes what was masked, by place and rule, never by value. Row by row, since there may be many.
    pub(crate) fn write_report(&self, out: &mut dyn Write) -> io::Result<()> {
        const ROWS: &str = "\n  \"removals\": []";
        let found = self.masker.found().filter(|found| self.spared.contains(&found.mask));
        let spared: Vec<Value> = found
            .map(|found| json!({"mask": found.mask, "rule": found.rule, "length_class": found.length_class}))
            .collect();
        let rules = self.masker.removals_by_rule();
        let document =
            json!({"schema": SCHEMA, "masks": MEANING, "rules": rules, "left_on_purpose": spared, "removals": []});
        let document = harmless(serde_json::to_string_pretty(&document)?);
        let (before, after) = document.split_once(ROWS).unwrap_or((&document, ""));
        write!(out, "{before}\n  \"removals\": [")?;
        let mut separator = "";
        for removal in self.masker.removals() {
            let row = harmless(serde_json::to_string_pretty(&removal)?);
            write!(out, "{separator}\n    {}", row.replace('\n', "\n    "))?;
            separator = ",";
        }
        let end = if separator.is_empty() { "" } else { "\n  " };
        writeln!(out, "{end}]{after}")
    }

    fn reviewed(&self, spared: &BTreeSet<String>) -> Vec<Reviewed> {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for removal in self.masker.removals() {
            *times.entry(removal.mask).or_default() += 1;
        }
        let row = |removal: Removal| Reviewed {
            times: times.get(removal.mask.as_str()).copied().unwrap_or_default(),
            is_spared: spared.contains(&removal.mask),
            mask: removal.mask,
            rule: removal.rule,
            length_class: removal.length_class,
            place: removal.place,
            path: removal.path,
        };
        self.used().into_iter().map(row).collect()
    }
}

/// Lists everything that would be masked, without writing anything.
pub(crate) fn review(
    log: &Log,
    redaction: &Redaction,
    marks: &[PackedBookmark],
    given: &Given,
    is_cancelled: Cancelled<'_>,
) -> Result<Vec<Reviewed>, ExportError> {
    let mut masks = Masks::looked(log, redaction, marks, given, is_cancelled)?;
    trace::mask(log, &mut masks, is_cancelled, &mut |_| Ok(()))?;
    for mark in marks {
        masks.hidden("bookmarks", &mark.bookmark.name);
        masks.hidden("bookmarks", &mark.bookmark.note);
    }
    masks.hide_in(&mut given.clone());
    Ok(masks.reviewed(&redaction.spared))
}
