//! Bytes to rows: one pass, one stack of its own, no recursion.

use std::sync::Arc;

use super::super::string::Unescaped;
use super::super::token::{NotJson, Token, TokenCursor, TokenKind, is_number};
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

/// One text that is being read: the value itself, or a string inside of it.
#[derive(Default)]
struct Level {
    source: u32,
    cursor: TokenCursor,
    has_value: bool,
    /// The rows of the objects and arrays that are open, outermost first.
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

impl Level {
    /// Where a value is not JSON: its key belongs to it.
    fn bad(&self, at: usize) -> Stop {
        Stop::Bad(self.key.map_or(at, |(_, from)| from))
    }
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
            let at = level.key.map_or(level.cursor.at(), |(_, from)| from);
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

    /// Reads one token. Returns the level of a string that looks like JSON.
    fn step(&mut self, level: &mut Level, bytes: &[u8]) -> Result<Option<Level>, Stop> {
        let is_complete = level.has_value && level.open.is_empty();
        let token = match level.cursor.next(bytes) {
            Some(Ok(token)) if is_complete => return Err(Stop::Bad(token.from)),
            Some(Ok(token)) => token,
            Some(Err(NotJson { at })) => return Err(level.bad(at)),
            None if is_complete => return Err(Stop::Done),
            None => return Err(Stop::Bad(bytes.len())),
        };
        match token.kind {
            TokenKind::End => self.close(level, token),
            TokenKind::Key => {
                if level.instead.is_some() && !is_exact(&bytes[token.inside()]) {
                    return Err(Stop::Bad(token.from));
                }
                let inside = token.inside();
                let name = Name::Key { source: level.source, from: inside.start as u32, to: inside.end as u32 };
                level.key = Some((name, token.from));
            }
            _ => return self.value(level, bytes, token),
        }
        Ok(None)
    }

    fn close(&mut self, level: &mut Level, token: Token) {
        let Some(open) = level.open.pop() else { return };
        let number = self.rows.len() as u32;
        let opened = &mut self.rows[open as usize];
        opened.to = token.to as u32;
        // An empty object or array is one row.
        if opened.members > 0 {
            opened.end = number;
            let row = Row {
                kind: Kind::Close,
                in_string: false,
                name: Name::None,
                from: token.from as u32,
                end: number,
                parent: open,
                members: 0,
                ..*opened
            };
            self.rows.push(row);
        }
    }

    fn value(&mut self, level: &mut Level, bytes: &[u8], token: Token) -> Result<Option<Level>, Stop> {
        let inside = (token.kind == TokenKind::String).then(|| &bytes[token.inside()]);
        let kind = match token.kind {
            TokenKind::Object => Kind::Object,
            TokenKind::Array => Kind::Array,
            TokenKind::String => Kind::String,
            TokenKind::Number if is_exact_scalar(bytes, token) => Kind::Number,
            TokenKind::Word if is_exact_scalar(bytes, token) => Kind::Word,
            _ => return Err(level.bad(token.from)),
        };
        // JSON inside a string must be valid, since its path says `fromjson`.
        if level.instead.is_some() && inside.is_some_and(|inside| !is_exact(inside)) {
            return Err(level.bad(token.from));
        }
        level.has_value = true;
        let row = self.row(level, kind, token);
        if let Some(inner) = inside.and_then(|inside| self.inner(inside, row)) {
            return Ok(Some(inner));
        }
        if matches!(kind, Kind::Object | Kind::Array) {
            level.open.push(self.rows.len() as u32);
        }
        self.rows.push(row);
        Ok(None)
    }

    /// The row of a value that begins here, its holder told that it has one more.
    fn row(&mut self, level: &mut Level, kind: Kind, token: Token) -> Row {
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
            from: token.from as u32,
            to: token.to as u32,
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

/// Whether a number or word is valid and ends where its token ends.
fn is_exact_scalar(bytes: &[u8], token: Token) -> bool {
    let goes_on = bytes.get(token.to).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    !goes_on && (token.kind == TokenKind::Word || is_number(&bytes[token.inside()]))
}
