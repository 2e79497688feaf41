//! Saving a variant as a new log, completely or not at all.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::Loaded;
use crate::replay::log_writer::{LogLayout, LogWriter, on_one_line};
use crate::replay::relink::Relinker;
use crate::replay::source::{Gone, Source};
use crate::replay::variant::Variant;
use crate::replay::variant::overlay::Overlay;
use crate::wholefile::{Destination, DestinationError, Existing, WholeFile};

#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(transparent)]
    Destination(#[from] DestinationError),

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

/// The result of saving a variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    pub records: u32,
    /// The number of records that were left out because they are not JSON and would break the new file.
    pub left_out: u32,
}

impl Loaded {
    /// Writes a variant of this log: as lines if the name ends in `.jsonl` or `.ndjson`, else as an array. A variant
    /// without changes writes the log itself. A log with a header stays in lines, with the header first, and the
    /// sidecars that its records refer to are copied. Records are copied as they are, with the object that wraps the
    /// event; only line breaks between values become blanks. An existing file is never replaced.
    pub fn save_variant(&self, variant: &Variant, target: &Path) -> Result<Saved, SaveError> {
        let log = self.origin.as_ref().and_then(|origin| origin.log.path.as_deref());
        Destination::new(target, log, Existing::Keep)?;
        let failed = |error: io::Error| match error.kind() {
            // Another program created a file with this name in the meantime.
            io::ErrorKind::AlreadyExists => DestinationError::Exists(target.to_owned()).into(),
            _ => SaveError::Io { path: target.to_owned(), error },
        };
        let overlay = self.overlay(variant)?;
        let head = overlay.head().map(|head| head.bytes.clone());
        let file = WholeFile::create_new(target).map_err(failed)?;
        let mut out = VariantFile::new(file, target, head.is_some());
        let mut sidecars = match &self.origin {
            Some(origin) => origin.sidecars.copy_to(target).map_err(failed)?,
            None => None,
        };
        let mut result = head.map_or(Ok(()), |head| out.write_head(&head));
        let mut relinker = self.relinker(&overlay)?;
        let _ = overlay.each_record(&mut |record| {
            let relinked = relinker.as_mut().and_then(|relinker| relinker.kept(record.original, record.bytes));
            let record = relinked.as_deref().unwrap_or(record.bytes);
            result = std::mem::replace(&mut result, Ok(())).and_then(|()| out.write(record));
            if let (Ok(()), Some(sidecars)) = (&result, &mut sidecars) {
                result = sidecars.record(record);
            }
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let saved = result.and_then(|()| out.finish()).map_err(failed)?;
        if let Some(sidecars) = sidecars {
            sidecars.finish();
        }
        Ok(saved)
    }
}

impl Loaded {
    /// Rewrites references to records that a variant leaves out, in dialects whose records refer to each other.
    fn relinker(&self, overlay: &Overlay) -> Result<Option<Box<dyn Relinker>>, Gone> {
        let Some(begin) = self.origin.as_ref().and_then(|origin| origin.log.dialect.relink) else { return Ok(None) };
        let mut relinker = begin();
        for removed in overlay.removed() {
            relinker.see(removed, &overlay.original_record(removed)?, true);
        }
        let _ = overlay.each_record(&mut |record| {
            relinker.see(record.original, record.bytes, false);
            ControlFlow::Continue(())
        })?;
        Ok(Some(relinker))
    }
}

/// Writes the records that fit into the new file and counts the others.
struct VariantFile {
    file: WholeFile,
    layout: LogLayout,
    writer: LogWriter,
    left_out: u32,
    /// A buffer for one record, reused to save allocations.
    buffer: Vec<u8>,
}

impl VariantFile {
    fn new(file: WholeFile, target: &Path, has_head: bool) -> Self {
        let extension = target.extension().and_then(|extension| extension.to_str());
        let layout = if has_head { LogLayout::Lines } else { LogLayout::by_extension(extension) };
        VariantFile { file, layout, writer: LogWriter::new(layout), left_out: 0, buffer: Vec::new() }
    }

    fn write_head(&mut self, head: &[u8]) -> io::Result<()> {
        self.writer.head(head.trim_ascii(), &mut self.buffer);
        self.flush()
    }

    fn write(&mut self, record: &[u8]) -> io::Result<()> {
        let record = record.trim_ascii();
        if is_json(record) {
            self.writer.record(&on_one_line(record), &mut self.buffer);
            return self.flush();
        }
        // Among lines it does no harm as long as it is a single line.
        if self.layout == LogLayout::Lines && !record.is_empty() && !record.contains(&b'\n') {
            self.writer.record(record, &mut self.buffer);
            return self.flush();
        }
        self.left_out += 1;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> io::Result<Saved> {
        let saved = Saved { records: self.writer.records(), left_out: self.left_out };
        self.writer.finish(&mut self.buffer);
        self.file.write_all(&self.buffer)?;
        self.file.finish_new()?;
        Ok(saved)
    }
}

fn is_json(record: &[u8]) -> bool {
    std::str::from_utf8(record).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}
