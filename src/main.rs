//! The program: runs the command line and returns its exit code.

use stepback::Exit;

fn main() -> Exit {
    if let Err(error) = color_eyre::install() {
        eprintln!("error: {error}");
        return Exit::Trouble;
    }
    stepback::run()
}
