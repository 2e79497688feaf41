//! Turns: what began each one, and how it ended.

use std::sync::Arc;

use super::happening::Happening;
use crate::agent::block::{Stop, TurnEnd};
use crate::agent::format::TurnEnds;
use crate::json::raw::RawText;
use crate::replay::Seq;

/// What began a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnBy {
    Prompt,
    Command,
    /// A message about a task in the background.
    Notification,
    /// The model answered and no turn was open.
    Implied,
}

impl TurnBy {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            TurnBy::Prompt => "prompt",
            TurnBy::Command => "command",
            TurnBy::Notification => "notification",
            TurnBy::Implied => "implied",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TurnOutcome {
    Completed,
    Interrupted,
    Error,
    /// Another turn followed before this one had ended.
    Stopped,
    /// The log ends before the turn does.
    Open,
    RolledBack,
    /// The program stopped it, for a reason of its own.
    Aborted(Arc<str>),
}

impl TurnOutcome {
    pub(crate) fn name(&self) -> &str {
        match self {
            TurnOutcome::Completed => "completed",
            TurnOutcome::Interrupted => "interrupted",
            TurnOutcome::Error => "error",
            TurnOutcome::Stopped => "stopped",
            TurnOutcome::Open => "open",
            TurnOutcome::RolledBack => "rolled_back",
            TurnOutcome::Aborted(reason) => reason,
        }
    }
}

/// What a turn said or did last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LastWord {
    #[default]
    Nothing,
    Text,
    Call,
    Result,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub at: Seq,
    pub id: Option<Arc<str>>,
    pub by: TurnBy,
    /// The user stopped it after the model's last message.
    pub is_interrupted: bool,
    pub has_failed: bool,
    pub last: LastWord,
    pub stop: Stop,
    pub has_model: bool,
    pub steps: u32,
}

/// Why a turn is closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closing {
    Stated,
    Next,
    EndOfLog,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turns {
    pub count: u32,
    pub current: Option<Turn>,
    pub last_outcome: Option<TurnOutcome>,
    /// A command that is a turn only if the model answers.
    pending: Option<(Seq, Option<Arc<str>>)>,
}

/// How the file states the ends of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndRules {
    pub ends: TurnEnds,
    /// Whether beginnings and ends of turns are in the file.
    pub logs_turns: bool,
}

impl EndRules {
    fn are_stated(self) -> bool {
        self.ends == TurnEnds::Stated && self.logs_turns
    }
}

impl Turns {
    /// Begins a turn, and closes the one before.
    pub(crate) fn begin<'e>(
        &mut self,
        at: Seq,
        id: Option<Arc<str>>,
        by: TurnBy,
        rules: EndRules,
        tell: &mut impl FnMut(Happening<'e>),
    ) {
        self.pending = None;
        if let Some(turn) = &self.current
            && rules.are_stated()
        {
            tell(Happening::TurnUnfinished { began: turn.at, id: turn.id.clone() });
        }
        self.close(Closing::Next, None, rules, tell);
        self.count += 1;
        self.current = Some(Turn {
            at,
            id,
            by,
            is_interrupted: false,
            has_failed: false,
            last: LastWord::Nothing,
            stop: Stop::Unstated,
            has_model: false,
            steps: 0,
        });
        tell(Happening::TurnBegan { by });
    }

    /// A beginning that the file states. The same turn may be announced again.
    pub(crate) fn begin_stated<'e>(
        &mut self,
        at: Seq,
        id: Option<RawText<'_>>,
        rules: EndRules,
        tell: &mut impl FnMut(Happening<'e>),
    ) {
        let open = self.current.as_ref().and_then(|turn| turn.id.as_deref());
        if let (Some(open), Some(id)) = (open, id)
            && id.is(open)
        {
            return;
        }
        self.begin(at, id.map(|id| Arc::from(&*id.get())), TurnBy::Prompt, rules, tell);
    }

    /// Remembers a command, which becomes a turn when the model answers.
    pub(crate) fn wait_for_answer(&mut self, at: Seq, id: Option<Arc<str>>) {
        self.pending = Some((at, id));
    }

