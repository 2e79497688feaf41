//! Bytes to rows: one pass, one stack of its own, no recursion.

use std::sync::Arc;

use super::super::spans::is_blank;
use super::unescape::Unescaped;
use super::{Kind, NO_PARENT, Name, Row};

/// A string that holds JSON, in which strings hold JSON: followed so many times.
const LEVELS_MOST: usize = 5;
/// Rows count bytes in 32 bits. No record is that long.
const BYTES_MOST: usize = u32::MAX as usize;

pub fn rows(bytes: Arc<[u8]>, most: usize) -> (Vec<Row>, Vec<Arc<[u8]>>) {
    let mut scan = Scan { rows: Vec::new(), sources: vec![bytes], levels: vec![Level::default()], most };
    scan.run();
    (scan.rows, scan.sources)
}

/// What may stand next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    /// The value that the level is about.
    #[default]
    Root,
    /// An item, or the end of an array that has none yet.
    FirstItem,
    Item,
    /// A key, or the end of an object that has none yet.
    FirstKey,
    Key,
    /// A comma or an end.
    More,
    /// Nothing but blanks.
    End,
}

/// One text that is being read: the value itself, or a string inside of it.
#[derive(Default)]
struct Level {
    source: u32,
    at: usize,
    next: Next,
    /// The objects and arrays that are open, outermost first.
    open: Vec<u32>,
    /// The key whose value comes next, and where it begins.
    key: Option<(Name, usize)>,
    /// Of a string: the row that stands for it if it turns out to be no JSON.
    instead: Option<Row>,
    rows_before: usize,
    sources_before: usize,
}

struct Scan {
    rows: Vec<Row>,
    sources: Vec<Arc<[u8]>>,
    levels: Vec<Level>,
    most: usize,
}

/// Why a level stops.
enum Stop {
    Done,
    /// No JSON from this byte on.
    Bad(usize),
}

impl Scan {
    fn run(&mut self) {
        while let Some(mut level) = self.levels.pop() {
            if self.rows.len() >= self.most {
                self.levels.push(level);
                return self.cut();
            }
            let bytes = Arc::clone(&self.sources[level.source as usize]);
            let bytes = &bytes[..bytes.len().min(BYTES_MOST)];
            let is_inner = level.instead.is_some();
            match self.step(&mut level, bytes) {
                Ok(None) => self.levels.push(level),
                Ok(Some(inner)) => {
                    self.levels.push(level);
                    self.levels.push(inner);
                }
                Err(Stop::Done) => {}
                Err(Stop::Bad(_)) if is_inner => self.take_back(level),
                Err(Stop::Bad(at)) => self.rest(&level, at, bytes.len(), Kind::Text),
            }
        }
    }

    /// Too many rows: all that is left becomes one.
    fn cut(&mut self) {
        while self.levels.len() > 1 {
            if let Some(level) = self.levels.pop() {
                self.take_back(level);
            }
        }
        if let Some(level) = self.levels.pop() {
            let length = self.sources[0].len().min(BYTES_MOST);
            let at = level.key.map_or(level.at, |(_, from)| from);
            self.rest(&level, at, length, Kind::Rest);
        }
    }

    /// A string that is no JSON after all.
    fn take_back(&mut self, level: Level) {
        self.rows.truncate(level.rows_before);
        self.sources.truncate(level.sources_before);
        self.rows.extend(level.instead.map(|row| Row { end: level.rows_before as u32, ..row }));
    }

    /// Ends whatever is open, and makes a row of the rest.
    fn rest(&mut self, level: &Level, at: usize, length: usize, kind: Kind) {
        let last = self.rows.len().saturating_sub(1) as u32;
        for open in &level.open {
            let row = &mut self.rows[*open as usize];
            (row.end, row.to) = (last, at as u32);
        }
        let row = Row {
            kind,
            in_string: false,
            depth: 0,
            name: Name::None,
            source: 0,
            from: at as u32,
            to: length as u32,
            members: 0,
            end: self.rows.len() as u32,
            parent: NO_PARENT,
        };
        self.rows.push(row);
    }

