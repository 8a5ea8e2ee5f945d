//! What is around: files that could be debugged, processes that could be attached to.
//!
//! Plain lists, read off the UI task: both functions block on the disk or on the process table. What can be debugged with
//! which adapter is not known here.

use std::{
    cmp::Reverse,
    collections::{HashSet, VecDeque},
    fs::{self, Metadata},
    path::{Path, PathBuf},
};

use dap::supervise;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

/// How many files a picker is given at most.
pub const FILE_LIMIT: usize = 20_000;

/// A file in a picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Absolute path.
    pub path: PathBuf,
    /// Relative to the folder listed.
    pub name: String,
    pub executable: bool,
    /// Bytes.
    pub size: u64,
}

/// A process in a picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its parent's id.
    pub parent: Option<u32>,
    pub name: String,
    /// Its command line, arguments joined by spaces.
    pub command: String,
    /// Seconds since it started.
    pub age_secs: u64,
    /// The process already tracing it, which forbids attaching.
    pub tracer: Option<u32>,
    /// Belongs to a debugger: a supervisor of ours, or what one started (adapters, programs debugged already).
    pub ours: bool,
}

/// What sessions and containers are made of: hardly ever what a person wants to look into.
const PLUMBING: &[&str] = &[
    "agetty",
    "bash",
    "containerd-shim",
    "dash",
    "dbus-daemon",
    "docker-init",
    "fish",
    "gpg-agent",
    "init",
    "ksh",
    "login",
    "screen",
    "sd-pam",
    "sh",
    "sleep",
    "ssh-agent",
    "sshd",
    "su",
    "sudo",
    "systemd",
    "tini",
    "tmux",
    "zsh",
];

/// Folders that hold what tools made, not what people wrote.
const SKIPPED: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".idea",
    ".vscode",
    ".cache",
    ".direnv",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    "node_modules",
    "__pycache__",
    "site-packages",
];

/// Endings of files that people write programs in.
const SOURCES: &[&str] = &[
    "py", "rs", "go", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "m", "mm", "swift", "zig",
    "d", "nim", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rb", "php", "pl", "pm",
    "lua", "sh", "bash", "dart", "kt", "kts", "java", "scala", "cs", "fs", "vb", "ex", "exs",
    "erl", "hs", "ml", "f90", "adb", "ads", "r", "jl", "ps1",
];

/// Whether a file name ends like a program's source.
pub fn is_source(path: &Path) -> bool {
    path.extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| SOURCES.iter().any(|s| e.eq_ignore_ascii_case(s)))
}

/// Files below `root`, at most `limit` of them, sources first, then executables, then the rest, each by name.
///
/// Near files win over deep ones when there are too many. Links to folders are not followed; folders that cannot be
/// read are left out, except `root` itself. Of Cargo's `target` only the programs directly in `debug` and `release` count.
pub fn list_files(root: &Path, limit: usize) -> Result<Vec<FileEntry>, String> {
    let root =
        std::path::absolute(root).map_err(|e| format!("Cannot list `{}`: {e}.", root.display()))?;
    let mut found = Vec::new();
    // Folders still to read, nearest first, and whether only programs directly in them count.
    let mut folders = VecDeque::from([(root.clone(), false)]);
    while let Some((folder, programs_only)) = folders.pop_front() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if folder == root => {
                return Err(format!("Cannot list the folder `{}`: {e}.", root.display()));
            }
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            if kind.is_dir() {
                if !programs_only {
                    enqueue(&mut folders, path);
                }
                continue;
            }
            // Follows links to files: a linked program is a program.
            let Some(metadata) = fs::metadata(&path).ok().filter(Metadata::is_file) else {
                continue;
            };
            let executable = is_executable(&metadata);
            if programs_only && (!executable || path.extension().is_some()) {
                continue;
            }
            if found.len() >= limit {
                sort(&mut found);
                return Ok(found);
            }
            found.push(FileEntry {
                name: path
                    .strip_prefix(&root)
                    .unwrap_or(&path)
                    .to_string_lossy()
                    .into_owned(),
                executable,
                size: metadata.len(),
                path,
            });
        }
    }
    sort(&mut found);
    Ok(found)
}

fn enqueue(folders: &mut VecDeque<(PathBuf, bool)>, path: PathBuf) {
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy())
        .unwrap_or_default();
    if SKIPPED.contains(&&*name) || path.join("pyvenv.cfg").exists() {
        return;
    }
    if name == "target" {
        folders.extend(["debug", "release"].map(|kind| (path.join(kind), true)));
    } else {
        folders.push_back((path, false));
    }
}

fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

fn sort(found: &mut [FileEntry]) {
    found.sort_by_cached_key(|f| {
        let rank = if is_source(&f.path) {
            0
        } else {
            2 - u8::from(f.executable)
        };
        (rank, f.name.clone())
    });
}

