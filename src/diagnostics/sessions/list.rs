//! Finds sessions: all projects, the newest first, and the one that a person means by a word.

use super::summary::{Status, Summary, changed, id_of, stem_of};
use crate::{
    omp::{Layout, live},
    prelude::*,
};

/// Candidates that an error names.
const NAMED: usize = 12;
/// Folders below the archive.
const DEPTH: usize = 4;

/// A file that is a session, by its name and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFile {
    pub path: PathBuf,
    /// When it changed, in milliseconds since 1970.
    pub changed: i64,
}

/// Finds sessions in a home of omp.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    layout: Layout,
    /// Where omp runs now.
    projects: Vec<PathBuf>,
    /// The session of this terminal.
    here: Option<PathBuf>,
}

impl Finder {
    /// Looks where `layout` says; `here` is the session of this terminal.
    pub fn new(layout: &Layout, here: Option<PathBuf>) -> Self {
        let processes = live::processes(layout, is_omp);
        Self {
            layout: layout.clone(),
            projects: processes.into_values().filter_map(|p| p.project).collect(),
            here,
        }
    }

    /// As [`Finder::new`], for our terminal and these variables.
    pub fn of_terminal(layout: &Layout, variables: &BTreeMap<String, String>) -> Self {
        let device = live::own_terminal();
        let here = live::session_of_terminal(layout, variables, device.as_deref());
        Self::new(layout, here)
    }

    /// The session of this terminal, if omp noted one.
    pub fn here(&self) -> Option<&Path> {
        self.here.as_deref()
    }

    /// All files: see [`files`].
    pub fn files(&self, notes: &mut Vec<String>) -> Vec<SessionFile> {
        files(&self.layout, notes)
    }

    /// A head and a tail of each of these, in batches; ends when `tell` says so.
    pub fn summaries(
        &self,
        files: &[SessionFile],
        cancel: &Cancel,
        mut tell: impl FnMut(Vec<Summary>) -> bool,
    ) {
        // A running omp works on the newest session of its project that has not ended.
        let mut projects = self.projects.clone();
        for batch in files.chunks(64) {
            let mut summaries = Vec::with_capacity(batch.len());
            for file in batch {
                if cancel.is_cancelled() {
                    return;
                }
                let mut summary = Summary::read(&file.path);
                summary.here = self.here.as_deref() == Some(&*file.path);
                let cwd = summary.cwd.as_deref().map(Path::new);
                let runs = projects.iter().position(|project| Some(&**project) == cwd);
                let ended = matches!(summary.status, Status::Ended(_) | Status::Killed(_));
                if let Some(at) = runs.filter(|_| !ended && !summary.archived) {
                    projects.swap_remove(at);
                    summary.live = true;
                }
                summaries.push(summary);
            }
            if !tell(summaries) {
                return;
            }
        }
    }

