//! The spans of a record's known fields.

use crate::json::scan::{Scanner, ValueShape};
use crate::json::text::Text;
use crate::turn::kind::EventKind;

macro_rules! fields {
    ($($id:ident $parent:ident $name:literal),* $(,)?) => {
        /// A field that the fast path knows. A field with an object is present only as the parent of its members.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum WireField { $($id),* }

        impl WireField {
            pub(crate) const ALL: &'static [WireField] = &[$(WireField::$id),*];
            pub(crate) const COUNT: usize = Self::ALL.len();

            /// The field with this name in `parent`; at the top level the parent is `Record`.
            fn from_name(parent: Parent, name: &str) -> Option<WireField> {
                match (parent, name) { $((Parent::$parent, $name) => Some(WireField::$id),)* _ => None }
            }
        }
    };
}

/// The object that contains a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parent {
    Record,
    RequestFp,
    Usage,
    Decision,
}

fields! {
    EventType Record "event_type",
    TurnId Record "turn_id",
    StepIdx Record "step_idx",
    CallId Record "call_id",
    ToolName Record "tool_name",
    TokenBudget Record "token_budget",
    BlockCount Record "block_count",
    TextPreview Record "text_preview",
    AssistantText Record "assistant_text",
    InputJson Record "input_json",
    WaveIdx Record "wave_idx",
    Outcome Record "outcome",
    DurationMs Record "duration_ms",
    WroteState Record "wrote_state",
    ResultPreview Record "result_preview",
    SessionContent Record "session_content",
    Verdict Record "verdict",
    Kind Record "kind",
    Body Record "text",
    Layer Record "layer",
    QueryKey Record "query_key",
    CompilerSource Record "compiler_source",
    RequestFp Record "request_fp",
    StaticPrefix RequestFp "static_prefix_sha256",
    FullPrefix RequestFp "full_prefix_sha256",
    Usage Record "usage",
    InputTokens Usage "input_tokens",
    OutputTokens Usage "output_tokens",
    Decision Record "decision",
    ApprovalRequired Decision "approval_required",
    ParallelEligible Decision "parallel_eligible",
    ReadOnly Decision "read_only",
}

impl WireField {
    /// The fields whose value is an object with known fields.
    const fn as_parent(self) -> Option<Parent> {
        match self {
            WireField::RequestFp => Some(Parent::RequestFp),
            WireField::Usage => Some(Parent::Usage),
            WireField::Decision => Some(Parent::Decision),
            _ => None,
        }
    }
}

/// The places of the known fields of a record. One table serves all records, because clearing or moving it for each of
/// them would cost as much as filling it.
#[derive(Clone)]
pub(super) struct FieldPlaces {
    found: [(u32, u32, ValueShape); WireField::COUNT],
    /// One bit per field. The place of a field without its bit is that of an earlier record.
    present: u64,
}

impl Default for FieldPlaces {
    fn default() -> Self {
        FieldPlaces { found: [(0, 0, ValueShape::Null); WireField::COUNT], present: 0 }
    }
}

impl FieldPlaces {
    /// Removes all fields. `None` if the offsets of the next record do not fit in 32 bits.
    #[inline]
    pub(super) fn clear(&mut self, record: &str) -> Option<()> {
        self.present = 0;
        u32::try_from(record.len()).is_ok().then_some(())
    }

    /// Finds all fields of a record. Unknown objects and repeated fields are left to the exact path: `None`.
    #[inline]
    pub(super) fn scan(&mut self, scanner: &mut Scanner<'_>) -> Option<()> {
        self.clear(scanner.text())?;
        scanner.go_back(0);
        scanner.skip_blanks();
        self.members(Parent::Record, scanner)?;
        scanner.skip_blanks();
        scanner.is_done().then_some(())
    }

