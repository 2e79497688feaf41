//! The row of keys below an animation: all keys of the script, the pressed one highlighted, and what it does.

use unicode_width::UnicodeWidthStr;

use super::box_glyph::COLUMN;
use super::palette::PictureTheme;
use super::{MARGIN, escaped};
use crate::text::fit;

const HEIGHT: u32 = 44;
const CAP_HEIGHT: u32 = 24;
const LEAST_CAP_WIDTH: u32 = 26;
/// Between two caps.
const GAP: u32 = 6;
/// Between the caps and the words.
const WORDS_GAP: u32 = 18;
const LABEL_SIZE: u32 = 13;
/// A character of a label, rounded up.
const LABEL_COLUMN: u32 = 8;
/// A text that is typed may be long.
const LABEL_COLUMNS: usize = 24;

pub(crate) struct KeyCaps {
    look: PictureTheme,
    caps: Vec<Cap>,
    /// The width of the screen.
    width: u32,
    top: u32,
    /// Where the words begin: right of the longest line of caps.
    words_at: u32,
}

struct Cap {
    label: String,
    x: u32,
    width: u32,
    /// Keys that do not fit in one line are shown line by line.
    line: usize,
}

impl KeyCaps {
    pub(crate) fn new(look: PictureTheme, labels: Vec<String>, width: u32, top: u32) -> KeyCaps {
        let mut caps: Vec<Cap> = Vec::new();
        let mut longest = 0;
        for label in labels {
            let label = fit(&label, LABEL_COLUMNS);
            let cap_width = (label.width() as u32 * LABEL_COLUMN + 14).max(LEAST_CAP_WIDTH);
            let (mut line, mut x) = caps.last().map_or((0, 0), |last| (last.line, last.x + last.width + GAP));
            // The words get at least half of the width.
            if x > 0 && x + cap_width > width / 2 {
                (line, x) = (line + 1, 0);
            }
            longest = longest.max(x + cap_width);
            caps.push(Cap { label, x, width: cap_width, line });
        }
        KeyCaps { look, caps, width, top, words_at: longest + WORDS_GAP }
    }

    pub(crate) const fn height(&self) -> u32 {
        HEIGHT
    }

    /// The line of keys to which the pressed one belongs; the first one before any is pressed.
    pub(crate) fn line_of(&self, pressed: Option<usize>) -> Vec<String> {
        let line = pressed.and_then(|number| self.caps.get(number)).map_or(0, |cap| cap.line);
        let (rule, frame) = (self.top + MARGIN - 2, self.look.frame());
        let mut drawn = vec![format!(
            "<path d=\"M-{MARGIN} {rule}.5H{}\" stroke=\"{frame}\" stroke-width=\"1\"/>\n",
            self.width + MARGIN
        )];
        let quiet = self.look.text().towards(self.look.ground()).to_string();
        let (ground, frame) = (self.look.ground().to_string(), frame.to_string());
        for cap in self.caps.iter().filter(|cap| cap.line == line) {
            self.draw(cap, [&ground, &frame, &quiet], &mut drawn);
        }
        drawn
    }

    /// The pressed key, highlighted, and what it does.
    pub(crate) fn pressed(&self, pressed: Option<usize>, words: &str) -> Vec<String> {
        let mut drawn = Vec::new();
        if let Some(cap) = pressed.and_then(|number| self.caps.get(number)) {
            let (bright, ground) = (self.look.highlight().to_string(), self.look.ground().to_string());
            self.draw(cap, [&bright, &bright, &ground], &mut drawn);
        }
        let room = self.width.saturating_sub(self.words_at) / COLUMN;
        let words = fit(words, room as usize);
        if !words.is_empty() {
            let (x, y, text) = (self.words_at, self.baseline(), self.look.text());
            drawn.push(format!("<text x=\"{x}\" y=\"{y}\" fill=\"{text}\">{}</text>\n", escaped(&words)));
        }
        drawn
    }

    fn cap_top(&self) -> u32 {
        self.top + MARGIN + (HEIGHT - CAP_HEIGHT) / 2
    }

    fn baseline(&self) -> u32 {
        self.cap_top() + CAP_HEIGHT / 2 + LABEL_SIZE / 2 - 1
    }

    fn draw(&self, cap: &Cap, [fill, stroke, ink]: [&str; 3], drawn: &mut Vec<String>) {
        let (x, y, width, baseline) = (cap.x, self.cap_top(), cap.width, self.baseline());
        drawn.push(format!(
            "<rect x=\"{x}.5\" y=\"{y}.5\" width=\"{width}\" height=\"{CAP_HEIGHT}\" rx=\"5\" fill=\"{fill}\" stroke=\"{stroke}\"/>\n"
        ));
        let middle = f64::from(x) + f64::from(width) / 2.0 + 0.5;
        drawn.push(format!(
            "<text x=\"{middle}\" y=\"{baseline}\" font-size=\"{LABEL_SIZE}\" text-anchor=\"middle\" fill=\"{ink}\">{}</text>\n",
            escaped(&cap.label)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(labels: &[&str], width: u32) -> KeyCaps {
        KeyCaps::new(PictureTheme::Dark, labels.iter().map(|label| (*label).to_owned()).collect(), width, 180)
    }

    #[test]
    fn keys_are_in_one_line_while_they_fit() {
        let caps = caps(&["G", "F", "Enter"], 720);
        let lines: Vec<_> = [None, Some(0), Some(2)].map(|pressed| caps.line_of(pressed).concat()).into();
        assert!(lines.windows(2).all(|two| two[0] == two[1]));
        assert_eq!(lines[0].matches("<rect").count(), 3);
        let pressed = caps.pressed(Some(2), "go <there>").concat();
        assert!(pressed.contains(">Enter</text>") && pressed.contains(">go &lt;there&gt;</text>"), "{pressed}");
        assert!(!caps.pressed(None, "").concat().contains("<text"));
    }

    #[test]
    fn other_keys_are_shown_line_by_line() {
        let caps = caps(&["Ctrl-o"; 9], 400);
        let shown = |pressed| caps.line_of(Some(pressed)).concat().matches("<rect").count();
        assert_eq!([0, 2, 3, 8].map(shown), [3; 4]);
        assert!(caps.words_at < 400 / 2 + WORDS_GAP);
        // A long text is cut, and so are words that do not fit.
        let long = super::KeyCaps::new(PictureTheme::Light, vec!["x".repeat(300)], 400, 0);
        assert!(long.pressed(Some(0), &"w".repeat(300)).iter().all(|element| element.len() < 250));
    }
}
