//! Names, lanes, categories and primitives of the kinds of session events: one table.

use std::fmt;

use crate::replay::vocabulary::{Concern, KindWord, LaneGroups, LaneId, LaneWord};

/// The part of the kernel that an event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    Syscall,
    Sched,
    Mm,
    Proc,
    Ipc,
}

/// The kernel's three kinds of work, to which the categories belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitive {
    Syscall,
    Sched,
    Mm,
}

impl Category {
    pub(crate) const ALL: [Category; 5] =
        [Category::Syscall, Category::Sched, Category::Mm, Category::Proc, Category::Ipc];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Category::Syscall => "syscall",
            Category::Sched => "sched",
            Category::Mm => "mm",
            Category::Proc => "proc",
            Category::Ipc => "ipc",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Category> {
        Category::ALL.into_iter().find(|category| category.name() == name)
    }

    pub(crate) const fn primitive(self) -> Primitive {
        match self {
            Category::Syscall => Primitive::Syscall,
            Category::Mm => Primitive::Mm,
            Category::Sched | Category::Proc | Category::Ipc => Primitive::Sched,
        }
    }

    /// The category of a kind, by any name: also names that are never stored, and unknown ones.
    pub(crate) fn of_kind(name: &str) -> Category {
        if let Some(kind) = SessionKind::from_name(name) {
            return kind.category();
        }
        match name {
            "page_in_requested" | "renewed" => Category::Mm,
            "agent_spawned" => Category::Proc,
            _ => Category::Sched,
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Primitive {
    pub(crate) const ALL: [Primitive; 3] = [Primitive::Syscall, Primitive::Sched, Primitive::Mm];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Primitive::Syscall => "syscall",
            Primitive::Sched => "sched",
            Primitive::Mm => "mm",
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Who writes events of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// The kernel, as an event that carries labels.
    Os,
    /// The kernel's host, in the core format.
    Host,
    /// Only the SDKs.
    Sdk,
    /// Only later releases: the kind is known by name and is not folded.
    Later,
    /// Unknown.
    Unknown,
}

/// A lane of the timeline. Kernel events are in the lane of their category; the others have lanes of their own,
/// because their default category says nothing about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionLane {
    Run,
    Model,
    Tools,
    Syscall,
    Sched,
    Mm,
    Proc,
    Ipc,
    Other,
}

pub(crate) const LANES: &[LaneWord] = &[
    LaneWord::new("run", Concern::Run),
    LaneWord::new("model", Concern::Model),
    LaneWord::new("tools", Concern::Tool),
    LaneWord::new("syscall", Concern::Rule),
    LaneWord::new("sched", Concern::Run),
    LaneWord::new("mm", Concern::Memory),
    LaneWord::new("proc", Concern::Process),
    LaneWord::new("ipc", Concern::Exchange),
    LaneWord::new("other", Concern::Background),
];

/// The primitives, by the lanes of their categories.
pub(crate) const PRIMITIVES: LaneGroups = LaneGroups {
    name: "primitive",
    groups: &[
        ("syscall", &[LaneId(SessionLane::Syscall as u8)] as &[LaneId]),
        ("sched", &[LaneId(SessionLane::Sched as u8), LaneId(SessionLane::Proc as u8), LaneId(SessionLane::Ipc as u8)]),
        ("mm", &[LaneId(SessionLane::Mm as u8)]),
    ],
};

macro_rules! kinds {
    ($($variant:ident $name:literal $short:literal $lane:ident $category:ident $writer:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum SessionKind { $($variant),* }

        impl SessionKind {
            #[cfg(test)]
            pub(crate) const ALL: &'static [SessionKind] = &[$(SessionKind::$variant),*];

            /// The kinds as words of the vocabulary.
            pub(crate) const WORDS: &'static [KindWord] =
                &[$(KindWord::new($name, $short, LaneId(SessionLane::$lane as u8))),*];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(SessionKind::$variant => $name),* }
            }

            /// The kind with this name. A name that is not listed is not the unknown kind: that one has no name.
            pub(crate) fn from_name(name: &str) -> Option<SessionKind> {
                match name {
                    $($name => Some(SessionKind::$variant).filter(|kind| *kind != SessionKind::Unknown),)*
                    _ => None,
                }
            }

            pub(crate) const fn category(self) -> Category {
                match self { $(SessionKind::$variant => Category::$category),* }
            }

            pub(crate) const fn writer(self) -> Writer {
                match self { $(SessionKind::$variant => Writer::$writer),* }
            }
        }
    };
}

kinds! {
    RunStarted "run_started" "run start" Run Sched Host,
    LlmCompleted "llm_completed" "model" Model Sched Host,
    ToolRequested "tool_requested" "request" Tools Sched Host,
    ToolCompleted "tool_completed" "result" Tools Sched Host,
    Compressed "compressed" "compress" Mm Mm Os,
    PageOut "page_out" "page out" Mm Mm Os,
    PageIn "page_in" "page in" Mm Mm Os,
    LargeResultSpooled "large_result_spooled" "spool" Mm Mm Os,
    RunTerminal "run_terminal" "run end" Run Sched Host,
    ToolArgumentRepaired "tool_argument_repaired" "repair" Tools Sched Host,
    PermissionRequested "permission_requested" "ask" Tools Sched Host,
    PermissionResolved "permission_resolved" "answer" Tools Sched Host,
    ToolDenied "tool_denied" "denied" Tools Sched Host,
    CapabilityChanged "capability_changed" "capability" Syscall Syscall Os,
    ContextRenewed "context_renewed" "renew" Mm Mm Os,
    Suspended "suspended" "suspend" Sched Sched Os,
    Resumed "resumed" "resume" Sched Sched Os,
    ToolGated "tool_gated" "gate" Syscall Syscall Os,
    SignalDisposed "signal_disposed" "signal" Ipc Ipc Os,
    BudgetExceeded "budget_exceeded" "budget" Sched Sched Os,
    CheckpointTaken "checkpoint_taken" "checkpoint" Sched Sched Os,
    Rollbacked "rollbacked" "rollback" Sched Sched Os,
    CleanupCompleted "cleanup_completed" "cleanup" Run Sched Host,
    AgentProcessChanged "agent_process_changed" "process" Proc Proc Os,
    MilestoneAdvanced "milestone_advanced" "milestone" Sched Sched Os,
    MilestoneBlocked "milestone_blocked" "blocked" Sched Sched Os,
    MilestoneEvidence "milestone_evidence" "evidence" Sched Sched Os,
    MemoryWritten "memory_written" "mem write" Mm Mm Os,
    MemoryQueried "memory_queried" "mem query" Mm Mm Os,
    MemoryValidationFailed "memory_validation_failed" "mem fail" Mm Mm Os,
    MemoryRetrievalResult "memory_retrieval_result" "mem answer" Other Sched Host,
    WorkflowBatchSpawned "workflow_batch_spawned" "wf spawn" Proc Proc Sdk,
    WorkflowCompleted "workflow_completed" "wf end" Proc Proc Sdk,
    WorkflowNodeCompleted "workflow_node_completed" "wf node" Other Sched Sdk,
    WorkflowNodesSubmitted "workflow_nodes_submitted" "wf submit" Other Sched Sdk,
    SummaryUpgraded "summary_upgraded" "summary" Other Sched Sdk,
    GroupMemberJoined "group_member_joined" "grp join" Other Sched Sdk,
    GroupBudgetCharged "group_budget_charged" "grp charge" Other Sched Sdk,
    SignalDeliveryDisposed "signal_delivery_disposed" "delivery" Other Sched Later,
    BudgetUsageReported "budget_usage_reported" "usage" Other Sched Later,
    OperationCancelled "operation_cancelled" "cancelled" Other Sched Later,
    EntropySample "entropy_sample" "entropy" Other Sched Later,
    EntropyAlert "entropy_alert" "alert" Other Sched Later,
    KernelObservation "kernel_observation" "observed" Other Sched Later,
    PromptMeasured "prompt_measured" "prompt" Other Sched Later,
    MemoryWriteFailed "memory_write_failed" "write fail" Other Sched Later,
    MemoryQueryFailed "memory_query_failed" "query fail" Other Sched Later,
    RoundStarted "round_started" "round" Other Sched Later,
    RoundPaced "round_paced" "paced" Other Sched Later,
    ContextLifecycleReported "context_lifecycle_reported" "lifecycle" Other Sched Later,
    SemanticArchivePending "semantic_archive_pending" "arch wait" Other Sched Later,
    SemanticArchiveCompleted "semantic_archive_completed" "arch done" Other Sched Later,
    SemanticArchiveFailed "semantic_archive_failed" "arch fail" Other Sched Later,
    MemoryCandidatePending "memory_candidate_pending" "candidate" Other Sched Later,
    MemoryCandidateRejected "memory_candidate_rejected" "rejected" Other Sched Later,
    ContextPrepared "context_prepared" "context" Other Sched Later,
    WorkflowSpawnFailed "workflow_spawn_failed" "wf fail" Other Sched Later,
    AgentPreempted "agent_preempted" "preempted" Proc Proc Later,
    Unknown "unknown" "unknown" Other Sched Unknown,
}

impl SessionKind {
    /// Whether the kernel writes it, with labels.
    pub(crate) fn is_os(self) -> bool {
        self.writer() == Writer::Os
    }

