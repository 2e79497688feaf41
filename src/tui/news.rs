//! News from the host: what has happened in files and threads, for `update` to apply to the model.

use std::sync::Arc;

use super::compare::state::CompareNews;
use super::export::state::ExportNews;
use super::form::LogForm;
use super::inquiry::state::Reply;
use super::minimize::state::MinimizeNews;
use super::sentence::Sentence;
use super::typing::Draft;
use super::whatif::state::WhatIfNews;
use crate::replay::Seq;
use crate::replay::bookmark::Bookmarks;
use crate::replay::family::FamilyTree;
use crate::replay::note::Notes;
use crate::replay::target::Target;
use crate::replay::timeline::Replay;

pub(crate) enum News {
    /// A sentence for the user.
    Message(String),
    /// A text for the user to read, since it could not be copied.
    Text {
        title: String,
        lines: Vec<String>,
    },
    /// The time, in milliseconds since 1970.
    Clock(i64),
    /// The pass over the shown log has progressed.
    Progressed,
    /// The bookmarks and notes of the log that is shown.
    Bookmarks {
        bookmarks: Bookmarks,
        notes: Arc<Notes>,
    },
    /// A bookmark could not be saved; its note becomes a draft.
    NotKept {
        draft: Option<Draft>,
        reason: String,
    },
    /// The place where the user wanted to begin can be resolved now.
    GoTo(Target),
    /// Where the log was left the last time.
    LeftAt(Seq),
    /// The log, or the other trace of its crashpack, was opened again.
    Reopened {
        replay: Arc<dyn Replay>,
        form: LogForm,
    },
    /// The logs that belong to the open one.
    Family(FamilyTree),
    /// The reply to a question about the whole log.
    Reply(Result<Reply, Sentence>),
    WhatIf(WhatIfNews),
    Compare(CompareNews),
    Minimize(MinimizeNews),
    Export(ExportNews),
}

impl From<WhatIfNews> for News {
    fn from(news: WhatIfNews) -> News {
        News::WhatIf(news)
    }
}

impl From<CompareNews> for News {
    fn from(news: CompareNews) -> News {
        News::Compare(news)
    }
}

impl From<MinimizeNews> for News {
    fn from(news: MinimizeNews) -> News {
        News::Minimize(news)
    }
}

impl From<ExportNews> for News {
    fn from(news: ExportNews) -> News {
        News::Export(news)
    }
}
