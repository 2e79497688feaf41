//! `stepback files`: the files of a session as far as its log proves them: content, who wrote a line, what changed.

mod change;
mod json;

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use color_eyre::eyre::{self, eyre};

use super::args::FilesArgs;
use super::exit::Exit;
use super::open::open;
use super::paint::{Paint, clean, columns, count, fit, grouped, pad};
use super::print;
use super::replayed::{note, place};
use crate::dialect::files::{By, FileAt, FilesAt, Writer};
use crate::registry::DIALECTS;
use crate::replay::Seq;
use crate::text::suggestion::did_you_mean;

pub(super) fn run(args: &FilesArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    let Some(read) = opened.dialect().files else {
        let titles: Vec<&str> = DIALECTS.iter().filter(|row| row.files.is_some()).map(|row| row.title).collect();
        let (name, title) = (&opened.log.name, opened.dialect().title);
        return Err(eyre!("{name}: this is a {title}; files are known only from {}s", titles.join("s, ")));
    };
    let wanted: Vec<Seq> = match &args.diff {
        Some(stretch) => vec![place(&args.input, &stretch.from)?, place(&args.input, &stretch.to)?],
        None => vec![args.at.as_ref().map_or(Ok(Seq(u32::MAX)), |at| place(&args.input, at))?],
    };
    if wanted.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(eyre!("--diff goes forwards: event {} comes after event {}", wanted[0], wanted[1]));
    }
    let moments = read(&opened.log, &wanted)?;
    let Some(last) = moments.last() else { return Ok(Exit::Clean) };
    let path = args.path.as_deref().map(|path| found(last, path)).transpose()?;
    if let (Some(_), [before, after]) = (&args.diff, &moments[..]) {
        let changes = change::between(before, after, path.as_ref(), (wanted[0], wanted[1]));
        if args.json {
            print::pretty(&json::changes(&changes), out)?;
        } else {
            change::write(&changes, *paint, out)?;
        }
        return Ok(Exit::Clean);
    }
    match path {
        None if args.json => print::pretty(&json::list(last), out)?,
        None => write_list(last, *paint, out)?,
        Some(path) if args.json => print::pretty(&json::file(&path, &last[&path]), out)?,
        Some(path) => write_file(&path, &last[&path], args.blame, *paint, out)?,
    }
    Ok(Exit::Clean)
}

/// The file with this path, or the only one whose path ends so.
fn found(files: &FilesAt, path: &str) -> eyre::Result<Arc<str>> {
    if let Some((path, _)) = files.get_key_value(path) {
        return Ok(Arc::clone(path));
    }
    let ends = |known: &&Arc<str>| {
        known.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
    };
    let found: Vec<&Arc<str>> = files.keys().filter(ends).collect();
    match found[..] {
        [one] => Ok(Arc::clone(one)),
        [] => Err(eyre!(
            "no record up to this place proves the content of {path:?}{}",
            did_you_mean(path, files.keys().map(|known| known.rsplit(['/', '\\']).next().unwrap_or(known)))
        )),
        _ => {
            let names: Vec<&str> = found.iter().map(|path| &***path).collect();
            Err(eyre!("{path:?} could be {}", names.join(" or ")))
        }
    }
}

/// How much of a file is known.
fn known(file: &FileAt) -> String {
    let lines = file.lines.iter().flatten().count() as u64;
    match () {
        () if file.is_too_large => "too large to keep".to_owned(),
        () if file.is_deleted => "deleted".to_owned(),
        () if file.is_whole => format!("all {}", count(lines, "line")),
        () => format!("{} known", count(lines, "line")),
    }
}

fn write_list(files: &FilesAt, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    if files.is_empty() {
        writeln!(out, "no record proves the content of a file")?;
    }
    for (path, file) in files {
        let doubt = if file.changed_outside.is_some() { "  changed by something outside the log" } else { "" };
        writeln!(
            out,
            "{}  {:>3} read  {:>3} written  {}  {}{}",
            paint.dim(&format!("{:>7}", file.last)),
            grouped(u64::from(file.reads)),
            grouped(u64::from(file.writes)),
            pad(&known(file), 18),
            clean(path),
            paint.dim(doubt),
        )?;
    }
    Ok(())
}

/// What the log does not prove about a file.
fn doubts(file: &FileAt) -> Vec<String> {
    let mut doubts = Vec::new();
    if file.is_too_large {
        doubts.push("the file is too large to keep".to_owned());
    } else if !file.is_whole {
        doubts.push("only a part of the file is in the log, so line numbers may be wrong".to_owned());
    }
    if let Some(at) = file.changed_outside {
        doubts.push(format!(
            "at event {at} the content was not what the log had proved: something outside the log changed the file"
        ));
    }
    if file.commands_since > 0 {
        let commands = count(file.commands_since, "command");
        doubts.push(format!("{commands} ran after event {} and may have changed the file", file.last));
    }
    doubts
}

fn write_file(path: &str, file: &FileAt, blame: bool, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    doubts(file).iter().for_each(|doubt| note(doubt));
    writeln!(
        out,
        "{}  {}",
        paint.strong(&clean(path)),
        paint.dim(&format!("{}, proven at event {}", known(file), file.last))
    )?;
    let (mut number, room) = (0, columns());
    while number < file.lines.len() {
        let Some(line) = &file.lines[number] else {
            let unknown = file.lines[number..].iter().take_while(|line| line.is_none()).count();
            let last = number + unknown;
            writeln!(out, "{}", paint.dim(&format!("{:>6}  … lines {} to {last} are not in the log", "", number + 1)))?;
            number = last;
            continue;
        };
        number += 1;
        let shown = paint.dim(&format!("{number:>6}"));
        if blame {
            let by = format!("{:>7} {}", line.by.at().to_string(), pad(line.by.name(), 7));
            let by = if matches!(line.by, By::Written(_)) { paint.name(&by) } else { paint.dim(&by) };
            writeln!(out, "{by} {shown}  {}", fit(&clean(&line.text), room.saturating_sub(26).max(20)))?;
        } else {
            writeln!(out, "{shown}  {}", clean(&line.text))?;
        }
    }
    if blame { write_writers(file, paint, out) } else { Ok(()) }
}

/// The calls that wrote the lines, with what the model said before each.
fn write_writers(file: &FileAt, paint: Paint, out: &mut dyn Write) -> eyre::Result<()> {
    let written: BTreeSet<Seq> =
        file.lines.iter().flatten().filter(|line| matches!(line.by, By::Written(_))).map(|line| line.by.at()).collect();
    let writers: Vec<(&Seq, &Writer)> = file.writers.iter().filter(|(at, _)| written.contains(at)).collect();
    if !writers.is_empty() {
        writeln!(out, "\nwritten by")?;
    }
    for (at, writer) in writers {
        let (at, call) = (format!("{:>7}", at.to_string()), format!("call {:>6}", writer.call.to_string()));
        let (call, tool) = (paint.dim(&call), clean(&writer.tool));
        if writer.said.is_empty() {
            writeln!(out, "{at}  {call}  {}", paint.name(&tool))?;
            continue;
        }
        let said = fit(&clean(&writer.said), columns().saturating_sub(36).max(20));
        writeln!(out, "{at}  {call}  {}  {said}", paint.name(&pad(&tool, 12)))?;
    }
    Ok(())
}
