//! Points in time as the agents write them: `2026-10-01T09:00:20.000Z`.

/// Milliseconds since 1970. `None` if the text is not a date with a time.
pub(crate) fn milliseconds(text: &str) -> Option<i64> {
    let (date, rest) = text.split_once('T')?;
    let mut parts = date.splitn(3, '-');
    let mut number = || parts.next()?.parse::<i64>().ok();
    let (year, month, day) = (number()?, number()?, number()?);
    let is_date = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let zone_at = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone_at);
    let mut parts = clock.splitn(3, ':');
    let (hour, minute) = (parts.next()?.parse::<i64>().ok()?, parts.next()?.parse::<i64>().ok()?);
    let seconds = parts.next().unwrap_or("0").parse::<f64>().ok()?;
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0.0..61.0).contains(&seconds);
    let offset = match zone.as_bytes().first() {
        None | Some(b'Z') => 0,
        Some(sign) => {
            let (hours, minutes) = zone[1..].split_once(':').unwrap_or((&zone[1..], "0"));
            let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
            if !(0..=1440).contains(&minutes) {
                return None;
            }
            if *sign == b'-' { -minutes } else { minutes }
        }
    };
    let whole = ((days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60_000;
    (is_date && is_time).then(|| whole + (seconds * 1000.0).round() as i64)
}

/// Days since 1970 in the Gregorian calendar. Years begin in March here, so that the leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(milliseconds("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(milliseconds("2000-03-01T00:00:00Z"), Some(951_868_800_000));
        assert_eq!(milliseconds("2026-10-01T09:00:20.250Z"), Some(1_790_845_220_250));
        assert_eq!(milliseconds("2026-10-01T11:00:20.250+02:00"), Some(1_790_845_220_250));
        assert_eq!(milliseconds("2026-10-01T09:00"), Some(1_790_845_200_000));
    }

    #[test]
    fn other_texts_are_not_times() {
        for text in [
            "",
            "T",
            "2026-10-01",
            "2026-13-01T00:00:00Z",
            "2026-10-01T25:00:00Z",
            "2026-10-01T09:00:NaN",
            "yesterday T",
            "2026-10-01T09:00:00+é",
        ] {
            assert_eq!(milliseconds(text), None, "{text}");
        }
        assert_eq!(milliseconds("99999999999999999999-01-01T00:00:00Z"), None);
    }
}
