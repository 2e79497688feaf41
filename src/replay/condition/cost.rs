//! The cost of reading whole values of filters, drawn from the budget of the run before jaq does the work.
//!
//! A value may share parts with itself: `reduce range(60) as $i (0; [., .])` is small in memory and endless when it is
//! walked over. So costs are counted by walking, and the walk ends with the budget.

use jaq_json::{Num, Val};

use super::meter::{draw, draw_bytes, draw_json};

/// Draws for reading or writing all of a value.
pub(super) fn measure(value: &Val) {
    match value {
        Val::Null | Val::Bool(_) | Val::Num(Num::Int(_) | Num::Float(_)) => draw(1),
        Val::Num(Num::BigInt(_)) => draw(4),
        Val::Num(Num::Dec(digits)) => draw_json(digits.len()),
        Val::TStr(text) | Val::BStr(text) => draw_json(text.len()),
        Val::Arr(items) => {
            draw(1);
            items.iter().for_each(measure);
        }
        Val::Obj(members) => {
            draw(1);
            for (key, member) in members.iter() {
                measure(key);
                measure(member);
            }
        }
    }
}

/// Whether two values are equal. Draws as much as it takes to find their order.
pub(super) fn equal(one: &Val, two: &Val) -> bool {
    match (one, two) {
        (Val::TStr(text) | Val::BStr(text), Val::TStr(other) | Val::BStr(other)) => {
            draw_bytes(text.len().min(other.len()));
            one == two
        }
        (Val::Arr(items), Val::Arr(others)) => {
            draw(1);
            items.iter().zip(others.iter()).all(|(one, two)| equal(one, two)) && items.len() == others.len()
        }
        // Members are ordered by their keys, which are sorted first.
        (Val::Obj(members), Val::Obj(others)) if !members.is_empty() && !others.is_empty() => {
            measure(one);
            measure(two);
            one == two
        }
        _ => {
            draw(1);
            one == two
        }
    }
}
