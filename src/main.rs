//! Hooks, arguments, exit code; nothing else.

use stepback::cli::{self, Exit};

fn main() -> Exit {
    if let Err(error) = color_eyre::install() {
        eprintln!("error: {error}");
        return Exit::Trouble;
    }
    cli::run()
}
