//! The arguments of `stepback export`.

use std::path::PathBuf;

use clap::Args;

use super::Input;

#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub input: Input,

    /// The folder to write; it must not exist, or be empty
    #[arg(short, long, value_name = "DIR", required_unless_present = "review")]
    pub output: Option<PathBuf>,

    /// The finding that the pack is about: its fingerprint, its number as `check` prints it, or a check's id; without it
    /// the first of the highest severity
    #[arg(long, value_name = "FINGERPRINT|N")]
    pub finding: Option<String>,

    /// Add the smallest log that reports the same finding
    #[arg(long)]
    pub minimize: bool,

    /// Hide secrets; the finding must still be there without them
    #[arg(long)]
    pub redact: bool,

    /// Hide e-mail addresses, too
    #[arg(long, requires = "redact")]
    pub redact_emails: bool,

    /// Hide what matches, too: its groups, or all of it where it has none (may be repeated)
    #[arg(long, value_name = "REGEX", requires = "redact")]
    pub redact_pattern: Vec<String>,

    /// Leave the text of this mask as it is, as `--review` names it (may be repeated)
    #[arg(long, value_name = "MASK", requires = "redact")]
    pub spare: Vec<String>,

    /// List what would be hidden, by place and rule, and write nothing
    #[arg(long, requires = "redact", conflicts_with_all = ["output", "minimize"])]
    pub review: bool,

    /// A seed of the run, for `replay.sh` and the evidence ledger (may be repeated)
    #[arg(long, value_name = "NAME=N", value_parser = seed)]
    pub seed: Vec<(String, u64)>,

    /// Something else worth keeping with the evidence (may be repeated)
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub meta: Vec<(String, String)>,

    /// Replace a folder that is not empty
    #[arg(long)]
    pub force: bool,

    /// Print what was packed as JSON
    #[arg(long)]
    pub json: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write a name, `=` and a value".to_owned()),
    }
}

fn seed(text: &str) -> Result<(String, u64), String> {
    let (name, value) = pair(text)?;
    let number = value.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))?;
    Ok((name, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_name_and_a_number() {
        assert_eq!(seed("rng=18446744073709551615"), Ok(("rng".to_owned(), u64::MAX)));
        for text in ["rng", "=1", "rng=-1", "rng=1.5", "rng=18446744073709551616"] {
            assert!(seed(text).is_err(), "{text}");
        }
        assert_eq!(pair("note=a=b"), Ok(("note".to_owned(), "a=b".to_owned())));
    }
}
