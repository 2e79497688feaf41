//! `stepback context`: prints what the model saw, what came and went between two moments, or what a compaction dropped.

use std::io::Write;

use color_eyre::eyre::{self, eyre};

use crate::cli::args::{ContextArgs, Input};
use crate::cli::exit::Exit;
use crate::cli::open::open;
use crate::cli::paint::{Paint, columns};
use crate::cli::print;
use crate::cli::replayed::place;
use crate::dialect::context::shown::{change_document, change_text};
use crate::dialect::context::{WhichContext, around_compaction};
use crate::registry::DIALECTS;
use crate::replay::target::Target;

pub(super) fn run(args: &ContextArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    match args.dropped {
        Some(number) => print(&args.input, &around_compaction(number), args.json, paint, out),
        None => moments(&args.input, args.at.target(), args.against.as_ref(), args.json, paint, out),
    }
}

/// Prints the history in force at a place, or how it differs from that at another one.
pub(super) fn moments(
    input: &Input,
    at: Option<&Target>,
    against: Option<&Target>,
    json: bool,
    paint: &Paint,
    out: &mut dyn Write,
) -> eyre::Result<Exit> {
    let which = |target: &Target| place(input, target).map(WhichContext::At);
    let against = against.map(which).transpose()?;
    let at = at.map_or(Ok(WhichContext::Resume), which)?;
    let wanted: Vec<WhichContext> = against.into_iter().chain([at]).collect();
    print(input, &wanted, json, paint, out)
}

fn print(input: &Input, wanted: &[WhichContext], json: bool, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(input)?;
    opened.warn_about_damage();
    let Some(read) = opened.dialect().context else {
        let titles: Vec<&str> = DIALECTS.iter().filter(|row| row.context.is_some()).map(|row| row.title).collect();
        let (name, title) = (&opened.log.name, opened.dialect().title);
        return Err(eyre!("{name}: this is a {title}; what the model saw is known only from {}s", titles.join("s, ")));
    };
    match &read(&opened.log, wanted)?[..] {
        [before, after] if json => print::pretty(&change_document(before, after), out)?,
        [before, after] => paint.write(&change_text(before, after, columns()), out)?,
        [context] if json => print::pretty(&context.document(), out)?,
        [context] => paint.write(&context.text(columns()), out)?,
        _ => {}
    }
    Ok(Exit::Clean)
}
