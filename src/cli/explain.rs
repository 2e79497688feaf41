//! `stepback explain`: answers to questions about a whole log, such as where the time went.

use std::io::Write;

use color_eyre::eyre::{self, eyre};

use super::args::ExplainArgs;
use super::exit::Exit;
use super::open::open;
use super::paint::{Paint, columns};
use super::print;
use crate::registry;

pub(super) fn run(args: &ExplainArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    let answer = opened.dialect().answers.iter().find(|answer| answer.name == args.question);
    let Some(answer) = answer else {
        let (name, title, question) = (&opened.log.name, opened.dialect().title, &args.question);
        let titles: Vec<&str> = registry::answering(question).map(|dialect| dialect.title).collect();
        return Err(eyre!("{name}: this is a {title}; {question:?} is answered only for {}s", titles.join("s, ")));
    };
    let answered = (answer.find)(&opened.log)?;
    if args.json {
        print::pretty(&answered.document(args.limit), out)?;
    } else {
        paint.write(&answered.text(args.limit, columns()), out)?;
    }
    Ok(Exit::Clean)
}
