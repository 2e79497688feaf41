//! Path candidates: whether a tool's input names a file. A rough guess by design; its quirks are those of the format.

use serde_json::Value;

const PATH_KEYS: [&str; 6] = ["path", "file", "dir", "cwd", "workspace", "root"];
const EXTENSIONS: [&str; 26] = [
    "rs", "toml", "md", "txt", "json", "yaml", "yml", "ts", "tsx", "js", "jsx", "py", "go", "java", "c", "cc", "cpp",
    "h", "hpp", "sh", "bash", "zsh", "sql", "html", "css", "scss",
];
/// A shell command longer than this is not searched for paths.
const SHELL_TEXT_LIMIT_BYTES: usize = 400;
/// Longer extensions are not part of the token.
const EXTENSION_LIMIT_BYTES: usize = 8;

/// Whether any string inside `input` counts as a path for `tool`.
pub(crate) fn touches(tool: &str, input: &Value) -> bool {
    // An explicit stack, because the log is not trusted and may be nested deeply.
    let mut open = vec![(None, input)];
    while let Some((key, value)) = open.pop() {
        match value {
            Value::String(text) if text_qualifies(tool, key, text) => {
                return true;
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (key, item))),
            Value::Object(members) => open.extend(members.iter().map(|(key, value)| (Some(key.as_str()), value))),
            _ => {}
        }
    }
    false
}

/// Whether a string counts as a path, given its nearest key.
pub(crate) fn text_qualifies(tool: &str, key: Option<&str>, text: &str) -> bool {
    key.is_some_and(key_is_path_like)
        || (looks_like_path(text) && has_token(text))
        || (tool == "exec_shell" && text.len() < SHELL_TEXT_LIMIT_BYTES && has_token(text))
}

pub(crate) fn key_is_path_like(key: &str) -> bool {
    let contains =
        |part: &str| key.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()));
    key.eq_ignore_ascii_case("target") || PATH_KEYS.iter().any(|part| contains(part))
}

fn looks_like_path(text: &str) -> bool {
    let text = text.trim();
    if text.contains(['/', '\\']) {
        return true;
    }
    match text.rfind('.') {
        Some(dot) if dot > 0 && text != ".." => {
            let extension = &text[dot + 1..];
            EXTENSIONS.contains(&extension)
        }
        _ => false,
    }
}

const fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

fn has_token(text: &str) -> bool {
    let bytes = text.as_bytes();
    let joined = |part: &[u8]| is_path_byte(part[0]) && matches!(part[1], b'/' | b'\\') && is_path_byte(part[2]);
    if bytes.windows(3).any(joined) {
        return true;
    }
    bytes.split(|byte| !is_path_byte(*byte)).any(run_has_token)
}

/// Whether a maximal run of path characters contains a path, tried at each of its dotted tokens.
fn run_has_token(run: &[u8]) -> bool {
    let mut rest = run;
    loop {
        let is_dot = |&at: &usize| rest[at] == b'.' && rest.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        let Some(dot) = (1..rest.len()).rev().find(is_dot) else {
            return false;
        };
        let extension =
            rest[dot + 1..].iter().take(EXTENSION_LIMIT_BYTES).take_while(|byte| byte.is_ascii_alphanumeric());
        let end = dot + 1 + extension.count();
        // The run is ASCII, so it can be cut anywhere.
        if std::str::from_utf8(&rest[..end]).is_ok_and(looks_like_path) {
            return true;
        }
        rest = &rest[end..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, input: &str, expected: bool) {
        let value = serde_json::from_str(input).expect("test input is JSON");
        assert_eq!(touches(tool, &value), expected, "{tool} {input}");
    }

    #[test]
    fn the_documented_examples_hold() {
        check("t", r#"{"path":""}"#, true);
        check("t", r#"{"q":"main.rs"}"#, true);
        check("t", r#"{"q":"see main.rs now"}"#, false);
        check("exec_shell", r#"{"q":"see main.rs now"}"#, true);
        check("t", r#"{"q":".rs"}"#, false);
        check("t", r#"{"q":"..rs"}"#, true);
        check("t", r#"{"q":"foo.rs-bak"}"#, false);
        check("exec_shell", r#"{"q":"foo.rs-bak"}"#, true);
        check("t", r#"{"q":"x.json5"}"#, false);
        check("t", r#"{"q":"https://h/x"}"#, true);
        check("t", r#"{"q":"src/файл.rs"}"#, false);
        check("t", r#"{"q":"a/"}"#, false);
        check("t", r#"{"profile":1,"direction":["x"]}"#, true);
        check("t", r#"{"targets":"x"}"#, false);
        check("t", r#"{"target":"x"}"#, true);
        check("t", r#""main.rs""#, true);
    }
}
