//! Which hosts there are, and which one is meant.
//!
//! Whether somebody listens is found out by connecting: process ids are used again, connections are not. What nobody listens behind
//! is removed on the way.

use std::io::ErrorKind;

use super::{
    HostKind,
    connection::{self, Connection},
    note::Note,
    place::{self, SocketFolder},
    wire::{RequestLine, Subscribe},
};
use crate::prelude::*;

/// How long one host may take to say what it debugs, when several are to be told apart.
const GLANCE: Duration = Duration::from_secs(1);
/// Hosts listed in a message.
const LISTED: usize = 20;

/// A host that listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosted {
    /// Its socket.
    pub path: PathBuf,
    /// Its process, by the socket's name.
    pub pid: u32,
    /// What it says of itself, if it could be read.
    pub note: Option<Note>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct RunningHosts {
    /// Hosts, by process id.
    pub hosts: Vec<Hosted>,
    /// Folders that were not looked into.
    pub troubles: Vec<DebuggerError>,
}

/// Looks for hosts of this user.
pub async fn find(context: &Context) -> RunningHosts {
    let (places, troubles) = SocketFolder::existing(context);
    let mut hosts = Vec::new();
    for place in places {
        hosts.extend(in_place(&place).await);
    }
    hosts.sort_by_key(|host| host.pid);
    RunningHosts { hosts, troubles }
}

/// The one host, or the one wanted: a process id or a socket's path.
pub async fn choose(context: &Context, wanted: Option<&str>) -> Result<PathBuf> {
    if let Some(path) = wanted.filter(|wanted| wanted.contains('/')) {
        return Ok(context.absolute(Path::new(path)));
    }
    let RunningHosts {
        mut hosts,
        troubles,
    } = find(context).await;
    if let Some(wanted) = wanted {
        let pid: Option<u32> = wanted.parse().ok();
        if let Some(index) = hosts.iter().position(|host| Some(host.pid) == pid) {
            return Ok(hosts.swap_remove(index).path);
        }
        let running = if hosts.is_empty() {
            "none is: `omp-debug serve` starts one".to_owned()
        } else {
            format!("these are:\n{}", listing(&hosts).await)
        };
        let what = format!("no debugger {wanted:?} is running; {running}");
        return Err(DebuggerError::usage(what));
    }
    match hosts.as_slice() {
        [] => {
            let mut what = "no debugger is running that could be joined: start one with `omp-debug serve`, or open the screen with `omp-debug PROGRAM`".to_owned();
            what.extend(
                troubles
                    .iter()
                    .map(|trouble| format!("\n  not looked at: {trouble}")),
            );
            Err(DebuggerError::usage(what))
        }
        [_] => Ok(hosts.swap_remove(0).path),
        several => {
            let hosts = listing(several).await;
            Err(DebuggerError::usage(format!(
                "several debuggers are running, choose one by its process id (--to PID, --join PID):\n{hosts}"
            )))
        }
    }
}

/// Hosts of one place. What nobody listens behind is gone from it afterwards.
pub async fn in_place(place: &SocketFolder) -> Vec<Hosted> {
    let Ok(entries) = fs::read_dir(place.folder()) else {
        return Vec::new();
    };
    let mut hosts = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let Some((stem, ending)) = name.to_str().and_then(|name| name.rsplit_once('.')) else {
            continue;
        };
        let Ok(pid) = stem.trim_start_matches('.').parse::<u32>() else {
            continue;
        };
        let note_path = Note::path(place, pid);
        match ending {
            "sock" if !stem.starts_with('.') => match connection::dial(&path).await {
                // What else keeps us from connecting says nothing about who is there.
                Ok(Err(error))
                    if [ErrorKind::ConnectionRefused, ErrorKind::NotFound]
                        .contains(&error.kind()) =>
                {
                    tracing::debug!(%error, ?path, "nobody listens there any more");
                    place::remove(&path);
                    place::remove(&note_path);
                }
                // One that is suspended is there all the same.
                _ => hosts.push(Hosted {
                    note: Note::read(&note_path),
                    path,
                    pid,
                }),
            },
            // Left by a process that was killed while it made its socket; a living one is about to, and may be writing its note.
            "sock" | "json" if !place.socket(pid).exists() => {
                let start_time = Note::read(&note_path).and_then(|note| note.start_time);
                if !files::is_alive(pid, start_time) {
                    place::remove(&path);
                }
            }
            _ => {}
        }
    }
    hosts
}

/// One host a line: process, kind, folder, what it debugs now.
async fn listing(hosts: &[Hosted]) -> String {
    let mut lines = Vec::new();
    for host in hosts.iter().take(LISTED) {
        let note = host.note.clone().unwrap_or_default();
        let now = match timeout(GLANCE, glance(&host.path)).await {
            Ok(Ok(state)) => programs(&state),
            _ => None,
        };
        let program = now
            .or(note.program)
            .unwrap_or_else(|| "nothing yet".to_owned());
        let kind = host
            .note
            .as_ref()
            .map_or("?", |note| HostKind::word(note.kind));
        lines.push(format!(
            "{:>9}  {kind:<5}  {}  {}",
            host.pid,
            sanitise(&note.cwd.to_string_lossy()),
            sanitise(&program)
        ));
    }
    if hosts.len() > LISTED {
        lines.push(format!("and {} more", hosts.len() - LISTED));
    }
    lines.join("\n")
}

/// The state of a host as of now.
async fn glance(path: &Path) -> Result<State> {
    let mut connection = Connection::open(path).await?;
    let subscribe = RequestLine {
        subscribe: Some(Subscribe {}),
        ..RequestLine::default()
    };
    connection.send(&subscribe).await?;
    loop {
        if let Some(state) = connection.next().await?.state {
            return Ok(*state);
        }
    }
}

fn programs(state: &State) -> Option<String> {
    let all: Vec<String> = state
        .sessions
        .iter()
        .filter(|session| session.parent.is_none())
        .map(|session| format!("{} ({})", session.name, session.phase.word()))
        .collect();
    (!all.is_empty()).then(|| all.join(", "))
}
