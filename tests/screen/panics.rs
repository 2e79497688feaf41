//! A panic while the screen is open: the terminal is restored first, and the message is readable.

use std::path::Path;
use std::sync::Arc;

use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::tui::config::Config;
use stepback::tui::host::OpenError;
use stepback::tui::theme::Theme;
use stepback::tui::{self, Launch};

use crate::tests::pty::{CTRL_R, Desk, Window};

/// Which thread panics.
const PANICS: &str = "STEPBACK_TEST_PANICS";

/// Does nothing unless the test below starts it in a terminal: then reopening the log panics.
#[test]
fn the_screen_that_panics() {
    let Some(which) = std::env::var_os(PANICS) else { return };
    color_eyre::install().expect("the hooks of the program");
    let panics = || -> Result<Loaded, OpenError> { panic!("on purpose, and shown in full") };
    let reopen = move || match which == "another" {
        true => std::thread::spawn(panics).join().unwrap_or(Err("the screen goes on".into())),
        false => panics(),
    };
    let log =
        Log::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo.json"), &Options::default()).expect("a log");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    let launch = Launch {
        name: "demo.json".to_owned(),
        dialect: "turn log",
        command: String::new(),
        loaded,
        reopen: Box::new(reopen),
        pack: Default::default(),
        open: Arc::new(|_| Err("no other log".into())),
        compare: None,
        follows: false,
        at: None,
        theme: Theme::default(),
        config: Config::default(),
        trouble: None,
        tour: false,
        family: Default::default(),
        inquire: None,
    };
    tui::run(None, launch, &mut |_, _| Err("no other log".to_owned().into())).expect("a screen");
}

#[test]
fn a_panic_restores_the_terminal_and_is_readable() {
    for which in ["the loop's", "another"] {
        let desk = Desk::new();
        let this = std::env::current_exe().expect("this test");
        let arguments = ["--exact", "tests::screen::panics::the_screen_that_panics", "--nocapture", "--test-threads=1"];
        let mut command = desk.command(this, &arguments);
        command.env(PANICS, which);
        let mut window = Window::open(command, 120, 40);
        window.at("0/37").keys(CTRL_R);
        assert_ne!(window.exit_code(), 0, "{which}");
        window.assert_restored();
        let contents = window.read(vt100::Screen::contents);
        let place = |text: &str| contents.find(text).unwrap_or_else(|| panic!("no {text:?} in:\n{contents}"));
        // The next output is below the message, not over it.
        assert!(place("The application panicked (crashed).") < place("Message:  on purpose, and shown in full"));
        assert!(place("on purpose") < place("screen/panics.rs:") && place("rs:") < place("test result: FAILED"));
    }
}
