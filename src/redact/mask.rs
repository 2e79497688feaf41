//! The masker: finds secrets in everything that is shared together, then masks them.
//!
//! A secret that was found once, by its shape or by its name, is masked everywhere by the same [`Masker`]. Equal secrets
//! have equal masks. A mask names the rule, a number and a class of length; nothing in it depends on the secret's
//! characters.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use super::compiled::{BadPattern, CompiledRules};
use super::layer::readable;
use super::loose;
use super::members::MemberNames;
use super::memo::RuleMemo;
use super::pass::{Lens, RedactionPass};
use super::replacement::{Replacement, applied, settled};
use super::secret::{Id, Secrets};
use super::texts::TextBlock;
use super::value::is_random;

/// What is masked in addition to the rules that always apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MaskOptions {
    pub emails: bool,
    /// The names of users in paths of home directories.
    pub homes: bool,
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
    lens: Arc<Lens>,
    secrets: Secrets,
    names: MemberNames,
    memo: RuleMemo,
    removals: RemovalList,
}

/// Removals in little memory, since there may be many.
#[derive(Default)]
struct RemovalList {
    places: TextBlock,
    paths: TextBlock,
    rows: Vec<RemovalRow>,
}

struct RemovalRow {
    place: u32,
    path: u32,
    rule: u32,
    id: u32,
}

/// The rules of a masker. Those without options are compiled once, because that takes as long as masking a whole log.
fn compiled(options: &MaskOptions) -> Result<Arc<Lens>, BadPattern> {
    static WITHOUT_OPTIONS: OnceLock<Arc<Lens>> = OnceLock::new();
    let is_plain = *options == MaskOptions::default();
    if let (true, Some(lens)) = (is_plain, WITHOUT_OPTIONS.get()) {
        return Ok(Arc::clone(lens));
    }
    let rules = CompiledRules::new(options)?;
    let lens = Lens::new(rules).map_err(|error| BadPattern {
        pattern: String::new(),
        column: 1,
        reason: error.to_string(),
    })?;
    let lens = Arc::new(lens);
    Ok(if is_plain { Arc::clone(WITHOUT_OPTIONS.get_or_init(|| lens)) } else { lens })
}

impl Masker {
    pub(crate) fn new(options: &MaskOptions) -> Result<Masker, BadPattern> {
        let lens = compiled(options)?;
        let secrets = Secrets::new(lens.rules.names().to_vec());
        Ok(Masker {
            lens,
            secrets,
            names: MemberNames::default(),
            memo: RuleMemo::default(),
            removals: RemovalList::default(),
        })
    }

    /// The first pass, over every record, payload and file: finds secrets and changes nothing. `place` names what the
    /// bytes are, for the lists.
    pub(crate) fn look(&mut self, place: &str, bytes: &[u8]) {
        self.secrets.forget_search();
        self.pass(place, &readable(bytes), false);
    }

    /// Like [`Masker::look`], for a text that is masked in pieces. Each word of a secret that may be in several of them is a
    /// secret of its own, unless it could be any word.
    pub(crate) fn look_at_parts(&mut self, place: &str, text: &str) {
        self.secrets.forget_search();
        for edit in settled(self.pass(place, text, true)) {
            let Some(taken) = edit.taken.first() else { continue };
            for part in loose::parts(&text[edit.range]).filter(|part| is_random(part)) {
                self.secrets.id(part, taken.rule, place);
            }
        }
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
    pub(crate) fn removals(&self) -> impl ExactSizeIterator<Item = Removal> {
        self.removals.rows.iter().map(|row| Removal {
            place: self.removals.places.get(row.place).to_owned(),
            path: self.removals.paths.get(row.path).to_owned(),
            rule: self.lens.rules.name(row.rule as usize).to_owned(),
            length_class: self.secrets.length_class(row.id as Id),
            mask: self.secrets.mask(row.id as Id),
        })
    }

    /// How often each rule masked something.
    pub(crate) fn removals_by_rule(&self) -> BTreeMap<&str, usize> {
        let mut rules = BTreeMap::new();
        for row in &self.removals.rows {
            *rules.entry(self.lens.rules.name(row.rule as usize)).or_default() += 1;
        }
        rules
    }

    /// Every secret that was found, by the numbers of the masks. Some are parts of others, and their masks may not occur.
    pub(crate) fn found(&self) -> impl ExactSizeIterator<Item = FoundSecret> {
        (0..self.secrets.len()).map(|id| FoundSecret {
            mask: self.secrets.mask(id),
            rule: self.lens.rules.name(self.secrets.rule(id)).to_owned(),
            length_class: self.secrets.length_class(id),
            first_at: self.secrets.first_at(id).to_owned(),
        })
    }

    /// Whether a secret was found that is not spared.
    pub(crate) fn hides_something(&self) -> bool {
        (0..self.secrets.len()).any(|id| !self.secrets.is_spared(id))
    }

    /// Leaves the secret of this mask unmasked, or masks it again. It is used to find out which mask removed a finding;
    /// output that is written in the meantime must not be shared.
    pub(crate) fn spare(&mut self, mask: &str, spared: bool) {
        self.secrets.spare(mask, spared);
    }

    /// Clears the list before everything is masked again, for instance with other secrets spared.
    pub(crate) fn forget_removals(&mut self) {
        self.removals = RemovalList::default();
    }

    fn pass(&mut self, place: &str, text: &str, needs_paths: bool) -> Vec<Replacement> {
        let (secrets, names, memo) = (&mut self.secrets, &mut self.names, &mut self.memo);
        let mut pass = RedactionPass { lens: &self.lens, secrets, names, memo, place, needs_paths };
        pass.text(text, &String::new, 0)
    }

    fn list(&mut self, place: &str, edits: &[Replacement]) {
        let mut taken = edits.iter().flat_map(|edit| &edit.taken).peekable();
        if taken.peek().is_none() {
            return;
        }
        let place = self.clean(place);
        let place = self.removals.places.push(&place);
        for taken in taken {
            let path = if taken.path.is_empty() { ".".to_owned() } else { self.clean(&taken.path) };
            let path = self.removals.paths.push(&path);
            self.removals.rows.push(RemovalRow { place, path, rule: taken.rule as u32, id: taken.id as u32 });
        }
    }

    /// Masks secrets in the names of files and members.
    fn clean(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (range, id) in self.secrets.occurrences(text).into_iter().rev() {
            out.replace_range(range, &self.secrets.mask(id));
        }
        out
    }
}
