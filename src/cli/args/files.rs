//! The arguments of `stepback files`.

use std::str::FromStr;

use clap::Args;

use super::Input;
use crate::replay::target::Target;

#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    #[command(flatten)]
    pub input: Input,

    /// Print this file instead of the list; the end of a path is enough
    pub path: Option<String>,

    /// Look at the files after this place [default: the end of the log]
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, conflicts_with = "diff")]
    pub at: Option<Target>,

    /// Print the event that wrote each line
    #[arg(long, requires = "path", conflicts_with = "diff")]
    pub blame: bool,

    /// Print what changed from one place to another, as a unified diff
    #[arg(long, value_name = "FROM..TO")]
    pub diff: Option<EventStretch>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Two places of a log: `10..50%`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventStretch {
    pub from: Target,
    pub to: Target,
}

impl FromStr for EventStretch {
    type Err = String;

    fn from_str(text: &str) -> Result<EventStretch, String> {
        let (from, to) = text.split_once("..").ok_or_else(|| format!("{text:?} does not have the form FROM..TO"))?;
        let place = |text: &str| text.parse::<Target>().map_err(|error| error.to_string());
        Ok(EventStretch { from: place(from)?, to: place(to)? })
    }
}
