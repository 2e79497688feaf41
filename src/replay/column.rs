//! A long append-only list of small values in chunks: it neither over-allocates nor copies as it grows.

/// The number of values per chunk.
const PIECE: usize = 4096;

#[derive(Clone)]
pub(crate) struct Column<T> {
    full: Vec<Box<[T]>>,
    tail: Vec<T>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Column { full: Vec::new(), tail: Vec::new() }
    }
}

impl<T: Copy> Column<T> {
    pub(crate) fn len(&self) -> usize {
        self.full.len() * PIECE + self.tail.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn push(&mut self, value: T) {
        self.tail.push(value);
        if self.tail.len() == PIECE {
            self.full.push(std::mem::take(&mut self.tail).into_boxed_slice());
        }
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        if self.tail.is_empty() {
            self.tail = self.full.pop()?.into_vec();
        }
        self.tail.pop()
    }

    pub(crate) fn get(&self, at: usize) -> Option<T> {
        match self.full.get(at / PIECE) {
            Some(piece) => piece.get(at % PIECE).copied(),
            None => self.tail.get(at - self.full.len() * PIECE).copied(),
        }
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.full.iter().flat_map(|piece| piece.iter()).chain(&self.tail).copied()
    }

    /// How many values come before the first for which `test` fails. `test` must hold for a prefix only.
    pub(crate) fn partition_point(&self, test: impl Fn(T) -> bool) -> usize {
        let pieces = self.full.partition_point(|piece| piece.last().is_some_and(|last| test(*last)));
        let rest = self.full.get(pieces).map_or(&self.tail[..], |piece| &piece[..]);
        pieces * PIECE + rest.partition_point(|value| test(*value))
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.full.len() * PIECE + self.tail.capacity()) * size_of::<T>() + self.full.capacity() * size_of::<Box<[T]>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_behaves_like_a_list() {
        let mut column = Column::default();
        let count = 3 * PIECE + 5;
        (0..count).for_each(|value| column.push(value as u32 * 2));
        assert_eq!(column.len(), count);
        assert!(column.iter().eq((0..count).map(|value| value as u32 * 2)));
        assert_eq!(column.get(PIECE), Some(2 * PIECE as u32));
        assert_eq!(column.get(count), None);
        for wanted in [0, 1, 7, 2 * PIECE as u32, 6 * PIECE as u32 + 9, u32::MAX] {
            let naive = column.iter().take_while(|value| *value < wanted).count();
            assert_eq!(column.partition_point(|value| value < wanted), naive, "{wanted}");
        }
        for value in (0..count).rev() {
            assert_eq!(column.pop(), Some(value as u32 * 2));
        }
        assert_eq!(column.pop(), None);
    }
}
