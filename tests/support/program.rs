//! The built program in a terminal.

use portable_pty::CommandBuilder;

use super::pty::{Desk, Window};

impl Desk {
    pub(crate) fn stepback(&self, arguments: &[&str]) -> CommandBuilder {
        self.command(env!("CARGO_BIN_EXE_stepback"), arguments)
    }

    /// The program on a screen of 120 columns and 40 rows.
    pub(crate) fn open(&self, arguments: &[&str]) -> Window {
        Window::open(self.stepback(arguments), 120, 40)
    }
}
