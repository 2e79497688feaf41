//! Input that is in memory as a whole: standard input, pipes, bundles and replay packs.

use std::io::{self, Read};
use std::sync::Arc;

use super::error::LogError;
use super::inflating::Compression;

/// The limit for input that must be in memory as a whole: standard input, bundles and replay packs.
const HELD_LIMIT_BYTES: u64 = 1 << 30;

/// Reads input that must be in memory as a whole, decompressed if it is compressed.
pub(crate) fn read_held(input: &mut dyn Read, name: &str, container: &'static str) -> Result<Vec<u8>, LogError> {
    let read = |input: &mut dyn Read| {
        let mut bytes = Vec::new();
        input.take(HELD_LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| LogError::io(name, error))?;
        let length = bytes.len() as u64;
        if length > HELD_LIMIT_BYTES {
            return Err(LogError::TooLarge {
                path: name.to_owned(),
                container,
                bytes: length,
                limit: HELD_LIMIT_BYTES,
            });
        }
        Ok(bytes)
    };
    let bytes = read(input)?;
    match Compression::of(&bytes) {
        Some(compression) => read(&mut *compression.reader(Box::new(io::Cursor::new(bytes)))),
        None => Ok(bytes),
    }
}

/// Reads a part of bytes that several streams share.
pub(super) struct HeldReader {
    pub bytes: Arc<Vec<u8>>,
    pub at: usize,
    pub to: usize,
}

impl Read for HeldReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = buffer.len().min(self.to - self.at);
        buffer[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
