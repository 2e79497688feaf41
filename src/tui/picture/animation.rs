//! An animated picture: the frames of a screen, and below them the keys that lead from each to the next.
//!
//! An element that several frames have in common is stored once. Elements that are shown at the same times form a group,
//! which one CSS animation shows and hides. Where nothing may move, or no style sheet is applied, one frame is shown.

use std::collections::BTreeMap;
use std::time::Duration;

use ratatui::buffer::Buffer;

use super::box_glyph::{COLUMN, ROW};
use super::key_caps::KeyCaps;
use super::palette::PictureTheme;
use super::{MARGIN, grounds, head, runs, spots};

/// Drawn one over the other: letters may extend beyond their row, and the pressed key is over the row of keys.
const LAYERS: usize = 4;

pub(crate) struct Animation {
    look: PictureTheme,
    /// In pixels, without margins.
    size: (u32, u32),
    caps: KeyCaps,
    /// How long each frame is shown.
    holds: Vec<Duration>,
    layers: [FilmLayer; LAYERS],
}

/// The elements of all frames, in the order in which they appear.
#[derive(Default)]
struct FilmLayer {
    elements: Vec<Element>,
    places: BTreeMap<String, usize>,
}

struct Element {
    svg: String,
    /// The frames that have it, in ascending order.
    frames: Vec<usize>,
}

impl FilmLayer {
    fn add(&mut self, frame: usize, drawn: Vec<String>) {
        for svg in drawn {
            let next = self.elements.len();
            let place = *self.places.entry(svg.clone()).or_insert(next);
            if place == next {
                self.elements.push(Element { svg, frames: Vec::new() });
            }
            let frames = &mut self.elements[place].frames;
            if frames.last() != Some(&frame) {
                frames.push(frame);
            }
        }
    }

    /// The elements by the frames that have them.
    fn groups(&self) -> BTreeMap<&[usize], Vec<&str>> {
        let mut groups: BTreeMap<&[usize], Vec<&str>> = BTreeMap::new();
        for element in &self.elements {
            groups.entry(&element.frames).or_default().push(&element.svg);
        }
        groups
    }
}

impl Animation {
    /// An animation without frames, of a screen of this size. The labels are those of the keys, in the order in which
    /// they are pressed.
    pub(crate) fn new(look: PictureTheme, (columns, rows): (u16, u16), labels: Vec<String>) -> Animation {
        let size = (u32::from(columns) * COLUMN, u32::from(rows) * ROW);
        let caps = KeyCaps::new(look, labels, size.0, size.1);
        Animation { look, size, caps, holds: Vec::new(), layers: Default::default() }
    }

    /// Adds a frame. `pressed` is the number of the key that led to it, `words` say what the key does.
    pub(crate) fn push(&mut self, buffer: &Buffer, pressed: Option<usize>, words: &str, hold: Duration) {
        let frame = self.holds.len();
        self.holds.push(hold);
        let mut drawn: [Vec<String>; LAYERS] = Default::default();
        for (row, y) in (0..).zip(buffer.area.top()..buffer.area.bottom()) {
            let spots = spots(buffer, y);
            grounds(&spots, row * ROW, self.look, &mut drawn[0]);
            runs(&spots, row * ROW, self.look, &mut drawn[1]);
        }
        drawn[2] = self.caps.line_of(pressed);
        drawn[3] = self.caps.pressed(pressed, words);
        for (layer, drawn) in self.layers.iter_mut().zip(drawn) {
            layer.add(frame, drawn);
        }
    }

    pub(crate) fn svg(&self) -> String {
        let layers: Vec<_> = self.layers.iter().map(FilmLayer::groups).collect();
        let mut classes: BTreeMap<&[usize], usize> = BTreeMap::new();
        for frames in layers.iter().flat_map(BTreeMap::keys).filter(|frames| frames.len() < self.holds.len()) {
            let next = classes.len();
            classes.entry(frames).or_insert(next);
        }
        let mut out = head(self.size.0, self.size.1 + self.caps.height(), self.look);
        out.push_str(&self.style_sheet(&classes));
        out.push_str(&format!("<g xml:space=\"preserve\" transform=\"translate({MARGIN} {MARGIN})\">\n"));
        let still = self.still();
        for (frames, elements) in layers.into_iter().flatten() {
            let visible = if frames.contains(&still) { "" } else { " visibility=\"hidden\"" };
            let tag = classes.get(frames).map(|class| format!("<g class=\"a{class}\"{visible}>\n"));
            out.push_str(tag.as_deref().unwrap_or_default());
            elements.iter().for_each(|element| out.push_str(element));
            out.push_str(if tag.is_some() { "</g>\n" } else { "" });
        }
        out.push_str("</g>\n</svg>\n");
        out
    }

    /// The frame for viewers that do not animate: the one shown longest, of several the last one.
    fn still(&self) -> usize {
        (0..self.holds.len()).max_by_key(|frame| self.holds[*frame]).unwrap_or(0)
    }

