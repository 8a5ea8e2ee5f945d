//! A home of omp as omp writes it, of any size: logs of several processes and days with their rolled-over parts, the older scheme
//! with gzip, native crash logs, dumps of refused requests, sessions with artifacts, breadcrumbs, clients of daemons.
//!
//! The same numbers give the same home. What was written is returned, so that tests need not read it back with the code they test.

pub mod sessions;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

/// How large it is to be.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Days with logs, the last of them is [`LAST_DAY`].
    pub days: u32,
    /// Processes on each day.
    pub processes: u32,
    /// Entries in each log.
    pub entries: u32,
    /// Entries after which a log is rolled over.
    pub part: u32,
    /// Sessions in each of two projects.
    pub sessions: u32,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            days: 3,
            processes: 3,
            entries: 120,
            part: 50,
            sessions: 2,
        }
    }
}

/// The newest day that has logs.
pub const LAST_DAY: u32 = 21;

/// An entry as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub time: i64,
    pub level: &'static str,
    pub pid: u32,
    pub message: String,
    /// Lines that are not JSON and follow it.
    pub more: Option<&'static str>,
}

/// What was generated.
#[derive(Debug)]
pub struct Home {
    pub dir: PathBuf,
    pub logs: PathBuf,
    /// All entries in the order of time.
    pub entries: Vec<Written>,
    pub sessions: Vec<PathBuf>,
}

const MESSAGES: &[(&str, &str)] = &[
    ("info", "session started"),
    ("debug", "render frame"),
    ("info", "tool finished"),
    ("warn", "ui.loop-blocked"),
    ("debug", "DAP framing resync..."),
    ("error", "agent turn ended with provider error"),
    ("info", "wrote äöü → file"),
];
const CRASH: &str = "panic: Segmentation fault at address 0x10\n    at frame (native:1)";

/// Writes the home below `home`.
pub fn write(home: &Path, size: Size) -> Home {
    let root = home.join(".omp");
    let logs = root.join("logs");
    fs::create_dir_all(&logs).unwrap();
    let mut entries = Vec::new();
    for day in 0..size.days {
        let date = format!("2026-08-{:02}", LAST_DAY - day);
        for process in 0..size.processes {
            let pid = 4100 + day * 100 + process;
            write_log(&logs, &date, pid, process, size, &mut entries);
        }
    }
    entries.sort_by_key(|entry| entry.time);
    older_scheme(&logs);
    crash_files(&logs);
    let sessions = sessions::write(&root, home, size.sessions);
    write_live(&root, &sessions);
    Home {
        dir: home.to_path_buf(),
        logs,
        entries,
        sessions,
    }
}

fn write_log(
    logs: &Path,
    date: &str,
    pid: u32,
    process: u32,
    size: Size,
    entries: &mut Vec<Written>,
) {
    let mut part = 0;
    let mut text = String::new();
    let mut files = Vec::new();
    for n in 0..size.entries {
        let (level, message) = MESSAGES[(n * 7 + process * 3) as usize % MESSAGES.len()];
        let message = format!("{message} {n}");
        // Every process writes at times of its own, so that no two entries have the same.
        let ms = i64::from(n) * 1000 + i64::from(process) * 37;
        let (hour, minute, second) = (10 + ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        let stamp = format!(
            "{date}T{hour:02}:{minute:02}:{second:02}.{:03}+02:00",
            ms % 1000
        );
        let time: jiff::Timestamp = stamp.parse().unwrap();
        let mut line = format!(
            r#"{{"timestamp":"{stamp}","level":"{level}","pid":{pid},"message":{}"#,
            serde_json::to_string(&message).unwrap()
        );
        match n % 5 {
            0 => write!(line, r#","blockedMs":{},"phase":"render"}}"#, 250 + n).unwrap(),
            1 => line.push_str(
                r#","error":{"name":"Error","message":"x","stack":"Error: x\n    at y"}}"#,
            ),
            _ => line.push('}'),
        }
        text.push_str(&line);
        text.push('\n');
        let more = (n % 40 == 39).then_some(CRASH);
        if let Some(more) = more {
            text.push_str(more);
            text.push('\n');
        }
        entries.push(Written {
            time: time.as_millisecond(),
            level,
            pid,
            message,
            more,
        });
        if (n + 1) % size.part == 0 || n + 1 == size.entries {
            let suffix = if part == 0 {
                String::new()
            } else {
                format!(".{part}")
            };
            let path = logs.join(format!("omp.{date}.{pid}.log{suffix}"));
            fs::write(&path, &text).unwrap();
            files
                .push(json!({"date": time.as_millisecond(), "name": path, "hash": "0".repeat(64)}));
            text.clear();
            part += 1;
        }
    }
    let audit = json!({
        "keep": {"days": false, "amount": 5},
        "auditLog": logs.join(format!(".omp.{pid}-audit.json")),
        "files": files,
        "hashType": "sha256",
    });
    fs::write(
        logs.join(format!(".omp.{pid}-audit.json")),
        audit.to_string(),
    )
    .unwrap();
}

/// Before 17.0 all processes shared a log, and its archives were compressed.
fn older_scheme(logs: &Path) {
    let line = |second: u32, message: &str| {
        format!(
            "{{\"timestamp\":\"2026-06-01T09:00:{second:02}.000+02:00\",\"level\":\"info\",\"pid\":77,\"message\":\"{message}\"}}\n"
        )
    };
    let mut gzip = GzEncoder::new(
        fs::File::create(logs.join("omp.2026-06-01.log.1.gz")).unwrap(),
        Compression::default(),
    );
    for second in 0..20 {
        gzip.write_all(line(second, &format!("archived {second}")).as_bytes())
            .unwrap();
    }
    gzip.finish().unwrap();
    fs::write(logs.join("omp.2026-06-01.log"), line(40, "shared")).unwrap();
}

/// Entries of the older scheme.
pub const OLDER: usize = 21;

fn crash_files(logs: &Path) {
    fs::write(
        logs.join("native-panic-4100-1787300000000.log"),
        "pid: 4100\nthread: main\ntimestamp: 1787300000000\nsrc/lib.rs:7: boom\n0: frame\n",
    )
    .unwrap();
    let dumps = logs.join("http-400-requests");
    fs::create_dir_all(&dumps).unwrap();
    let dump = json!({
        "provider": "anthropic", "api": "anthropic-messages", "model": "m", "method": "POST", "url": "https://example.org/v1",
        "headers": {"x-api-key": "[redacted]"}, "body": {"max_tokens": 1}, "errorResponse": {"status": 400, "message": "bad"},
    });
    fs::write(dumps.join("1787300000000-1x2y3z.json"), dump.to_string()).unwrap();
}

fn write_live(root: &Path, sessions: &[PathBuf]) {
    let clients = root.join("run/daemons/0123456789abcdef/clients");
    fs::create_dir_all(&clients).unwrap();
    let own = std::process::id();
    fs::write(
        clients.join(format!("{own}-x.json")),
        json!({"pid": own, "id": "x", "projectDir": "/srv/app"}).to_string(),
    )
    .unwrap();
    let terminals = root.join("agent/terminal-sessions");
    fs::create_dir_all(&terminals).unwrap();
    if let Some(session) = sessions.first() {
        fs::write(
            // No terminal of a test has this number: the session of its terminal would be taken for the one that is meant.
            terminals.join("pts-99999"),
            format!("/srv/app\n{}\n", session.display()),
        )
        .unwrap();
    }
}
