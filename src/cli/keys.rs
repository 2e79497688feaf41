//! `stepback keys`: lists the keys and commands of the screen.

use std::io::Write;

use color_eyre::eyre;

use super::args::KeysArgs;
use super::exit::Exit;
use super::paint::{Paint, pad};
use crate::tui::command::{self, COMMANDS};
use crate::tui::key::{self, KEYS};
use crate::tui::picker::keys::{self as picker, PICKER_KEYS};

pub(super) fn run(args: &KeysArgs, paint: &Paint, out: &mut dyn Write) -> eyre::Result<Exit> {
    if args.markdown {
        writeln!(out, "{}\n{}\n{}", key::markdown(), command::markdown(), picker::markdown().trim_end())?;
        return Ok(Exit::Clean);
    }
    let width = KEYS.iter().map(|binding| binding.name.len()).max().unwrap_or(0);
    for binding in KEYS {
        let keys = paint.strong(&pad(&binding.keys.join(" "), 24));
        // The configuration file refers to actions by name.
        let name = paint.name(&pad(binding.name, width));
        writeln!(out, "{keys} {name} {}{}", paint.dim(&binding.applies.name()), binding.describes)?;
    }
    writeln!(out)?;
    for command in COMMANDS {
        let line = pad(&format!(":{} {}", command.name, command.argument), 24);
        writeln!(out, "{} {}", paint.strong(&line), command.describes)?;
    }
    writeln!(out, "\nIn the session picker, where all other keys are typed into the search:")?;
    for row in PICKER_KEYS {
        writeln!(out, "{} {}", paint.strong(&pad(&row.keys.join(" "), 24)), row.describes)?;
    }
    Ok(Exit::Clean)
}
