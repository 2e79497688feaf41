//! `query --by`: prints how often each value occurs among the events that match.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use crate::cli::paint::{Paint, clean};
use crate::cli::print;
use crate::replay::tally::{Tally, text_of};

#[derive(Serialize)]
struct TallyRow<'v> {
    /// Null for events without a value.
    value: &'v Value,
    count: u64,
}

pub(super) fn print(tally: &Tally, json: bool, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let rows = tally.rows();
    let columns = rows.iter().map(|(_, count)| count.to_string().len()).max().unwrap_or(0);
    for (value, count) in rows {
        if json {
            print::line(&TallyRow { value, count }, out)?;
            continue;
        }
        let text = clean(&text_of(value));
        let text = if value.is_null() { paint.dim(&text) } else { text };
        writeln!(out, "{count:>columns$}  {text}")?;
    }
    Ok(())
}
