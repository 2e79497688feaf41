//! `stepback files --json`.

use serde_json::{Value, json};

use super::change::FileChange;
use crate::dialect::files::{FileAt, FilesAt, Writer};
use crate::replay::Seq;

pub(super) fn list(files: &FilesAt) -> Value {
    json!({"files": files.iter().map(|(path, file)| summary(path, file)).collect::<Vec<_>>()})
}

fn summary(path: &str, file: &FileAt) -> Value {
    json!({
        "path": path, "reads": file.reads, "writes": file.writes, "last": file.last.0, "whole": file.is_whole,
        "deleted": file.is_deleted, "too_large": file.is_too_large,
        "lines_known": file.lines.iter().flatten().count(),
        "changed_outside": file.changed_outside.map(|at| at.0), "commands_since": file.commands_since,
    })
}

/// One file with its lines; null where the log does not say what a line is.
pub(super) fn file(path: &str, file: &FileAt) -> Value {
    let line = |line: &Option<crate::dialect::files::FileLine>| {
        line.as_ref().map(|line| json!({"text": *line.text, "by": line.by.name(), "at": line.by.at().0}))
    };
    let mut document = summary(path, file);
    document["lines"] = file.lines.iter().map(line).collect();
    let writer = |(at, writer): (&Seq, &Writer)| json!({"at": at.0, "call": writer.call.0, "tool": *writer.tool, "said": *writer.said});
    document["writers"] = file.writers.iter().map(writer).collect();
    document
}

pub(super) fn changes(changes: &[FileChange]) -> Value {
    let one = |change: &FileChange| json!({"path": *change.path, "proof": change.proof.name(), "diff": change.diff.concat(), "calls": change.calls});
    json!({"files": changes.iter().map(one).collect::<Vec<_>>()})
}
