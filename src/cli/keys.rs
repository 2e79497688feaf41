//! `stepback keys`: what every key of the screen does.

use std::io::Write;

use color_eyre::eyre;

use super::args::KeysArgs;
use super::exit::Exit;
use super::paint::{Paint, pad};
use crate::tui::key::{self, KEYS, Where};

pub fn run(args: &KeysArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if args.markdown {
        write!(out, "{}", key::markdown())?;
        return Ok(Exit::Clean);
    }
    let width = KEYS.iter().map(|binding| binding.name.len()).max().unwrap_or(0);
    for binding in KEYS {
        let place = match binding.applies {
            Where::Everywhere => String::new(),
            Where::Pane(pane) => format!("{} ", paint.dim(&format!("in {}:", pane.name()))),
        };
        let keys = paint.strong(&pad(&binding.keys.join(" "), 18));
        // A configuration calls it by its name.
        let name = paint.name(&pad(binding.name, width));
        writeln!(out, "{keys} {name} {place}{}", binding.describes)?;
    }
    Ok(Exit::Clean)
}
