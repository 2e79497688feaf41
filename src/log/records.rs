//! Splitting a stream of bytes into records, in memory that does not grow with the stream.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

use super::joined::{LineSplitter, RUN_BYTES, Seam, without_filling};
use crate::dialect::container::Shape;
use crate::json::spans::{ValueEnd, is_blank, is_complete};
use crate::replay::Place;

/// Longer records are skipped and reported.
pub(crate) const RECORD_LIMIT_BYTES: usize = 16 << 20;
/// Small enough to stay in the cache of a core while it is split.
const CHUNK_BYTES: usize = 128 << 10;

/// The next part of a log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    Record {
        place: Place,
        bytes: &'a [u8],
    },
    /// The log ends inside this record.
    Torn {
        place: Place,
        bytes: &'a [u8],
    },
    TooLong {
        place: Place,
        length_bytes: u64,
    },
    /// Between records: text that a strict reader would reject.
    Irregular {
        place: Place,
        reason: &'static str,
    },
    /// The next record is on the same line as the last one.
    Joined {
        place: Place,
    },
}

/// The records of a stream, one after the other.
pub(crate) struct Records<R> {
    input: R,
    shape: Shape,
    buffer: Vec<u8>,
    /// The unread bytes of the buffer.
    from: usize,
    to: usize,
    at_end: bool,
    /// The place of the byte at `from`.
    place: Place,
    limit_bytes: usize,
    array: ArrayState,
    /// Where the last item began, if it may change when more bytes arrive.
    unsettled: Option<Mark>,
    /// The last record is complete only because the stream ends right after it.
    open_end: bool,
    /// For dialects whose lines may hold several objects.
    splitter: Option<Box<LineSplitter>>,
    seam: Seam,
    start: u64, // the byte of the file where the stream begins
}

/// A place between two items where reading can continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub place: Place,
    array: ArrayState,
}

impl Mark {
    /// A place between two lines.
    pub(crate) fn between_lines(place: Place) -> Mark {
        Mark { place, array: ArrayState::Between { first: true, comma: true } }
    }
}

/// The position of a reader in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrayState {
    BeforeOpening,
    /// `comma` says whether a comma follows the last element.
    Between {
        first: bool,
        comma: bool,
    },
    Closed,
    Over,
}

/// A line within the buffer.
struct Line {
    place: Place,
    start: usize,
    length: usize,
    /// The number of its bytes that were discarded because it is too long.
    skipped: u64,
    /// Whether it ends with a newline.
    terminated: bool,
}

impl<R: Read> Records<R> {
    /// `place` is the place in the file where the stream begins.
    pub(crate) fn new(input: R, shape: Shape, place: Place) -> Self {
        Self::with_sizes(input, shape, place, CHUNK_BYTES, RECORD_LIMIT_BYTES)
    }

    fn with_sizes(input: R, shape: Shape, place: Place, chunk_bytes: usize, limit_bytes: usize) -> Self {
        let array = match shape {
            Shape::Array => ArrayState::BeforeOpening,
            Shape::Lines | Shape::Values => ArrayState::Between { first: true, comma: true },
        };
        let buffer = vec![0; chunk_bytes];
        Records {
            input,
            shape,
            buffer,
            from: 0,
            to: 0,
            at_end: false,
            place,
            limit_bytes,
            array,
            unsettled: None,
            open_end: false,
            splitter: None,
            seam: Seam::None,
            start: place.byte,
        }
    }

    /// Makes every object of a line a separate record, and ignores NUL bytes around the objects.
    #[must_use]
    pub(crate) fn splitting_lines(mut self, splits: bool) -> Self {
        self.splitter = (splits && self.shape == Shape::Lines).then(|| Box::new(LineSplitter::new()));
        self
    }

    /// Continues where another reader of the same stream stopped.
    pub(crate) fn resume(input: R, shape: Shape, mark: Mark) -> Self {
        Records { array: mark.array, ..Self::new(input, shape, mark.place) }
    }

    /// Where a reader of whole lines can take over: between two of them, as far from the start as it reads at once.
    pub(crate) fn place_to_go_on(&self) -> Option<Place> {
        let is_between = self.shape == Shape::Lines && self.seam == Seam::None && self.unsettled.is_none();
        (is_between && self.place.byte - self.start >= RUN_BYTES as u64 && !self.open_end).then_some(self.place)
    }

