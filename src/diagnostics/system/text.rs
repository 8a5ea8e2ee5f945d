//! All of it for people: sections of labelled values, with what a limit means for somebody who debugs.
//!
//! The screen draws these rows, `system --print` writes them, and both copy them. Values are sanitised here.

use std::fmt::Write as _;

use base::text::{
    sanitise::sanitise,
    width::{pad, width},
};

use super::{Disk, Limits, System};
use crate::memory::text::limit_value;

/// Cells of the column with labels; longer ones take more.
const LABEL: usize = 14;
/// Cells of the underline.
const LINE: usize = 18;

/// How a row is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Good to know before something fails.
    Warning,
    /// Not known.
    Unknown,
}

/// One labelled value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    pub value: String,
    /// What it means, or why it is not known.
    pub note: String,
    /// How it is meant.
    pub tone: Tone,
}

impl Row {
    fn new(label: &str, value: impl AsRef<str>) -> Self {
        Self {
            label: sanitise(label).into_owned(),
            value: sanitise(value.as_ref()).into_owned(),
            ..Self::default()
        }
    }

    fn note(mut self, note: impl AsRef<str>) -> Self {
        self.note = sanitise(note.as_ref()).into_owned();
        self
    }

    fn warn_if(mut self, bad: bool) -> Self {
        if bad {
            self.tone = Tone::Warning;
        }
        self
    }

    /// `CPU: Zen 4 (note)`, for a clipboard.
    pub fn text(&self) -> String {
        match (self.value.as_str(), self.note.as_str()) {
            (value, "") => format!("{}: {value}", self.label),
            ("", note) => format!("{}: {note}", self.label),
            (value, note) => format!("{}: {value} ({note})", self.label),
        }
    }
}

/// Rows with a heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub title: &'static str,
    pub rows: Vec<Row>,
}

/// Sizes as omp writes them: `15.6GB`, `512B`.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if size < 1024 {
        return format!("{size}B");
    }
    let mut value = size as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{value:.1}{unit}")
}

/// `2d 3h`, `4h 5min`, `6min`.
fn span(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}min"),
        (0, _) => format!("{hours}h {minutes}min"),
        _ => format!("{days}d {hours}h"),
    }
}

/// Everything, in the order in which it is shown.
pub fn sections(system: &System) -> Vec<Section> {
    let environment = system.environment.iter();
    let is_told = |unknown: &&super::Unknown| {
        system.limits.no_ptrace_scope && unknown.field == "limits.ptrace_scope"
    };
    let not_known = system.unknown.iter().filter(|unknown| !is_told(unknown));
    let sections = [
        ("Machine", machine(system)),
        ("Versions", versions(system)),
        ("Limits", limits(&system.limits)),
        ("Disks", system.disks.iter().map(disk).collect()),
        ("omp", omp(system)),
        ("Adapters", adapters(system)),
        (
            "Environment",
            environment
                .map(|(name, value)| Row::new(name, value))
                .collect(),
        ),
        ("Not known", not_known.map(unknown).collect()),
    ];
    sections
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(title, rows)| Section { title, rows })
        .collect()
}

fn unknown(unknown: &super::Unknown) -> Row {
    Row {
        tone: Tone::Unknown,
        ..Row::new(&unknown.field, "").note(&unknown.why)
    }
}

