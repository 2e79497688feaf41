//! The user's configuration: a TOML file that is accepted as a whole or not at all.

mod load;
mod parse;

pub(crate) use load::load;
pub(crate) use parse::Config;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use parse::parse;
