//! Which session a report is about: the one that was named, the one of this terminal, the newest of this project, the newest of all.

use crate::{
    omp::{Layout, live, names},
    prelude::*,
    sessions::{Finder, list::in_use},
};

/// Why this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceReason {
    Named,
    /// omp ran it in this terminal.
    Terminal,
    /// It is the newest of this project.
    Project,
    Newest,
}

impl ChoiceReason {
    /// As a part of a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Named => "as named",
            Self::Terminal => "the one of this terminal",
            Self::Project => "the newest of this project",
            Self::Newest => "the newest",
        }
    }
}

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenSession {
    /// Its file.
    pub path: PathBuf,
    pub why: ChoiceReason,
}

impl ChosenSession {
    /// The folder of its artifacts, which need not exist.
    pub fn artifacts(&self) -> Option<PathBuf> {
        (self.path.extension()? == "jsonl").then(|| self.path.with_extension(""))
    }
}

/// Finds the session. A name is a path or a part of a session's file name; the error is a sentence.
pub fn find(
    layout: &Layout,
    variables: &BTreeMap<String, String>,
    cwd: &Path,
    named: Option<&str>,
) -> Result<Option<ChosenSession>, String> {
    if let Some(name) = named {
        let file = cwd.join(name);
        let word = if is_session(&file) {
            file.to_string_lossy()
        } else {
            name.into()
        };
        let path = Finder::new(layout, None).find(Some(&word))?;
        if !is_session(&path) {
            return Err(format!(
                "{:?} is packed: unpack it first",
                path.to_string_lossy()
            ));
        }
        return Ok(Some(ChosenSession {
            path: std::fs::canonicalize(&path).unwrap_or(path),
            why: ChoiceReason::Named,
        }));
    }
    let device = live::own_terminal();
    if let Some(path) = live::session_of_terminal(layout, variables, device.as_deref())
        && is_session(&path)
    {
        return Ok(Some(ChosenSession {
            path,
            why: ChoiceReason::Terminal,
        }));
    }
    let home = variables.get("HOME").map_or("", String::as_str);
    let tmp = std::env::temp_dir();
    let bucket = names::bucket(cwd, Path::new(home), &tmp);
    let sessions: Vec<PathBuf> = newest_first(layout).collect();
    let of_project = |path: &&PathBuf| {
        let folder = path.parent().and_then(Path::file_name);
        folder.is_some_and(|name| name == bucket.as_str())
    };
    let newest = sessions
        .iter()
        .find(of_project)
        .zip(Some(ChoiceReason::Project));
    let newest = newest.or_else(|| sessions.first().zip(Some(ChoiceReason::Newest)));
    Ok(newest.map(|(path, why)| ChosenSession {
        path: path.clone(),
        why,
    }))
}

fn is_session(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl")
        && std::fs::metadata(path).is_ok_and(|m| m.is_file())
}

/// Every session that is not put away.
fn newest_first(layout: &Layout) -> impl Iterator<Item = PathBuf> {
    let found = in_use(layout, &mut Vec::new()).into_iter();
    found.map(|file| file.path).filter(|path| is_session(path))
}
