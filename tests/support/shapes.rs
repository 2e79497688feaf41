//! Texts that are pathological for pattern matching.

/// Texts of a given size that contain no secret.
pub(super) const SHAPES: [fn(usize) -> Vec<u8>; 20] = [
    |n| b"[".repeat(n),
    |n| [b"[".repeat(n), b"]".repeat(n)].concat(),
    |n| [br#"{"a":"#.repeat(n / 5), b"1".to_vec(), b"}".repeat(n / 5)].concat(),
    |n| b"\\".repeat(n),
    |n| format!("\"{}\"", "\\\\".repeat(n / 2)).into_bytes(),
    |n| b"%25".repeat(n / 3),
    |n| b"QUFB".repeat(n / 4),
    |n| b"\xff{\"".repeat(n / 3),
    |n| b"password".repeat(n / 8),
    |n| b"token= ".repeat(n / 7),
    |n| b"-----BEGIN PRIVATE KEY-----".repeat(n / 27),
    |n| b"a://b:c".repeat(n / 7),
    |n| b"{}\n[\n".repeat(n / 5),
    |n| br"\ud800\u".repeat(n / 8),
    |n| b"\x1b[3\x1b[0m2m".repeat(n / 11),
    |n| br"\\x1b[1m\x1b[".repeat(n / 14),
    |n| b"PASSWORD=a,".repeat(n / 11),
    |n| b"token:\n \"\\".repeat(n / 10),
    |n| b"a://b:c@".repeat(n / 8),
    |n| [br#"[{"value":"x1","#.to_vec(), br#""name":"token","#.repeat(n / 15), br#""z":1}]"#.to_vec()].concat(),
];