    fn members(&mut self, parent: Parent, scanner: &mut Scanner<'_>) -> Option<()> {
        scanner.take(b'{')?;
        loop {
            let field = WireField::from_name(parent, scanner.key()?);
            match field.and_then(WireField::as_parent) {
                Some(inner) => {
                    self.mark(field?)?;
                    self.members(inner, scanner)?;
                }
                None => {
                    let from = scanner.at();
                    let shape = scanner.value()?;
                    match field {
                        _ if shape == ValueShape::Nested => return None,
                        Some(field) => self.put(field, from, scanner.at(), shape)?,
                        // An unknown field of a record is ignored; one of a nested object may be optional.
                        None if parent == Parent::Record => {}
                        None => return None,
                    }
                }
            }
            if !scanner.more(b'}')? {
                return Some(());
            }
        }
    }

    /// Marks a field as present. `None` if it already was.
    #[inline]
    fn mark(&mut self, field: WireField) -> Option<()> {
        let bit = 1 << field as u64;
        let is_new = self.present & bit == 0;
        self.present |= bit;
        is_new.then_some(())
    }

    /// Stores the place of a field.
    #[inline]
    pub(super) fn put(&mut self, field: WireField, from: usize, to: usize, shape: ValueShape) -> Option<()> {
        self.found[field as usize] = (from as u32, to as u32, shape);
        self.mark(field)
    }

    #[inline]
    fn has(&self, field: WireField) -> bool {
        self.present & (1 << field as u64) != 0
    }

    /// The ranges of the values, in the order of the record.
    pub(super) fn in_order(&self) -> Vec<(usize, usize, WireField)> {
        let is_value = |field: &&WireField| self.has(**field) && field.as_parent().is_none();
        let mut places: Vec<(usize, usize, WireField)> = WireField::ALL
            .iter()
            .filter(is_value)
            .map(|field| {
                let (from, to, _) = self.found[*field as usize];
                (from as usize, to as usize, *field)
            })
            .collect();
        places.sort_unstable_by_key(|place| place.0);
        places
    }
}

/// The known fields of a record.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a, 'p> {
    pub record: &'a str,
    pub places: &'p FieldPlaces,
}

impl<'a> Fields<'a, '_> {
    #[inline]
    pub(super) fn kind(&self) -> Option<EventKind> {
        EventKind::from_name(self.word(WireField::EventType)?)
    }

    #[inline]
    pub(super) fn get(&self, field: WireField) -> Option<(&'a str, ValueShape)> {
        if !self.places.has(field) {
            return None;
        }
        let (from, to, shape) = self.places.found[field as usize];
        Some((&self.record[from as usize..to as usize], shape))
    }

    #[inline]
    pub(super) fn text(&self, field: WireField) -> Option<Text<'a>> {
        match self.get(field)? {
            (quoted, ValueShape::String { escaped: false }) => Some(Text::Plain(&quoted[1..quoted.len() - 1])),
            (quoted, ValueShape::String { escaped: true }) => Some(Text::Escaped(&quoted[1..quoted.len() - 1])),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn text_or_empty(&self, field: WireField) -> Option<Text<'a>> {
        if self.get(field).is_none() { Some(Text::default()) } else { self.text(field) }
    }

    /// A text without escapes, to be matched against known words.
    #[inline]
    pub(super) fn word(&self, field: WireField) -> Option<&'a str> {
        match self.get(field)? {
            (quoted, ValueShape::String { escaped: false }) => Some(&quoted[1..quoted.len() - 1]),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn number(&self, field: WireField) -> Option<u32> {
        match self.get(field)? {
            // The scanner has verified that these are at most fifteen digits.
            (digits, ValueShape::Digits) => {
                let value = digits.bytes().fold(0_u64, |value, digit| value * 10 + u64::from(digit - b'0'));
                u32::try_from(value).ok()
            }
            _ => None,
        }
    }

    #[inline]
    pub(super) fn boolean(&self, field: WireField) -> Option<bool> {
        match self.get(field)?.1 {
            ValueShape::True => Some(true),
            ValueShape::False => Some(false),
            _ => None,
        }
    }
}
