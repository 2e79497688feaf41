//! The core for all dialects: checks and findings, the pass over a log, any moment of it, and the state of the
//! debugger.
//!
//! - A dialect implements [`machine`] and lists its words in [`vocabulary`]; a [`caption`] is an event as a row of a
//!   list. Records come from a [`source`].
//! - Findings: [`check`], [`finding`], [`damage`], [`meeting`].
//! - The timeline: [`pass`] fills [`shared`] ([`index`] in [`mod@column`]s, [`keyframes`], [`postings`] of writers),
//!   and [`timeline`] builds [`moment`]s from it, reading [`group`]s of records again. [`shared_map`] keeps states
//!   small, and a [`shown_field`] is how a part of one is shown. [`check_pass`] runs the checks alone.
//! - Navigation: [`debugger`] holds the playhead, [`utterance`] is an entry of the conversation, [`target`] a place as
//!   the user writes it; [`search`] (over [`lines`] of text) and [`condition`] find events, [`bookmark`] remembers
//!   them, and a [`note`] comments on them.
//! - What-if: [`variant`] is a log with changes; [`relink`] closes the gaps that they leave. For comparing two runs: an [`imprint`] of each event, and the
//!   [`chain`] of all records in the index.
//!
//! Pure: no IO, no clock, no `Result`. Bad data is an event and a finding, never an error.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr))]

pub(crate) mod bookmark;
pub(crate) mod caption;
pub(crate) mod chain;
pub(crate) mod check;
pub(crate) mod check_pass;
pub(crate) mod chunk;
pub(crate) mod column;
pub(crate) mod condition;
pub(crate) mod damage;
pub(crate) mod debugger;
pub(crate) mod direction;
pub(crate) mod ending;
pub(crate) mod event_search;
pub(crate) mod family;
pub(crate) mod finding;
pub(crate) mod group;
pub(crate) mod imprint;
pub(crate) mod index;
pub(crate) mod keyframes;
pub(crate) mod lines;
pub(crate) mod log_writer;
pub(crate) mod machine;
pub(crate) mod meeting;
pub(crate) mod moment;
pub(crate) mod note;
pub(crate) mod pass;
pub(crate) mod postings;
pub(crate) mod recap;
pub(crate) mod record_pass;
pub(crate) mod relink;
pub(crate) mod search;
pub(crate) mod shared;
pub(crate) mod shared_map;
pub(crate) mod shown_field;
pub(crate) mod source;
pub(crate) mod tally;
pub(crate) mod target;
pub(crate) mod time_shares;
pub(crate) mod timeline;
pub(crate) mod utterance;
pub(crate) mod variant;
pub(crate) mod vocabulary;

use serde::{Deserialize, Serialize};

/// The position of an event in its log; records that cannot be decoded count, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seq(pub u32);

impl std::fmt::Display for Seq {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

/// Where a record is in its file, for display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1; 0 if the container has rows instead of lines.
    pub line: u64,
    /// The byte offset, or the row id if there are no lines.
    pub byte: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(out, "row {}", self.byte),
            line => write!(out, "line {line}, byte {}", self.byte),
        }
    }
}
