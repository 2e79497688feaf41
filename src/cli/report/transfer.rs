//! The report of a transfer crashpack: its oracles and their violations, and what contradicts them.

use std::io::Write;
use std::ops::ControlFlow;

use color_eyre::eyre;
use serde_json::{Value, json};

use super::write_verdict;
use crate::cli::exit::Exit;
use crate::cli::format::text::event_line;
use crate::cli::open::Opened;
use crate::cli::paint::{Paint, clean, count};
use crate::cli::pass::{judge, walk_records};
use crate::cli::progress::ByteProgress;
use crate::cli::redaction::Hiding;
use crate::replay::finding::Finding;

const KIND_COLUMNS: usize = 9;

pub fn write_text(opened: &Opened, paint: Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let judged = judge(opened, &ByteProgress::none())?;
    writeln!(out, "{}", paint.strong(&clean(&opened.log.name)))?;
    writeln!(out, "{}, {}", opened.dialect().title, count(u64::from(judged.events), "event"))?;
    writeln!(out, "\n{}", paint.strong("journal"))?;
    let mut written = Ok(());
    walk_records(&opened.log, |at, (_, record)| {
        written = writeln!(out, "{}", event_line(opened, at.0, record, KIND_COLUMNS, paint));
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    write_verdict(opened, &judged, paint, out)
}

pub fn run_json(opened: &Opened, mut hiding: Hiding, out: &mut dyn Write) -> eyre::Result<Exit> {
    let judged = judge(opened, &ByteProgress::none())?;
    let mut journal: Vec<Value> = Vec::new();
    walk_records(&opened.log, |_, (_, record)| {
        journal.extend(serde_json::from_slice(record));
        ControlFlow::Continue(())
    })?;
    let document = json!({
        "dialect": opened.dialect().name,
        "journal": journal,
        "findings": judged.findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
    });
    writeln!(out, "{}", hiding.document(&document)?)?;
    Ok(Exit::Clean)
}