    /// Where to continue when the stream grows: after the last complete item.
    pub(crate) fn mark(&self) -> Mark {
        self.unsettled.unwrap_or(Mark { place: self.place, array: self.array })
    }

    /// Whether the last record would be different if anything but a line break followed it.
    pub(crate) fn has_open_end(&self) -> bool {
        self.open_end
    }

    /// The next record or the next damage; `None` at the end.
    pub(crate) fn next_item(&mut self) -> io::Result<Option<Item<'_>>> {
        // Reading continues from here when the stream grows, unless a complete item follows.
        self.unsettled = Some(Mark { place: self.place, array: self.array });
        self.open_end = false;
        match self.shape {
            Shape::Lines => self.next_line(),
            Shape::Array | Shape::Values => self.next_value(),
        }
    }

    fn unread(&self) -> &[u8] {
        &self.buffer[self.from..self.to]
    }

    /// Reads more bytes after the unread ones. Returns false at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        if self.from > 0 {
            self.buffer.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
        }
        if self.to == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.to..]) {
                Ok(0) => {
                    self.at_end = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.to += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Skips `count` unread bytes and updates the line number.
    fn advance(&mut self, count: usize) {
        let lines = memchr_iter(b'\n', &self.buffer[self.from..self.from + count]).count();
        self.place.line += lines as u64;
        self.place.byte += count as u64;
        self.from += count;
    }

    fn next_line(&mut self) -> io::Result<Option<Item<'_>>> {
        if self.seam == Seam::New {
            self.seam = Seam::Reported;
            self.settle(false);
            return Ok(Some(Item::Joined { place: self.place }));
        }
        loop {
            let line = self.take_line()?;
            let Line { place, start, length, skipped, terminated } = line;
            if skipped > 0 || length > self.limit_bytes {
                self.seam = Seam::None;
                self.settle(!terminated);
                return Ok(Some(Item::TooLong { place, length_bytes: skipped + length as u64 }));
            }
            let text = &self.buffer[start..start + length];
            let (lead, bytes) = match &self.splitter {
                Some(_) => without_filling(text),
                None => (text.len() - text.trim_ascii_start().len(), text.trim_ascii()),
            };
            let place = Place { byte: place.byte + lead as u64, ..place };
            if bytes.is_empty() {
                if terminated {
                    self.unsettled = Some(Mark { place: self.place, array: self.array });
                    continue;
                }
                let is_blank = text.iter().all(u8::is_ascii_whitespace);
                return Ok((!is_blank).then_some(Item::Torn { place, bytes: b"" }));
            }
            let (from, mut to) = (start + lead, start + lead + bytes.len());
            let first = self.splitter.as_ref().and_then(|splitter| splitter.first_of_several(bytes));
            match first {
                Some(length) => {
                    to = from + length;
                    self.put_back(place, to, length);
                }
                None => self.seam = Seam::None,
            }
            let torn = !terminated && first.is_none() && !is_complete(&self.buffer[from..to]);
            if !torn {
                self.settle(!terminated && first.is_none());
            }
            let bytes = &self.buffer[from..to];
            return Ok(Some(if torn { Item::Torn { place, bytes } } else { Item::Record { place, bytes } }));
        }
    }

    /// Continues in the middle of a line, after its first object.
    fn put_back(&mut self, first: Place, to: usize, length: usize) {
        self.from = to;
        self.place = Place { line: first.line, byte: first.byte + length as u64 };
        self.seam = if self.seam == Seam::None { Seam::New } else { Seam::Reported };
    }

    /// Marks the item as complete, whatever follows.
    fn settle(&mut self, open_end: bool) {
        self.unsettled = None;
        self.open_end = open_end;
    }

    /// Skips the next line and returns its position in the buffer.
    fn take_line(&mut self) -> io::Result<Line> {
        let place = self.place;
        let (mut scanned, mut skipped) = (0, 0_u64);
        let ended = loop {
            if let Some(found) = memchr(b'\n', &self.unread()[scanned..]) {
                break Some(scanned + found);
            }
            scanned = self.to - self.from;
            if scanned > self.limit_bytes {
                skipped += scanned as u64;
                self.place.byte += scanned as u64;
                (self.from, self.to, scanned) = (0, 0, 0);
            }
            if !self.fill()? {
                break None;
            }
        };
        let start = self.from;
        let length = ended.unwrap_or(self.to - self.from);
        let consumed = length + usize::from(ended.is_some());
        self.from += consumed;
        self.place.byte += consumed as u64;
        self.place.line += u64::from(ended.is_some());
        Ok(Line { place, start, length, skipped, terminated: ended.is_some() })
    }

    fn skip_blanks(&mut self) -> io::Result<Option<u8>> {
        loop {
            let blanks = self.unread().iter().take_while(|byte| is_blank(**byte)).count();
            self.advance(blanks);
            if let Some(byte) = self.unread().first() {
                return Ok(Some(*byte));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    fn next_value(&mut self) -> io::Result<Option<Item<'_>>> {
        loop {
            let next = self.skip_blanks()?;
            let place = self.place;
            let irregular = |records: &mut Self, reason| {
                records.settle(false);
                Ok(Some(Item::Irregular { place, reason }))
            };
            match (self.array, next) {
                (ArrayState::Over, _) | (ArrayState::Closed, None) => return Ok(None),
                (ArrayState::Closed, Some(_)) => {
                    self.array = ArrayState::Over;
                    return irregular(self, "text after the end of the array");
                }
                (ArrayState::BeforeOpening, _) => {
                    self.advance(1);
                    self.array = ArrayState::Between { first: true, comma: true };
                }
                (ArrayState::Between { .. }, None) => {
                    self.array = ArrayState::Over;
                    if self.shape == Shape::Array {
                        return Ok(Some(Item::Torn { place, bytes: b"" }));
                    }
                    return Ok(None);
                }
                (ArrayState::Between { first, comma }, Some(b',')) if self.shape == Shape::Array => {
                    self.advance(1);
                    self.array = ArrayState::Between { first: false, comma: true };
                    if comma || first {
                        return irregular(self, "a comma without an element before it");
                    }
                }
                (ArrayState::Between { first, comma }, Some(b']')) if self.shape == Shape::Array => {
                    self.advance(1);
                    self.array = ArrayState::Closed;
                    if comma && !first {
                        return irregular(self, "a comma before the end of the array");
                    }
                }
                (ArrayState::Between { comma, .. }, Some(_)) => {
                    if !comma && self.shape == Shape::Array {
                        self.array = ArrayState::Between { first: false, comma: true };
                        return irregular(self, "no comma between two elements");
                    }
                    self.array = ArrayState::Between { first: false, comma: self.shape == Shape::Values };
                    return self.value(place).map(Some);
                }
            }
        }
    }

    /// The value that begins at the next byte.
    fn value(&mut self, place: Place) -> io::Result<Item<'_>> {
        let mut end = ValueEnd::default();
        let (mut scanned, mut skipped) = (0, 0_u64);
        let length = loop {
            if let Some(length) = end.feed(&self.unread()[scanned..]) {
                break Some(scanned + length);
            }
            scanned = self.to - self.from;
            if scanned > self.limit_bytes {
                skipped += scanned as u64;
                self.advance(scanned);
                (self.from, self.to, scanned) = (0, 0, 0);
            }
            if !self.fill()? {
                break end.is_complete_at_end().then_some(scanned);
            }
        };
        let torn = length.is_none();
        let length = length.unwrap_or(scanned);
        let start = self.from;
        self.advance(length);
        let too_long = skipped > 0 || length > self.limit_bytes;
        if !torn || too_long {
            self.settle(torn || (end.is_complete_at_end() && self.at_end));
        }
        if too_long {
            return Ok(Item::TooLong { place, length_bytes: skipped + length as u64 });
        }
        let bytes = &self.buffer[start..start + length];
        if torn {
            self.array = ArrayState::Over;
            return Ok(Item::Torn { place, bytes });
        }
        Ok(Item::Record { place, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns a few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn items(text: &str, shape: Shape, step: usize) -> Vec<String> {
        let place = Place { line: 1, byte: 0 };
        items_of(Records::with_sizes(Trickle(text.as_bytes(), step), shape, place, 4, 40))
    }

    fn items_of(mut records: Records<Trickle<'_>>) -> Vec<String> {
        let mut out = Vec::new();
        while let Some(item) = records.next_item().expect("memory") {
            out.push(match item {
                Item::Record { place, bytes } => {
                    format!("{}:{} {}", place.line, place.byte, String::from_utf8_lossy(bytes))
                }
                Item::Torn { place, bytes } => {
                    format!("{}:{} torn {}", place.line, place.byte, String::from_utf8_lossy(bytes))
                }
                Item::TooLong { place, length_bytes } => format!("{}:{} long {length_bytes}", place.line, place.byte),
                Item::Irregular { place, reason } => format!("{}:{} {reason}", place.line, place.byte),
                Item::Joined { place } => format!("{}:{} joined", place.line, place.byte),
            });
        }
        out
    }

    fn check(text: &str, shape: Shape, expected: &[&str]) {
        for step in [1, 3, 1000] {
            assert_eq!(items(text, shape, step), expected, "{text:?} by {step}");
        }
    }

    #[test]
    fn lines() {
        check("{\"a\":1}\r\n\n {\"b\":2}", Shape::Lines, &["1:0 {\"a\":1}", "3:11 {\"b\":2}"]);
        check("{\"a\":1}\n{\"b\":", Shape::Lines, &["1:0 {\"a\":1}", "2:8 torn {\"b\":"]);
        check("", Shape::Lines, &[]);
        check(" \n\t\n", Shape::Lines, &[]);
        let long = format!("{}\n{{\"a\":1}}\n", "x".repeat(100));
        check(&long, Shape::Lines, &["1:0 long 100", "2:101 {\"a\":1}"]);
        check(&"y".repeat(90), Shape::Lines, &["1:0 long 90"]);
    }

    #[test]
    fn lines_with_several_objects() {
        for step in [1, 3, 1000] {
            let split = |text: &str| {
                let place = Place { line: 1, byte: 0 };
                let records = Records::with_sizes(Trickle(text.as_bytes(), step), Shape::Lines, place, 4, 60);
                items_of(records.splitting_lines(true))
            };
            assert_eq!(split("{\"a\":1}\n\0{\"b\":2}\0\n"), ["1:0 {\"a\":1}", "2:9 {\"b\":2}"]);
            let three =
                ["1:0 {\"a\":1}", "1:7 joined", "1:7 {\"b\":2}", "1:14 {\"c\":3}", "2:22 {}", "2:24 joined", "2:24 {}"];
            assert_eq!(split("{\"a\":1}{\"b\":2}{\"c\":3}\n{}{}"), three);
            assert_eq!(split("{\"a\":1}{\"b\":"), ["1:0 {\"a\":1}", "1:7 joined", "1:7 torn {\"b\":"]);
            assert_eq!(split("{\"a\":1}\n\0\0"), ["1:0 {\"a\":1}", "2:10 torn "]);
            assert_eq!(split("\0\n{}\n"), ["2:2 {}"]);
            assert_eq!(split("{\"a\":\"}{\"}"), ["1:0 {\"a\":\"}{\"}"]);
        }
    }

    #[test]
    fn arrays() {
        check("[{\"a\":\"]\"},\n  {\"b\":[2]}]\n", Shape::Array, &["1:1 {\"a\":\"]\"}", "2:14 {\"b\":[2]}"]);
        check("[]", Shape::Array, &[]);
        check("[1,2", Shape::Array, &["1:1 1", "1:3 2", "1:4 torn "]);
        check("[{\"a\":1},{\"b\"", Shape::Array, &["1:1 {\"a\":1}", "1:9 torn {\"b\""]);
        check("[1 2]", Shape::Array, &["1:1 1", "1:3 no comma between two elements", "1:3 2"]);
        check(
            "[1,]x",
            Shape::Array,
            &["1:1 1", "1:3 a comma before the end of the array", "1:4 text after the end of the array"],
        );
        let long = format!("[\"{}\",3]", "x".repeat(100));
        check(&long, Shape::Array, &["1:1 long 102", "1:104 3"]);
    }

    #[test]
    fn values() {
        check("{\n\"a\":1\n}\n{\"b\":2} ", Shape::Values, &["1:0 {\n\"a\":1\n}", "4:10 {\"b\":2}"]);
    }
}
