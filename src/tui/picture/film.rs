//! The screens that a script of keys leads to, as one file: an animated SVG, or texts one below the other.

use std::path::Path;
use std::time::Duration;

use ratatui::buffer::Buffer;

use super::animation::Animation;
use super::palette::PictureTheme;
use super::{is_svg, text};

pub(crate) enum Film {
    Svg(Box<Animation>),
    Text { labels: Vec<String>, out: String },
}

impl Film {
    /// The kind of file follows from its name. The labels are those of the keys, in the order in which they are pressed.
    pub(crate) fn new(path: &Path, look: PictureTheme, size: (u16, u16), labels: Vec<String>) -> Film {
        match is_svg(path) {
            true => Film::Svg(Box::new(Animation::new(look, size, labels))),
            false => Film::Text { labels, out: String::new() },
        }
    }

    /// Adds a screen. `pressed` is the number of the key that led to it, `words` say what the key does.
    pub(crate) fn add(&mut self, buffer: &Buffer, pressed: Option<usize>, words: &str, hold: Duration) {
        match self {
            Film::Svg(animation) => animation.push(buffer, pressed, words, hold),
            Film::Text { labels, out } => {
                let label = pressed.and_then(|number| labels.get(number));
                let title = label.map_or_else(|| words.to_owned(), |label| format!("[{label}] {words}"));
                out.push_str(if out.is_empty() { "" } else { "\n" });
                out.push_str(&format!("{}\n{}", title.trim_end(), text(buffer)));
            }
        }
    }

    pub(crate) fn finish(&self) -> String {
        match self {
            Film::Svg(animation) => animation.svg(),
            Film::Text { out, .. } => out.clone(),
        }
    }
}
