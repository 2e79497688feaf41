//! Notes from a sidecar about an event or a range of events.

use super::Seq;

/// What a note asks the debugger to do at its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoteRequest {
    /// Stop here, as at a bookmark.
    Stop,
    /// Skip it.
    Skip,
    /// Nothing: the note is only displayed.
    Nothing,
}

/// One note. Its texts come from a file: escape them before printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub at: Seq,
    /// The last event of the range that the note is about.
    pub until: Seq,
    /// Its name in the sidecar; may be empty.
    pub id: String,
    /// The kind of the note, in a word.
    pub kind: &'static str,
    pub asks: NoteRequest,
    pub text: String,
}

/// The notes of one log, sorted by event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    list: Vec<Note>,
    /// The events to skip, ascending.
    skipped: Vec<u32>,
}

impl Notes {
    pub(crate) fn of(mut list: Vec<Note>) -> Notes {
        list.sort_by_key(|note| (note.at, note.until));
        let mut skipped: Vec<u32> =
            list.iter().filter(|note| note.asks == NoteRequest::Skip).map(|note| note.at.0).collect();
        skipped.dedup();
        Notes { list, skipped }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The notes about an event, including those about a range that contains it.
    pub(crate) fn about(&self, at: Seq) -> impl Iterator<Item = &Note> {
        let begun = self.list.partition_point(|note| note.at <= at);
        self.list[..begun].iter().filter(move |note| note.until >= at)
    }

    /// Whether any event is skipped.
    pub(crate) fn has_skipped(&self) -> bool {
        !self.skipped.is_empty()
    }

    /// Whether stepping skips an event.
    pub(crate) fn skips(&self, at: Seq) -> bool {
        self.skipped.binary_search(&at.0).is_ok()
    }

    /// The notes to stop at, in order.
    pub(crate) fn stops(&self) -> impl Iterator<Item = &Note> {
        self.list.iter().filter(|note| note.asks == NoteRequest::Stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(at: u32, until: u32, asks: NoteRequest) -> Note {
        Note { at: Seq(at), until: Seq(until), id: String::new(), kind: "note", asks, text: String::new() }
    }

    #[test]
    fn a_note_about_a_range_is_shown_at_every_event_of_it() {
        let notes = Notes::of(vec![
            note(5, 5, NoteRequest::Skip),
            note(2, 6, NoteRequest::Nothing),
            note(3, 3, NoteRequest::Stop),
        ]);
        let about = |at| notes.about(Seq(at)).map(|note| note.at.0).collect::<Vec<_>>();
        assert_eq!((about(1), about(3), about(5), about(7)), (vec![], vec![2, 3], vec![2, 5], vec![]));
        assert!(notes.skips(Seq(5)) && !notes.skips(Seq(3)));
        assert_eq!(notes.stops().count(), 1);
    }
}
