//! `stepback` without a file: the user chooses one of the sessions on this machine.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use color_eyre::eyre;

use super::args::{OptionalInput, ReadOptions};
use super::open::{Opened, open_or_demo};
use crate::picker::fill::Filling;
use crate::picker::list::SessionList;
use crate::picker::place;
use crate::picker::scan::{SessionFile, scan};
use crate::tui::Window;
use crate::tui::config::Config;
use crate::tui::picker as screen;
use crate::tui::picker::state::{Choice, Picker};
use crate::tui::theme::Theme;

/// What was chosen, and the terminal if the question needed it.
pub(super) struct Picked {
    pub window: Option<Window>,
    pub input: OptionalInput,
    pub opened: Opened,
}

fn input_of(file: Option<&Path>) -> OptionalInput {
    OptionalInput { file: file.map(Path::to_owned), reading: ReadOptions::default() }
}

/// Asks the user. Without sessions there is nothing to ask, and the built-in example opens. `None` if the user quits.
pub(super) fn choose(config: &Config, theme: Theme) -> eyre::Result<Option<Picked>> {
    // A configured folder may be on a disk that is not there; the example opens all the same.
    let files = scan(&place::places(&config.sessions)).map(|scanned| scanned.files).unwrap_or_default();
    if files.is_empty() {
        let input = input_of(None);
        let opened = open_or_demo(&input)?;
        return Ok(Some(Picked { window: None, input, opened }));
    }
    let files: Arc<[SessionFile]> = files.into();
    let mut picker = Picker::new(SessionList::new(Arc::clone(&files)), theme, SystemTime::now());
    let filling = Filling::start(files)?;
    let mut window = Window::open()?;
    loop {
        let input = match screen::choose(&mut window, &mut picker, &filling)? {
            Choice::Session(path) => input_of(Some(&path)),
            Choice::Demo => input_of(None),
            Choice::Quit => return Ok(None),
        };
        match open_or_demo(&input) {
            Ok(opened) => return Ok(Some(Picked { window: Some(window), input, opened })),
            Err(error) => picker.message = Some(error.to_string()),
        }
    }
}
