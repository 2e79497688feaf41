//! Subagents, and tasks that go on in the background.

use std::sync::Arc;

use imbl::OrdMap;

use crate::agent::block::TaskEnd;
use crate::json::raw::RawText;
use crate::json::text::hash_bytes;
use crate::replay::Seq;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubagentRow {
    pub at: Seq,
    pub is_background: bool,
    pub status: Option<Arc<str>>,
}

/// A task in the background that has not ended, as far as the log says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaunchedTask {
    /// The name of the task, of the call that launched it, or of a process.
    pub name: Arc<str>,
    /// A process that calls ask about; it ends without a message.
    pub is_process: bool,
    task: Option<u64>,
    call: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agents {
    pub rows: OrdMap<Arc<str>, SubagentRow>,
    /// By the records that launched them.
    pub launched: OrdMap<u32, LaunchedTask>,
    /// The records that launched a task, by the hashes of its names.
    by_name: OrdMap<u64, u32>,
    /// Tasks that ended, by the hashes of their names.
    ended: OrdMap<u64, Arc<str>>,
}

impl Agents {
    pub(crate) fn see(
        &mut self,
        at: Seq,
        id: RawText<'_>,
        is_background: bool,
        status: Option<RawText<'_>>,
        is_new: bool,
    ) {
        let id = id.get();
        let status = status.map(|status| Arc::<str>::from(&*status.get()));
        match self.rows.get_mut(&*id) {
            Some(row) => {
                row.is_background |= is_background;
                row.status = status.or(row.status.take());
            }
            None if is_new => {
                self.rows.insert(Arc::from(&*id), SubagentRow { at, is_background, status });
            }
            None => {}
        }
    }

    pub(crate) fn launch(&mut self, at: Seq, call: RawText<'_>, task: Option<RawText<'_>>) {
        let name: Arc<str> = Arc::from(&*task.unwrap_or(call).get());
        let (task, call) = (task.map(RawText::hash), call.hash());
        let ended = task.and_then(|task| self.ended.get(&task)).or_else(|| self.ended.get(&call)).cloned();
        if let Some(status) = ended {
            self.set_status(&name, &status);
            return;
        }
        task.into_iter().chain([call]).for_each(|name| {
            self.by_name.insert(name, at.0);
        });
        self.launched.insert(at.0, LaunchedTask { name, is_process: false, task, call });
    }

    /// A process goes on running after its call was answered.
    pub(crate) fn run(&mut self, at: Seq, process: &str) {
        let key = hash_bytes(process.as_bytes());
        if !self.by_name.contains_key(&key) {
            self.by_name.insert(key, at.0);
            let task = LaunchedTask { name: process.into(), is_process: true, task: None, call: key };
            self.launched.insert(at.0, task);
        }
    }

    /// A process is over.
    pub(crate) fn stop(&mut self, process: u64) {
        if let Some(at) = self.by_name.remove(&process) {
            self.launched.remove(&at);
        }
    }

    pub(crate) fn end(&mut self, end: &TaskEnd) {
        let Some(status) = end.status.as_deref().filter(|status| !status.is_empty()) else { return };
        let status: Arc<str> = status.into();
        for name in [&end.task, &end.call].into_iter().flatten() {
            let key = hash_bytes(name.as_bytes());
            self.ended.insert(key, Arc::clone(&status));
            let Some(at) = self.by_name.get(&key).copied() else { continue };
            if let Some(task) = self.launched.remove(&at) {
                task.task.into_iter().chain([task.call]).for_each(|name| {
                    self.by_name.remove(&name);
                });
                self.set_status(&task.name, &status);
            }
        }
    }

    fn set_status(&mut self, agent: &str, status: &Arc<str>) {
        if let Some(row) = self.rows.get_mut(agent) {
            row.status = Some(Arc::clone(status));
        }
    }

    /// The approximate number of entries in its maps.
    pub(crate) fn entries(&self) -> usize {
        self.rows.len() + self.launched.len() + self.by_name.len() + self.ended.len()
    }
}
