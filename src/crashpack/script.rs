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

/// The variables for the seeds.
pub(crate) fn variables(seeds: &BTreeMap<String, u64>) -> Result<BTreeMap<String, u64>, Clash> {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let mut variables = BTreeMap::new();
    for (name, seed) in seeds {
        let variable = format!("STEPBACK_SEED_{}", folded(name));
        if let Some(one) = owners.insert(variable.clone(), name) {
            return Err(Clash { one: one.to_owned(), other: name.clone(), variable });
        }
        variables.insert(variable, *seed);
    }
    Ok(variables)
}

pub(crate) fn script(variables: &BTreeMap<String, u64>, fingerprint: &str) -> String {
    let mut out = "#!/bin/sh\nset -eu\nCDPATH= cd -- \"$(dirname -- \"$0\")\"\n".to_owned();
    for (name, seed) in variables {
        out.push_str(&format!("export {name}={seed}\n"));
    }
    out.push_str(&format!("exec stepback replay . --expect {}\n", word(fingerprint)));
    out
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
        assert!(variables(&seeds(&["a", "b"])).is_ok());
        let clash = variables(&seeds(&["a.b", "a-b"])).expect_err("one variable");
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
    }
}
