//! A variant as a log of its own: a new file, whole or not there at all.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::Loaded;
use super::stored::each_reference;
use crate::replay::source::{Gone, Source};
use crate::replay::variant::Variant;
use crate::tape_store::StoreCopy;
use crate::wholefile::WholeFile;

#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("{}: this is the log itself; choose another name", .0.display())]
    Itself(PathBuf),

    #[error("{}: this file exists; choose another name", .0.display())]
    Exists(PathBuf),

    #[error("{}: cannot be written: {error}", .path.display())]
    Io { path: PathBuf, error: io::Error },

    #[error("the log cannot be read again: {0}")]
    Gone(String),
}

impl From<Gone> for SaveError {
    fn from(gone: Gone) -> Self {
        SaveError::Gone(gone.reason)
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    pub records: u32,
    /// Records that are no JSON and could not stand in the new file: they would break what stands around them.
    pub left_out: u32,
}

impl Loaded {
    /// Writes a variant of this log, or with no change the log as it is: lines if the name ends in `.jsonl` or
    /// `.ndjson`, else an array. A tape stays lines with its header before them, and what its records refer to is copied
    /// into a store of its own. Each record stays as it stands, what wraps its event included; only line breaks
    /// between its values become blanks. Nothing is ever replaced.
    pub fn save_variant(&self, variant: &Variant, target: &Path) -> Result<Saved, SaveError> {
        let log = self.opened.as_ref().and_then(|opened| opened.log.path.as_deref());
        if log.is_some_and(|log| are_same(log, target)) {
            return Err(SaveError::Itself(target.to_owned()));
        }
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => SaveError::Exists(target.to_owned()),
            _ => SaveError::Io { path: target.to_owned(), error },
        };
        let overlay = self.overlay(variant)?;
        let head = overlay.head().map(|head| head.bytes.clone());
        let file = WholeFile::create_new(target).map_err(failed)?;
        let mut out = Writer::new(file, target, head.is_some());
        let mut store = match (&head, self.opened.as_ref().and_then(|opened| opened.store())) {
            (Some(_), Some(from)) => Some(StoreCopy::begin(from, target).map_err(failed)?),
            _ => None,
        };
        let mut result = head.map_or(Ok(()), |head| out.write_head(&head));
        let _ = overlay.each_record(&mut |_, _, record| {
            result = std::mem::replace(&mut result, Ok(())).and_then(|()| out.write(record));
            if let (Ok(()), Some(store)) = (&result, &mut store) {
                result = each_reference(record, &mut |name| store.copy(name).map(drop));
            }
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let saved = result.and_then(|()| out.finish()).map_err(failed)?;
        if let Some(store) = store {
            store.keep();
        }
        Ok(saved)
    }
}

/// Whether two names mean one file, also where the file is gone and only its folder is left.
fn are_same(one: &Path, two: &Path) -> bool {
    let real = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        })
    };
    real(one).is_some_and(|one| real(two) == Some(one))
}

struct Writer {
    file: WholeFile,
    is_lines: bool,
    saved: Saved,
    /// One line, kept for its memory.
    line: Vec<u8>,
}

impl Writer {
    fn new(file: WholeFile, target: &Path, has_head: bool) -> Self {
        let extension = target.extension().and_then(|extension| extension.to_str());
        let is_lines = has_head || matches!(extension, Some("jsonl" | "ndjson"));
        Writer { file, is_lines, saved: Saved::default(), line: Vec::new() }
    }

    fn write_head(&mut self, head: &[u8]) -> io::Result<()> {
        self.file.write_all(head.trim_ascii())?;
        self.file.write_all(b"\n")
    }

    fn write(&mut self, record: &[u8]) -> io::Result<()> {
        let record = record.trim_ascii();
        if is_json(record) {
            self.line.clear();
            // In JSON a line break never stands inside a text, so a blank in its place means the same.
            self.line.extend(record.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
            return self.write_line();
        }
        // Among lines it harms nobody, as long as it is one.
        if self.is_lines && !record.is_empty() && !record.contains(&b'\n') {
            self.line.clear();
            self.line.extend_from_slice(record);
            return self.write_line();
        }
        self.saved.left_out += 1;
        Ok(())
    }

    fn write_line(&mut self) -> io::Result<()> {
        if !self.is_lines {
            self.file.write_all(if self.saved.records == 0 { b"[\n" } else { b",\n" })?;
        }
        self.saved.records += 1;
        if self.is_lines {
            self.line.push(b'\n');
        }
        self.file.write_all(&self.line)
    }

    fn finish(mut self) -> io::Result<Saved> {
        if !self.is_lines {
            self.file.write_all(if self.saved.records == 0 { b"[]\n" } else { b"\n]\n" })?;
        }
        self.file.finish_new()?;
        Ok(self.saved)
    }
}

fn is_json(record: &[u8]) -> bool {
    std::str::from_utf8(record).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}