    /// The command before was for the program, not for the model.
    pub(crate) fn forget_command(&mut self) {
        self.pending = None;
    }

    /// The model answers for the first time in a new message.
    pub(crate) fn answer<'e>(&mut self, at: Seq, rules: EndRules, tell: &mut impl FnMut(Happening<'e>)) {
        if let Some((began, id)) = self.pending.take() {
            self.begin(began, id, TurnBy::Command, rules, tell);
        } else if self.current.is_none() {
            self.begin(at, None, TurnBy::Implied, rules, tell);
        }
        if let Some(turn) = &mut self.current {
            turn.has_model = true;
            turn.steps += 1;
        }
    }

    /// A line of the model, whether or not its message is new.
    pub(crate) fn model_line(&mut self, stop: Stop) {
        if let Some(turn) = &mut self.current {
            turn.is_interrupted = false;
            turn.has_failed = false;
            turn.has_model = true;
            turn.stop = stop;
        }
    }

    pub(crate) fn model_item(&mut self) {
        self.current.iter_mut().for_each(|turn| turn.has_model = true);
    }

    pub(crate) fn said(&mut self, last: LastWord) {
        self.current.iter_mut().for_each(|turn| turn.last = last);
    }

    pub(crate) fn interrupt(&mut self) {
        self.current.iter_mut().for_each(|turn| turn.is_interrupted = true);
    }

    pub(crate) fn fail(&mut self) {
        self.current.iter_mut().for_each(|turn| turn.has_failed = true);
    }

    /// An end that the file states.
    pub(crate) fn end<'e>(&mut self, end: TurnEnd<'_>, rules: EndRules, tell: &mut impl FnMut(Happening<'e>)) {
        let outcome = match end {
            TurnEnd::Unstated => None,
            TurnEnd::Completed => Some(TurnOutcome::Completed),
            TurnEnd::Failed(_) => Some(TurnOutcome::Error),
            TurnEnd::Aborted(reason) if reason.is("interrupted") => Some(TurnOutcome::Interrupted),
            TurnEnd::Aborted(reason) => Some(TurnOutcome::Aborted(Arc::from(&*reason.get()))),
            TurnEnd::RolledBack if self.current.is_none() => return,
            TurnEnd::RolledBack => Some(TurnOutcome::RolledBack),
        };
        tell(Happening::TurnEnded);
        self.close(Closing::Stated, outcome, rules, tell);
    }

    fn close<'e>(
        &mut self,
        why: Closing,
        stated: Option<TurnOutcome>,
        rules: EndRules,
        tell: &mut impl FnMut(Happening<'e>),
    ) {
        let Some(turn) = self.current.take() else { return };
        let outcome = stated.unwrap_or_else(|| turn.outcome(why, rules));
        self.last_outcome = Some(outcome.clone());
        tell(Happening::TurnClosed { outcome });
    }

    /// The turn that is open, and how it ended if the log ends here.
    pub(crate) fn at_end(&self, rules: EndRules) -> Option<(&Turn, TurnOutcome)> {
        self.current.as_ref().map(|turn| (turn, turn.outcome(Closing::EndOfLog, rules)))
    }
}

impl Turn {
    fn outcome(&self, why: Closing, rules: EndRules) -> TurnOutcome {
        let unfinished = if why == Closing::Next { TurnOutcome::Stopped } else { TurnOutcome::Open };
        if rules.are_stated() {
            return unfinished;
        }
        if self.is_interrupted {
            return TurnOutcome::Interrupted;
        }
        if self.has_failed {
            return TurnOutcome::Error;
        }
        // Where ends are never stated, nothing speaks against one.
        let is_over = why == Closing::Stated || rules.ends == TurnEnds::Stated || self.has_answered();
        if is_over { TurnOutcome::Completed } else { unfinished }
    }

    /// Whether the model has said its last word in this turn, as far as its messages show.
    pub(crate) fn has_answered(&self) -> bool {
        let is_last_word = match self.last {
            LastWord::Text => true,
            // Only thoughts were written down.
            LastWord::Nothing => self.has_model,
            LastWord::Call | LastWord::Result => false,
        };
        is_last_word && self.stop != Stop::Other
    }
}