    /// Between two keyframes the first one holds, so one is needed only where a group appears or disappears.
    fn style_sheet(&self, classes: &BTreeMap<&[usize], usize>) -> String {
        let total = self.holds.iter().sum::<Duration>().as_millis().max(1);
        // The shorthand resets the name, so its selector must be weaker than a class.
        let mut sheet = format!(
            "<style>\n@media (prefers-reduced-motion:no-preference){{\n\
             g{{animation:{total}ms step-end infinite}}\n"
        );
        for (frames, class) in classes {
            let mut keyframes = String::new();
            let (mut time, mut was_shown) = (0, None);
            for (frame, hold) in self.holds.iter().enumerate() {
                let is_shown = frames.binary_search(&frame).is_ok();
                if was_shown != Some(is_shown) {
                    let value = if is_shown { "visible" } else { "hidden" };
                    keyframes.push_str(&format!("{}{{visibility:{value}}}", percent(time, total)));
                }
                was_shown = Some(is_shown);
                time += hold.as_millis();
            }
            sheet.push_str(&format!(".a{class}{{animation-name:a{class}}}\n@keyframes a{class}{{{keyframes}}}\n"));
        }
        sheet.push_str("}\n</style>\n");
        sheet
    }
}

/// A part of the whole, to a thousandth of a percent.
fn percent(part: u128, whole: u128) -> String {
    let thousandths = part * 100_000 / whole;
    let decimals = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    format!("{}%", decimals.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    use super::super::tests::assert_well_formed;
    use super::*;

    fn screen(top: &str, bottom: &str) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 30, 2));
        buffer.set_string(0, 0, top, Style::new());
        buffer.set_string(0, 1, bottom, Style::new().bg(Color::Blue));
        buffer
    }

    fn animation(frames: &[(&str, &str, u64)]) -> String {
        let labels = (1..frames.len()).map(|number| number.to_string()).collect();
        let mut animation = Animation::new(PictureTheme::Dark, (30, 2), labels);
        for (number, (top, bottom, hold)) in frames.iter().enumerate() {
            let words = format!("<key {number}>");
            animation.push(&screen(top, bottom), number.checked_sub(1), &words, Duration::from_millis(*hold));
        }
        animation.svg()
    }

    /// The first line of the group that a text is in.
    fn group_of(svg: &str, text: &str) -> String {
        let before = svg.split_once(text).expect(text).0;
        let group = before.rsplit_once("<g ").expect("a group").1;
        group.lines().next().expect("a line").to_owned()
    }

    #[test]
    fn what_frames_have_in_common_is_stored_once() {
        let svg = animation(&[("same", "one", 100), ("same", "two", 300), ("same", "one", 100)]);
        assert_well_formed(&svg);
        assert_eq!(["same", "one", "two"].map(|text| svg.matches(&format!(">{text}</text>")).count()), [1; 3]);
        assert!(group_of(&svg, ">same<").starts_with("xml:space"), "it is never hidden");
    }

    #[test]
    fn every_group_is_shown_in_its_frames() {
        let svg = animation(&[("a", "one", 100), ("a", "two", 300), ("b", "one", 100)]);
        let keyframes = |text: &str| {
            let group = group_of(&svg, text);
            let class = group.split('"').nth(1).expect("a class");
            let rule = svg.split_once(&format!("@keyframes {class}{{")).expect("keyframes").1;
            rule.lines().next().expect("a line").to_owned()
        };
        assert_eq!(keyframes(">one<"), "0%{visibility:visible}20%{visibility:hidden}80%{visibility:visible}}");
        assert_eq!(keyframes(">two<"), "0%{visibility:hidden}20%{visibility:visible}80%{visibility:hidden}}");
        assert_eq!(keyframes(">b<"), "0%{visibility:hidden}80%{visibility:visible}}");
        assert!(svg.contains("g{animation:500ms step-end infinite}"));
    }

    #[test]
    fn without_motion_the_frame_that_is_shown_longest_is_there() {
        let svg = animation(&[("a", "one", 100), ("b", "two", 300), ("c", "three", 300)]);
        let is_hidden = |text: &str| group_of(&svg, text).contains("visibility=\"hidden\"");
        assert_eq!(
            [">one<", ">two<", ">three<", "key 2&gt;", "key 1&gt;"].map(is_hidden),
            [true, true, false, false, true]
        );
        let before = svg.split_once("animation").expect("a style sheet").0;
        assert!(before.ends_with("@media (prefers-reduced-motion:no-preference){\ng{"), "{before}");
        assert_well_formed(&animation(&[]));
    }

    #[test]
    fn percentages_have_no_more_digits_than_needed() {
        assert_eq!(
            [(0, 7), (1, 3), (1, 8), (1, 2)].map(|(part, whole)| percent(part, whole)),
            ["0%", "33.333%", "12.5%", "50%"]
        );
    }
}
