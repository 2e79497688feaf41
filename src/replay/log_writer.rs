//! The writer of logs: records as lines or as the elements of a JSON array.

use std::borrow::Cow;

/// How the records of a written log are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogLayout {
    /// One record per line.
    Lines,
    /// The elements of a JSON array.
    Array,
}

impl LogLayout {
    /// The layout that a file name asks for: lines for `.jsonl` and `.ndjson`, otherwise an array.
    pub(crate) fn by_extension(extension: Option<&str>) -> LogLayout {
        match extension {
            Some("jsonl" | "ndjson") => LogLayout::Lines,
            _ => LogLayout::Array,
        }
    }
}

/// Appends records to a buffer, which the caller may drain in between.
#[derive(Debug)]
pub(crate) struct LogWriter {
    layout: LogLayout,
    records: u32,
    /// The last record is torn, and nothing may follow it.
    is_torn: bool,
}

impl LogWriter {
    pub(crate) fn new(layout: LogLayout) -> LogWriter {
        LogWriter { layout, records: 0, is_torn: false }
    }

    /// How many records were written.
    pub(crate) fn records(&self) -> u32 {
        self.records
    }

    /// The line before the records, for logs that have one.
    pub(crate) fn head(&self, head: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(head);
        out.push(b'\n');
    }

    pub(crate) fn record(&mut self, record: &[u8], out: &mut Vec<u8>) {
        self.begin(out);
        match self.layout {
            LogLayout::Lines => {
                out.extend_from_slice(&on_one_line(record));
                out.push(b'\n');
            }
            LogLayout::Array => out.extend_from_slice(record),
        }
    }

    /// The torn record at the end of the log. Nothing may follow it.
    pub(crate) fn torn(&mut self, record: &[u8], out: &mut Vec<u8>) {
        self.begin(out);
        self.is_torn = true;
        match self.layout {
            LogLayout::Lines => out.extend_from_slice(&on_one_line(record)),
            LogLayout::Array => out.extend_from_slice(record),
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.layout == LogLayout::Array {
            out.extend_from_slice(if self.records == 0 { b"[\n" } else { b",\n" });
        }
        self.records += 1;
    }

    pub(crate) fn finish(self, out: &mut Vec<u8>) {
        if self.layout == LogLayout::Array && !self.is_torn {
            out.extend_from_slice(if self.records == 0 { b"[]\n" } else { b"\n]\n" });
        }
    }
}

/// A record with its line breaks replaced by blanks. In JSON, they occur only between values, so the meaning is the
/// same.
pub(crate) fn on_one_line(record: &[u8]) -> Cow<'_, [u8]> {
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    if memchr::memchr2(b'\n', b'\r', record).is_none() {
        return Cow::Borrowed(record);
    }
    record.iter().map(|byte| if is_break(byte) { b' ' } else { *byte }).collect::<Vec<u8>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(layout: LogLayout, records: &[&str], torn: Option<&str>) -> String {
        let (mut writer, mut out) = (LogWriter::new(layout), Vec::new());
        records.iter().for_each(|record| writer.record(record.as_bytes(), &mut out));
        torn.iter().for_each(|record| writer.torn(record.as_bytes(), &mut out));
        writer.finish(&mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn records_are_lines_or_elements_and_a_torn_end_stays_torn() {
        assert_eq!(written(LogLayout::Array, &["{}", "1"], None), "[\n{},\n1\n]\n");
        assert_eq!(written(LogLayout::Array, &[], None), "[]\n");
        assert_eq!(written(LogLayout::Array, &["{}"], Some("{\"a")), "[\n{},\n{\"a");
        assert_eq!(written(LogLayout::Lines, &["{\n}"], Some("{\"a")), "{ }\n{\"a");
        assert_eq!(written(LogLayout::Lines, &[], None), "");
    }
}
