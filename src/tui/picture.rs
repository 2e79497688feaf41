//! A picture of the screen for a file: plain text, or a self-contained SVG.
//!
//! Pure: the same buffer gives the same bytes. Every piece of text is positioned, so no column can shift, whatever the
//! widths of a font are. Lines and blocks are drawn as shapes, so borders are closed in every font.

mod animation;
mod box_glyph;
pub(crate) mod film;
mod key_caps;
mod palette;

use std::path::Path;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

use crate::replay::finding::is_hostile;
use box_glyph::{BoxGlyph, COLUMN, Pen, ROW};
pub(crate) use palette::PictureTheme;
use palette::Rgb;

const FONT_SIZE: u32 = 15;
/// From the top of a row to the baseline of its letters.
const BASELINE: u32 = 14;
/// Between the frame and the first cell.
const MARGIN: u32 = 12;
const FONTS: &str = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace";

/// Whether a file of this name is a picture. Every other file is text.
pub(crate) fn is_svg(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

/// The screen as text, a line per row, without trailing blanks.
pub(crate) fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let row: String = spots(buffer, y).iter().map(|spot| harmless(spot.cell.symbol())).collect();
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

/// The screen as a self-contained SVG.
pub(crate) fn svg(buffer: &Buffer, look: PictureTheme) -> String {
    let (width, height) = (u32::from(buffer.area.width) * COLUMN, u32::from(buffer.area.height) * ROW);
    let rows: Vec<Vec<DrawnCell<'_>>> = (buffer.area.top()..buffer.area.bottom()).map(|y| spots(buffer, y)).collect();
    let mut drawn = Vec::new();
    // Backgrounds come first: a letter may extend into the row below.
    for (row, spots) in (0..).zip(&rows) {
        grounds(spots, row * ROW, look, &mut drawn);
    }
    for (row, spots) in (0..).zip(&rows) {
        runs(spots, row * ROW, look, &mut drawn);
    }
    let mut out = head(width, height, look);
    out.push_str(&format!("<g xml:space=\"preserve\" transform=\"translate({MARGIN} {MARGIN})\">\n"));
    drawn.iter().for_each(|element| out.push_str(element));
    out.push_str("</g>\n</svg>\n");
    out
}

/// The beginning of the file, up to the frame around the content.
fn head(width: u32, height: u32, look: PictureTheme) -> String {
    let (outer_width, outer_height) = (width + 2 * MARGIN, height + 2 * MARGIN);
    let (ground, frame) = (look.ground(), look.frame());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{outer_width}\" height=\"{outer_height}\" \
         viewBox=\"0 0 {outer_width} {outer_height}\" role=\"img\" font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\">\n\
         <title>stepback</title>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{ground}\" stroke=\"{frame}\"/>\n",
        outer_width - 1,
        outer_height - 1,
    )
}

/// A cell with content, not one that is covered by a wide character before it.
struct DrawnCell<'a> {
    /// The column, from the left.
    at: u32,
    columns: u32,
    cell: &'a Cell,
}

fn spots(buffer: &Buffer, y: u16) -> Vec<DrawnCell<'_>> {
    let (left, right) = (buffer.area.left(), buffer.area.right());
    let mut found = Vec::new();
    let mut x = left;
    while let Some(cell) = buffer.cell((x, y)).filter(|_| x < right) {
        let columns = u16::try_from(cell.symbol().width()).unwrap_or(1).clamp(1, right - x);
        found.push(DrawnCell { at: u32::from(x - left), columns: u32::from(columns), cell });
        x += columns;
    }
    found
}

/// The look of a cell, with its colours and modifiers resolved.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ink {
    colour: Rgb,
    /// `None` if it is the background of the whole screen.
    ground: Option<Rgb>,
    /// The colour of its underline, if it has one.
    underline: Option<Rgb>,
    modifier: Modifier,
}

impl Ink {
    fn of(cell: &Cell, look: PictureTheme) -> Ink {
        let (mut colour, mut ground) = (look.rgb(cell.fg).unwrap_or(look.text()), look.rgb(cell.bg));
        if cell.modifier.contains(Modifier::REVERSED) {
            (colour, ground) = (ground.unwrap_or(look.ground()), Some(colour));
        }
        if cell.modifier.contains(Modifier::DIM) {
            colour = colour.towards(ground.unwrap_or(look.ground()));
        }
        let underlined = cell.modifier.contains(Modifier::UNDERLINED);
        let line = if cell.underline_color == Color::Reset { None } else { look.rgb(cell.underline_color) };
        let underline = underlined.then(|| line.unwrap_or(colour));
        // Modifiers that are already applied must not make two cells differ.
        let shown = Modifier::BOLD | Modifier::ITALIC | Modifier::CROSSED_OUT | Modifier::HIDDEN;
        Ink { colour, ground, underline, modifier: cell.modifier & shown }
    }

    fn has(self, modifier: Modifier) -> bool {
        self.modifier.contains(modifier)
    }
}

