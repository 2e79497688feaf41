//! Lines and blocks as shapes. As letters they would leave gaps, since few fonts make them exactly as high as a row.

use super::palette::Rgb;

/// The size of a cell. A column is 0.6 of the font's size, as in nearly every monospaced font.
pub(crate) const COLUMN: u32 = 9;
pub(crate) const ROW: u32 = 18;

/// The sides of its cell that a line reaches: up, right, down, left.
type Arms = [bool; 4];

const ARMS: &str = "─0101│1010┌0110┐0011└1100┘1001├1110┤1011┬0111┴1101┼1111╴0001╵1000╶0100╷0010";
const HEAVY: &str = "━0101┃1010┏0110┓0011┗1100┛1001┣1110┫1011┳0111┻1101╋1111╸0001╹1000╺0100╻0010";
const ROUND: &str = "╭0110╮0011╰1100╯1001";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BoxGlyph {
    Line {
        arms: Arms,
        is_heavy: bool,
    },
    /// A rounded corner.
    Bend(Arms),
    /// In eighths of the cell: left, top, right, bottom; and its opacity in quarters.
    Block {
        edges: [u32; 4],
        quarters: u32,
    },
}

impl BoxGlyph {
    /// `None` for letters.
    pub(crate) fn of(symbol: &str) -> Option<BoxGlyph> {
        let mut characters = symbol.chars();
        let character = characters.next().filter(|first| !first.is_ascii() && characters.next().is_none())?;
        let line = |arms, is_heavy| BoxGlyph::Line { arms, is_heavy };
        arms_in(ARMS, character)
            .map(|arms| line(arms, false))
            .or_else(|| arms_in(HEAVY, character).map(|arms| line(arms, true)))
            .or_else(|| arms_in(ROUND, character).map(BoxGlyph::Bend))
            .or_else(|| block(character))
    }
}

fn arms_in(table: &str, wanted: char) -> Option<Arms> {
    let mut sides = table.chars().skip_while(|character| *character != wanted).skip(1).map(|side| side == '1');
    Some([sides.next()?, sides.next()?, sides.next()?, sides.next()?])
}

fn block(character: char) -> Option<BoxGlyph> {
    let (edges, quarters) = match character {
        '▀' => ([0, 0, 8, 4], 4),
        // From one eighth at the bottom to all of them.
        '▁'..='█' => ([0, 8 - (character as u32 - '▁' as u32 + 1), 8, 8], 4),
        // From seven eighths at the left to one.
        '▉'..='▏' => ([0, 0, 7 - (character as u32 - '▉' as u32), 8], 4),
        '▐' => ([4, 0, 8, 8], 4),
        '░'..='▓' => ([0, 0, 8, 8], character as u32 - '░' as u32 + 1),
        '▔' => ([0, 0, 8, 1], 4),
        '▕' => ([7, 0, 8, 8], 4),
        _ => return None,
    };
    Some(BoxGlyph::Block { edges, quarters })
}

/// Collects the shapes of one style in one row, so that each kind is one element.
pub(crate) struct Pen {
    top: u32,
    light: String,
    heavy: String,
    /// Rectangles by opacity, in quarters.
    blocks: [String; 4],
    /// The ends of the last horizontal line, while it may continue.
    level: Option<(u32, u32)>,
}

impl Pen {
    pub(crate) fn new(top: u32) -> Pen {
        Pen { top, light: String::new(), heavy: String::new(), blocks: Default::default(), level: None }
    }

    pub(crate) fn draw(&mut self, shape: BoxGlyph, x: u32) {
        match shape {
            BoxGlyph::Line { arms: [false, true, false, true], is_heavy: false } => {
                let from = self.level.filter(|(_, end)| *end == x).map(|(from, _)| from);
                if from.is_none() {
                    self.end_level();
                }
                self.level = Some((from.unwrap_or(x), x + COLUMN));
            }
            BoxGlyph::Line { arms, is_heavy } => {
                let path = self.lines(arms, x);
                if is_heavy { &mut self.heavy } else { &mut self.light }.push_str(&path);
            }
            BoxGlyph::Bend(arms) => self.bend(arms, x),
            BoxGlyph::Block { edges, quarters } => {
                let [left, top, right, bottom] = edges;
                // Eighths of a column or row need at most three decimals.
                let across = |eighths| eighth(x * 8 + eighths * COLUMN);
                let down = |eighths| eighth(self.top * 8 + eighths * ROW);
                let (x0, x1, y0, y1) = (across(left), across(right), down(top), down(bottom));
                let path = format!("M{x0} {y0}H{x1}V{y1}H{x0}Z");
                self.blocks[quarters.clamp(1, 4) as usize - 1].push_str(&path);
            }
        }
    }

