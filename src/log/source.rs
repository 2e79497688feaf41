//! A source of records that are read again one by one.

use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::paged::{PagedFile, read_at};
use super::sqlite::RowReader;
use crate::dialect::container::Wrapping;
use crate::replay::Place;
use crate::replay::machine::Malformed;
use crate::replay::source::{Gone, Head, Source, Span};

/// Records that are close together are read at once, up to this size.
const STRETCH_BYTES: u64 = 4 << 20;

pub(crate) struct LogSource {
    wrapping: Wrapping,
    head: Option<Head>,
    bytes: Bytes,
    scratch: Mutex<Vec<Vec<u8>>>,
}

pub(crate) enum Bytes {
    File(Arc<PagedFile>),
    Held(Arc<Vec<u8>>),
    Rows(Mutex<RowReader>),
}

impl LogSource {
    pub(crate) fn new(wrapping: Wrapping, head: Option<Head>, bytes: Bytes) -> Self {
        LogSource { wrapping, head, bytes, scratch: Mutex::default() }
    }

    /// Reads a range of a file or of memory. Returns false if it is no longer there.
    fn stretch(&self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        match &self.bytes {
            Bytes::File(file) => file.read(offset, buffer),
            Bytes::Held(bytes) => {
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let found = from.checked_add(buffer.len()).and_then(|to| bytes.get(from..to));
                if let Some(found) = found {
                    buffer.copy_from_slice(found);
                }
                Ok(found.is_some())
            }
            Bytes::Rows(_) => Ok(false),
        }
    }

    /// Reads records, with one read for those that are close together.
    fn read_stretches(
        &self,
        spans: &[Span],
        scratch: &mut Vec<u8>,
        visit: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), Gone> {
        let mut next = 0;
        while let Some(first) = spans.get(next) {
            let end = |span: &Span| span.offset + u64::from(span.length);
            let fits = |span: &&Span| span.offset >= first.offset && end(span) - first.offset <= STRETCH_BYTES;
            let count = spans[next..].iter().take_while(fits).count().max(1);
            let last = &spans[next + count - 1];
            let length = (end(last) - first.offset) as usize;
            if scratch.len() < length {
                scratch.resize(length, 0);
            }
            let buffer = &mut scratch[..length];
            match self.stretch(first.offset, buffer) {
                Ok(true) => {}
                Ok(false) => return Err(gone("the log is shorter than when it was read; open it again")),
                Err(error) => return Err(gone(&format!("the log cannot be read: {error}"))),
            }
            for (position, span) in spans.iter().enumerate().skip(next).take(count) {
                let from = (span.offset - first.offset) as usize;
                visit(position, &buffer[from..from + span.length as usize]);
            }
            next += count;
        }
        Ok(())
    }
}

fn gone(reason: &str) -> Gone {
    Gone { reason: reason.to_owned() }
}

impl Source for LogSource {
    fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn read(&self, spans: &[Span], visit: &mut dyn FnMut(usize, &[u8])) -> Result<(), Gone> {
        if let Bytes::Rows(rows) = &self.bytes {
            let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
            for (position, span) in spans.iter().enumerate() {
                let payload = if span.length == 0 { Ok(&[][..]) } else { rows.payload(span.offset) };
                visit(position, payload.map_err(|error| gone(&format!("a row cannot be read: {error}")))?);
            }
            return Ok(());
        }
        // The buffer of an earlier read is reused, because allocating one costs as much as filling it.
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let result = self.read_stretches(spans, &mut scratch, visit);
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        result
    }

    fn event<'a>(&self, record: &'a [u8]) -> Result<&'a [u8], Malformed> {
        self.wrapping.event_in(record)
    }

    fn place(&self, known: (Span, Place), wanted: Span) -> Place {
        let (span, place) = known;
        if place.line == 0 {
            return Place { line: 0, byte: wanted.offset };
        }
        let (mut line, mut at) = (place.line, span.offset);
        let mut buffer = vec![0; 64 << 10];
        while at < wanted.offset {
            let length = (wanted.offset - at).min(buffer.len() as u64) as usize;
            if !self.stretch(at, &mut buffer[..length]).unwrap_or(false) {
                break;
            }
            line += memchr::memchr_iter(b'\n', &buffer[..length]).count() as u64;
            at += length as u64;
        }
        Place { line, byte: wanted.offset }
    }
}

/// Reads a file from an offset on, independently of other readers.
pub(crate) struct FileCursor {
    file: Arc<File>,
    at: u64,
}

impl FileCursor {
    pub(crate) fn new(file: Arc<File>, at: u64) -> Self {
        FileCursor { file, at }
    }
}

impl Read for FileCursor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.file, buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
