//! What the kernel lets us see of other processes, and the command that lets us see more.
//!
//! Two rules decide: `kernel.perf_event_paranoid` about samples (admin-guide/perf-security of the kernel's documentation), Yama's
//! `kernel.yama.ptrace_scope` about reading another process's memory (admin-guide/LSM/Yama). Capabilities lift both.

use base::stat::status_line;

use super::target::read;

/// `CAP_SYS_PTRACE`, `CAP_SYS_ADMIN` and `CAP_PERFMON` of capabilities(7).
const SYS_PTRACE: u32 = 19;
const SYS_ADMIN: u32 = 21;
const PERFMON: u32 = 38;

/// What is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// `kernel.perf_event_paranoid`: -1 and 0 everything, 1 the kernel too, 2 own programs only, 3 and more nothing. Nothing where the kernel
    /// takes no samples at all.
    pub paranoid: Option<i32>,
    /// `kernel.yama.ptrace_scope`: 0 own processes, 1 own children, 2 the administrator, 3 nobody. Nothing where there is no such rule.
    pub ptrace_scope: Option<u32>,
    /// We have a capability that lifts the first rule.
    pub may_sample: bool,
    /// We have the capability that lifts the second.
    pub may_trace: bool,
}

impl Allowed {
    /// As it is now.
    pub fn look() -> Self {
        let number = |path: &str| read(path).ok().map(|text| text.trim().to_owned());
        let status = read("/proc/self/status").unwrap_or_default();
        Self {
            paranoid: number("/proc/sys/kernel/perf_event_paranoid").and_then(|n| n.parse().ok()),
            ptrace_scope: number("/proc/sys/kernel/yama/ptrace_scope").and_then(|n| n.parse().ok()),
            ..Self::by_capabilities(&status)
        }
    }

    /// What the capabilities in `/proc/self/status` lift; no rules.
    pub fn by_capabilities(status: &str) -> Self {
        let capabilities = status_line(status, "CapEff")
            .and_then(|mask| u64::from_str_radix(mask, 16).ok())
            .unwrap_or(0);
        let has = |bit: u32| capabilities & (1 << bit) != 0;
        Self {
            may_sample: has(PERFMON) || has(SYS_ADMIN),
            may_trace: has(SYS_PTRACE) || has(SYS_ADMIN),
            ..Self::default()
        }
    }

    /// The kernel's own functions can be sampled.
    pub fn kernel(&self) -> bool {
        self.may_sample || self.paranoid.is_some_and(|level| level < 2)
    }

    /// Why no samples of own programs can be taken; nothing when they can, as far as these rules go.
    pub fn no_samples(&self) -> Option<String> {
        match self.paranoid {
            None => {
                Some("this kernel takes no samples: it was built without perf events".to_owned())
            }
            Some(level) if level > 2 && !self.may_sample => Some(format!(
                "the kernel lets only the administrator take samples: kernel.perf_event_paranoid is {level}; `sudo sysctl kernel.perf_event_paranoid=2` allows it for your own programs"
            )),
            Some(_) => None,
        }
    }

    /// Why the memory of a process cannot be read that is no child of ours; nothing when it can, as far as these rules go.
    pub fn no_memory(&self) -> Option<String> {
        match self.ptrace_scope {
            Some(3) => Some(
                "the kernel lets nobody look into other processes: kernel.yama.ptrace_scope is 3, which only a restart of the machine changes"
                    .to_owned(),
            ),
            Some(scope @ 1..) if !self.may_trace => Some(format!(
                "the kernel lets you look only into processes that you started from here: kernel.yama.ptrace_scope is {scope}; `sudo sysctl kernel.yama.ptrace_scope=0` allows it for all of yours"
            )),
            _ => None,
        }
    }

    /// What to say when the kernel refused samples though these rules allow them: something else forbids it.
    pub fn refused(&self) -> String {
        self.no_samples().unwrap_or_else(|| {
            let level = self.paranoid.map_or_else(|| "not there".to_owned(), |n| n.to_string());
            format!(
                "the kernel refuses samples though kernel.perf_event_paranoid is {level}: in a container, start it with `--cap-add PERFMON --security-opt seccomp=unconfined`; for a program with special rights, use sudo"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_names_the_value_and_the_command() {
        let rules = |paranoid, scope| Allowed {
            paranoid,
            ptrace_scope: scope,
            ..Allowed::default()
        };
        assert_eq!(rules(Some(2), Some(0)).no_samples(), None);
        assert_eq!(rules(Some(2), None).no_memory(), None);
        let why = rules(Some(4), None).no_samples().unwrap();
        assert!(why.contains("is 4") && why.contains("sudo sysctl kernel.perf_event_paranoid=2"));
        let why = rules(None, Some(1)).no_memory().unwrap();
        assert!(why.contains("is 1") && why.contains("sudo sysctl kernel.yama.ptrace_scope=0"));
        assert!(
            rules(Some(1), Some(3))
                .no_memory()
                .unwrap()
                .contains("restart")
        );
        assert!(
            rules(None, None)
                .no_samples()
                .unwrap()
                .contains("without perf events")
        );
        assert!(rules(Some(2), None).refused().contains("--cap-add PERFMON"));
        assert!(rules(Some(1), None).kernel() && !rules(Some(2), None).kernel());
        let able = Allowed {
            may_sample: true,
            may_trace: true,
            ..rules(Some(4), Some(2))
        };
        assert_eq!((able.no_samples(), able.no_memory()), (None, None));
        assert!(able.kernel());
    }

    #[test]
    fn the_rules_of_this_machine_are_read() {
        let here = Allowed::look();
        let file = std::path::Path::new("/proc/sys/kernel/perf_event_paranoid");
        assert_eq!(here.paranoid.is_some(), file.exists());
    }
}
