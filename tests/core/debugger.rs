//! The debugger's bookmarks: set at the playhead, found again, gone to.

use std::path::Path;
use std::sync::Arc;

use stepback::loader::Loaded;
use stepback::log::{Log, Options};
use stepback::replay::Seq;
use stepback::replay::bookmark::Bookmarks;
use stepback::replay::debugger::{Debugger, Stop};
use stepback::replay::direction::Direction;

#[test]
fn bookmarks_are_places_to_go_to() {
    let log = Log::open(Path::new("assets/demo.json"), &Options::default()).expect("the demo");
    let loaded = Loaded::begin_log_only(log, false).expect("a pass");
    loaded.wait_to_end(|_| {}).expect("the end");
    let mut debugger = Debugger::new(Arc::clone(loaded.replay()));
    let mut bookmarks = Bookmarks::default();
    for at in [19, 3] {
        debugger.jump(Seq(at));
        let edit = debugger.mark("", "look here").expect("a log").expect("an event");
        bookmarks.apply(edit).expect("room for it");
    }
    debugger.set_bookmarks(&bookmarks).expect("a log");
    assert_eq!(debugger.bookmarks().len(), 2);
    assert_eq!(debugger.next(Stop::Bookmark, Direction::Forward), Some(Seq(19)));
    assert_eq!(debugger.next(Stop::Bookmark, Direction::Forward), None);
    assert_eq!(debugger.next(Stop::Bookmark, Direction::Backward), Some(Seq(3)));
}