    /// The middle of a cell is in the middle of a pixel, so that thin lines are sharp.
    fn middle(&self, x: u32) -> (String, String) {
        (format!("{}.5", x + COLUMN / 2), format!("{}.5", self.top + ROW / 2 - 1))
    }

    fn lines(&self, arms: Arms, x: u32) -> String {
        let (middle_x, middle_y) = self.middle(x);
        let (right, bottom) = (x + COLUMN, self.top + ROW);
        let [up, to_right, down, to_left] = arms;
        let mut path = String::new();
        if up || down {
            let from = if up { self.top.to_string() } else { middle_y.clone() };
            let to = if down { bottom.to_string() } else { middle_y.clone() };
            path.push_str(&format!("M{middle_x} {from}V{to}"));
        }
        if to_left || to_right {
            let from = if to_left { x.to_string() } else { middle_x.clone() };
            let to = if to_right { right.to_string() } else { middle_x };
            path.push_str(&format!("M{from} {middle_y}H{to}"));
        }
        path
    }

    fn bend(&mut self, [up, to_right, _, _]: Arms, x: u32) {
        let (middle_x, middle_y) = self.middle(x);
        let from = if up { self.top } else { self.top + ROW };
        let to = if to_right { x + COLUMN } else { x };
        self.light.push_str(&format!("M{middle_x} {from}Q{middle_x} {middle_y} {to} {middle_y}"));
    }

    fn end_level(&mut self) {
        if let Some((from, to)) = self.level.take() {
            let (_, y) = self.middle(from);
            self.light.push_str(&format!("M{from} {y}H{to}"));
        }
    }

    pub(crate) fn finish(mut self, colour: Rgb, out: &mut Vec<String>) {
        self.end_level();
        for (path, width) in [(&self.light, 1), (&self.heavy, 2)].into_iter().filter(|(path, _)| !path.is_empty()) {
            out.push(format!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"square\"/>\n"
            ));
        }
        for (path, opacity) in self.blocks.iter().zip(["0.25", "0.5", "0.75", "1"]) {
            if !path.is_empty() {
                out.push(format!("<path d=\"{path}\" fill=\"{colour}\" fill-opacity=\"{opacity}\"/>\n"));
            }
        }
    }
}

/// A number of eighths as a decimal, without rounding.
fn eighth(eighths: u32) -> String {
    let part = ["", ".125", ".25", ".375", ".5", ".625", ".75", ".875"][eighths as usize % 8];
    format!("{}{part}", eighths / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(symbols: &str) -> String {
        let mut pen = Pen::new(18);
        for (column, symbol) in (0..).zip(symbols.chars()) {
            pen.draw(BoxGlyph::of(&symbol.to_string()).expect("a shape"), column * COLUMN);
        }
        let mut out = Vec::new();
        pen.finish(Rgb(0, 0, 0), &mut out);
        out.concat()
    }

    #[test]
    fn lines_meet_at_the_edges_of_their_cells() {
        assert!(path("┌──┐").contains("M9 26.5H27"), "{}", path("┌──┐"));
        assert!(path("┌──┐").contains("M4.5 26.5V36M4.5 26.5H9"));
        assert!(path("│").contains("M4.5 18V36"));
        assert!(path("╰").contains("M4.5 18Q4.5 26.5 9 26.5"));
        assert!(path("┃").contains("stroke-width=\"2\""));
    }

    #[test]
    fn blocks_fill_their_part_of_the_cell() {
        assert!(path("█").contains("M0 18H9V36H0Z"));
        assert!(path("▄").contains("M0 27H9V36H0Z"));
        assert!(path("▁").contains("M0 33.75H9V36H0Z"));
        assert!(path("▏").contains("M0 18H1.125V36H0Z"), "{}", path("▏"));
        assert!(path("▓").contains("fill-opacity=\"0.75\""));
        assert_eq!(
            (BoxGlyph::of("x"), BoxGlyph::of("·"), BoxGlyph::of("0"), BoxGlyph::of("──")),
            (None, None, None, None)
        );
    }
}