fn machine(system: &System) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut put = |label: &str, value: Option<String>| {
        if let Some(value) = value {
            rows.push(Row::new(label, value));
        }
    };
    put("OS", system.os.clone());
    put("Distribution", system.os_name.clone());
    put("Arch", Some(system.arch.clone()));
    let cpus = system
        .cpus
        .map(|n| format!(" ({n} usable)"))
        .unwrap_or_default();
    put("CPU", Some(format!("{}{cpus}", system.cpu)));
    put(
        "Memory",
        system.memory.map(|memory| {
            format!(
                "{} ({} free, {} available)",
                bytes(memory.total),
                bytes(memory.free),
                bytes(memory.available)
            )
        }),
    );
    put(
        "Swap",
        system.memory.map(|memory| match memory.swap_total {
            0 => "none".to_owned(),
            total => format!("{} ({} free)", bytes(total), bytes(memory.swap_free)),
        }),
    );
    for gpu in &system.gpus {
        let device = gpu.device.as_deref().unwrap_or("unknown device");
        let driver = gpu.driver.as_deref().unwrap_or("no driver");
        put(
            "GPU",
            Some(format!("{} {device}, {driver} ({})", gpu.vendor, gpu.name)),
        );
    }
    put("Up", system.uptime.map(span));
    if let Some(load) = system.load {
        let busy = system.cpus.is_some_and(|cpus| load.one > cpus as f64 * 1.5);
        let value = format!("{:.2} {:.2} {:.2}", load.one, load.five, load.fifteen);
        let row = Row::new("Load", value).note(if busy {
            "more wants to run than there are processors"
        } else {
            "1, 5 and 15 minutes"
        });
        rows.push(row.warn_if(busy));
    }
    let container = &system.container;
    let value = container.kind.as_deref().unwrap_or("none");
    let sign = container.sign.as_ref().map(|sign| format!("by {sign}"));
    rows.push(Row::new("Container", value).note(sign.unwrap_or_default()));
    if let Some(machine) = &container.machine {
        rows.push(Row::new("Virtual machine", machine));
    }
    if container.wsl {
        rows.push(Row::new("WSL", "Linux on Windows"));
    }
    rows.push(Row::new("CWD", &system.cwd));
    rows.push(Row::new("Shell", &system.shell));
    if let Some(terminal) = &system.terminal {
        rows.push(Row::new("Terminal", terminal));
    }
    let locale = &system.locale;
    let row = match &locale.language {
        Some(language) => Row::new("Locale", language).note(locale.variable.unwrap_or_default()),
        None => Row::new("Locale", "C").note("no variable sets one"),
    };
    rows.push(row.warn_if(!locale.utf8));
    if let Some(zone) = &locale.time_zone {
        rows.push(Row::new("Time zone", zone));
    }
    rows
}

fn versions(system: &System) -> Vec<Row> {
    let versions = &system.versions;
    let mut rows = vec![Row::new("omp-debug", &versions.app)];
    let tools = [
        ("omp", &versions.omp, versions.omp_path.as_deref()),
        ("Bun", &versions.bun, None),
        ("Node", &versions.node, None),
        ("Git", &versions.git, None),
    ];
    for (label, version, path) in tools {
        if let Some(version) = version {
            rows.push(Row::new(label, version).note(path.unwrap_or_default()));
        }
    }
    rows
}

fn limits(limits: &Limits) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(scope) = limits.ptrace_scope {
        // The rules are for those without the capability that lifts them; the last one is for everybody.
        let lifted = limits.allowed.may_trace && scope < 3;
        let note = match scope {
            _ if lifted => "lifted by our capabilities: any process can be attached to",
            0 => "any own process can be attached to",
            1 => {
                "only programs that were started here can be attached to; sudo sysctl kernel.yama.ptrace_scope=0 allows all own ones"
            }
            2 => "only an administrator can attach to processes",
            _ => "nobody can attach to processes until the machine is started anew",
        };
        rows.push(
            Row::new("ptrace_scope", scope.to_string())
                .note(note)
                .warn_if(scope > 0 && !lifted),
        );
    } else if limits.no_ptrace_scope {
        let note = "no such rule here: any own process can be attached to";
        rows.push(Row::new("ptrace_scope", "none").note(note));
    }
    if let Some(paranoid) = limits.perf_event_paranoid {
        let lifted = limits.allowed.may_sample;
        let note = match paranoid {
            0.. if lifted => "lifted by our capabilities: everything can be profiled",
            ..=-1 => "everything can be profiled",
            0 | 1 => "own programs and the kernel's part of them can be profiled",
            2 => "own programs can be profiled, without the kernel's part",
            _ => {
                "nothing can be profiled; sudo sysctl kernel.perf_event_paranoid=2 allows own programs"
            }
        };
        let value = paranoid.to_string();
        rows.push(
            Row::new("perf_event_paranoid", value)
                .note(note)
                .warn_if(paranoid > 2 && !lifted),
        );
    }
    for limit in &limits.resources {
        let [soft, hard] = [limit.soft, limit.hard].map(|value| limit_value(value, limit.unit));
        let row = Row::new(&limit.name.replace('_', " "), &soft);
        let row = if soft == hard {
            row
        } else {
            row.note(format!("can be raised to {hard}"))
        };
        rows.push(match (limit.name, limit.soft) {
            ("core_file", Some(0)) => row
                .note("a crash leaves no core; ulimit -c unlimited")
                .warn_if(true),
            ("open_files", Some(files)) => row.warn_if(files < 256),
            _ => row,
        });
    }
    let group = &limits.cgroup;
    if let Some(version) = group.version {
        let path = group.path.as_deref().unwrap_or("/");
        rows.push(Row::new("cgroup", format!("v{version} {path}")));
        let used = group
            .memory_used
            .map(|used| format!("{} used", bytes(used)));
        let tight = group.memory_limit.zip(group.memory_used);
        let tight = tight.is_some_and(|(limit, used)| used > limit / 10 * 9);
        let value = group
            .memory_limit
            .map_or_else(|| "unlimited".to_owned(), bytes);
        rows.push(
            Row::new("cgroup memory", value)
                .note(used.unwrap_or_default())
                .warn_if(tight),
        );
        let value = group.cpu_limit.map(|cpus| format!("{cpus:.2} processors"));
        rows.push(Row::new(
            "cgroup CPU",
            value.as_deref().unwrap_or("unlimited"),
        ));
        let value = group.pids_limit.map(|limit| limit.to_string());
        let used = group.pids_used.map(|used| format!("{used} used"));
        rows.push(
            Row::new("cgroup processes", value.as_deref().unwrap_or("unlimited"))
                .note(used.unwrap_or_default()),
        );
    }
    if let Some(watches) = limits.inotify.max_user_watches {
        let instances = limits.inotify.max_user_instances;
        let note = instances.map(|n| format!("{n} watchers"));
        rows.push(Row::new("inotify watches", watches.to_string()).note(note.unwrap_or_default()));
    }
    let numbers = [
        ("kptr_restrict", limits.kptr_restrict.map(u64::from)),
        (
            "randomize_va_space",
            limits.randomize_va_space.map(u64::from),
        ),
        ("pid_max", limits.pid_max),
        ("file-max", limits.file_max.filter(|n| *n < u64::MAX / 4)),
        ("max_map_count", limits.max_map_count),
    ];
    for (label, number) in numbers {
        rows.extend(number.map(|number| Row::new(label, number.to_string())));
    }
    rows.extend(
        limits
            .core_pattern
            .as_ref()
            .map(|pattern| Row::new("core_pattern", pattern)),
    );
    rows
}

