//! Colours of the text output by role (those of the screen are in `tui::theme`), and the width of lines.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;

use crate::replay::check::Severity;
use crate::text::styled::{Styled, StyledText, Tone};
pub(super) use crate::text::{clean, clean_lines, count, fit, glyph, grouped, pad, wrapped};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// on a terminal, unless NO_COLOR is set
    Auto,
    /// in pipes and files, too
    Always,
    /// no colours
    Never,
}

/// Colours texts, or leaves them as they are. Only the sixteen ANSI colours, so that the terminal's palette applies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    on: bool,
}

impl Paint {
    pub(super) fn for_stdout(choice: ColorChoice) -> Self {
        Self::choose(choice, std::io::stdout().is_terminal())
    }

    pub(super) fn for_stderr(choice: ColorChoice) -> Self {
        Self::choose(choice, std::io::stderr().is_terminal())
    }

    fn choose(choice: ColorChoice, is_terminal: bool) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let on = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !no_color && !is_dumb_terminal(),
        };
        Paint { on }
    }

    pub(super) fn is_on(self) -> bool {
        self.on
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(super) fn strong(self, text: &str) -> String {
        self.code("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    pub(super) fn good(self, text: &str) -> String {
        self.code("32", text)
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.code("1;31", text)
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.severity(Severity::Warning, text)
    }

    /// The expected value, and what only the expected log has.
    pub(super) fn expected(self, text: &str) -> String {
        self.code("32", text)
    }

    /// The actual value, and what only the actual log has.
    pub(super) fn actual(self, text: &str) -> String {
        self.code("35", text)
    }

    pub(super) fn name(self, text: &str) -> String {
        self.code("36", text)
    }

    /// Writes styled lines.
    pub(super) fn write(self, text: &StyledText, out: &mut dyn Write) -> io::Result<()> {
        for line in text.lines() {
            line.iter().try_for_each(|span| out.write_all(self.span(span).as_bytes()))?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn span(self, span: &Styled) -> String {
        match span.tone {
            Tone::Plain => span.text.clone(),
            Tone::Strong => self.strong(&span.text),
            Tone::Dim => self.dim(&span.text),
            Tone::Good => self.good(&span.text),
            Tone::Bad => self.bad(&span.text),
            Tone::Name => self.name(&span.text),
            Tone::Of(severity) => self.severity(severity, &span.text),
        }
    }

    pub(super) fn severity(self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Info => "2",
            Severity::Warning => "33",
            Severity::Error => "31",
            Severity::Critical => "1;7;31",
        };
        self.code(code, text)
    }
}

/// Whether the terminal says of itself, or does not say otherwise, that it only prints lines. Windows has no `TERM`.
pub(super) fn is_dumb_terminal() -> bool {
    cfg!(unix) && std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// The width of lines if standard output is not a terminal: nothing is cut off, since a script may need it. It is limited
/// only because a value of the state may have millions of entries.
const UNCUT_COLUMNS: usize = 1 << 20;

/// The width of lines: the width of the terminal, else `COLUMNS`, else no limit that matters.
pub(super) fn columns() -> usize {
    let of_terminal = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let from_environment = || std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    of_terminal.or_else(from_environment).map_or(UNCUT_COLUMNS, |columns: usize| columns.clamp(40, 160))
}
