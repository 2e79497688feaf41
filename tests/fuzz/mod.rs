//! Fuzz targets: laws that hold for any bytes.
//!
//! `tests/fuzz/run` searches for bytes that break a law, guided by coverage. `cargo test --lib fuzz` tries the inputs
//! that are kept here: the seeds in `corpus/TARGET` and every past finding in `findings/TARGET`.

#![allow(clippy::expect_used, clippy::panic, reason = "a target stops at the first surprise")]
#![cfg_attr(not(feature = "fuzzing"), allow(unreachable_pub, reason = "only the driver uses it from outside"))]

pub(crate) mod agent;
mod archive;
mod commands;
mod compare;
mod compressed;
mod condition;
mod container;
pub(crate) mod doctor;
mod log;
mod minimize;
mod outline;
mod pack;
mod redact;
#[cfg(test)]
mod replayed;
mod screen;
mod sqlite;
mod text;

/// A law that holds for any bytes.
pub struct Target {
    /// The name of its folders below `corpus` and `findings`.
    pub name: &'static str,
    /// What it asserts.
    pub holds: &'static str,
    /// Panics if the bytes break the law.
    pub run: fn(&[u8]),
}

pub static TARGETS: &[Target] = &[
    Target {
        name: "log",
        holds: "a log of any dialect reads the same twice, in pieces, by walking and by seeking",
        run: log::target,
    },
    Target {
        name: "container",
        holds: "records mean the same as lines, as an array, between blank lines and in envelopes",
        run: container::target,
    },
    Target {
        name: "compressed",
        holds: "compressed bytes are decompressed or refused, the same in pieces of any size",
        run: compressed::target,
    },
    Target {
        name: "agent",
        holds: "a session of a coding agent with gaps is checked like one whose gaps are closed",
        run: agent::target,
    },
    Target {
        name: "outline",
        holds: "an outline from the beginning and the end of a session says what the whole session says, or nothing",
        run: outline::target,
    },
    Target { name: "decode", holds: "fast and exact decoders and scanners agree", run: container::decoders },
    Target {
        name: "folder",
        holds: "commands on a folder of logs, sidecars, stores and crashpacks print the same twice, and only clean text",
        run: commands::target,
    },
    Target {
        name: "pack",
        holds: "a crashpack without damage is what its manifest lists; no link leads out of it",
        run: pack::target,
    },
    Target {
        name: "sqlite",
        holds: "a damaged database never panics, and rows mean the same as lines",
        run: sqlite::target,
    },
    Target {
        name: "condition",
        holds: "a filter ends within its budget, with the same answer whoever asks",
        run: condition::target,
    },
    Target { name: "redact", holds: "no planted secret is left; JSON stays JSON", run: redact::target },
    Target { name: "export", holds: "a redacted crashpack opens intact and has every record", run: redact::export },
    Target { name: "minimize", holds: "a minimized log still reports its finding", run: minimize::target },
    Target { name: "compare", holds: "an alignment covers both logs, and a log equals itself", run: compare::target },
    Target { name: "screen", holds: "whatever is typed, no control character of a log is drawn", run: screen::target },
    Target { name: "text", holds: "escaped text is harmless and fits its width", run: text::target },
    Target {
        name: "doctor",
        holds: "a repaired session has no error, and every line that was not edited; repairing it again changes nothing",
        run: doctor::target,
    },
    Target { name: "settings", holds: "configurations and bookmarks are read or refused", run: text::settings },
];
