//! `stepback show --context`: prints what the model saw at an event, or what the context gained and lost between two events.

use std::io::Write;

use color_eyre::eyre::{self, eyre};

use crate::cli::args::ShowArgs;
use crate::cli::exit::Exit;
use crate::cli::open::open;
use crate::cli::paint::{Paint, columns};
use crate::cli::print;
use crate::cli::replayed::place;
use crate::dialect::context::shown::{change_document, change_text};
use crate::registry::DIALECTS;
use crate::replay::Seq;

pub(super) fn run(args: &ShowArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    let Some(read) = opened.dialect().context else {
        let titles: Vec<&str> = DIALECTS.iter().filter(|row| row.context.is_some()).map(|row| row.title).collect();
        let (name, title) = (&opened.log.name, opened.dialect().title);
        return Err(eyre!("{name}: this is a {title}; what the model saw is known only from {}s", titles.join("s, ")));
    };
    let at = args.at.as_ref().map(|at| place(&args.input, at)).transpose()?;
    let against = args.against.as_ref().map(|against| place(&args.input, against)).transpose()?;
    let wanted: Vec<Option<Seq>> = against.map(Some).into_iter().chain([at]).collect();
    match &read(&opened.log, &wanted)?[..] {
        [before, after] if args.json => print::pretty(&change_document(before, after), out)?,
        [before, after] => paint.write(&change_text(before, after, columns()), out)?,
        [context] if args.json => print::pretty(&context.document(), out)?,
        [context] => paint.write(&context.text(columns()), out)?,
        _ => {}
    }
    Ok(Exit::Clean)
}