    /// Whether the core format requires a category. The other kernel events are exempt.
    pub(crate) fn needs_category(self) -> bool {
        let is_exempt = matches!(
            self,
            SessionKind::LargeResultSpooled
                | SessionKind::MemoryWritten
                | SessionKind::MemoryQueried
                | SessionKind::MemoryValidationFailed
        );
        self.is_os() && !is_exempt
    }

    /// Whether it may follow the end of a run.
    pub(crate) fn may_follow_the_end(self) -> bool {
        matches!(
            self,
            SessionKind::RunStarted
                | SessionKind::CleanupCompleted
                | SessionKind::SummaryUpgraded
                | SessionKind::GroupMemberJoined
                | SessionKind::GroupBudgetCharged
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_kinds_of_every_generation() {
        let count = |writer| SessionKind::ALL.iter().filter(|kind| kind.writer() == writer).count();
        assert_eq!((count(Writer::Os), count(Writer::Host)), (20, 11));
        assert_eq!((count(Writer::Sdk), count(Writer::Later)), (7, 20));
        assert_eq!(SessionKind::ALL.iter().filter(|kind| kind.needs_category()).count(), 16);
        for (kind, word) in SessionKind::ALL.iter().zip(SessionKind::WORDS) {
            assert!(word.short.len() <= KindWord::SHORT_COLUMNS, "{}", word.short);
            assert!((word.lane.0 as usize) < LANES.len(), "{}", word.name);
            assert_eq!(SessionKind::from_name(word.name).unwrap_or(SessionKind::Unknown), *kind);
        }
    }

    #[test]
    fn a_kernel_event_is_in_the_lane_of_its_category() {
        for kind in SessionKind::ALL.iter().filter(|kind| kind.is_os()) {
            let lane = SessionKind::WORDS[*kind as usize].lane;
            assert_eq!(LANES[lane.0 as usize].name, kind.category().name(), "{}", kind.name());
        }
    }

    #[test]
    fn any_name_has_a_category() {
        for (name, category) in [
            ("tool_gated", Category::Syscall),
            ("renewed", Category::Mm),
            ("page_in_requested", Category::Mm),
            ("agent_spawned", Category::Proc),
            ("workflow_completed", Category::Proc),
            ("signal_disposed", Category::Ipc),
            ("memory_retrieval_result", Category::Sched),
            ("unknown", Category::Sched),
            ("", Category::Sched),
        ] {
            assert_eq!(Category::of_kind(name), category, "{name}");
        }
    }
}
