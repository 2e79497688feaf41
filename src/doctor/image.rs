//! Images in base64: what they are and how large, from their header alone.
//!
//! Only as many bytes are decoded as the header needs, except for a scan of the characters: an image may take megabytes
//! of a line, and its pixels are of no interest here.

/// The provider's limit for the base64 text of an image.
pub(crate) const MOST_BASE64_BYTES: usize = 5 << 20;
/// The provider's limit for a side of an image.
pub(crate) const MOST_SIDE: u32 = 8000;
/// The same, if there are more than [`MANY_IMAGES`].
pub(crate) const MOST_SIDE_OF_MANY: u32 = 2000;
pub(crate) const MANY_IMAGES: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Image {
    /// The bytes are not an image, or one of another type than the block says.
    Unreadable,
    /// The base64 text has so many bytes.
    TooLong(u32),
    /// The longer side in pixels; 0 if the header does not say.
    Readable { side: u32 },
}

/// Inspects an image. `media_type` is what the block says about it.
pub(crate) fn inspect(media_type: &str, base64: &[u8]) -> Image {
    let text = Base64Image::new(base64);
    let found = text.as_ref().and_then(header);
    match found {
        Some((kind, _)) if kind != media_type => Image::Unreadable,
        None => Image::Unreadable,
        Some(_) if base64.len() > MOST_BASE64_BYTES => Image::TooLong(u32::try_from(base64.len()).unwrap_or(u32::MAX)),
        Some((_, side)) => Image::Readable { side },
    }
}

/// The media type and the longer side.
fn header(text: &Base64Image) -> Option<(&'static str, u32)> {
    let start = text.bytes::<12>(0).or_else(|| text.bytes::<6>(0).map(|six| widened(&six)))?;
    if start.starts_with(b"\x89PNG\r\n\x1a\n") {
        let sides = text.bytes::<8>(16).map(|at| [number(&at[..4]), number(&at[4..])]);
        return Some(("image/png", longer(sides)));
    }
    if start.starts_with(b"GIF87a") || start.starts_with(b"GIF89a") {
        let sides = text.bytes::<4>(6).map(|at| [little(&at[..2]), little(&at[2..])]);
        return Some(("image/gif", longer(sides)));
    }
    if start.starts_with(b"\xff\xd8\xff") {
        return Some(("image/jpeg", jpeg_side(text)));
    }
    if start.starts_with(b"RIFF") && &start[8..12] == b"WEBP" {
        return Some(("image/webp", webp_side(text)));
    }
    None
}

fn widened(six: &[u8; 6]) -> [u8; 12] {
    let mut twelve = [0; 12];
    twelve[..6].copy_from_slice(six);
    twelve
}

fn longer(sides: Option<[u32; 2]>) -> u32 {
    sides.map_or(0, |[one, two]| one.max(two))
}

/// Walks over the segments of a JPEG to the one that begins a frame.
fn jpeg_side(text: &Base64Image) -> u32 {
    let mut at = 2;
    while let Some([0xff, kind, high, low]) = text.bytes::<4>(at) {
        let is_frame = matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            return longer(text.bytes::<4>(at + 5).map(|sides| [number(&sides[..2]), number(&sides[2..])]));
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        // A fill byte, or a segment without a length.
        at += if kind == 0xff { 1 } else { 2 + length.max(1) };
    }
    0
}

fn webp_side(text: &Base64Image) -> u32 {
    let size = |at: usize| text.bytes::<4>(at);
    match text.bytes::<4>(12).as_ref() {
        Some(b"VP8 ") => longer(size(26).map(|at| [little(&at[..2]) & 0x3fff, little(&at[2..]) & 0x3fff])),
        Some(b"VP8L") => longer(size(21).map(|at| {
            let bits = little(&at);
            [(bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1]
        })),
        Some(b"VP8X") => longer(text.bytes::<6>(24).map(|at| [little(&at[..3]) + 1, little(&at[3..]) + 1])),
        _ => 0,
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Valid base64 of which any byte can be read without decoding the others.
struct Base64Image<'a> {
    digits: &'a [u8],
}

impl<'a> Base64Image<'a> {
    fn new(text: &'a [u8]) -> Option<Base64Image<'a>> {
        let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
        let digits = &text[..text.len() - padding];
        let is_valid = padding <= 2 && digits.len() % 4 != 1 && (padding == 0 || text.len().is_multiple_of(4));
        (is_valid && digits.iter().all(|byte| digit(*byte).is_some())).then_some(Base64Image { digits })
    }

    fn byte(&self, at: usize) -> Option<u8> {
        let (group, place) = (at / 3 * 4, at % 3);
        let bits = |offset: usize| digit(*self.digits.get(group + place + offset)?);
        let (high, low) = (bits(0)?, bits(1)?);
        Some(match place {
            0 => high << 2 | low >> 4,
            1 => high << 4 | low >> 2,
            _ => high << 6 | low,
        })
    }

    fn bytes<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        for (offset, byte) in bytes.iter_mut().enumerate() {
            *byte = self.byte(at + offset)?;
        }
        Some(bytes)
    }
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Base64 as the agents write it.
    pub(crate) fn encoded(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut out = String::new();
        for chunk in bytes.chunks(3) {
            let group = number(&[chunk[0], *chunk.get(1).unwrap_or(&0), *chunk.get(2).unwrap_or(&0)]);
            for place in 0..4 {
                let digit = DIGITS[(group >> (18 - 6 * place) & 63) as usize];
                out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
            }
        }
        out
    }

    /// The header of a PNG with these sides.
    pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    fn inspected(media_type: &str, bytes: &[u8]) -> Image {
        inspect(media_type, encoded(bytes).as_bytes())
    }

    #[test]
    fn sides_come_from_the_header() {
        assert_eq!(inspected("image/png", &png(9000, 10)), Image::Readable { side: 9000 });
        assert_eq!(inspected("image/gif", b"GIF89a\x10\x00\x20\x01more"), Image::Readable { side: 288 });
        let jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x01\x00\x02\x00rest";
        assert_eq!(inspected("image/jpeg", jpeg), Image::Readable { side: 512 });
        let webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\x01\x00\x63\x00\x00";
        assert_eq!(inspected("image/webp", webp), Image::Readable { side: 512 });
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x0f\xc0\x07\x00";
        assert_eq!(inspected("image/webp", lossless), Image::Readable { side: 32 });
    }

    #[test]
    fn what_is_not_an_image_is_unreadable() {
        assert_eq!(inspect("image/png", b""), Image::Unreadable);
        assert_eq!(inspect("image/png", b"not base64!!"), Image::Unreadable);
        assert_eq!(inspected("image/png", b"%PDF-1.7 and more"), Image::Unreadable);
        assert_eq!(inspected("image/jpeg", &png(1, 1)), Image::Unreadable, "another type than the block says");
    }

    #[test]
    fn the_text_of_an_image_has_a_limit() {
        let mut large = png(10, 10);
        large.resize(4 << 20, 0);
        assert_eq!(inspected("image/png", &large), Image::TooLong(5_592_408));
    }

    #[test]
    fn headers_that_are_cut_do_not_fail() {
        for bytes in [png(1, 1), b"\xff\xd8\xff\xff\xff\xff".to_vec(), b"GIF89a".to_vec(), b"RIFF1234WEBPVP8 ".to_vec()]
        {
            for length in 0..bytes.len() {
                inspected("image/png", &bytes[..length]);
                inspected("image/webp", &bytes[..length]);
            }
        }
    }
}
