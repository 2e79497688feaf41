//! Compressed logs (gzip, zstd), decompressed into a temporary file while they are read.
//!
//! The temporary file has no name and vanishes with its last handle. A thread fills it; readers wait for the bytes
//! that are not there yet, so the first records are shown before the last ones are decompressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::paged::read_at;

/// More decompressed bytes are refused: a small file could fill the disk.
const LIMIT_BYTES: u64 = 16 << 30;
const CHUNK_BYTES: usize = 256 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Recognizes a compressed file by its first bytes.
    pub(crate) fn of(head: &[u8]) -> Option<Compression> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }

    /// A reader of the decompressed bytes, for input that is already in memory or small.
    pub(crate) fn reader(self, compressed: Box<dyn BufRead + Send>) -> Box<dyn Read + Send> {
        match self {
            Compression::Gzip => Box::new(MultiGzDecoder::new(compressed)),
            Compression::Zstd => Box::new(ZstdFrames::new(compressed)),
        }
    }

    fn damaged(self, error: &io::Error) -> io::Error {
        let reason = match error.kind() {
            io::ErrorKind::UnexpectedEof => "the file ends too early; copy it again when it is complete".to_owned(),
            _ => error.to_string(),
        };
        invalid(format!("damaged {} data: {reason}", self.name()))
    }
}

/// The frames of a zstd file one after the other, without those that hold no data.
struct ZstdFrames {
    bytes: Box<dyn BufRead + Send>,
    decoder: Box<FrameDecoder>,
    is_in_frame: bool,
}

impl ZstdFrames {
    fn new(bytes: Box<dyn BufRead + Send>) -> ZstdFrames {
        ZstdFrames { bytes, decoder: Box::new(FrameDecoder::new()), is_in_frame: false }
    }

