//! The driver of the fuzz targets: libFuzzer calls the target that `STEPBACK_FUZZ_TARGET` names.
//!
//! Half of the mutations are libFuzzer's. The others move, copy and drop whole lines, or exchange JSON tokens, because
//! logs are made of them.

#![no_main]

use std::ops::Range;
use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use stepback::fuzz::{TARGETS, Target};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

fn chosen() -> &'static Target {
    let name = std::env::var("STEPBACK_FUZZ_TARGET").unwrap_or_default();
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("STEPBACK_FUZZ_TARGET does not name a target: {name:?}"))
}

fuzz_target!(|data: &[u8]| (TARGET.get_or_init(chosen).run)(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut dice = Dice(u64::from(seed));
    if dice.below(2) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut mutated = data[..size].to_vec();
    for _ in 0..=dice.below(3) {
        mutated = if dice.below(2) == 0 {
            with_other_lines(&mutated, &mut dice)
        } else {
            with_other_tokens(&mutated, &mut dice)
        };
    }
    mutated.truncate(max_size);
    data[..mutated.len()].copy_from_slice(&mutated);
    mutated.len()
});

/// Random numbers from the seed that libFuzzer gives.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// Drops, copies, swaps or cuts off lines.
fn with_other_lines(data: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = data.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return data.to_vec();
    }
    let (one, two) = (dice.below(lines.len()), dice.below(lines.len()));
    match dice.below(6) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(one, lines[two]),
        2 => lines.swap(one, two),
        3 => drop(lines.drain(one.min(two)..one.max(two))),
        4 => {
            let line = lines.remove(one);
            lines.insert(two.min(lines.len()), line);
        }
        _ => lines[one] = &lines[one][..dice.below(lines[one].len())],
    }
    lines.concat()
}

const INTERESTING: [&[u8]; 16] = [
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1e999",
    b"18446744073709551615",
    b"9223372036854775808",
    b"\"\"",
    b"[]",
    b"{}",
    b"1.5",
    b"\"\\ud800\"",
    b"\"\\u0000\"",
    b"\"\xc2\x9b\xe2\x80\xae\"",
    b"[[[]]]",
    b"4294967296",
];

/// Replaces a JSON token by another one of the input or by an interesting one.
fn with_other_tokens(data: &[u8], dice: &mut Dice) -> Vec<u8> {
    let tokens = tokens(data);
    if tokens.is_empty() {
        return data.to_vec();
    }
    let place = tokens[dice.below(tokens.len())].clone();
    let other = match dice.below(3) {
        0 => INTERESTING[dice.below(INTERESTING.len())],
        _ => &data[tokens[dice.below(tokens.len())].clone()],
    };
    [&data[..place.start], other, &data[place.end..]].concat()
}

/// The strings and scalars of a text, roughly.
fn tokens(data: &[u8]) -> Vec<Range<usize>> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-+._".contains(byte);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < data.len() {
        let rest = &data[at..];
        let length = match rest[0] {
            b'"' => rest[1..].iter().position(|byte| matches!(byte, b'"' | b'\n')).map_or(rest.len(), |end| end + 2),
            byte if is_plain(&byte) => rest.iter().position(|byte| !is_plain(byte)).unwrap_or(rest.len()),
            _ => {
                at += 1;
                continue;
            }
        };
        found.push(at..at + length);
        at += length;
    }
    found
}
