//! Colours by role, and texts of a log made harmless before they reach a terminal.

use std::io::IsTerminal;

use clap::ValueEnum;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::replay::check::Severity;
use crate::replay::finding::is_hostile;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

/// Colours a text or leaves it as it is. ANSI-16 only: the terminal's own palette decides.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    pub fn for_stdout(choice: ColorChoice) -> Self {
        Self::choose(choice, std::io::stdout().is_terminal())
    }

    pub fn for_stderr(choice: ColorChoice) -> Self {
        Self::choose(choice, std::io::stderr().is_terminal())
    }

    fn choose(choice: ColorChoice, is_terminal: bool) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let on = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !no_color,
        };
        Paint { on }
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub fn strong(self, text: &str) -> String {
        self.code("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    pub fn good(self, text: &str) -> String {
        self.code("32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.code("1;31", text)
    }

    pub fn name(self, text: &str) -> String {
        self.code("36", text)
    }

    pub fn severity(self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Info => "34",
            Severity::Warning => "33",
            Severity::Error => "31",
            Severity::Critical => "1;35",
        };
        self.code(code, text)
    }
}

/// A glyph beside every colour: it must read without one.
pub const fn glyph(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "·",
        Severity::Warning => "!",
        Severity::Error => "✗",
        Severity::Critical => "‼",
    }
}

/// A text of the log on one line, unable to drive a terminal.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            character if is_hostile(character) => out.push_str(&format!("\\u{{{:x}}}", character as u32)),
            character => out.push(character),
        }
    }
    out
}

/// The same, but line breaks stay: for JSON that was printed over lines.
pub fn clean_lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

/// Cleaned and cut to a width, with a mark where something was left out.
pub fn fit(text: &str, columns: usize) -> String {
    let text = clean(text);
    if text.width() <= columns {
        return text;
    }
    let mut out = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(character);
    }
    out.push('…');
    out
}

/// Padded on the right to a width.
pub fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// How wide the text may be: the terminal's width where there is one.
pub fn columns() -> usize {
    let of_terminal = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let from_environment = || std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    of_terminal.or_else(from_environment).unwrap_or(100).clamp(40, 160)
}

/// Pieces joined by commas, over as many indented lines as they need.
pub fn wrapped(pieces: &[String], columns: usize) -> String {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for piece in pieces {
        if !line.is_empty() && line.width() + piece.width() + 2 > columns.saturating_sub(3) {
            lines.push(format!("{line},"));
            line.clear();
        }
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(piece);
    }
    lines.push(line);
    lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// `1204` as `1 204`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// `1 finding`, `2 findings`.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_are_shown_not_sent() {
        assert_eq!(clean("a\x1b[2J\u{202e}b\n"), r"a\u{1b}[2J\u{202e}b\n");
        assert_eq!(fit("日本語テキスト", 7), "日本語…");
        assert_eq!(fit("short", 7), "short");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!((grouped(7), grouped(1204), grouped(1_000_000)), ("7".into(), "1 204".into(), "1 000 000".into()));
    }
}