/// Processes that could be attached to: our own user's first, of them programs before shells and the like, the youngest at
/// the top. Kernel threads and this process are left out.
pub fn list_processes() -> Vec<Process> {
    // A system whose process table cannot be read has, for us, no processes to attach to; the picker says so.
    let Ok(mut system) = System::new() else {
        return Vec::new();
    };
    system.refresh_processes_specifics(
        ProcessesToUpdate::All,
        true,
        ProcessRefreshKind::nothing()
            .with_cmd(UpdateKind::Always)
            .with_user(UpdateKind::Always)
            .without_tasks(),
    );
    let own = std::process::id();
    let user = system
        .process(sysinfo::Pid::from_u32(own))
        .and_then(sysinfo::Process::user_id)
        .cloned();
    let mut found: Vec<_> = system
        .processes()
        .iter()
        // A process without a command line is a kernel thread or a zombie: neither can be attached to.
        .filter(|(pid, p)| pid.as_u32() != own && p.thread_kind().is_none() && !p.cmd().is_empty())
        .map(|(pid, p)| {
            let command: Vec<_> = p.cmd().iter().map(|a| a.to_string_lossy()).collect();
            let process = Process {
                pid: pid.as_u32(),
                parent: p.parent().map(sysinfo::Pid::as_u32),
                name: p.name().to_string_lossy().into_owned(),
                command: command.join(" "),
                age_secs: p.run_time(),
                tracer: base::threads::tracer(pid.as_u32().into())
                    .map(|by| by.as_raw_nonzero().get().unsigned_abs()),
                ours: supervise::is_request(p.cmd().get(1..).unwrap_or_default()),
            };
            (p.user_id() != user.as_ref(), process)
        })
        .collect();
    found.sort_by_cached_key(|(foreign, p)| {
        let name = p.name.trim_start_matches('-');
        let plumbing = PLUMBING.contains(&name);
        (*foreign, plumbing, p.age_secs, Reverse(p.pid))
    });
    let mut found: Vec<_> = found.into_iter().map(|(_, p)| p).collect();
    mark_ours(&mut found);
    found
}

/// What a supervisor started is as much ours as the supervisor, however deep below it.
fn mark_ours(processes: &mut [Process]) {
    let mut ours: HashSet<u32> = processes.iter().filter(|p| p.ours).map(|p| p.pid).collect();
    loop {
        let known = ours.len();
        for process in processes.iter_mut().filter(|p| !p.ours) {
            if process.parent.is_some_and(|parent| ours.contains(&parent)) {
                process.ours = true;
                ours.insert(process.pid);
            }
        }
        if ours.len() == known {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path, executable: bool) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = if executable { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    #[test]
    fn sources_come_first_and_what_tools_made_is_left_out() {
        let root = tempfile::tempdir().unwrap();
        for (name, executable) in [
            ("README.md", false),
            ("run", true),
            ("src/main.rs", false),
            ("app.py", true),
            (".git/config", false),
            ("node_modules/a/index.js", false),
            ("__pycache__/app.pyc", false),
            ("env/pyvenv.cfg", false),
            ("env/bin/python.py", true),
            ("target/debug/demo", true),
            ("target/debug/demo.d", false),
            ("target/debug/deps/demo-1234", true),
        ] {
            touch(&root.path().join(name), executable);
        }
        let files = list_files(root.path(), FILE_LIMIT).unwrap();
        let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "app.py",
                "src/main.rs",
                "run",
                "target/debug/demo",
                "README.md"
            ]
        );
        assert!(files.iter().all(|f| f.path.is_absolute() && f.size == 1));
    }

    #[test]
    fn near_files_win_when_there_are_too_many() {
        let root = tempfile::tempdir().unwrap();
        touch(&root.path().join("a/b/c/deep.py"), false);
        touch(&root.path().join("z.py"), false);
        let files = list_files(root.path(), 1).unwrap();
        assert_eq!(
            files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
            ["z.py"]
        );
    }

    #[test]
    fn a_folder_that_cannot_be_listed_is_named() {
        let error = list_files(Path::new("/nowhere/at all"), 10).unwrap_err();
        assert!(error.contains("`/nowhere/at all`"), "{error}");
    }

    #[test]
    fn our_parent_is_among_the_processes_and_we_are_not() {
        let processes = list_processes();
        assert!(
            processes
                .iter()
                .all(|p| p.pid != std::process::id() && !p.command.is_empty())
        );
        let parent = std::os::unix::process::parent_id();
        assert!(
            processes.iter().any(|p| p.pid == parent),
            "{parent} of {processes:?}"
        );
    }

    #[test]
    fn what_a_supervisor_started_is_ours_at_any_depth() {
        let process = |pid, parent, ours| Process {
            pid,
            parent: Some(parent),
            name: "x".into(),
            command: "x".into(),
            age_secs: 0,
            tracer: None,
            ours,
        };
        let mut all = [
            process(4, 3, false),
            process(3, 2, false),
            process(2, 1, true),
            process(5, 1, false),
        ];
        mark_ours(&mut all);
        assert_eq!(all.map(|p| p.ours), [true, true, true, false]);
    }
}
