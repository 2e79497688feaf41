//! Checks of file reads: whether a file is read with the content that was last written.

use rustc_hash::FxHashMap;

use super::checks;
use super::kind::{FileBytes, Kind};
use crate::replay::Seq;
use crate::replay::finding::{Finding, Findings};

/// What the program last did to each path, as long as nothing else can have changed the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    by_path: FxHashMap<String, FileFate>,
}

#[derive(Clone, Debug)]
enum FileFate {
    Written { at: Seq, hash: String, length: u64 },
    Deleted { at: Seq },
}

impl Files {
    pub(crate) fn see(&mut self, at: Seq, kind: &Kind, findings: &mut Findings) {
        match kind {
            Kind::FileWrite(file) => {
                let done = FileFate::Written { at, hash: file.content_hash.clone(), length: file.len_bytes };
                self.by_path.insert(file.path.clone(), done);
            }
            Kind::FileDelete { path } => {
                self.by_path.insert(path.clone(), FileFate::Deleted { at });
            }
            Kind::FileRead(file) => self.see_read(at, file, findings),
            // Other processes, tools and servers may write any file.
            Kind::ProcessSpawn(_) | Kind::McpJsonRpc(_) | Kind::ToolCall(_) | Kind::Unknown => self.by_path.clear(),
            _ => {}
        }
    }

    fn see_read(&mut self, at: Seq, file: &FileBytes, findings: &mut Findings) {
        match self.by_path.get(&file.path) {
            // An append is recorded as a write of the appended bytes, so a longer file is not a contradiction.
            Some(FileFate::Written { at: since, hash, length })
                if *hash != file.content_hash && file.len_bytes <= *length =>
            {
                let finding = Finding::new(&checks::READ_AFTER_WRITE, [*since, at]).about("path", file.path.as_str());
                findings.push(finding.expected(hash.clone()).actual(file.content_hash.clone()));
            }
            Some(FileFate::Deleted { at: since }) => {
                let finding = Finding::new(&checks::READ_DELETED, [*since, at]).about("path", file.path.as_str());
                findings.push(finding.expected("no such file").actual(format!("{} bytes", file.len_bytes)));
            }
            _ => {}
        }
    }
}
