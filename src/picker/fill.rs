//! Reading many session files on threads, in the order of the list.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::read::read;
use super::scan::SessionFile;
use crate::agent::outline::Outline;

const THREADS_MOST: usize = 4;
/// Results are sent together, so that the receiver is not woken for each of them.
const BATCH_TIME: Duration = Duration::from_millis(20);

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Details {
    Session(Box<Outline>),
    NotASession,
    /// Why it cannot be read.
    Unreadable(Box<str>),
}

/// A batch of results: the number of the file, and what became of it.
type Batch = Vec<(usize, Details)>;

/// Files that are being read. Dropping it stops the threads.
pub(crate) struct Filling {
    results: Receiver<Batch>,
    is_stopped: Arc<AtomicBool>,
}

impl Filling {
    pub(crate) fn start(files: Arc<[SessionFile]>) -> io::Result<Filling> {
        let (sender, results) = channel();
        let (next, is_stopped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let threads = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(THREADS_MOST));
        for number in 0..threads {
            let (files, next, is_stopped, sender) =
                (Arc::clone(&files), Arc::clone(&next), Arc::clone(&is_stopped), sender.clone());
            let builder = std::thread::Builder::new().name(format!("sessions {number}"));
            builder.spawn(move || work(&files, &next, &is_stopped, &sender))?;
        }
        Ok(Filling { results, is_stopped })
    }

    /// What is known by now; does not wait.
    pub(crate) fn news(&self) -> impl Iterator<Item = (usize, Details)> + '_ {
        self.results.try_iter().flatten()
    }

    /// Everything, as it becomes known.
    pub(crate) fn rest(&self) -> impl Iterator<Item = (usize, Details)> + '_ {
        self.results.iter().flatten()
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

fn work(files: &[SessionFile], next: &AtomicUsize, is_stopped: &AtomicBool, sender: &Sender<Batch>) {
    let (mut batch, mut sent) = (Vec::new(), Instant::now());
    while !is_stopped.load(Ordering::Relaxed) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(file) = files.get(number) else { break };
        batch.push((number, details(file)));
        if sent.elapsed() >= BATCH_TIME {
            sent = Instant::now();
            if sender.send(std::mem::take(&mut batch)).is_err() {
                return;
            }
        }
    }
    // If nobody listens any more, the rest is not needed.
    let _ = sender.send(batch);
}

fn details(file: &SessionFile) -> Details {
    match read(file) {
        Ok(Some(outline)) => Details::Session(Box::new(outline)),
        Ok(None) => Details::NotASession,
        Err(error) => Details::Unreadable(error.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_gets_one_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let file =
            |number: usize| SessionFile { path: folder.path().join(number.to_string()), bytes: 1, modified: None };
        let files: Vec<SessionFile> = (0..50).map(file).collect();
        for file in files.iter().skip(1) {
            std::fs::write(&file.path, "no session").expect("written");
        }
        let filling = Filling::start(files.into()).expect("threads");
        let mut answers: Vec<(usize, Details)> = filling.rest().collect();
        answers.sort_by_key(|answer| answer.0);
        assert_eq!(answers.iter().map(|answer| answer.0).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
        assert!(matches!(answers[0].1, Details::Unreadable(_)), "{:?}", answers[0]);
        assert!(answers[1..].iter().all(|answer| answer.1 == Details::NotASession));
    }
}
