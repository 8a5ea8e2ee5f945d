//! What the control group that we are in allows, of either version of the kernel's interface.

use serde::Serialize;

use super::gaps::Gaps;

/// A limit that is larger than this is none: the old interface writes such a number for it.
const UNLIMITED: u64 = 1 << 60;
const MOUNT: &str = "/sys/fs/cgroup";

/// Limits of the control group and of those it is in, the strictest of each; nothing = not limited, or unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cgroup {
    /// The interface: 1 or 2.
    pub version: Option<u8>,
    /// Our group.
    pub path: Option<String>,
    /// Most memory, in bytes.
    pub memory_limit: Option<u64>,
    /// Memory used by the group, in bytes.
    pub memory_used: Option<u64>,
    /// Most processor time, in processors: 1.5 is one and a half.
    pub cpu_limit: Option<f64>,
    /// Most processes and threads.
    pub pids_limit: Option<u64>,
    /// Processes and threads in the group.
    pub pids_used: Option<u64>,
}

impl Cgroup {
    /// Reads the groups of this process.
    pub(super) fn look(gaps: &mut Gaps) -> Self {
        let groups = gaps.read("/proc/self/cgroup");
        let Some(groups) = gaps.take("limits.cgroup", groups) else {
            return Self::default();
        };
        let groups = Groups::read(&groups);
        // A group of both: the controllers of the old interface are the ones in force there.
        let found = if let Some(path) = groups.old("memory").or_else(|| groups.old("cpu")) {
            let dirs = |controller: &str| {
                let path = groups.old(controller).unwrap_or("/");
                ladder(&format!("{MOUNT}/{controller}"), path)
            };
            let cpu = |dir: &str| {
                let number = |file: &str| gaps.number::<f64>(&format!("{dir}/{file}")).ok();
                ratio(number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?)
            };
            let files = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
            Self::of((1, path), &dirs, files, &cpu, gaps)
        } else if let Some(path) = &groups.unified {
            let cpu = |dir: &str| {
                let text = gaps.read(&format!("{dir}/cpu.max")).ok()?;
                let (quota, period) = text.split_once(' ')?;
                ratio(quota.parse().ok()?, period.parse().ok()?)
            };
            let files = ["memory.max", "memory.current"];
            Self::of((2, path), &|_| ladder(MOUNT, path), files, &cpu, gaps)
        } else {
            gaps.note("limits.cgroup", "/proc/self/cgroup names no group");
            return Self::default();
        };
        if found.memory_used.is_none() {
            let why = "the group's files are not in /sys/fs/cgroup";
            gaps.note("limits.cgroup.memory_used", why);
        }
        found
    }

    fn of(
        (version, path): (u8, &str),
        dirs: &dyn Fn(&str) -> Vec<String>,
        [memory_limit, memory_used]: [&str; 2],
        cpu: &dyn Fn(&str) -> Option<f64>,
        gaps: &Gaps,
    ) -> Self {
        let numbers = |controller: &str, file: &str| -> Vec<u64> {
            let files = dirs(controller).into_iter();
            let files = files.map(|dir| format!("{dir}/{file}"));
            files.filter_map(|file| gaps.number(&file).ok()).collect()
        };
        let limit = |controller: &str, file: &str| {
            let limits = numbers(controller, file).into_iter();
            limits.filter(|limit| *limit < UNLIMITED).min()
        };
        let quotas = dirs("cpu").into_iter().filter_map(|dir| cpu(&dir));
        Self {
            version: Some(version),
            path: Some(path.to_owned()),
            memory_limit: limit("memory", memory_limit),
            memory_used: numbers("memory", memory_used).first().copied(),
            cpu_limit: quotas.min_by(f64::total_cmp),
            pids_limit: limit("pids", "pids.max"),
            pids_used: numbers("pids", "pids.current").first().copied(),
        }
    }
}