    /// Starts the next frame. Returns false at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.bytes.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.bytes) {
                Ok(()) => {
                    self.is_in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut (&mut self.bytes).take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return Err(invalid(error.to_string())),
            }
        }
        Ok(false)
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.is_in_frame = false;
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(written), Some(computed)) if written != computed => {
                Err(invalid("the checksum of a frame is wrong".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl Read for ZstdFrames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.is_in_frame || self.next_frame()? {
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let decoded = self.decoder.decode_blocks(&mut self.bytes, BlockDecodingStrategy::UptoBlocks(1));
                decoded.map_err(|error| invalid(error.to_string()))?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.end_frame()?;
        }
        Ok(0)
    }
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// A log that is being decompressed, or has been.
pub(crate) struct Inflating {
    file: Arc<File>,
    progress: Arc<InflatedText>,
}

#[derive(Default)]
struct InflatedText {
    progress: Mutex<Progress>,
    moved: Condvar,
    is_dropped: AtomicBool,
}

#[derive(Default)]
struct Progress {
    /// The bytes that are in the temporary file.
    length: u64,
    ended: bool,
    /// Why it ended early.
    error: Option<(io::ErrorKind, String)>,
}

impl Inflating {
    /// Starts to decompress a file from its beginning.
    pub(crate) fn start(mut compressed: File, compression: Compression) -> io::Result<Inflating> {
        compressed.seek(SeekFrom::Start(0))?;
        let target = tempfile::tempfile().map_err(|error| no_room(&error))?;
        let file = Arc::new(target.try_clone()?);
        let shared = Arc::new(InflatedText::default());
        let inflating = Inflating { file, progress: Arc::clone(&shared) };
        let source = compression.reader(Box::new(BufReader::with_capacity(CHUNK_BYTES, compressed)));
        std::thread::Builder::new().name("decompress".to_owned()).spawn(move || {
            // Readers would wait for ever if the decompressor panicked without saying that it ended.
            let mut end = InflatingEnd { shared: &shared, result: Err(invalid("the decompressor failed".to_owned())) };
            end.result = fill(source, target, compression, &shared);
        })?;
        Ok(inflating)
    }

    /// The temporary file. Bytes that a cursor has returned are in it.
    pub(crate) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Waits until the byte at an offset is there. Returns false if the log ends before it.
    fn wait_for(&self, offset: u64) -> io::Result<bool> {
        let mut progress = self.progress.progress.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if offset < progress.length {
                return Ok(true);
            }
            if progress.ended {
                return match &progress.error {
                    Some((kind, reason)) => Err(io::Error::new(*kind, reason.clone())),
                    None => Ok(false),
                };
            }
            progress = self.progress.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Announces the end of the decompression when it is dropped.
struct InflatingEnd<'s> {
    shared: &'s InflatedText,
    result: io::Result<()>,
}

impl Drop for InflatingEnd<'_> {
    fn drop(&mut self) {
        let mut progress = self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.ended = true;
        progress.error = self.result.as_ref().err().map(|error| (error.kind(), error.to_string()));
        drop(progress);
        self.shared.moved.notify_all();
    }
}

impl Drop for Inflating {
    fn drop(&mut self) {
        self.progress.is_dropped.store(true, Ordering::Relaxed);
    }
}

fn fill(
    mut source: Box<dyn Read + Send>,
    mut target: File,
    kind: Compression,
    shared: &InflatedText,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut length = 0_u64;
    while !shared.is_dropped.load(Ordering::Relaxed) {
        let count = match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(kind.damaged(&error)),
        };
        length += count as u64;
        if length > LIMIT_BYTES {
            let limit = LIMIT_BYTES >> 30;
            let reason =
                format!("decompressed it has more than {limit} GiB; decompress it yourself (`zstd -d`, `gzip -d`)");
            return Err(invalid(reason));
        }
        target.write_all(&chunk[..count]).map_err(|error| no_room(&error))?;
        shared.progress.lock().unwrap_or_else(PoisonError::into_inner).length = length;
        shared.moved.notify_all();
    }
    Ok(())
}

fn no_room(error: &io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    let reason = format!("cannot be decompressed in {}: {error}; set TMPDIR to a folder with room", folder.display());
    io::Error::new(error.kind(), reason)
}

/// Reads a log from an offset on while it is decompressed.
pub(crate) struct InflatingCursor {
    log: Arc<Inflating>,
    at: u64,
}

impl InflatingCursor {
    pub(crate) fn new(log: Arc<Inflating>, at: u64) -> Self {
        InflatingCursor { log, at }
    }
}

impl Read for InflatingCursor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || !self.log.wait_for(self.at)? {
            return Ok(0);
        }
        let count = read_at(&self.log.file, buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn inflate(compressed: &[u8]) -> (Vec<u8>, io::Result<()>) {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(compressed).expect("written");
        let kind = Compression::of(compressed).expect("compressed");
        let log = Arc::new(Inflating::start(file, kind).expect("started"));
        let mut text = Vec::new();
        let result = InflatingCursor::new(Arc::clone(&log), 0).read_to_end(&mut text).map(|_| ());
        let mut again = Vec::new();
        let _ = InflatingCursor::new(log, 1).read_to_end(&mut again);
        assert!(text.is_empty() || again == text[1..], "a second cursor reads the same text");
        (text, result)
    }

    #[test]
    fn several_frames_and_members_are_one_text() {
        let long: Vec<u8> = (0..700_000_u32).flat_map(|at| (at / 3).to_le_bytes()).collect();
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        for compressed in
            [[gzip(&long), gzip(b"end")].concat(), [zstd(&long), skipped, zstd(b""), zstd(b"end")].concat()]
        {
            let (text, result) = inflate(&compressed);
            assert!(result.is_ok(), "{result:?}");
            assert!(text == [&long[..], b"end"].concat());
        }
    }

    #[test]
    fn a_cut_or_damaged_file_gives_its_beginning_and_says_why_it_ends() {
        let long: Vec<u8> = (0..700_000_u32).flat_map(|at| (at.wrapping_mul(7919) / 3).to_le_bytes()).collect();
        for compressed in [gzip(&long), zstd(&long)] {
            let (text, result) = inflate(&compressed[..compressed.len() / 2]);
            assert!(!text.is_empty() && long.starts_with(&text));
            let reason = result.expect_err("cut").to_string();
            assert!(reason.starts_with("damaged"), "{reason}");
            let mut damaged = compressed.clone();
            let middle = damaged.len() / 2;
            damaged[middle] ^= 0x55;
            let (text, result) = inflate(&damaged);
            assert!(result.is_err() || text == long);
        }
    }
}
