//! Fixed colours for pictures of the screen, readable on a dark or a light background.

use std::fmt;

use ratatui::style::Color;

/// The background of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureTheme {
    Dark,
    Light,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rgb(pub u8, pub u8, pub u8);

impl fmt::Display for Rgb {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl Rgb {
    const fn hex(hex: u32) -> Rgb {
        Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
    }

    /// Dimmed: a third of the way to the background.
    pub(crate) fn towards(self, ground: Rgb) -> Rgb {
        let mix = |from: u8, to: u8| ((u32::from(from) * 2 + u32::from(to)) / 3) as u8;
        Rgb(mix(self.0, ground.0), mix(self.1, ground.1), mix(self.2, ground.2))
    }
}

/// In the order of terminals: black, red, green, yellow, blue, magenta, cyan, white, then the bright ones. The colour
/// that would be invisible on the background (black on dark, white on light) is adjusted.
const DARK: [u32; 16] = [
    0x6a7280, 0xf4766d, 0x7bc275, 0xdcb455, 0x6cb0f6, 0xcf94ec, 0x56c2cd, 0xb9bfc9, //
    0x8b93a1, 0xff938a, 0x9adf94, 0xf0cc74, 0x93c8ff, 0xe2b3fa, 0x7edbe4, 0xffffff,
];
const LIGHT: [u32; 16] = [
    0x24292f, 0xc62828, 0x1a7033, 0x8a6100, 0x0b5fc4, 0x8b3fc2, 0x0b6b7d, 0x5d6570, //
    0x6b7480, 0xb3261e, 0x11632a, 0x7d5600, 0x0a52a8, 0x7a2fb0, 0x075e6e, 0x868f99,
];

impl PictureTheme {
    pub(crate) const fn ground(self) -> Rgb {
        match self {
            PictureTheme::Dark => Rgb::hex(0x16181d),
            PictureTheme::Light => Rgb::hex(0xffffff),
        }
    }

    pub(crate) const fn text(self) -> Rgb {
        match self {
            PictureTheme::Dark => Rgb::hex(0xd7dae0),
            PictureTheme::Light => Rgb::hex(0x1f2328),
        }
    }

    /// The border of the picture.
    pub(crate) const fn frame(self) -> Rgb {
        match self {
            PictureTheme::Dark => Rgb::hex(0x3a3f48),
            PictureTheme::Light => Rgb::hex(0xd0d7de),
        }
    }

    /// The background of a pressed key.
    pub(crate) fn highlight(self) -> Rgb {
        self.ansi(3)
    }

    /// `None` for the default colour of the terminal.
    pub(crate) fn rgb(self, colour: Color) -> Option<Rgb> {
        Some(match colour {
            Color::Reset => return None,
            Color::Black => self.ansi(0),
            Color::Red => self.ansi(1),
            Color::Green => self.ansi(2),
            Color::Yellow => self.ansi(3),
            Color::Blue => self.ansi(4),
            Color::Magenta => self.ansi(5),
            Color::Cyan => self.ansi(6),
            Color::Gray => self.ansi(7),
            Color::DarkGray => self.ansi(8),
            Color::LightRed => self.ansi(9),
            Color::LightGreen => self.ansi(10),
            Color::LightYellow => self.ansi(11),
            Color::LightBlue => self.ansi(12),
            Color::LightMagenta => self.ansi(13),
            Color::LightCyan => self.ansi(14),
            Color::White => self.ansi(15),
            Color::Rgb(red, green, blue) => Rgb(red, green, blue),
            Color::Indexed(index) => self.indexed(index),
        })
    }

    fn ansi(self, index: u8) -> Rgb {
        let table = match self {
            PictureTheme::Dark => &DARK,
            PictureTheme::Light => &LIGHT,
        };
        Rgb::hex(table[usize::from(index % 16)])
    }

    /// Sixteen named colours, a cube with six shades per side, then greys.
    fn indexed(self, index: u8) -> Rgb {
        let shade = |level: u8| if level == 0 { 0 } else { 55 + 40 * level };
        match index {
            0..=15 => self.ansi(index),
            16..=231 => {
                let cube = index - 16;
                Rgb(shade(cube / 36), shade(cube / 6 % 6), shade(cube % 6))
            }
            232..=255 => {
                let grey = 8 + 10 * (index - 232);
                Rgb(grey, grey, grey)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast ratio of the accessibility guidelines: 1 is none, 21 is black on white.
    fn contrast(one: Rgb, two: Rgb) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let light = |Rgb(red, green, blue)| 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
        let (one, two) = (light(one) + 0.05, light(two) + 0.05);
        (one / two).max(two / one)
    }

    #[test]
    fn every_colour_is_readable_on_its_background() {
        for look in [PictureTheme::Dark, PictureTheme::Light] {
            for index in 0..16 {
                let least = if matches!(index, 0 | 7 | 8 | 15) { 3.0 } else { 4.5 };
                let found = contrast(look.ansi(index), look.ground());
                assert!(found >= least, "{look:?} {index}: {found:.2}");
            }
            let dim = look.text().towards(look.ground());
            assert!(contrast(dim, look.ground()) >= 4.5, "{look:?}: {:.2}", contrast(dim, look.ground()));
        }
    }

    #[test]
    fn colours_by_number_are_those_of_terminals() {
        let rgb = |index| PictureTheme::Dark.rgb(Color::Indexed(index));
        assert_eq!(rgb(1), PictureTheme::Dark.rgb(Color::Red));
        assert_eq!((rgb(16), rgb(231)), (Some(Rgb(0, 0, 0)), Some(Rgb(255, 255, 255))));
        assert_eq!((rgb(208), rgb(255)), (Some(Rgb(255, 135, 0)), Some(Rgb(238, 238, 238))));
        assert_eq!(PictureTheme::Dark.rgb(Color::Reset), None);
    }
}