    /// The session that a word means: a path, `latest`, an id or its beginning. Without a word that of this terminal, else
    /// the newest.
    pub fn find(&self, word: Option<&str>) -> Result<PathBuf, String> {
        if let Some(word) = word {
            let path = Path::new(word);
            if path.is_file() {
                return Ok(path.to_path_buf());
            }
            let extension = path.extension().and_then(|e| e.to_str());
            if word.contains('/') || matches!(extension, Some("jsonl" | "gz")) {
                let why = match std::fs::metadata(path) {
                    Ok(_) => "it is no regular file".to_owned(),
                    Err(error) => error.to_string(),
                };
                return Err(format!(
                    "{:?} cannot be read: {why}",
                    path.to_string_lossy()
                ));
            }
        } else if let Some(here) = self.here.as_ref().filter(|here| here.is_file()) {
            return Ok(here.clone());
        }
        let files = self.files(&mut Vec::new());
        let newest = files.first().ok_or_else(|| {
            let places = self.layout.sessions.iter().map(|place| place.display().to_string());
            let places = places.collect::<Vec<_>>().join(" or ");
            format!(
                "there are no sessions of omp in {}; name a file, or say with --omp-dir where omp keeps its files",
                sanitise(&places)
            )
        })?;
        let word = match word {
            None | Some("latest") => return Ok(newest.path.clone()),
            Some(word) => word.to_lowercase(),
        };
        let fits = |file: &&SessionFile| id_of(&file.path).to_lowercase().starts_with(&word);
        let fitting: Vec<&SessionFile> = files.iter().filter(fits).collect();
        let exact: Vec<&SessionFile> = fitting
            .iter()
            .copied()
            .filter(|file| id_of(&file.path).eq_ignore_ascii_case(&word))
            .collect();
        match (fitting.as_slice(), exact.as_slice()) {
            ([], _) => Err(format!(
                "no session has an id that begins with {word:?}; `omp-debug sessions` lists them"
            )),
            ([one], _) | (_, [one]) => Ok(one.path.clone()),
            (several, _) => Err(format!(
                "{} sessions have an id that begins with {word:?}; write more of it:\n{}",
                several.len(),
                candidates(several)
            )),
        }
    }
}

/// All files, the newest change first. Folders that cannot be read are named in `notes`.
pub fn files(layout: &Layout, notes: &mut Vec<String>) -> Vec<SessionFile> {
    let mut found = in_use(layout, notes);
    let archive = layout.agent.join("archive").join("sessions");
    folder(&archive, DEPTH, &mut found, notes);
    newest_first(found)
}

/// The same without those that were put away.
pub fn in_use(layout: &Layout, notes: &mut Vec<String>) -> Vec<SessionFile> {
    let mut found = Vec::new();
    for (index, place) in layout.sessions.iter().enumerate() {
        let flat = layout.flat_sessions && index == 0;
        folder(place, usize::from(!flat), &mut found, notes);
    }
    newest_first(found)
}

fn newest_first(mut found: Vec<SessionFile>) -> Vec<SessionFile> {
    found.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| b.path.cmp(&a.path)));
    let mut seen = HashSet::new();
    found.retain(|f| seen.insert(f.path.clone()));
    found
}

fn candidates(several: &[&SessionFile]) -> String {
    let mut lines: Vec<String> = several
        .iter()
        .take(NAMED)
        .map(|file| {
            let summary = Summary::read(&file.path);
            let cwd = summary.cwd.as_deref().unwrap_or("?");
            format!(
                "  {}  {}  {}",
                sanitise(&summary.id),
                sanitise(cwd),
                sanitise(summary.name())
            )
        })
        .collect();
    if several.len() > NAMED {
        lines.push(format!("  … and {} more", several.len() - NAMED));
    }
    lines.join("\n")
}

/// Sessions of a folder and, `depth` levels deep, of those below it. Links are not followed; a folder beside a session of its name
/// has that session's artifacts.
fn folder(dir: &Path, depth: usize, found: &mut Vec<SessionFile>, notes: &mut Vec<String>) {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => {
            notes.push(format!("{} cannot be listed: {error}", dir.display()));
            return;
        }
    };
    let (mut folders, mut names) = (Vec::new(), HashSet::new());
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if metadata.is_dir() {
            folders.push(entry.path());
        } else if metadata.is_file()
            && let Some(stem) = stem_of(&name)
        {
            names.insert(stem.to_owned());
            found.push(SessionFile {
                path: entry.path(),
                changed: changed(&metadata),
            });
        }
    }
    if depth == 0 {
        return;
    }
    for path in folders {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !names.contains(&*name) {
            folder(&path, depth - 1, found, notes);
        }
    }
}

/// Whether a process looks like omp: by the first words of its command line. Where that cannot be read, the pid is believed.
fn is_omp(pid: u32) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else {
        return !Path::new("/proc/self").exists();
    };
    live::is_omp(String::from_utf8_lossy(&line).split('\0'))
}
