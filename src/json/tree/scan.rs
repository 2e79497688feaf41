//! The rows of a JSON value, made from its tokens in one pass without recursion.

use std::sync::Arc;

use super::super::string::Unescaped;
use super::super::token::{NotJson, Token, TokenCursor, TokenKind, is_number};
use super::{NO_PARENT, Name, RowKind, TreeRow};

/// How many levels of JSON in strings in JSON are followed.
const LEVELS_MOST: usize = 5;
/// Rows count bytes in 32 bits. No record is that long.
const BYTES_MOST: usize = u32::MAX as usize;

pub(super) fn rows(bytes: Arc<[u8]>, most: usize) -> (Vec<TreeRow>, Vec<Arc<[u8]>>) {
    let mut scan = RowScan { rows: Vec::new(), sources: vec![bytes], levels: vec![Level::default()], most };
    scan.run();
    (scan.rows, scan.sources)
}

/// One text that is being read: the value itself, or a string in it.
#[derive(Default)]
struct Level {
    source: u32,
    cursor: TokenCursor,
    has_value: bool,
    /// The rows of the objects and arrays that are open, outermost first.
    open: Vec<u32>,
    /// The key whose value comes next, and where the key begins.
    key: Option<(Name, usize)>,
    /// For a string: its row, if the string turns out not to be JSON.
    instead: Option<TreeRow>,
    rows_before: usize,
    sources_before: usize,
}

struct RowScan {
    rows: Vec<TreeRow>,
    sources: Vec<Arc<[u8]>>,
    levels: Vec<Level>,
    most: usize,
}

impl Level {
    /// Where a value is not JSON: its key belongs to it.
    fn bad(&self, at: usize) -> LevelEnd {
        LevelEnd::Bad(self.key.map_or(at, |(_, from)| from))
    }
}

/// Why a level stops.
enum LevelEnd {
    Done,
    /// Not JSON from this byte on.
    Bad(usize),
}

impl RowScan {
    fn run(&mut self) {
        while let Some(mut level) = self.levels.pop() {
            let bytes = Arc::clone(&self.sources[level.source as usize]);
            let bytes = &bytes[..bytes.len().min(BYTES_MOST)];
            loop {
                if self.rows.len() >= self.most {
                    self.levels.push(level);
                    return self.cut();
                }
                match self.step(&mut level, bytes) {
                    Ok(None) => continue,
                    Ok(Some(inner)) => self.levels.extend([level, inner]),
                    Err(LevelEnd::Done) => {}
                    Err(LevelEnd::Bad(_)) if level.instead.is_some() => self.take_back(level),
                    Err(LevelEnd::Bad(at)) => self.rest(&level, at, bytes.len(), RowKind::Text),
                }
                break;
            }
        }
    }

    /// Too many rows: the rest becomes one row.
    fn cut(&mut self) {
        while self.levels.len() > 1 {
            if let Some(level) = self.levels.pop() {
                self.take_back(level);
            }
        }
        if let Some(level) = self.levels.pop() {
            let length = self.sources[0].len().min(BYTES_MOST);
            let at = level.key.map_or(level.cursor.at(), |(_, from)| from);
            self.rest(&level, at, length, RowKind::Rest);
        }
    }

    /// The string is not JSON after all.
    fn take_back(&mut self, level: Level) {
        self.rows.truncate(level.rows_before);
        self.sources.truncate(level.sources_before);
        self.rows.extend(level.instead.map(|row| TreeRow { end: level.rows_before as u32, ..row }));
    }

    /// Closes what is open, and makes a row of the rest.
    fn rest(&mut self, level: &Level, at: usize, length: usize, kind: RowKind) {
        let last = self.rows.len().saturating_sub(1) as u32;
        for open in &level.open {
            let row = &mut self.rows[*open as usize];
            (row.end, row.to) = (last, at as u32);
        }
        let row = TreeRow {
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
    fn step(&mut self, level: &mut Level, bytes: &[u8]) -> Result<Option<Level>, LevelEnd> {
        let is_complete = level.has_value && level.open.is_empty();
        let token = match level.cursor.next(bytes) {
            Some(Ok(token)) if is_complete => return Err(LevelEnd::Bad(token.from)),
            Some(Ok(token)) => token,
            Some(Err(NotJson { at })) => return Err(level.bad(at)),
            None if is_complete => return Err(LevelEnd::Done),
            None => return Err(LevelEnd::Bad(bytes.len())),
        };
        match token.kind {
            TokenKind::End => self.close(level, token),
            TokenKind::Key => {
                if level.instead.is_some() && !is_exact(&bytes[token.inside()]) {
                    return Err(LevelEnd::Bad(token.from));
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
            let row = TreeRow {
                kind: RowKind::Close,
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

    fn value(&mut self, level: &mut Level, bytes: &[u8], token: Token) -> Result<Option<Level>, LevelEnd> {
        let inside = (token.kind == TokenKind::String).then(|| &bytes[token.inside()]);
        let kind = match token.kind {
            TokenKind::Object => RowKind::Object,
            TokenKind::Array => RowKind::Array,
            TokenKind::String => RowKind::String,
            TokenKind::Number if is_exact_scalar(bytes, token) => RowKind::Number,
            TokenKind::Word if is_exact_scalar(bytes, token) => RowKind::Word,
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
        if matches!(kind, RowKind::Object | RowKind::Array) {
            level.open.push(self.rows.len() as u32);
        }
        self.rows.push(row);
        Ok(None)
    }

    /// The row of a value; counts it in its parent.
    fn row(&mut self, level: &mut Level, kind: RowKind, token: Token) -> TreeRow {
        let number = self.rows.len() as u32;
        // The outermost value in a string takes the place of the string.
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
        TreeRow {
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
    fn inner(&mut self, inside: &[u8], row: TreeRow) -> Option<Level> {
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

/// Whether the first and last characters are brackets, apart from blanks. Only the last bytes are searched for the last
/// one.
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