/// The backgrounds that differ from the screen's; neighbours of one colour are merged.
fn grounds(spots: &[DrawnCell<'_>], top: u32, look: PictureTheme, out: &mut Vec<String>) {
    for same in spots.chunk_by(|one, two| Ink::of(one.cell, look).ground == Ink::of(two.cell, look).ground) {
        let (from, columns) = extent(same);
        if let Some(ground) = same.first().and_then(|spot| Ink::of(spot.cell, look).ground) {
            block(from * COLUMN, top, columns * COLUMN, ROW, &ground.to_string(), out);
        }
    }
}

/// The texts of a row; neighbours of one style are merged.
fn runs(spots: &[DrawnCell<'_>], top: u32, look: PictureTheme, out: &mut Vec<String>) {
    for same in spots.chunk_by(|one, two| Ink::of(one.cell, look) == Ink::of(two.cell, look)) {
        let Some(ink) = same.first().map(|spot| Ink::of(spot.cell, look)) else { continue };
        if ink.has(Modifier::HIDDEN) {
            continue;
        }
        let mut pen = Pen::new(top);
        for piece in same.chunk_by(|one, two| is_plain(one.cell.symbol()) && is_plain(two.cell.symbol())) {
            match piece {
                [spot] if !is_plain(spot.cell.symbol()) => match BoxGlyph::of(spot.cell.symbol()) {
                    Some(shape) => pen.draw(shape, spot.at * COLUMN),
                    None => glyph(spot, top, ink, out),
                },
                piece => plain(piece, top, ink, out),
            }
        }
        pen.finish(ink.colour, out);
        let (from, columns) = extent(same);
        if let Some(colour) = ink.underline {
            block(from * COLUMN, top + ROW - 2, columns * COLUMN, 1, &colour.to_string(), out);
        }
        if ink.has(Modifier::CROSSED_OUT) {
            block(from * COLUMN, top + ROW / 2, columns * COLUMN, 1, &ink.colour.to_string(), out);
        }
    }
}

/// ASCII has the right width in every monospaced font, so it is drawn in one piece.
fn is_plain(symbol: &str) -> bool {
    matches!(symbol.as_bytes(), [b' '..=b'~'])
}

fn extent(spots: &[DrawnCell<'_>]) -> (u32, u32) {
    let from = spots.first().map_or(0, |spot| spot.at);
    (from, spots.last().map_or(0, |spot| spot.at + spot.columns - from))
}

/// ASCII text, stretched to its columns on the screen, whatever the font is. A new text begins after two blanks, since
/// not every SVG viewer stretches text.
fn plain(spots: &[DrawnCell<'_>], top: u32, ink: Ink, out: &mut Vec<String>) {
    let all: String = spots.iter().map(|spot| spot.cell.symbol()).collect();
    let (from, y, style) = (extent(spots).0, top + BASELINE, style(ink));
    let mut at = 0;
    for word in all.split("  ") {
        let shown = word.trim();
        if !shown.is_empty() {
            let blanks = word.len() - word.trim_start().len();
            let x = (from + (at + blanks) as u32) * COLUMN;
            let (length, text) = (shown.len() as u32 * COLUMN, escaped(shown));
            out.push(format!(
                "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\"{style}>{text}</text>\n"
            ));
        }
        at += word.len() + 2;
    }
}

/// Other characters may come from a font with other widths, so each is drawn alone, centred in its columns.
fn glyph(spot: &DrawnCell<'_>, top: u32, ink: Ink, out: &mut Vec<String>) {
    if spot.cell.symbol().trim().is_empty() {
        return;
    }
    let (doubled, y) = (spot.at * COLUMN * 2 + spot.columns * COLUMN, top + BASELINE);
    let half = if doubled % 2 == 0 { "" } else { ".5" };
    let (x, style, text) = (doubled / 2, style(ink), escaped(spot.cell.symbol()));
    out.push(format!("<text x=\"{x}{half}\" y=\"{y}\" text-anchor=\"middle\"{style}>{text}</text>\n"));
}

fn style(ink: Ink) -> String {
    let weight = if ink.has(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let slant = if ink.has(Modifier::ITALIC) { " font-style=\"italic\"" } else { "" };
    format!(" fill=\"{}\"{weight}{slant}", ink.colour)
}

fn block(x: u32, y: u32, width: u32, height: u32, fill: &str, out: &mut Vec<String>) {
    out.push(format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\n"));
}

/// Removes characters that control a terminal or are invalid in XML.
fn harmless(symbol: &str) -> String {
    let bad = |character: char| is_hostile(character) || matches!(character, '\u{fffe}' | '\u{ffff}');
    symbol.chars().map(|character| if bad(character) { '\u{fffd}' } else { character }).collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in harmless(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    fn drawn(lines: &[(&str, Style)]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(3, 2, 24, lines.len() as u16));
        for (row, (line, style)) in (2..).zip(lines) {
            buffer.set_string(3, row, line, *style);
        }
        buffer
    }

    /// Fails unless elements are closed in order, attributes are quoted and texts contain no markup.
    pub(super) fn assert_well_formed(svg: &str) {
        let mut open = Vec::new();
        let mut rest = svg;
        while let Some(at) = rest.find('<') {
            let (text, tail) = rest.split_at(at);
            assert_text(text);
            let (tag, after) = tail[1..].split_once('>').expect("an end of the tag");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "closed in order");
                continue;
            }
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(name.bytes().all(|byte| byte.is_ascii_alphabetic()), "{name}");
            let attributes = attributes.trim_end_matches('/');
            assert_eq!(attributes.matches('"').count(), 2 * attributes.matches("=\"").count(), "{tag}");
            assert!(!attributes.contains('<'));
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert_eq!(rest.trim(), "");
        assert!(open.is_empty(), "{open:?}");
    }

    fn assert_text(text: &str) {
        assert!(!text.contains('>'), "{text}");
        for (at, _) in text.match_indices('&') {
            assert!(["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|known| text[at..].starts_with(known)), "{text}");
        }
        assert!(!text.chars().any(|character| is_hostile(character) && character != '\n'), "{text:?}");
    }

    #[test]
    fn text_keeps_columns_and_drops_blanks_at_the_end() {
        let buffer = drawn(&[("a 日本 b", Style::new()), ("", Style::new()), ("  c", Style::new())]);
        assert_eq!(text(&buffer), "a 日本 b\n\n  c\n");
    }

    #[test]
    fn a_picture_is_well_formed_whatever_the_screen_shows() {
        let mut buffer = drawn(&[
            ("<a href=\"x\">&amp; 'q' ]]>", Style::new().fg(Color::Red).bg(Color::Indexed(200))),
            ("┌─ ▁▂█ ─┐│ ╭╮╰╯ ░▒▓ ┼ ▏", Style::new().add_modifier(Modifier::DIM)),
            ("日本 é ✗ 👩‍💻", Style::new().fg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::all() - Modifier::HIDDEN)),
        ]);
        buffer[(3, 4)].set_symbol("\u{1b}[2J\u{202e}\u{ffff}");
        for look in [PictureTheme::Dark, PictureTheme::Light] {
            let picture = svg(&buffer, look);
            assert_well_formed(&picture);
            assert_eq!(picture, svg(&buffer, look));
            assert!(picture.contains("&lt;a href=&quot;x&quot;&gt;&amp;amp;"), "{picture}");
        }
        assert!(!text(&buffer).contains(['\u{1b}', '\u{202e}']));
    }

    #[test]
    fn reversed_cells_swap_the_colours_they_have() {
        let reversed = Style::new().add_modifier(Modifier::REVERSED);
        let picture = svg(&drawn(&[("here", reversed)]), PictureTheme::Dark);
        let (text, ground) = (PictureTheme::Dark.text(), PictureTheme::Dark.ground());
        assert!(picture.contains(&format!("<rect x=\"0\" y=\"0\" width=\"36\" height=\"18\" fill=\"{text}\"/>")));
        assert!(picture.contains(&format!("fill=\"{ground}\">here</text>")), "{picture}");
    }

    #[test]
    fn wide_characters_are_centred_and_shift_nothing() {
        let picture = svg(&drawn(&[("日x", Style::new().bg(Color::Blue))]), PictureTheme::Light);
        assert!(picture.contains("<text x=\"9\" y=\"14\" text-anchor=\"middle\""), "{picture}");
        assert!(picture.contains("<text x=\"18\" y=\"14\" textLength=\"9\""), "{picture}");
        // The cell covered by the wide character has no style, and the background continues below it.
        assert!(picture.contains("width=\"27\" height=\"18\""), "{picture}");
    }

    #[test]
    fn runs_have_one_style_and_columns_are_aligned() {
        let mut buffer = drawn(&[("  one two   x", Style::new())]);
        buffer.set_string(17, 2, "three", Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED));
        let picture = svg(&buffer, PictureTheme::Dark);
        assert!(picture.contains("<text x=\"18\" y=\"14\" textLength=\"63\""), "{picture}");
        assert!(picture.contains("<text x=\"108\" y=\"14\" textLength=\"9\""), "{picture}");
        assert!(picture.contains(">one two</text>") && picture.contains("font-weight=\"bold\">three</text>"));
        assert!(picture.contains("<rect x=\"126\" y=\"16\" width=\"45\" height=\"1\""), "{picture}");
    }

    #[test]
    fn hidden_text_stays_hidden() {
        let picture = svg(&drawn(&[("secret", Style::new().add_modifier(Modifier::HIDDEN))]), PictureTheme::Dark);
        assert!(!picture.contains("secret"));
    }

    #[test]
    fn an_empty_screen_is_a_picture_too() {
        let buffer = Buffer::empty(Rect::new(0, 0, 0, 0));
        assert_well_formed(&svg(&buffer, PictureTheme::Dark));
        assert_eq!(text(&buffer), "");
    }
}
