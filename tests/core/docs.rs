//! docs/ and the tables of the library.

use std::fs;
use std::path::Path;

use stepback::tui::config;

#[test]
fn the_documented_configuration_is_valid_and_complete() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let page = fs::read_to_string(path).expect("a page").replace("\r\n", "\n");
    let part = page.split_once("<!-- config:begin -->").and_then(|(_, rest)| rest.split_once("<!-- config:end -->"));
    let block = part
        .expect("a block between the markers")
        .0
        .trim()
        .strip_prefix("```toml\n")
        .and_then(|rest| rest.strip_suffix("```"))
        .expect("a TOML block");
    let config = config::parse(block).unwrap_or_else(|fault| panic!("{fault:?}"));
    assert!(config.theme.is_some() && config.ascii.is_some() && config.mouse.is_some());
    assert!(config.detail_rows.is_some() && !config.pinned.is_empty() && !config.sessions.is_empty());
}