/// A quota below nothing means that there is none.
fn ratio(quota: f64, period: f64) -> Option<f64> {
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// The group's folder and those it is in. In a container the path is the host's, and only some of them are there.
fn ladder(mount: &str, path: &str) -> Vec<String> {
    let mut dirs = Vec::new();
    let mut path = path.trim_end_matches('/');
    while !path.is_empty() {
        // A path that leads out is none of ours.
        if !path.split('/').any(|part| part == "..") {
            dirs.push(format!("{mount}{path}"));
        }
        path = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    dirs.push(mount.to_owned());
    dirs
}

/// The lines of `/proc/self/cgroup`.
#[derive(Debug, Default)]
struct Groups {
    unified: Option<String>,
    old: Vec<(String, String)>,
}

impl Groups {
    fn read(text: &str) -> Self {
        let mut groups = Self::default();
        for line in text.lines() {
            let mut parts = line.splitn(3, ':');
            let (Some(_), Some(controllers), Some(path)) =
                (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            if controllers.is_empty() {
                groups.unified = Some(path.to_owned());
            }
            for controller in controllers.split(',').filter(|c| !c.is_empty()) {
                groups.old.push((controller.to_owned(), path.to_owned()));
            }
        }
        groups
    }

    fn old(&self, controller: &str) -> Option<&str> {
        let mut groups = self.old.iter();
        groups
            .find(|(name, _)| name == controller)
            .map(|(_, path)| path.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn both_versions_and_the_strictest_of_each_limit() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        write(
            root,
            &[
                ("proc/self/cgroup", "0::/user.slice/a\n"),
                ("sys/fs/cgroup/user.slice/a/memory.max", "max\n"),
                ("sys/fs/cgroup/user.slice/a/memory.current", "5000\n"),
                ("sys/fs/cgroup/user.slice/memory.max", "8000\n"),
                ("sys/fs/cgroup/user.slice/a/cpu.max", "150000 100000\n"),
                ("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
                ("sys/fs/cgroup/user.slice/a/pids.max", "garbage"),
            ],
        );
        let mut gaps = Gaps::new(root);
        let found = Cgroup::look(&mut gaps);
        assert_eq!(
            found,
            Cgroup {
                version: Some(2),
                path: Some("/user.slice/a".to_owned()),
                memory_limit: Some(8000),
                memory_used: Some(5000),
                cpu_limit: Some(1.5),
                ..Cgroup::default()
            }
        );
        write(
            root,
            &[
                (
                    "proc/self/cgroup",
                    "4:memory:/x\n3:cpu,cpuacct:/x\n0::/\nbroken\n",
                ),
                (
                    "sys/fs/cgroup/memory/x/memory.limit_in_bytes",
                    "9223372036854771712",
                ),
                ("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096"),
                ("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "17"),
                ("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1"),
                ("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000"),
            ],
        );
        let found = Cgroup::look(&mut gaps);
        assert_eq!((found.version, found.cpu_limit), (Some(1), None));
        assert_eq!(
            (found.memory_limit, found.memory_used),
            (Some(4096), Some(17))
        );
        assert!(gaps.into_list().is_empty());
    }

    #[test]
    fn without_groups_there_is_a_reason() {
        let dir = tempfile::tempdir().unwrap();
        let mut gaps = Gaps::new(dir.path());
        assert_eq!(Cgroup::look(&mut gaps), Cgroup::default());
        write(dir.path(), &[("proc/self/cgroup", "")]);
        assert_eq!(Cgroup::look(&mut gaps), Cgroup::default());
        write(dir.path(), &[("proc/self/cgroup", "0::/../../x\n")]);
        assert_eq!(Cgroup::look(&mut gaps).version, Some(2));
        let fields: Vec<_> = gaps.into_list().into_iter().map(|u| u.field).collect();
        assert_eq!(
            fields,
            [
                "limits.cgroup",
                "limits.cgroup",
                "limits.cgroup.memory_used"
            ]
        );
    }
}
