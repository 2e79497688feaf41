//! Calls of tools and their results, paired by id. A result may come before its call, and both may come twice.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

use super::happening::{Happening, PlannedCall, ResolvedCall};
use crate::agent::block::{CallId, Outcome, ToolCall, ToolResult, Verdict};
use crate::agent::content::canonical_hash;
use crate::agent::poll::is_poll;
use crate::json::raw::RawText;
use crate::json::text::hash_bytes;
use crate::replay::Seq;

/// What is kept of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallPart {
    pub at: Seq,
    /// The number of the tool.
    tool: u32,
    input: u64,
    pub time: Option<i64>,
    pub is_side: bool,
    /// The process that it asks about.
    process: Option<u64>,
}

/// What is kept of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResultPart {
    pub at: Seq,
    pub outcome: Outcome,
    text: u64,
    exit_code: Option<i64>,
    pub time: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct VerdictPart {
    at: Seq,
    outcome: Option<Outcome>,
    exit_code: Option<i64>,
}

/// A call without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenCall {
    pub id: Arc<str>,
    pub tool: Arc<str>,
}

impl OpenCall {
    /// Whether the call asks the user something.
    pub(crate) fn is_question(&self) -> bool {
        matches!(&*self.tool, "AskUserQuestion" | "request_user_input")
    }
}

/// How the calls of one tool ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolTally {
    number: u32,
    pub calls: u32,
    pub failures: u32,
    pub blocked: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    pub calls: OrdMap<u64, CallPart>,
    pub results: OrdMap<u64, ResultPart>,
    verdicts: OrdMap<u64, VerdictPart>,
    /// By the records of the calls.
    pub open: OrdMap<(u32, u64), OpenCall>,
    /// The ids of results without a call so far.
    early: OrdMap<u64, Arc<str>>,
    pub tools: OrdMap<Arc<str>, ToolTally>,
    names: Vector<Arc<str>>,
    pub denials: u64,
}

/// Where a call or result is.
#[derive(Clone, Copy)]
pub(crate) struct CallPlace {
    pub at: Seq,
    pub time: Option<i64>,
    pub is_side: bool,
}

/// The identity of a call. One without an id is known by its record.
fn key(id: CallId<'_>, at: Seq) -> u64 {
    match id {
        CallId::Named(id) => id.hash(),
        CallId::Unnamed => hash_bytes(format!("\0{at}").as_bytes()),
    }
}