    /// One token. Answers the level of a string that looks like JSON.
    fn step(&mut self, level: &mut Level, bytes: &[u8]) -> Result<Option<Level>, Stop> {
        while bytes.get(level.at).is_some_and(|byte| is_blank(*byte)) {
            level.at += 1;
        }
        let bad_at = level.key.map_or(level.at, |(_, from)| from);
        let Some(first) = bytes.get(level.at).copied() else {
            return Err(if level.next == Next::End { Stop::Done } else { Stop::Bad(bad_at) });
        };
        match (level.next, first) {
            (Next::FirstItem, b']') | (Next::FirstKey, b'}') => self.close(level, true),
            (Next::More, b'}' | b']') if self.closes(level, first) => self.close(level, false),
            (Next::More, b',') => {
                level.at += 1;
                level.next = if self.is_object(level) { Next::Key } else { Next::Item };
            }
            (Next::Key | Next::FirstKey, b'"') => read_key(level, bytes).ok_or(Stop::Bad(bad_at))?,
            (Next::Root | Next::Item | Next::FirstItem, _) => return self.value(level, bytes, first),
            _ => return Err(Stop::Bad(bad_at)),
        }
        if level.key.is_some() {
            // The value belongs to its key: both are one row.
            let from = level.at;
            level.at += bytes[from..].iter().take_while(|byte| is_blank(**byte)).count();
            let first = bytes.get(level.at).copied().ok_or(Stop::Bad(bad_at))?;
            return self.value(level, bytes, first);
        }
        Ok(None)
    }

    fn is_object(&self, level: &Level) -> bool {
        level.open.last().is_some_and(|open| self.rows[*open as usize].kind == Kind::Object)
    }

    fn closes(&self, level: &Level, byte: u8) -> bool {
        !level.open.is_empty() && self.is_object(level) == (byte == b'}')
    }

    fn close(&mut self, level: &mut Level, is_empty: bool) {
        level.at += 1;
        let Some(open) = level.open.pop() else { return };
        let number = self.rows.len() as u32;
        let opened = &mut self.rows[open as usize];
        opened.to = level.at as u32;
        // One that holds nothing is one row.
        if !is_empty {
            opened.end = number;
            let row = Row {
                kind: Kind::Close,
                in_string: false,
                name: Name::None,
                from: level.at as u32 - 1,
                end: number,
                parent: open,
                members: 0,
                ..*opened
            };
            self.rows.push(row);
        }
        level.next = if level.open.is_empty() { Next::End } else { Next::More };
    }

    fn value(&mut self, level: &mut Level, bytes: &[u8], first: u8) -> Result<Option<Level>, Stop> {
        let bad_at = level.key.map_or(level.at, |(_, from)| from);
        let (kind, length) = match first {
            b'{' => (Kind::Object, 1),
            b'[' => (Kind::Array, 1),
            b'"' => (Kind::String, string_length(&bytes[level.at..]).ok_or(Stop::Bad(bad_at))?),
            _ => word_or_number(&bytes[level.at..]).ok_or(Stop::Bad(bad_at))?,
        };
        let from = level.at;
        level.at += length;
        let inside = (kind == Kind::String).then(|| &bytes[from + 1..level.at - 1]);
        // Inside of a string, JSON must be what a reader of JSON takes: its path says `fromjson`.
        if level.instead.is_some() && inside.is_some_and(|inside| !is_exact(inside)) {
            return Err(Stop::Bad(bad_at));
        }
        let row = self.row(level, kind, from);
        if let Some(inner) = inside.and_then(|inside| self.inner(inside, row)) {
            level.next = if level.open.is_empty() { Next::End } else { Next::More };
            return Ok(Some(inner));
        }
        level.next = match kind {
            Kind::Object => Next::FirstKey,
            Kind::Array => Next::FirstItem,
            _ if level.open.is_empty() => Next::End,
            _ => Next::More,
        };
        if matches!(kind, Kind::Object | Kind::Array) {
            level.open.push(self.rows.len() as u32);
        }
        self.rows.push(row);
        Ok(None)
    }

