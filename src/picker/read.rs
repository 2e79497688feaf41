//! Reading the beginning and the end of a session file, at most a fixed number of bytes.

use std::fs::File;
use std::io::{self, BufReader, Read};

use super::scan::SessionFile;
use crate::agent::outline::{Excerpt, Outline, outline};
use crate::log::inflating::Compression;
use crate::log::paged::read_full;

/// A file up to this length is read whole.
const WHOLE_BYTES: usize = 96 << 10;
/// How much of a longer file is read at each end: first little, and more if that does not show the first prompt or the
/// last outcome.
const PART_BYTES: [usize; 3] = [24 << 10, 96 << 10, 384 << 10];
const COMPRESSED_BUFFER_BYTES: usize = 32 << 10;

/// Reads what a list shows of a session. `None` if the file is not one.
pub(crate) fn read(file: &SessionFile) -> io::Result<Option<Outline>> {
    let opened = File::open(&file.path)?;
    let metadata = opened.metadata()?;
    // It may have been replaced since it was listed.
    if !metadata.is_file() {
        return Err(io::Error::other("this is not a regular file"));
    }
    let mut magic = [0; 4];
    let known = read_full(&opened, 0, &mut magic)?;
    match Compression::of(&magic[..known]) {
        Some(compression) => read_compressed(opened, compression),
        None => read_plain(&opened, metadata.len()),
    }
}

fn read_plain(file: &File, length: u64) -> io::Result<Option<Outline>> {
    if length <= WHOLE_BYTES as u64 {
        let head = part(file, 0, length as usize)?;
        return Ok(outline(&Excerpt { head: &head, tail: None }));
    }
    let (mut at_head, mut at_tail) = (0, 0);
    let mut head = part(file, 0, PART_BYTES[0])?;
    let mut tail = end(file, length, PART_BYTES[0])?;
    loop {
        let found = outline(&Excerpt { head: &head, tail: Some(&tail) });
        let wants_head = found.as_ref().is_none_or(|found| found.prompt.is_none()) && at_head + 1 < PART_BYTES.len();
        let wants_tail = found.as_ref().is_some_and(|found| found.outcome.is_none()) && at_tail + 1 < PART_BYTES.len();
        if !wants_head && !wants_tail {
            return Ok(found);
        }
        if wants_head {
            at_head += 1;
            head = part(file, 0, PART_BYTES[at_head])?;
        }
        if wants_tail {
            at_tail += 1;
            tail = end(file, length, PART_BYTES[at_tail])?;
        }
    }
}

fn end(file: &File, length: u64, wanted: usize) -> io::Result<Vec<u8>> {
    part(file, length.saturating_sub(wanted as u64), wanted)
}

/// Up to `wanted` bytes from an offset on; less if the file has become shorter.
fn part(file: &File, from: u64, wanted: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; wanted];
    let length = read_full(file, from, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// The end of a compressed file cannot be read alone, so only a short one shows how it ended.
fn read_compressed(file: File, compression: Compression) -> io::Result<Option<Outline>> {
    let limit = PART_BYTES[PART_BYTES.len() - 1];
    let reader = compression.reader(Box::new(BufReader::with_capacity(COMPRESSED_BUFFER_BYTES, file)));
    let mut head = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut head)?;
    let tail = (head.len() > limit).then_some(&[][..]);
    Ok(outline(&Excerpt { head: &head, tail }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PROMPT: &str =
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","cwd":"/p","message":{"content":"fix it"}}"#;
    const ANSWER: &str = r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s","message":{"id":"m","model":"x","stop_reason":"end_turn","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":5,"output_tokens":2}}}"#;

    fn outline_of(content: &[u8]) -> Option<Outline> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.jsonl");
        fs::write(&path, content).expect("written");
        let file = SessionFile { path, bytes: content.len() as u64, modified: None };
        read(&file).expect("readable")
    }

    /// A line that tells nothing.
    fn filler(bytes: usize) -> String {
        format!(r#"{{"type":"file-history-snapshot","snapshot":"{}"}}"#, "x".repeat(bytes))
    }

    #[test]
    fn the_prompt_is_found_behind_long_lines_and_the_outcome_before_them() {
        for gap in [10, 60 << 10, 200 << 10] {
            let content = [&filler(gap), PROMPT, &filler(600 << 10), ANSWER, &filler(gap)].join("\n");
            let found = outline_of(content.as_bytes()).expect("a session");
            assert_eq!(found.prompt.as_deref(), Some("fix it"), "{gap}");
            assert_eq!(found.outcome.as_deref(), Some("completed"), "{gap}");
            assert_eq!((found.findings, found.context_tokens), (None, Some(5)));
        }
    }

    #[test]
    fn what_is_too_far_from_both_ends_is_unknown() {
        let gap = filler(500 << 10);
        let found = outline_of([&gap, PROMPT, ANSWER, &gap].join("\n").as_bytes());
        assert!(found.is_none_or(|found| found.prompt.is_none() && found.outcome.is_none()));
        let end = [PROMPT, &filler(900 << 10)].join("\n");
        let found = outline_of(end.as_bytes()).expect("a session");
        assert_eq!((found.prompt.as_deref(), found.outcome), (Some("fix it"), None));
    }

    #[test]
    fn compressed_sessions_are_read() {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        let content = [PROMPT, ANSWER].join("\n");
        let found = outline_of(&compress_to_vec(content.as_bytes(), CompressionLevel::Fastest)).expect("a session");
        assert_eq!((found.prompt.as_deref(), found.outcome.as_deref()), (Some("fix it"), Some("completed")));
        let long = [PROMPT, &filler(800 << 10), ANSWER].join("\n");
        let found = outline_of(&compress_to_vec(long.as_bytes(), CompressionLevel::Fastest)).expect("a session");
        assert_eq!((found.prompt.as_deref(), found.outcome), (Some("fix it"), None));
    }
}
