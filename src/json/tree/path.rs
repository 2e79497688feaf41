//! The path of a row as a jq filter that returns its value.

use super::{Called, Tree};

pub(super) fn of(tree: &Tree, row: usize) -> String {
    let mut way = vec![row];
    while let Some(parent) = way.last().and_then(|row| tree.parent(*row)) {
        way.push(parent);
    }
    let mut out = String::new();
    // At its start, and after `fromjson |`, a path needs a dot.
    let mut is_fresh = true;
    for row in way.into_iter().rev() {
        match tree.called(row) {
            Called::Nothing => {}
            Called::Index(index) => {
                begin(&mut out, &mut is_fresh, true);
                out.push_str(&format!("[{index}]"));
            }
            Called::Key(key) => {
                let key: String = key.collect();
                let is_plain = is_identifier(&key);
                begin(&mut out, &mut is_fresh, !is_plain);
                if is_plain {
                    out.push('.');
                    out.push_str(&key);
                } else {
                    out.push('[');
                    quote(&key, &mut out);
                    out.push(']');
                }
            }
        }
        if tree.is_in_string(row) {
            if is_fresh {
                begin(&mut out, &mut is_fresh, true);
            }
            out.push_str(" | fromjson");
            is_fresh = true;
        }
    }
    if out.is_empty() { ".".to_owned() } else { out }
}

/// Starts a path if there is none; `dot` if the next step does not bring its own.
fn begin(out: &mut String, is_fresh: &mut bool, dot: bool) {
    if !*is_fresh {
        return;
    }
    if !out.is_empty() {
        out.push_str(" | ");
    }
    if dot {
        out.push('.');
    }
    *is_fresh = false;
}

fn is_identifier(key: &str) -> bool {
    let begins = key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    begins && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn quote(key: &str, out: &mut String) {
    out.push('"');
    for character in key.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            character if character.is_control() => out.push_str(&format!("\\u{:04x}", character as u32)),
            character => out.push(character),
        }
    }
    out.push('"');
}
