//! Redaction: planted secrets are gone, and what is left is as readable as before.
//!
//! In an input for `redact`, a byte 1 and the byte after it are replaced by a text with a secret, on a line of its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::value::RawValue;

use super::archive::Scratch;
use super::log::{checked, open};
use crate::crashpack_folder::{OnSignal, Pack, PackWriter, Which};
use crate::exporter::{self, ExportError, Given, Order, Redaction};
use crate::loader::own_sidecars;
use crate::log::{Log, Options};
use crate::minimize::tester::Unobserved;
use crate::redact::{MaskOptions, Masker};
use crate::replay::bookmark::Bookmarks;
use crate::tests::corpus::{Dice, SPELLINGS, spelled};
use crate::tests::secrets::{SECRETS, secrets};

const PLACEHOLDER: u8 = 1;

/// Texts with a secret each, and the parts of it that must not be left.
fn planted() -> &'static [(String, Vec<String>)] {
    static PLANTED: OnceLock<Vec<(String, Vec<String>)>> = OnceLock::new();
    PLANTED.get_or_init(|| secrets(&mut Dice(17)))
}

/// The parts of secrets that were planted, each with the text around it.
type Parts = BTreeMap<&'static str, &'static str>;

/// The input with secrets in place of the placeholders, and the parts of these secrets.
fn filled(input: &[u8]) -> (Vec<u8>, Parts) {
    let (mut out, mut parts) = (Vec::new(), Parts::new());
    let mut bytes = input.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != PLACEHOLDER {
            out.push(byte);
            continue;
        }
        let choice = usize::from(bytes.next().unwrap_or(0));
        let form = choice % planted().len();
        let (text, secret) = &planted()[form];
        // A quarter of the choices is spelled in another encoding.
        let how = if choice % 4 == 3 { choice / 4 % SPELLINGS } else { 0 };
        out.extend(format!("\n{}\n", spelled(text, how)).into_bytes());
        parts.extend(secret.iter().map(|part| (part.as_str(), SECRETS[form].0)));
    }
    (out, parts)
}

fn masker() -> Masker {
    Masker::new(&MaskOptions::default()).expect("our own rules")
}

fn masked(text: &[u8]) -> Vec<u8> {
    let mut masker = masker();
    masker.look("input", text);
    masker.apply("input", text).into_owned()
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<&RawValue>(text).is_ok()
}

/// Never prints a secret, not even a generated one.
fn assert_gone(parts: &Parts, output: &[u8]) {
    for (part, form) in parts {
        let left = memchr::memmem::find(output, part.as_bytes());
        assert!(left.is_none(), "a secret in {form:?} is left at byte {left:?}");
    }
}

pub(super) fn target(input: &[u8]) {
    let (text, parts) = filled(input);
    let output = masked(&text);
    assert_gone(&parts, &output);
    assert!(std::str::from_utf8(&text).is_err() || std::str::from_utf8(&output).is_ok(), "UTF-8 does not stay UTF-8");
    assert!(!is_json(&text) || is_json(&output), "JSON does not stay JSON");
    // In a string of JSON, which is where a log has its texts.
    if let Ok(text) = std::str::from_utf8(&text) {
        let record = serde_json::json!({"event_type": "steer_injected", "text": text}).to_string();
        let output = masked(record.as_bytes());
        assert!(is_json(&output), "a record does not stay JSON");
        assert_gone(&parts, &output);
    }
}

/// Exports the first finding of a log with its secrets masked.
pub(super) fn export(input: &[u8]) {
    thread_local!(static GIVEN: RefCell<Given> = RefCell::new(Given::default()));
    let (text, parts) = filled(input);
    let Ok(log) = open(&text, &Options::default()) else { return };
    let Some(results) = checked(&log, &own_sidecars(&log).expect("none")) else { return };
    let Some(finding) = results.findings.first() else { return };
    let scratch = Scratch::new();
    let target = scratch.beside("pack");
    let writer = PackWriter::begin(&target, false, OnSignal::Nothing).expect("a new folder");
    let packed = GIVEN.with_borrow(|given| {
        let order = Order {
            log: &log,
            finding,
            minimize: None,
            redaction: Some(&Redaction::default()),
            given,
            bookmarks: &Bookmarks::default(),
            is_cancelled: &|| false,
        };
        exporter::export(&order, writer, &mut Unobserved)
    });
    match packed {
        Ok(packed) => {
            let pack = Pack::open(&target).expect("a pack");
            assert_eq!(pack.damage, [], "a new pack is intact");
            let (path, file) = pack.trace(Which::Original).expect("a trace").expect("a trace");
            let trace = Log::from_file(&path, file, &Options { dialect: Some(log.dialect), ..Options::default() });
            let again = crate::check(&trace.expect("a log")).expect("a log");
            assert_eq!((again.records, again.events), (results.records, packed.events));
            assert!(again.findings.iter().any(|found| Some(found.fingerprint()) == packed.fingerprint));
            nothing_is_left(&scratch, &parts);
        }
        Err(ExportError::Lost { .. } | ExportError::Refused { .. } | ExportError::Log(_)) => {
            assert!(!target.exists(), "a refused export leaves nothing");
        }
        Err(error) => panic!("{error}"),
    }
}

fn nothing_is_left(scratch: &Scratch, parts: &Parts) {
    let mut open = vec![scratch.beside("pack")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
            continue;
        }
        assert_gone(parts, &std::fs::read(&path).expect("a file"));
    }
}
