//! `stepback man`: one manual page with all commands.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_mangen::Man;

use super::args::Arguments;

pub(super) fn write(out: &mut dyn Write) -> io::Result<()> {
    let mut command = Arguments::command();
    command.build();
    let page = Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
        writeln!(out, ".SH \"COMMAND {}\"", command.get_name().to_uppercase())?;
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "{about}.")?;
        let mut options = Vec::new();
        Man::new(command.clone()).render_options_section(&mut options)?;
        // The heading of the command replaces the one of the section.
        let options = String::from_utf8_lossy(&options).replace(".SH OPTIONS\n", "");
        out.write_all(options.as_bytes())?;
    }
    writeln!(out, ".SH \"EXIT STATUS\"")?;
    writeln!(
        out,
        "0: success: no finding that fails, or no difference. 1: findings that fail, or a difference. 2: the command could not do its work: wrong usage, an unreadable file, nothing written."
    )
}