fn disk(disk: &Disk) -> Row {
    let value = match (disk.free, disk.total) {
        (Some(free), Some(total)) => format!("{} free of {}", bytes(free), bytes(total)),
        _ => "unknown".to_owned(),
    };
    let mut note = disk.path.clone();
    if let (Some(kind), Some(mount)) = (&disk.filesystem, &disk.mount) {
        let _ = write!(note, ", {kind} on {mount}");
    }
    let mut bad = disk.read_only == Some(true);
    if bad {
        note.push_str(", read-only");
    }
    if disk.free_files == Some(0) {
        note.push_str(", no file can be made any more");
        bad = true;
    }
    // What debug information and reports take is soon more than this.
    bad |= disk.free.is_some_and(|free| free < 256 << 20);
    Row::new(disk.purpose, value).note(note).warn_if(bad)
}

fn omp(system: &System) -> Vec<Row> {
    let omp = &system.omp;
    let mut rows = vec![Row::new("root", &omp.root).note(if omp.present {
        ""
    } else {
        "not there: omp has not run here"
    })];
    rows.extend(omp.profile.as_ref().map(|name| Row::new("profile", name)));
    if omp.present {
        rows.extend(omp.folders.iter().map(|(name, path)| Row::new(name, path)));
    }
    for warning in &omp.warnings {
        rows.push(Row::new("warning", "").note(warning).warn_if(true));
    }
    for process in &omp.processes {
        let value = format!("{}, {}", process.name, bytes(process.memory));
        let project = process.project.as_ref();
        let note = project.map_or_else(|| process.command.clone(), |p| format!("in {p}"));
        rows.push(Row::new(&format!("pid {}", process.pid), value).note(note));
    }
    rows
}

fn adapters(system: &System) -> Vec<Row> {
    let row = |adapter: &super::Adapter| {
        let value = match (adapter.found, &adapter.version) {
            (true, Some(version)) => version.clone(),
            (true, None) => "found".to_owned(),
            (false, _) => "not found".to_owned(),
        };
        Row {
            tone: if adapter.found {
                Tone::Plain
            } else {
                Tone::Unknown
            },
            ..Row::new(&adapter.name, value).note(&adapter.how)
        }
    };
    system.adapters.iter().map(row).collect()
}

/// All sections as text: a title, a line, labels in a column.
pub fn write(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{}\n{}", section.title, "━".repeat(LINE));
        let labels = section.rows.iter().map(|row| width(&row.label));
        let column = labels.max().unwrap_or(0).clamp(LABEL, 24);
        for row in &section.rows {
            let label = pad(&row.label, column);
            let line = match (row.value.as_str(), row.note.as_str()) {
                (value, "") => value.to_owned(),
                ("", note) => note.to_owned(),
                (value, note) => format!("{value}  ({note})"),
            };
            let _ = writeln!(out, "{label} {line}");
        }
    }
    out
}