fn text(id: CallId<'_>) -> RawText<'_> {
    match id {
        CallId::Named(id) => id,
        CallId::Unnamed => RawText::default(),
    }
}

impl Calls {
    pub(crate) fn knows(&self, id: CallId<'_>, at: Seq) -> bool {
        self.calls.contains_key(&key(id, at))
    }

    pub(crate) fn tool(&self, call: &CallPart) -> Arc<str> {
        self.names.get(call.tool as usize).cloned().unwrap_or_default()
    }

    /// The tool of the call with this id.
    pub(crate) fn tool_of(&self, id: CallId<'_>, at: Seq) -> Option<Arc<str>> {
        self.calls.get(&key(id, at)).map(|call| self.tool(call))
    }

    /// The process that the call with this id asks about.
    pub(crate) fn process_of(&self, id: CallId<'_>, at: Seq) -> Option<u64> {
        self.calls.get(&key(id, at))?.process
    }

    fn number_of(&mut self, tool: RawText<'_>) -> (u32, Arc<str>) {
        let name = tool.get();
        if let Some((name, tally)) = self.tools.get_key_value(&*name) {
            return (tally.number, Arc::clone(name));
        }
        let (number, name) = (self.names.len() as u32, Arc::<str>::from(&*name));
        self.names.push_back(Arc::clone(&name));
        self.tools.insert(Arc::clone(&name), ToolTally { number, ..ToolTally::default() });
        (number, name)
    }

    fn tally(&mut self, tool: &str, change: impl FnOnce(&mut ToolTally)) {
        if let Some(tally) = self.tools.get_mut(tool) {
            change(tally);
        }
    }

    /// A call. Returns whether it is new.
    pub(crate) fn plan<'e>(
        &mut self,
        place: CallPlace,
        call: &ToolCall<'e>,
        tell: &mut impl FnMut(Happening<'e>),
    ) -> bool {
        let (key, id) = (key(call.id, place.at), text(call.id));
        let input = call.input.map_or(0, canonical_hash);
        let (number, tool) = self.number_of(call.name);
        if let Some(known) = self.calls.get(&key) {
            let first = known.at;
            let is_same = known.tool == number && known.input == input;
            tell(match is_same {
                true => Happening::CallReplayed { first },
                false => Happening::CallDuplicated { call: id, tool, first },
            });
            return false;
        }
        let is_poll = is_poll(&tool, call.input);
        let process = polled_process(&tool, call).map(|process| hash_bytes(process.as_bytes()));
        let CallPlace { at, time, is_side } = place;
        self.calls.insert(key, CallPart { at, tool: number, input, time, is_side, process });
        self.tally(&tool, |tally| tally.calls += 1);
        let result = self.results.get(&key).copied();
        if result.is_some() {
            self.early.remove(&key);
        }
        let same = rustc_hash::FxBuildHasher;
        let input = std::hash::BuildHasher::hash_one(&same, (number, input));
        let planned = PlannedCall { key, tool: Arc::clone(&tool), input, is_poll };
        tell(Happening::CallPlanned { planned, had_result: result.is_some() });
        match result {
            Some(result) => self.resolve(key, result, id, tell),
            None => {
                self.open.insert((at.0, key), OpenCall { id: Arc::from(&*id.get()), tool });
            }
        }
        true
    }

    /// A result. Returns whether it is the first one for its call.
    pub(crate) fn answer<'e>(
        &mut self,
        place: CallPlace,
        result: &ToolResult<'e>,
        tell: &mut impl FnMut(Happening<'e>),
    ) -> bool {
        let (key, id) = (key(result.id, place.at), text(result.id));
        let hash = result.content.hash();
        if let Some(known) = self.results.get(&key) {
            let first = known.at;
            tell(match known.text == hash {
                true => Happening::ResultReplayed { first },
                false => Happening::ResultConflicts { call: id, first },
            });
            return false;
        }
        let ToolResult { outcome, exit_code, .. } = *result;
        let part = ResultPart { at: place.at, outcome, text: hash, exit_code, time: place.time };
        self.results.insert(key, part);
        let Some(call) = self.calls.get(&key).copied() else {
            self.early.insert(key, Arc::from(&*id.get()));
            return true;
        };
        self.open.remove(&(call.at.0, key));
        self.resolve(key, part, id, tell);
        true
    }

    /// The program's own report about a call.
    pub(crate) fn report<'e>(&mut self, at: Seq, verdict: &Verdict<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        let (key, id) = (key(verdict.id, at), text(verdict.id));
        let known = self.verdicts.get(&key).copied();
        let part = VerdictPart {
            at,
            outcome: verdict.outcome.or(known.and_then(|known| known.outcome)),
            exit_code: verdict.exit_code.or(known.and_then(|known| known.exit_code)),
        };
        self.verdicts.insert(key, part);
        let Some(result) = self.results.get(&key).copied() else { return };
        // A report that repeats an earlier one changes nothing.
        if known.is_none_or(|known| known.exit_code.is_none()) {
            self.compare_codes(key, result, id, tell);
        }
        if result.outcome == Outcome::Unknown && known.is_none_or(|known| known.outcome.is_none()) {
            self.settle(key, result, tell);
        }
    }

    fn compare_codes<'e>(&self, key: u64, result: ResultPart, call: RawText<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        let Some(verdict) = self.verdicts.get(&key) else { return };
        if let (Some(in_text), Some(in_report)) = (result.exit_code, verdict.exit_code)
            && in_text != in_report
        {
            tell(Happening::StatusConflict { call, result: result.at, report: verdict.at, in_text, in_report });
        }
    }

    /// Both the call and its result are known.
    fn resolve<'e>(&mut self, key: u64, result: ResultPart, id: RawText<'e>, tell: &mut impl FnMut(Happening<'e>)) {
        self.compare_codes(key, result, id, tell);
        self.settle(key, result, tell);
    }

    fn settle<'e>(&mut self, key: u64, result: ResultPart, tell: &mut impl FnMut(Happening<'e>)) {
        let Some(call) = self.calls.get(&key).copied() else { return };
        let (outcome, tool) = (self.outcome(key, &result), self.tool(&call));
        if outcome.is_failure() {
            self.tally(&tool, |tally| tally.failures += 1);
        }
        if outcome == Outcome::Blocked {
            self.denials += 1;
            self.tally(&tool, |tally| tally.blocked += 1);
        }
        let times = call.time.zip(result.time);
        let lasted = times.and_then(|(from, to)| u64::try_from((to - from) / 1_000).ok());
        tell(Happening::Resolved(ResolvedCall { tool, outcome, planned: call.at, result: result.at, lasted }));
    }

    /// The outcome of a call: by its result, or else by the program's report.
    pub(crate) fn outcome(&self, key: u64, result: &ResultPart) -> Outcome {
        match result.outcome {
            Outcome::Unknown => self.verdicts.get(&key).and_then(|verdict| verdict.outcome).unwrap_or(Outcome::Unknown),
            outcome => outcome,
        }
    }

    /// The id of a result without a call.
    pub(crate) fn early_name(&self, key: u64) -> Arc<str> {
        self.early.get(&key).cloned().unwrap_or_default()
    }

    /// The text of a result, by its hash.
    pub(crate) fn text_of(&self, key: u64) -> Option<u64> {
        self.results.get(&key).map(|result| result.text)
    }

    /// The approximate number of entries in its maps.
    pub(crate) fn entries(&self) -> usize {
        self.calls.len()
            + self.results.len()
            + self.verdicts.len()
            + self.open.len()
            + self.early.len()
            + self.tools.len()
    }
}

/// The process that a call asks about.
fn polled_process(tool: &str, call: &ToolCall<'_>) -> Option<String> {
    let name = match tool {
        "write_stdin" => "session_id",
        "wait" => "cell_id",
        _ => return None,
    };
    let input = call.input?;
    let text = input.text().map(RawText::get);
    let object = match &text {
        Some(text) => crate::json::raw::RawJson::of(text.as_bytes())?,
        None => input,
    };
    let value = object.get(name)?;
    Some(
        value
            .text()
            .map_or_else(|| String::from_utf8_lossy(value.bytes()).into_owned(), |text| text.get().into_owned()),
    )
}