    /// The row of a value that begins here, its holder told that it has one more.
    fn row(&mut self, level: &mut Level, kind: Kind, from: usize) -> Row {
        let number = self.rows.len() as u32;
        // The outermost value of a string stands where the string stands.
        let outside = level.instead.map(|row| (row.depth, row.name, row.parent));
        let (depth, name, parent) = match level.open.last() {
            None => outside.unwrap_or((0, Name::None, NO_PARENT)),
            Some(open) => {
                let holder = &mut self.rows[*open as usize];
                holder.members += 1;
                let name = level.key.take().map_or(Name::Index(holder.members - 1), |(name, _)| name);
                (holder.depth + 1, name, *open)
            }
        };
        let in_string = outside.is_some() && level.open.is_empty();
        Row {
            kind,
            in_string,
            depth,
            name,
            source: level.source,
            from: from as u32,
            to: level.at as u32,
            members: 0,
            end: number,
            parent,
        }
    }

    /// The level of a string that looks like an object or array.
    fn inner(&mut self, inside: &[u8], row: Row) -> Option<Level> {
        // The level that meets the string is not on the stack while it is stepped.
        if self.levels.len() + 1 >= LEVELS_MOST || !looks_like_json(inside) {
            return None;
        }
        let mut characters = Unescaped::new(inside);
        let text: String = characters.by_ref().collect();
        if !characters.is_exact() {
            return None;
        }
        let source = self.sources.len();
        self.sources.push(Arc::from(text.into_bytes()));
        Some(Level {
            source: source as u32,
            instead: Some(row),
            rows_before: self.rows.len(),
            sources_before: source,
            ..Level::default()
        })
    }
}

fn read_key(level: &mut Level, bytes: &[u8]) -> Option<()> {
    let from = level.at;
    let end = from + string_length(&bytes[from..])?;
    if level.instead.is_some() && !is_exact(&bytes[from + 1..end - 1]) {
        return None;
    }
    let colon = end + bytes[end..].iter().take_while(|byte| is_blank(**byte)).count();
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    level.key = Some((Name::Key { source: level.source, from: from as u32 + 1, to: end as u32 - 1 }, from));
    level.at = colon + 1;
    Some(())
}

fn is_exact(inside: &[u8]) -> bool {
    let mut characters = Unescaped::new(inside);
    characters.by_ref().for_each(drop);
    characters.is_exact()
}

/// Its first and last characters are brackets, blanks aside. The last is looked for among the last bytes only.
fn looks_like_json(inside: &[u8]) -> bool {
    let is_space = |character: &char| matches!(character, ' ' | '\n' | '\r' | '\t');
    let first = Unescaped::new(inside).take(256).find(|character| !is_space(character));
    let last = inside.iter().rposition(|byte| matches!(byte, b'}' | b']'));
    matches!(first, Some('{' | '[')) && last.is_some_and(|last| inside.len() - last < 256)
}

/// The length of the literal that begins here, its quotes included.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

fn word_or_number(bytes: &[u8]) -> Option<(Kind, usize)> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
    let token = &bytes[..length];
    if [&b"true"[..], b"false", b"null"].contains(&token) {
        return Some((Kind::Word, length));
    }
    is_number(token).then_some((Kind::Number, length))
}

fn is_number(token: &[u8]) -> bool {
    let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = token.strip_prefix(b"-").unwrap_or(token);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[whole..];
    if let Some(after) = rest.strip_prefix(b".") {
        let places = digits(after);
        if places == 0 {
            return false;
        }
        rest = &after[places..];
    }
    if let Some(after) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let after = after.strip_prefix(b"+").or_else(|| after.strip_prefix(b"-")).unwrap_or(after);
        let places = digits(after);
        if places == 0 {
            return false;
        }
        rest = &after[places..];
    }
    rest.is_empty()
}
