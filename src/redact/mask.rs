//! The masker: finds secrets in everything that is shared together, then masks them.
//!
//! A secret that was found once, by its shape or by its name, is masked everywhere by the same [`Masker`]. Equal secrets
//! have equal masks. A mask names the rule, a number and a class of length; nothing in it depends on the secret's
//! characters.

use std::borrow::Cow;

use serde::Serialize;

use super::compiled::{BadPattern, CompiledRules};
use super::layer::readable;
use super::pass::{Lens, RedactionPass};
use super::replacement::{Replacement, applied, settled};
use super::secret::Secrets;

/// What is masked in addition to the rules that always apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MaskOptions {
    pub emails: bool,
    /// Regular expressions. Their groups are masked; without a group, the whole match.
    pub patterns: Vec<String>,
}

/// Where a secret was masked, and why; never the secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Removal {
    #[serde(rename = "where")]
    pub place: String,
    /// A jq path, through JSON in strings and other encodings.
    pub path: String,
    pub rule: String,
    pub length_class: &'static str,
    pub mask: String,
}

/// A secret that was found, for the review before sharing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FoundSecret {
    pub mask: String,
    pub rule: String,
    pub length_class: &'static str,
    /// Where it was found first.
    pub first_at: String,
}

pub(crate) struct Masker {
    lens: Lens,
    secrets: Secrets,
    removals: Vec<Removal>,
}

impl Masker {
    pub(crate) fn new(options: &MaskOptions) -> Result<Masker, BadPattern> {
        let rules = CompiledRules::new(options.emails, &options.patterns)?;
        let lens = Lens::new(rules).map_err(|error| BadPattern {
            pattern: String::new(),
            column: 1,
            reason: error.to_string(),
        })?;
        Ok(Masker { lens, secrets: Secrets::default(), removals: Vec::new() })
    }

    /// The first pass, over every record, payload and file: finds secrets and changes nothing. `place` names what the
    /// bytes are, for the lists.
    pub(crate) fn look(&mut self, place: &str, bytes: &[u8]) {
        self.secrets.forget_search();
        self.pass(place, &readable(bytes), false);
    }

    /// The second pass. JSON stays JSON, and every byte outside of a mask stays as it is. A secret that the first pass did
    /// not see is masked where a rule matches, and not searched for elsewhere.
    pub(crate) fn apply<'b>(&mut self, place: &str, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let edits = self.edits(place, &readable(bytes));
        if edits.is_empty() { Cow::Borrowed(bytes) } else { Cow::Owned(applied(bytes, &edits)) }
    }

    /// The replacements that [`Masker::apply`] would make, in order. They are listed as removals.
    pub(super) fn edits(&mut self, place: &str, text: &str) -> Vec<Replacement> {
        if !self.secrets.is_searched() {
            self.secrets.prepare();
        }
        let edits = settled(self.pass(place, text, true));
        self.list(place, &edits);
        edits
    }

    /// Everything that [`Masker::apply`] masked, in order.
    pub(crate) fn removals(&self) -> &[Removal] {
        &self.removals
    }

    /// Every secret that was found, by the numbers of the masks. Some are parts of others, and their masks may not occur.
    pub(crate) fn found(&self) -> Vec<FoundSecret> {
        let all = self.secrets.all().iter();
        all.map(|secret| FoundSecret {
            mask: secret.mask.clone(),
            rule: self.lens.rules.name(secret.rule).to_owned(),
            length_class: secret.length_class,
            first_at: secret.first_at.clone(),
        })
        .collect()
    }

    /// Leaves the secret of this mask unmasked, or masks it again. It is used to find out which mask removed a finding;
    /// output that is written in the meantime must not be shared.
    pub(crate) fn spare(&mut self, mask: &str, spared: bool) {
        self.secrets.spare(mask, spared);
    }

    /// Clears the list before everything is masked again, for instance with other secrets spared.
    pub(crate) fn forget_removals(&mut self) {
        self.removals.clear();
    }

    fn pass(&mut self, place: &str, text: &str, needs_paths: bool) -> Vec<Replacement> {
        let mut pass = RedactionPass { lens: &self.lens, secrets: &mut self.secrets, place, needs_paths };
        pass.text(text, &String::new, 0)
    }

    fn list(&mut self, place: &str, edits: &[Replacement]) {
        let place = self.clean(place);
        for taken in edits.iter().flat_map(|edit| &edit.taken) {
            let secret = self.secrets.get(taken.id);
            let path = if taken.path.is_empty() { ".".to_owned() } else { self.clean(&taken.path) };
            self.removals.push(Removal {
                place: place.clone(),
                path,
                rule: self.lens.rules.name(taken.rule).to_owned(),
                length_class: secret.length_class,
                mask: secret.mask.clone(),
            });
        }
    }

    /// Masks secrets in the names of files and members.
    fn clean(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (range, id) in self.secrets.occurrences(text).into_iter().rev() {
            out.replace_range(range, &self.secrets.get(id).mask);
        }
        out
    }
}
