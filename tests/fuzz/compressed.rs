//! Compressed logs: any bytes are decompressed or refused.

use std::io::{Cursor, Read};

use crate::log::inflating::Compression;

/// More is not decompressed, so that an input cannot take minutes.
const MOST_BYTES: u64 = 4 << 20;

pub(super) fn target(input: &[u8]) {
    let Some(compression) = Compression::of(input) else { return };
    let read = |step: usize| {
        let mut text = Vec::new();
        let mut reader = compression.reader(Box::new(Cursor::new(input.to_vec()))).take(MOST_BYTES);
        let mut part = vec![0; step];
        loop {
            match reader.read(&mut part) {
                Ok(0) => return (text, None),
                Ok(count) => text.extend_from_slice(&part[..count]),
                Err(error) => return (text, Some(error.kind())),
            }
        }
    };
    assert_eq!(read(1 << 16), read(1 << 16), "reading twice gives the same");
    let (text, error) = read(1000);
    assert!(text.len() as u64 <= MOST_BYTES && (error.is_some() || text == read(1 << 16).0));
}
