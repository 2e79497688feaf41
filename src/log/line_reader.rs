//! A reader of runs of whole lines, which several threads split into records and decode.

use std::io::{self, Read};

use memchr::memrchr;

use super::joined::{LineSplitter, RUN_BYTES};
use super::records::RECORD_LIMIT_BYTES;

pub(crate) struct LineReader {
    input: Box<dyn Read + Send>,
    /// The start of the next run: a line whose end was not read yet.
    rest: Vec<u8>,
    at_end: bool,
    run_bytes: usize,
    /// For dialects whose lines may hold several objects: the runs end before such a line.
    splitter: Option<LineSplitter>,
}

impl LineReader {
    pub(crate) fn new(input: Box<dyn Read + Send>) -> LineReader {
        LineReader { input, rest: Vec::new(), at_end: false, run_bytes: RUN_BYTES, splitter: None }
    }

    /// Ends before the first line that is more or less than one record.
    #[must_use]
    pub(crate) fn stopping_at_odd_lines(self, stops: bool) -> LineReader {
        LineReader { splitter: stops.then(LineSplitter::new), ..self }
    }

    #[cfg(test)]
    pub(crate) fn with_runs_of(self, run_bytes: usize) -> LineReader {
        LineReader { run_bytes, ..self }
    }

    /// Replaces the content of `run` by the next whole lines. Returns false if there are none: the log ends here, perhaps
    /// inside a line, or the next line is too long to be a record or holds several.
    pub(crate) fn next_run(&mut self, run: &mut Vec<u8>) -> io::Result<bool> {
        if !self.next_lines(run)? {
            return Ok(false);
        }
        if let Some(odd) = self.splitter.as_ref().and_then(|splitter| splitter.first_odd_line(run)) {
            run.truncate(odd);
            self.rest.clear();
            self.at_end = true;
        }
        Ok(!run.is_empty())
    }

    fn next_lines(&mut self, run: &mut Vec<u8>) -> io::Result<bool> {
        run.clear();
        run.append(&mut self.rest);
        let mut wanted = self.run_bytes;
        loop {
            let searched = run.len();
            self.fill(run, wanted)?;
            if let Some(end) = memrchr(b'\n', &run[searched..]) {
                self.rest.extend_from_slice(&run[searched + end + 1..]);
                run.truncate(searched + end + 1);
                return Ok(true);
            }
            if self.at_end || run.len() > RECORD_LIMIT_BYTES {
                return Ok(false);
            }
            wanted = run.len() + self.run_bytes;
        }
    }

    /// Reads until the run has this many bytes or the log ends.
    fn fill(&mut self, run: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
        let missing = wanted.saturating_sub(run.len());
        // A log that has grown since is read by another reader.
        if self.at_end || missing == 0 {
            return Ok(());
        }
        run.reserve(missing);
        // Unlike reading into a slice, this does not overwrite the buffer with zeros first.
        let count = (&mut *self.input).take(missing as u64).read_to_end(run)?;
        self.at_end |= count < missing;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_whole_lines_and_all_of_them() {
        let text = b"a\nbb\n\ncccccccccc\nd\nrest".to_vec();
        for size in 1..40 {
            let mut reader = LineReader::new(Box::new(io::Cursor::new(text.clone()))).with_runs_of(size);
            let (mut run, mut all) = (Vec::new(), Vec::new());
            while reader.next_run(&mut run).expect("memory") {
                assert!(run.ends_with(b"\n"), "{size}");
                all.extend_from_slice(&run);
            }
            assert_eq!(all, &text[..text.len() - 4], "{size}");
        }
    }
}
