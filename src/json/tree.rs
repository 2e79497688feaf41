//! A JSON value as rows that can be folded: in the order and with the spelling in which it stands.
//!
//! No tree is built. A row knows the bytes of its value, the row that holds it and the row that ends it, so any depth
//! costs the same. What is no JSON is a row of text in its place: the rows cover all of the bytes.

mod path;
mod scan;

use std::ops::Range;
use std::sync::Arc;

use super::string::Unescaped;

/// Rows of one value. Whatever goes past this is told in a row of its own.
pub const ROWS_MOST: usize = 400_000;

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Object,
    Array,
    /// The end of the object or array that its parent is.
    Close,
    String,
    Number,
    /// `true`, `false` or `null`.
    Word,
    /// Bytes that are no JSON.
    Text,
    /// The rest, after more rows than anybody reads.
    Rest,
}

/// How a row is called in the one that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    None,
    Index(u32),
    /// The inside of a literal.
    Key {
        source: u32,
        from: u32,
        to: u32,
    },
}

/// A row's name for whoever shows it.
#[derive(Clone, Debug)]
pub enum Called<'t> {
    Nothing,
    Index(u32),
    Key(Unescaped<'t>),
}

#[derive(Clone, Copy, Debug)]
struct Row {
    kind: Kind,
    /// The value stands in a string, as JSON of its own.
    in_string: bool,
    depth: u32,
    name: Name,
    /// Which bytes `from` and `to` count in.
    source: u32,
    from: u32,
    to: u32,
    members: u32,
    /// The last row of an object or array; of all else the row itself.
    end: u32,
    parent: u32,
}

const NO_PARENT: u32 = u32::MAX;

/// The rows of one value.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    rows: Vec<Row>,
    folded: Vec<bool>,
    /// The value itself, then the texts of strings that hold JSON of their own.
    sources: Vec<Arc<[u8]>>,
}

impl Tree {
    pub fn new(bytes: Arc<[u8]>) -> Tree {
        let (rows, sources) = scan::rows(bytes, ROWS_MOST);
        Tree { folded: vec![false; rows.len()], rows, sources }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn kind(&self, row: usize) -> Kind {
        self.rows[row].kind
    }

    pub fn depth(&self, row: usize) -> usize {
        self.rows[row].depth as usize
    }

    /// How many members an object or array has.
    pub fn members(&self, row: usize) -> usize {
        self.rows[row].members as usize
    }

    /// Whether the value is the text of a string, read as JSON.
    pub fn is_in_string(&self, row: usize) -> bool {
        self.rows[row].in_string
    }

    pub fn called(&self, row: usize) -> Called<'_> {
        match self.rows[row].name {
            Name::None => Called::Nothing,
            Name::Index(index) => Called::Index(index),
            Name::Key { source, from, to } => {
                Called::Key(Unescaped::new(&self.sources[source as usize][from as usize..to as usize]))
            }
        }
    }

    /// The row that a value begins with: of an end the one it ends.
    pub fn head(&self, row: usize) -> usize {
        match self.rows[row].kind {
            Kind::Close => self.rows[row].parent as usize,
            _ => row,
        }
    }

    /// The row that holds this one.
    pub fn parent(&self, row: usize) -> Option<usize> {
        let parent = self.rows[row].parent;
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// The last row of a value.
    pub fn end(&self, row: usize) -> usize {
        self.rows[row].end as usize
    }

    /// The value as it is written.
    pub fn bytes(&self, row: usize) -> &[u8] {
        let row = &self.rows[self.head(row)];
        &self.sources[row.source as usize][row.from as usize..row.to as usize]
    }

    /// Where the value stands in the bytes that the tree was made of. `None` inside of strings that are JSON.
    pub fn range(&self, row: usize) -> Option<Range<usize>> {
        let row = &self.rows[self.head(row)];
        (row.source == 0).then_some(row.from as usize..row.to as usize)
    }

    /// What a row without rows below it says: strings without their quotes and escapes, the rest as it is written.
    pub fn text(&self, row: usize) -> Unescaped<'_> {
        let bytes = self.bytes(row);
        match self.rows[row].kind {
            Kind::String => Unescaped::new(&bytes[1..bytes.len() - 1]),
            _ => Unescaped::plain(bytes),
        }
    }

    pub fn can_fold(&self, row: usize) -> bool {
        match self.rows[row].kind {
            Kind::Object | Kind::Array => self.rows[row].end as usize > row,
            Kind::String | Kind::Text => true,
            _ => false,
        }
    }

    pub fn is_folded(&self, row: usize) -> bool {
        self.folded[row]
    }

    pub fn fold(&mut self, row: usize, folded: bool) {
        self.folded[row] = folded && self.can_fold(row);
    }

    /// Folds every object and array but the outermost, or unfolds everything.
    pub fn fold_all(&mut self, folded: bool) {
        self.fold_to(if folded { 1 } else { usize::MAX });
    }

    /// Folds the objects and arrays from a depth on, and unfolds everything above.
    pub fn fold_to(&mut self, depth: usize) {
        for row in 0..self.rows.len() {
            let is_holder = matches!(self.rows[row].kind, Kind::Object | Kind::Array);
            self.folded[row] = is_holder && self.can_fold(row) && self.depth(row) >= depth;
        }
    }

    /// Unfolds whatever hides these rows.
    pub fn reveal(&mut self, rows: &[usize]) {
        // Nobody's way up is walked twice: a log may nest as deep as it is long.
        let mut is_walked = vec![false; self.rows.len()];
        for row in rows {
            let mut above = self.parent(*row);
            while let Some(row) = above.filter(|row| !std::mem::replace(&mut is_walked[*row], true)) {
                self.folded[row] = false;
                above = self.parent(row);
            }
        }
    }

    /// The folds, to be put back later.
    pub fn folds(&self) -> Vec<bool> {
        self.folded.clone()
    }

    pub fn set_folds(&mut self, folds: Vec<bool>) {
        if folds.len() == self.rows.len() {
            self.folded = folds;
        }
    }

    /// The rows that no fold hides, in order.
    pub fn visible(&self) -> impl Iterator<Item = usize> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let row = (next < self.rows.len()).then_some(next)?;
            next = if self.folded[row] { self.end(row) + 1 } else { row + 1 };
            Some(row)
        })
    }

    /// The jq path of a row's value.
    pub fn path(&self, row: usize) -> String {
        path::of(self, self.head(row))
    }
}

#[cfg(test)]
mod tests;
