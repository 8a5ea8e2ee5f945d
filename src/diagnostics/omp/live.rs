//! Which omp processes run, and which session belongs to a terminal.

use std::os::unix::ffi::OsStringExt as _;

use base::files;

use super::{Layout, names};
use crate::prelude::*;

/// Files of this sort are some hundred bytes.
const LARGEST: u64 = 64 * 1024;

/// A running omp process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Its project, if it is a daemon's client.
    pub project: Option<PathBuf>,
    /// Its newest log.
    pub log: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Client {
    pid: u32,
    project_dir: Option<PathBuf>,
}

/// Running processes by their logs and by the daemons' lists of clients. A number may have been given to another program since:
/// `is_omp` says whether it is one.
pub fn processes(layout: &Layout, mut is_omp: impl FnMut(u32) -> bool) -> BTreeMap<u32, Process> {
    let mut found: BTreeMap<u32, Process> = BTreeMap::new();
    for log in names::logs_in(&layout.logs).unwrap_or_default() {
        if let Some(pid) = log.pid {
            found.entry(pid).or_default().log = Some(log.path);
        }
    }
    for scope in entries(&layout.daemons) {
        for file in entries(&scope.join("clients")) {
            let client =
                small_file(&file).and_then(|text| serde_json::from_str::<Client>(&text).ok());
            if let Some(client) = client {
                found.entry(client.pid).or_default().project = client.project_dir;
            }
        }
    }
    found.retain(|pid, _| files::is_alive(*pid, None) && is_omp(*pid));
    found
}

/// Whether the first words of a command line are those of omp, or of a script of it.
pub fn is_omp<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    words.take(4).any(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let is_script = ["pi-coding-agent", "oh-my-pi"]
            .iter()
            .any(|of| word.contains(of));
        name == "omp" || name.starts_with("omp.") || is_script
    })
}

/// The session's file of this terminal: by multiplexer and terminal program first, by the terminal device last.
pub fn session_of_terminal(
    layout: &Layout,
    variables: &BTreeMap<String, String>,
    device: Option<&Path>,
) -> Option<PathBuf> {
    terminal_ids(variables, device)
        .iter()
        .find_map(|id| breadcrumb(&small_file(&layout.terminal_sessions.join(id))?))
}

/// The device of the terminal that one of our standard streams is.
pub fn own_terminal() -> Option<PathBuf> {
    let (input, output, errors) = (io::stdin(), io::stdout(), io::stderr());
    let streams = [input.as_fd(), output.as_fd(), errors.as_fd()];
    let name = streams
        .into_iter()
        .find_map(|stream| rustix::termios::ttyname(stream, Vec::new()).ok())?;
    Some(OsString::from_vec(name.into_bytes()).into())
}

/// The sessions' files of all terminals, by the terminal's name. Terminals that are gone are among them: omp does not tidy up.
pub fn breadcrumbs(layout: &Layout) -> BTreeMap<String, PathBuf> {
    entries(&layout.terminal_sessions)
        .into_iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            Some((name, breadcrumb(&small_file(&path)?)?))
        })
        .collect()
}

fn terminal_ids(variables: &BTreeMap<String, String>, device: Option<&Path>) -> Vec<String> {
    const BY_VARIABLE: &[(&str, &str)] = &[
        ("TMUX_PANE", "tmux-"),
        ("ZELLIJ_PANE_ID", "zellij-"),
        ("CMUX_SURFACE_ID", "cmux-"),
        ("KITTY_WINDOW_ID", "kitty-"),
        ("WEZTERM_PANE", "wezterm-"),
        ("TERM_SESSION_ID", "apple-"),
        ("WT_SESSION", "wt-"),
    ];
    let named = BY_VARIABLE.iter().filter_map(|(variable, prefix)| {
        variables
            .get(*variable)
            .map(|value| format!("{prefix}{value}"))
    });
    let device = device.and_then(|path| {
        let path = path.strip_prefix("/dev").unwrap_or(path);
        Some(path.to_str()?.replace('/', "-"))
    });
    // A value with a slash would leave the folder.
    named
        .chain(device)
        .filter(|id| !id.contains('/') && !id.starts_with('.'))
        .collect()
}

/// What omp noted about a terminal: where it ran, the session's file, and `fresh` if the session had just begun.
fn breadcrumb(text: &str) -> Option<PathBuf> {
    let session = text.lines().nth(1)?;
    (!session.is_empty()).then(|| PathBuf::from(session))
}

pub(super) fn entries(dir: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(dir)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default()
}

/// The text of a regular file that is as small as it should be.
fn small_file(path: &Path) -> Option<String> {
    let is_small = path.metadata().ok()?.len() <= LARGEST;
    is_small
        .then(|| files::text_at_most(path, LARGEST))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::super::Environment;
    use super::*;

    #[test]
    fn running_processes_and_the_session_of_a_terminal() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_path_buf();
        let layout = Layout::find(&Environment {
            cwd: home.clone(),
            home,
            ..Environment::default()
        });
        let own = std::process::id();
        let clients = layout.daemons.join("0123456789abcdef/clients");
        std::fs::create_dir_all(&clients).unwrap();
        std::fs::create_dir_all(&layout.logs).unwrap();
        std::fs::write(
            clients.join("a.json"),
            format!(r#"{{"pid":{own},"id":"x","projectDir":"/p"}}"#),
        )
        .unwrap();
        std::fs::write(clients.join("b.json"), "{broken").unwrap();
        let log = layout.logs.join(format!("omp.2026-08-21.{own}.log"));
        std::fs::write(&log, "").unwrap();
        std::fs::write(layout.logs.join("omp.2026-08-21.4194305.log"), "").unwrap();
        let found = processes(&layout, |_| true);
        assert_eq!(
            found.keys().copied().collect::<Vec<_>>(),
            [own],
            "beyond the largest pid nothing runs"
        );
        assert_eq!(
            found.get(&own),
            Some(&Process {
                project: Some("/p".into()),
                log: Some(log)
            })
        );
        assert!(processes(&layout, |_| false).is_empty());

        std::fs::create_dir_all(&layout.terminal_sessions).unwrap();
        std::fs::write(
            layout.terminal_sessions.join("pts-3"),
            "/p\n/s/x.jsonl\nfresh\n",
        )
        .unwrap();
        let tmux = BTreeMap::from([("TMUX_PANE".to_owned(), "%7".to_owned())]);
        let device = Path::new("/dev/pts/3");
        let found = session_of_terminal(&layout, &tmux, Some(device)).unwrap();
        assert_eq!(found, Path::new("/s/x.jsonl"));
        std::fs::write(layout.terminal_sessions.join("tmux-%7"), "/q\n/s/y.jsonl\n").unwrap();
        let found = session_of_terminal(&layout, &tmux, Some(device)).unwrap();
        assert_eq!(found, Path::new("/s/y.jsonl"));
        assert_eq!(session_of_terminal(&layout, &BTreeMap::new(), None), None);
    }
}
