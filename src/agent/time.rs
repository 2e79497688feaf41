//! Times of records, as microseconds since 1970.

use crate::json::raw::RawText;

/// Reads an ISO 8601 time such as `2026-10-11T09:00:25.255Z`. A time without a zone counts as UTC.
pub(crate) fn microseconds(text: RawText<'_>) -> Option<i64> {
    let text = text.get();
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = bytes.get(from..to)?;
        digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
    };
    let is = |at: usize, expected: &[u8]| bytes.get(at).is_some_and(|byte| expected.contains(byte));
    if !(is(4, b"-") && is(7, b"-") && is(10, b"T ") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 61;
    if !is_in_range {
        return None;
    }
    let mut rest = &bytes[19..];
    let mut fraction = 0;
    if let Some(digits) = rest.strip_prefix(b".") {
        let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        for place in 0..6 {
            fraction =
                fraction * 10 + digits.get(place).filter(|_| place < length).map_or(0, |digit| i64::from(digit - b'0'));
        }
        rest = &digits[length..];
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - zone(rest)?;
    Some(seconds * 1_000_000 + fraction)
}

/// The offset of a time zone in seconds.
fn zone(text: &[u8]) -> Option<i64> {
    let (sign, rest) = match text {
        b"" | b"Z" | b"z" => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let digits: Vec<i64> =
        rest.iter().filter(|byte| **byte != b':').map(|byte| i64::from(byte.wrapping_sub(b'0'))).collect();
    match digits[..] {
        [a, b, c, d] if digits.iter().all(|digit| *digit < 10) => {
            Some(sign * ((a * 10 + b) * 3_600 + (c * 10 + d) * 60))
        }
        _ => None,
    }
}

/// In the Gregorian calendar; years begin in March here, so that a leap day is the last day of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_fractions_and_zones() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:00:00.5Z", Some(951_825_600_500_000)),
            ("2026-10-11T09:00:25.255Z", Some(1_791_709_225_255_000)),
            ("2026-10-11T11:00:25.255+02:00", Some(1_791_709_225_255_000)),
            ("2026-10-11T09:00:25.2551234567Z", Some(1_791_709_225_255_123)),
            ("2026-10-11 09:00:25", Some(1_791_709_225_000_000)),
            ("2026-13-11T09:00:25Z", None),
            ("2026-10-11T09:00", None),
            ("2026-10-11T09:00:25X", None),
            ("[trimmed for fixture]", None),
            ("", None),
        ] {
            assert_eq!(microseconds(RawText::plain(text)), expected, "{text}");
        }
    }
}
