//! A finding on one page: of every dialect, without secrets, without markup from the log, and stepped in a real browser.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::desk::{Desk, ours};

/// A log of each dialect that has a finding.
const LOGS: [&str; 5] = [
    "assets/demo.json",
    "fixtures/tape/damaged-store.tape",
    "fixtures/transfer/leaks.jsonl",
    "fixtures/session/denied-call-ran.jsonl",
    "fixtures/agent/claude-code/conflicting-result.jsonl",
];

fn page(desk: &Desk, log: &Path) -> String {
    let target = desk.path("page.html");
    let _ = fs::remove_file(&target);
    let output = desk.run(&["export", &log.to_string_lossy(), "--html", &target.to_string_lossy()]);
    assert!(output.status.success(), "{}: {}", log.display(), String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(target).expect("a page")
}

fn markdown(desk: &Desk, log: &Path) -> String {
    let output = desk.run(&["export", &log.to_string_lossy(), "--format", "markdown"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The opening tags of a page, without their attributes.
fn tags(page: &str) -> Vec<&str> {
    page.split('<').skip(1).filter_map(|rest| rest.split([' ', '>', '\n']).next()).collect()
}

#[test]
fn findings_of_every_dialect_have_a_page_and_a_comment() {
    let desk = Desk::new();
    for log in LOGS {
        let (page, comment) = (page(&desk, &ours(log)), markdown(&desk, &ours(log)));
        for part in ["default-src 'none'", "expected", "actual", "projection", "effects", "id=\"e0\"", "class=\"named"]
        {
            assert!(page.contains(part), "{log}: {part}");
        }
        for outside in ["http:", "https:", "src=", "url(", "@import"] {
            assert!(!page.contains(outside), "{log}: {outside}");
        }
        for part in ["### ", "| expected |", "| actual |", "<details>", "fingerprint `"] {
            assert!(comment.contains(part), "{log}: {part}\n{comment}");
        }
    }
}

/// Other events are left out, but those that stay are not shortened: the texts tell a person what happened.
#[test]
fn a_page_has_the_events_that_matter_as_they_were_recorded() {
    let desk = Desk::new();
    let (page, comment) = (page(&desk, &ours(LOGS[0])), markdown(&desk, &ours(LOGS[0])));
    for text in [&page, &comment] {
        assert!(text.contains("Updated 2 paths from the index") && text.contains("minimized from 38 events"), "{text}");
    }
}

#[test]
fn a_page_has_no_secret_and_is_never_replaced_unasked() {
    let desk = Desk::new();
    let secret = ours("fixtures/secret/pushed-with-a-token.json");
    let (html, comment) = (page(&desk, &secret), markdown(&desk, &secret));
    for text in [&html, &comment] {
        assert!(!text.contains("ghp_ExampleOnly") && !text.contains("not-a-real-pa55word"), "{text}");
    }
    assert!(html.contains("masked"), "{html}");
    let target = desk.path("page.html");
    let arguments = ["export", &*secret.to_string_lossy(), "--html", &*target.to_string_lossy()];
    let output = desk.run(&arguments);
    assert_eq!(output.status.code(), Some(2), "the page exists");
    assert_eq!(fs::read_to_string(&target).expect("a page"), html);
    assert!(desk.run(&[&arguments[..], &["--force"]].concat()).status.success());
    let clean = desk.run(&[
        "export",
        &ours("fixtures/agent/claude-code/finished.jsonl").to_string_lossy(),
        "--format",
        "markdown",
    ]);
    assert!(String::from_utf8_lossy(&clean.stderr).contains("no finding"), "{clean:?}");
}

/// A log whose texts try to become part of the page.
fn hostile(desk: &Desk) -> String {
    let bad =
        "</pre></section></script><script>alert(1)</script><img src=x onerror=alert(2)> `|` @everyone\u{202e}\u{1b}[2J";
    let events = [
        json!({"event_type": "approval_resolved", "turn_id": bad, "call_id": bad, "verdict": "rejected"}),
        json!({"event_type": "tool_call_finished", "turn_id": bad, "call_id": bad, "tool_name": bad, "outcome": "success",
            "duration_ms": 1, "wrote_state": true}),
    ];
    let log = desk.path("hostile.jsonl");
    fs::write(&log, events.map(|event| format!("{event}\n")).concat()).expect("written");
    log.to_string_lossy().into_owned()
}

#[test]
fn texts_of_a_log_never_become_markup() {
    let desk = Desk::new();
    let log = hostile(&desk);
    let page = page(&desk, Path::new(&log));
    let tags = tags(&page);
    assert!(!tags.contains(&"img"), "{tags:?}");
    assert_eq!(tags.iter().filter(|tag| **tag == "script").count(), 1);
    assert!(!page.contains(['\u{202e}', '\u{1b}']));
    let comment = markdown(&desk, Path::new(&log));
    assert!(!comment.contains(['\u{202e}', '\u{1b}']));
    let is_code = |line: &str| !line.contains("@everyone") || line.contains('`') || line.starts_with("  \"");
    assert!(comment.lines().all(is_code), "{comment}");
}

/// The time that a browser gets for one page.
const PATIENCE: Duration = Duration::from_secs(30);

/// A browser with the processes that it has started; they end with it.
struct Browser(Child);

impl Drop for Browser {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.0.wait();
    }
}

/// The page as a browser has it after its scripts have run; `None` where there is no browser, or none that starts.
fn browsed(desk: &Desk, address: &str) -> Option<String> {
    let profile = desk.path("profile");
    let _ = fs::remove_dir_all(&profile);
    let printed = desk.path("printed.html");
    let mut command = Command::new("chromium");
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .args(["--disable-component-update", "--disable-sync", "--virtual-time-budget=2000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(address)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&printed).expect("a file"))
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut browser = Browser(command.spawn().ok()?);
    let start = Instant::now();
    while browser.0.try_wait().expect("a process").is_none() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(browser);
    fs::read_to_string(printed).ok().filter(|page| page.contains("</html>"))
}

/// The event that the page marks as the current one.
fn current(page: &str) -> Option<&str> {
    let before = &page[..page.find("aria-current=\"step\"")?];
    before.rsplit_once("href=\"#").and_then(|(_, rest)| rest.split('"').next())
}

#[test]
fn a_browser_steps_through_the_page_with_the_arrow_keys() {
    let desk = Desk::new();
    let html = page(&desk, &ours("fixtures/agent/claude-code/conflicting-result.jsonl"));
    let address = |name: &str| format!("file://{}", desk.path(name).display());
    let Some(opened) = browsed(&desk, &address("page.html")) else { return };
    assert_eq!(current(&opened), Some("e1"), "it opens at the finding");
    assert_eq!(current(&browsed(&desk, &format!("{}#e2", address("page.html"))).expect("a page")), Some("e2"));
    // The policy allows no other script, so a copy without it presses the keys.
    let press = |keys: &str| {
        let script = format!(
            "<script>for (const key of [{keys}]) document.dispatchEvent(new KeyboardEvent('keydown', {{key}}));</script></body>"
        );
        let without_policy = html.replace("http-equiv=\"Content-Security-Policy\"", "name=\"none\"");
        fs::write(desk.path("driven.html"), without_policy.replace("</body>", &script)).expect("written");
        let page = browsed(&desk, &address("driven.html")).expect("a page");
        current(&page).map(str::to_owned)
    };
    assert_eq!(press("'ArrowRight'").as_deref(), Some("e2"));
    assert_eq!(press("'ArrowLeft', 'ArrowLeft', 'ArrowLeft'").as_deref(), Some("e0"), "it stops at the first event");
    assert_eq!(press("'Home', 'f', 'f'").as_deref(), Some("e2"), "the second event of the finding");
    // With the policy, the same script does nothing.
    fs::write(desk.path("refused.html"), html.replace("</body>", "<script>document.title = 'broken'</script></body>"))
        .expect("written");
    let refused = browsed(&desk, &address("refused.html")).expect("a page");
    assert!(!refused.contains("<title>broken"), "a foreign script ran");
}
