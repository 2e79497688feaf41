//! `replay.sh`: sets the seeds as variables, then runs the command that verifies the pack and reproduces the finding.

use std::collections::BTreeMap;

/// Quotes a word for a shell if necessary.
pub(crate) fn word(text: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+=,".contains(&byte);
    if !text.is_empty() && text.bytes().all(bare) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}

/// A seed's name as part of a variable name.
fn folded(name: &str) -> String {
    let fold = |character: char| if character.is_ascii_alphanumeric() { character.to_ascii_uppercase() } else { '_' };
    let folded: String = name.chars().map(fold).collect();
    match folded.trim_matches('_') {
        "" => "SEED".to_owned(),
        folded => folded.to_owned(),
    }
}

/// Two seeds that would get the same variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    pub one: String,
    pub other: String,
    pub variable: String,
}

/// The beginning of the variables for seeds.
pub(crate) const SEED_PREFIX: &str = "STEPBACK_SEED_";

/// The variables for the seeds.
pub(crate) fn variables(prefix: &str, seeds: &BTreeMap<String, u64>) -> Result<BTreeMap<String, u64>, Clash> {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let mut variables = BTreeMap::new();
    for (name, seed) in seeds {
        let variable = format!("{prefix}{}", folded(name));
        if let Some(one) = owners.insert(variable.clone(), name) {
            return Err(Clash { one: one.to_owned(), other: name.clone(), variable });
        }
        variables.insert(variable, *seed);
    }
    Ok(variables)
}

/// A script is not longer than this.
pub(crate) const LIMIT_BYTES: u64 = 1 << 20;
/// Systems limit the length of one argument. A longer fingerprint is taken from the manifest.
const ARGUMENT_LIMIT_BYTES: usize = 64 << 10;
const BEGINNING: &str = "#!/bin/sh\nset -eu\nCDPATH= cd -- \"$(dirname -- \"$0\")\"\n";

/// A script that verifies the pack and reproduces the finding.
pub(crate) fn script(variables: &BTreeMap<String, u64>, fingerprint: &str) -> String {
    ending_with(variables, &last_line(fingerprint))
}

/// A script for a pack without a finding: it verifies the pack, and that it is still clean.
pub(crate) fn checking_script(variables: &BTreeMap<String, u64>) -> String {
    ending_with(variables, "exec stepback check .\n")
}

fn ending_with(variables: &BTreeMap<String, u64>, last_line: &str) -> String {
    let exports: String = variables.iter().map(|(name, seed)| format!("export {name}={seed}\n")).collect();
    format!("{BEGINNING}{exports}{last_line}")
}

fn last_line(fingerprint: &str) -> String {
    let word = word(fingerprint);
    if word.len() > ARGUMENT_LIMIT_BYTES {
        return "exec stepback replay . --expect\n".to_owned();
    }
    format!("exec stepback replay . --expect {word}\n")
}

/// Whether [`script`] wrote a text for this fingerprint, with any seeds.
pub(crate) fn is_ours(text: &str, fingerprint: &str) -> bool {
    let Some(rest) = text.strip_prefix(BEGINNING) else { return false };
    let Some(exports) = rest.strip_suffix(&last_line(fingerprint)) else { return false };
    let is_export = |line: &str| {
        let Some((name, seed)) =
            line.strip_prefix("export ").and_then(|rest| rest.strip_prefix(SEED_PREFIX)?.split_once('='))
        else {
            return false;
        };
        let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.bytes().all(is_name) && seed.parse::<u64>().is_ok_and(|number| number.to_string() == seed)
    };
    exports.is_empty() || exports.ends_with('\n') && exports.lines().all(is_export)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_names_become_variables() {
        for (name, expected) in [("rng", "RNG"), ("a-b.2", "A_B_2"), ("__x__", "X"), ("é", "SEED"), ("", "SEED")] {
            assert_eq!(folded(name), expected, "{name}");
        }
        let seeds = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), 1)).collect();
        assert!(variables(SEED_PREFIX, &seeds(&["a", "b"])).is_ok());
        let clash = variables(SEED_PREFIX, &seeds(&["a.b", "a-b"])).expect_err("one variable");
        assert_eq!(clash.variable, "STEPBACK_SEED_A_B");
    }

    #[test]
    fn a_fingerprint_is_one_word() {
        assert_eq!(word("turn/x"), "turn/x");
        assert_eq!(word("a 'b' $c"), r#"'a '"'"'b'"'"' $c'"#);
        let seeds = [("STEPBACK_SEED_RNG".to_owned(), u64::MAX)].into();
        let text = script(&seeds, "turn/x call_id=c");
        assert!(text.starts_with("#!/bin/sh\nset -eu\n"));
        assert!(text.contains("\nexport STEPBACK_SEED_RNG=18446744073709551615\n"));
        assert!(text.ends_with("\nexec stepback replay . --expect 'turn/x call_id=c'\n"));
        assert!(is_ours(&text, "turn/x call_id=c") && is_ours(&script(&BTreeMap::new(), "x"), "x"));
        assert!(!is_ours(&text, "turn/x call_id=d"));
        for (from, to) in
            [("exec", "curl x; exec"), ("=184", "=$(id)184"), ("set -eu\n", "set -eu\nid\n"), ("_RNG", "_RNG=1;id ")]
        {
            assert!(!is_ours(&text.replacen(from, to, 1), "turn/x call_id=c"), "{to}");
        }
        let long = script(&BTreeMap::new(), &"x".repeat(200_000));
        assert!(long.len() < 200 && is_ours(&long, &"x".repeat(200_000)));
    }
}
