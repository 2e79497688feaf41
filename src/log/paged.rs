//! Positioned reads of a file that may grow, shrink or vanish meanwhile, with a cache of recently read blocks.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

const BLOCK_BYTES: u64 = 64 << 10;
const BLOCKS: usize = 64;
/// Longer reads bypass the cache: that is cheaper, and they would evict everything else.
const CACHED_READ_BYTES: usize = 16 << 10;

pub(crate) struct PagedFile {
    file: Arc<File>,
    /// Block number and bytes, the most recently used last.
    blocks: Mutex<Vec<(u64, Arc<[u8]>)>>,
}

impl PagedFile {
    pub(crate) fn new(file: Arc<File>) -> Self {
        PagedFile { file, blocks: Mutex::default() }
    }

    /// Fills `buffer` from `offset` on. Returns false if the file ends before that.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        if buffer.len() > CACHED_READ_BYTES {
            return Ok(read_full(&self.file, offset, buffer)? == buffer.len());
        }
        let mut done = 0;
        while done < buffer.len() {
            let at = offset + done as u64;
            let number = at / BLOCK_BYTES;
            let from = (at % BLOCK_BYTES) as usize;
            let wanted = (buffer.len() - done).min(BLOCK_BYTES as usize - from);
            let block = self.block(number, from + wanted)?;
            if block.len() < from + wanted {
                return Ok(false);
            }
            buffer[done..done + wanted].copy_from_slice(&block[from..from + wanted]);
            done += wanted;
        }
        Ok(true)
    }

    /// A block of the file. A block that was incomplete when it was read is read again if more of it is needed.
    fn block(&self, number: u64, wanted: usize) -> io::Result<Arc<[u8]>> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = blocks.iter().position(|block| block.0 == number) {
            let known = blocks.remove(found);
            if known.1.len() >= wanted {
                blocks.push((number, Arc::clone(&known.1)));
                return Ok(known.1);
            }
        }
        drop(blocks);
        let mut bytes = vec![0; BLOCK_BYTES as usize];
        let length = read_full(&self.file, number * BLOCK_BYTES, &mut bytes)?;
        bytes.truncate(length);
        let block: Arc<[u8]> = bytes.into();
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if blocks.len() >= BLOCKS {
            blocks.remove(0);
        }
        blocks.push((number, Arc::clone(&block)));
        Ok(block)
    }

    /// Drops all blocks, because the file has changed.
    pub(crate) fn forget(&self) {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes read.
pub(crate) fn read_full(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match read_at(file, &mut buffer[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

#[cfg(unix)]
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn reads_across_blocks_and_past_the_end() {
        let bytes: Vec<u8> = (0..300_000_u32).map(|at| (at * 7 % 251) as u8).collect();
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&bytes).expect("written");
        let paged = PagedFile::new(Arc::new(file.try_clone().expect("a handle")));
        for (offset, length) in
            [(0, 10), (65_530, 20), (0, 200_000), (1, 290_000), (65_000, 16_000), (299_990, 10), (131_072, 1)]
        {
            let mut buffer = vec![0; length];
            assert!(paged.read(offset as u64, &mut buffer).expect("read"), "{offset} {length}");
            assert_eq!(buffer, bytes[offset..offset + length], "{offset} {length}");
        }
        assert!(!paged.read(299_995, &mut [0; 10]).expect("read"));
        file.write_all(b"0123456789").expect("written");
        assert!(paged.read(299_995, &mut [0; 10]).expect("read"), "appended bytes are read");
    }
}
