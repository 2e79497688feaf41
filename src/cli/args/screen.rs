//! The arguments for the look of the screen.

use std::path::PathBuf;

use clap::Args;

use crate::tui::script::KeyScript;
use crate::tui::theme::Palette;

/// Options for the look of the screen.
#[derive(Clone, Debug, Args)]
pub(crate) struct ScreenArgs {
    /// Use these colours instead of the configured ones
    #[arg(long, value_name = "NAME", value_parser = PALETTES)]
    pub theme: Option<String>,

    /// Draw the screen with ASCII characters only
    #[arg(long)]
    pub ascii: bool,

    /// Save the screen to this file instead of opening it: `.svg` as a picture, any other name as text
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,

    /// Press these keys first, and save the screen after each: `.svg` as an animation, any other name as text
    ///
    /// Keys have the names that `stepback keys` lists. Text in double quotes is typed; `1.5s` or `800ms` after
    /// a key shows its screen for that long instead of one second.
    #[arg(long, value_name = "KEYS", requires = "screenshot")]
    pub keys: Option<KeyScript>,

    /// Set the size of the saved screen
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "120x40", requires = "screenshot", value_parser = size)]
    pub size: (u16, u16),

    /// Overwrite the file of the saved screen
    #[arg(long, requires = "screenshot")]
    pub force: bool,

    /// Save the screen as it looks on a light terminal; the live screen uses the colours of the terminal
    #[arg(long = "screenshot-light", alias = "light", requires = "screenshot")]
    pub light: bool,
}

const PALETTES: [&str; 3] = {
    let [one, two, three] = Palette::ALL;
    [one.0, two.0, three.0]
};

/// The largest size of a saved screen. It is limited because every cell takes memory.
const SIZE_MOST: u16 = 1000;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected columns and rows, each from 1 to {SIZE_MOST}, such as 120x40")]
struct InvalidSize;

fn size(text: &str) -> Result<(u16, u16), InvalidSize> {
    let size = text.split_once('x').and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
    let limits = 1..=SIZE_MOST;
    size.filter(|(columns, rows)| limits.contains(columns) && limits.contains(rows)).ok_or(InvalidSize)
}
