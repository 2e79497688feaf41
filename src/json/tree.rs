//! A JSON value as rows that can be folded, in its own order and spelling.
//!
//! No tree is built. A row knows the bytes of its value, its parent row and its last row, so any depth costs the same.
//! Bytes that are not JSON are a row of text: the rows cover all bytes.

mod path;
mod scan;

use std::ops::Range;
use std::sync::Arc;

use super::string::Unescaped;

/// The most rows of one value. The rest becomes one row.
pub(crate) const ROWS_MOST: usize = 400_000;

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    Object,
    Array,
    /// The end of the object or array that is its parent.
    Close,
    String,
    Number,
    /// `true`, `false` or `null`.
    Word,
    /// Bytes that are not JSON.
    Text,
    /// The rest of a value with too many rows.
    Rest,
}

/// The key or index of a row in its parent.
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

/// The key or index of a row, to be shown.
#[derive(Clone, Debug)]
pub(crate) enum Called<'t> {
    Nothing,
    Index(u32),
    Key(Unescaped<'t>),
}

#[derive(Clone, Copy, Debug)]
struct TreeRow {
    kind: RowKind,
    /// The value is the text of a string that holds JSON.
    in_string: bool,
    depth: u32,
    name: Name,
    /// Which bytes `from` and `to` count in.
    source: u32,
    from: u32,
    to: u32,
    members: u32,
    /// The last row of an object or array; for other kinds the row itself.
    end: u32,
    parent: u32,
}

const NO_PARENT: u32 = u32::MAX;

/// The rows of one value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    rows: Vec<TreeRow>,
    folded: Vec<bool>,
    /// The value itself, then the texts of strings that hold JSON.
    sources: Vec<Arc<[u8]>>,
}

impl Tree {
    pub(crate) fn new(bytes: Arc<[u8]>) -> Tree {
        let (rows, sources) = scan::rows(bytes, ROWS_MOST);
        Tree { folded: vec![false; rows.len()], rows, sources }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn kind(&self, row: usize) -> RowKind {
        self.rows[row].kind
    }

    pub(crate) fn depth(&self, row: usize) -> usize {
        self.rows[row].depth as usize
    }

    /// How many members an object or array has.
    pub(crate) fn members(&self, row: usize) -> usize {
        self.rows[row].members as usize
    }

    /// Whether the value is the text of a string, read as JSON.
    pub(crate) fn is_in_string(&self, row: usize) -> bool {
        self.rows[row].in_string
    }

    pub(crate) fn called(&self, row: usize) -> Called<'_> {
        match self.rows[row].name {
            Name::None => Called::Nothing,
            Name::Index(index) => Called::Index(index),
            Name::Key { source, from, to } => {
                Called::Key(Unescaped::new(&self.sources[source as usize][from as usize..to as usize]))
            }
        }
    }

    /// The first row of a value; for an end, the row that it closes.
    pub(crate) fn head(&self, row: usize) -> usize {
        match self.rows[row].kind {
            RowKind::Close => self.rows[row].parent as usize,
            _ => row,
        }
    }

    /// The row that holds this one.
    pub(crate) fn parent(&self, row: usize) -> Option<usize> {
        let parent = self.rows[row].parent;
        (parent != NO_PARENT).then_some(parent as usize)
    }

    /// The last row of a value.
    pub(crate) fn end(&self, row: usize) -> usize {
        self.rows[row].end as usize
    }

    /// The bytes of the value.
    pub(crate) fn bytes(&self, row: usize) -> &[u8] {
        let row = &self.rows[self.head(row)];
        &self.sources[row.source as usize][row.from as usize..row.to as usize]
    }

    /// The range of the value in the bytes of the tree. `None` inside a string that holds JSON.
    pub(crate) fn range(&self, row: usize) -> Option<Range<usize>> {
        let row = &self.rows[self.head(row)];
        (row.source == 0).then_some(row.from as usize..row.to as usize)
    }

    /// The text of a row: strings without quotes and escapes, other values as they are written.
    pub(crate) fn text(&self, row: usize) -> Unescaped<'_> {
        let bytes = self.bytes(row);
        match self.rows[row].kind {
            RowKind::String => Unescaped::new(&bytes[1..bytes.len() - 1]),
            _ => Unescaped::plain(bytes),
        }
    }

    pub(crate) fn can_fold(&self, row: usize) -> bool {
        match self.rows[row].kind {
            RowKind::Object | RowKind::Array => self.rows[row].end as usize > row,
            RowKind::String | RowKind::Text => true,
            _ => false,
        }
    }

    pub(crate) fn is_folded(&self, row: usize) -> bool {
        self.folded[row]
    }

    pub(crate) fn fold(&mut self, row: usize, folded: bool) {
        self.folded[row] = folded && self.can_fold(row);
    }

    /// Folds every object and array but the outermost, or unfolds everything.
    pub(crate) fn fold_all(&mut self, folded: bool) {
        self.fold_to(if folded { 1 } else { usize::MAX });
    }

    /// Folds the objects and arrays from a depth on, and unfolds everything above.
    pub(crate) fn fold_to(&mut self, depth: usize) {
        for row in 0..self.rows.len() {
            let is_holder = matches!(self.rows[row].kind, RowKind::Object | RowKind::Array);
            self.folded[row] = is_holder && self.can_fold(row) && self.depth(row) >= depth;
        }
    }

    /// Unfolds the parents of these rows.
    pub(crate) fn reveal(&mut self, rows: &[usize]) {
        // No parent is visited twice, since a log may nest as deeply as it is long.
        let mut is_walked = vec![false; self.rows.len()];
        for row in rows {
            let mut above = self.parent(*row);
            while let Some(row) = above.filter(|row| !std::mem::replace(&mut is_walked[*row], true)) {
                self.folded[row] = false;
                above = self.parent(row);
            }
        }
    }

    /// The folds, to be restored later.
    pub(crate) fn folds(&self) -> Vec<bool> {
        self.folded.clone()
    }

    pub(crate) fn set_folds(&mut self, folds: Vec<bool>) {
        if folds.len() == self.rows.len() {
            self.folded = folds;
        }
    }

    /// The rows that no fold hides, in order.
    pub(crate) fn visible(&self) -> impl Iterator<Item = usize> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let row = (next < self.rows.len()).then_some(next)?;
            next = if self.folded[row] { self.end(row) + 1 } else { row + 1 };
            Some(row)
        })
    }

    /// The jq path of a row's value.
    pub(crate) fn path(&self, row: usize) -> String {
        path::of(self, self.head(row))
    }
}

#[cfg(test)]
mod tests;
