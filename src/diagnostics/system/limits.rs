//! What the kernel allows a process, and a debugger in particular.

use rustix::process::{Resource, getrlimit};
use serde::Serialize;

use super::{cgroup::Cgroup, gaps::Gaps};
use crate::profile::sample::Allowed;

/// The limits of this process and of the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Limits {
    /// What `ulimit` shows.
    pub resources: Vec<ResourceLimit>,
    /// The control group's.
    pub cgroup: Cgroup,
    /// Who may watch files.
    pub inotify: Inotify,
    /// Who may take performance samples: -1 everything, 2 own programs only, 3 and more nothing.
    pub perf_event_paranoid: Option<i32>,
    /// Which of this and the next our capabilities lift.
    #[serde(skip)]
    pub allowed: Allowed,
    /// Who may attach to processes: 0 own ones, 1 children, 2 the administrator, 3 nobody; nothing where the kernel has no such rule.
    pub ptrace_scope: Option<u32>,
    /// Whether it is known that the kernel has none (it was built without Yama).
    #[serde(skip)]
    pub no_ptrace_scope: bool,
    /// Whether addresses of the kernel are hidden: 0 no, 1 and 2 yes.
    pub kptr_restrict: Option<u32>,
    /// Where core dumps go.
    pub core_pattern: Option<String>,
    /// Whether addresses are randomised: 0 no, 2 fully.
    pub randomize_va_space: Option<u32>,
    /// Highest process number.
    pub pid_max: Option<u64>,
    /// Files that all processes together may open.
    pub file_max: Option<u64>,
    /// Mappings that a process may have.
    pub max_map_count: Option<u64>,
}

/// A limit of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResourceLimit {
    pub name: &'static str,
    /// `bytes`, `seconds` or nothing for a plain number.
    pub unit: &'static str,
    /// What is in force; nothing = unlimited.
    pub soft: Option<u64>,
    /// What it can be raised to; nothing = unlimited.
    pub hard: Option<u64>,
}

/// Limits on watching files, for each user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Inotify {
    /// Most watched files and folders.
    pub max_user_watches: Option<u64>,
    /// Most watchers.
    pub max_user_instances: Option<u64>,
    /// Most events that may wait.
    pub max_queued_events: Option<u64>,
}

const RESOURCES: [(Resource, &str, &str); 8] = [
    (Resource::Nofile, "open_files", ""),
    (Resource::Nproc, "processes", ""),
    (Resource::Core, "core_file", "bytes"),
    (Resource::Stack, "stack", "bytes"),
    (Resource::As, "address_space", "bytes"),
    (Resource::Memlock, "locked_memory", "bytes"),
    (Resource::Fsize, "file_size", "bytes"),
    (Resource::Cpu, "cpu_time", "seconds"),
];

impl Limits {
    pub(super) fn look(gaps: &mut Gaps) -> Self {
        let core_pattern = gaps.read("/proc/sys/kernel/core_pattern");
        Self {
            resources: RESOURCES
                .into_iter()
                .map(|(resource, name, unit)| {
                    let limit = getrlimit(resource);
                    ResourceLimit {
                        name,
                        unit,
                        soft: limit.current,
                        hard: limit.maximum,
                    }
                })
                .collect(),
            cgroup: Cgroup::look(gaps),
            inotify: Inotify {
                max_user_watches: gaps.number_of(
                    "limits.inotify.max_user_watches",
                    "/proc/sys/fs/inotify/max_user_watches",
                ),
                max_user_instances: gaps.number_of(
                    "limits.inotify.max_user_instances",
                    "/proc/sys/fs/inotify/max_user_instances",
                ),
                max_queued_events: gaps.number_of(
                    "limits.inotify.max_queued_events",
                    "/proc/sys/fs/inotify/max_queued_events",
                ),
            },
            perf_event_paranoid: gaps.number_of(
                "limits.perf_event_paranoid",
                "/proc/sys/kernel/perf_event_paranoid",
            ),
            allowed: Allowed::by_capabilities(&gaps.read("/proc/self/status").unwrap_or_default()),
            ptrace_scope: gaps
                .number_of("limits.ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope"),
            no_ptrace_scope: gaps.path("/proc/sys/kernel").is_dir()
                && !gaps.path("/proc/sys/kernel/yama").exists(),
            kptr_restrict: gaps.number_of("limits.kptr_restrict", "/proc/sys/kernel/kptr_restrict"),
            core_pattern: gaps.take("limits.core_pattern", core_pattern),
            randomize_va_space: gaps.number_of(
                "limits.randomize_va_space",
                "/proc/sys/kernel/randomize_va_space",
            ),
            pid_max: gaps.number_of("limits.pid_max", "/proc/sys/kernel/pid_max"),
            file_max: gaps.number_of("limits.file_max", "/proc/sys/fs/file-max"),
            max_map_count: gaps.number_of("limits.max_map_count", "/proc/sys/vm/max_map_count"),
        }
    }
}
