//! Which files are read as one log: those that were named, or all of omp's.

use super::{
    live::entries,
    names::{LogFile, logs_in},
};
use crate::{
    logs::{LogPath, is_log_name},
    prelude::*,
};

/// The files behind what was named, or omp's own.
pub fn find(paths: &[PathBuf], omp_logs: &Path, warn: &mut dyn FnMut(&str)) -> Vec<LogPath> {
    if paths.is_empty() {
        let found = logs_in(omp_logs).unwrap_or_default();
        if found.is_empty() {
            warn(&format!(
                "omp has no logs in {:?}: name a file, or another folder with --omp-dir",
                omp_logs.to_string_lossy()
            ));
        }
        return found.iter().map(of_omp).collect();
    }
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(named(path));
            continue;
        }
        let mut inside = entries(path);
        inside.retain(|file| is_log_name(file) && file.is_file());
        inside.sort();
        if inside.is_empty() {
            warn(&format!(
                "there is no log in the folder {:?}",
                path.to_string_lossy()
            ));
        }
        files.extend(inside.iter().map(|file| named(file)));
    }
    // Files without a day cannot be put before or behind those of a day: all are merged by time.
    if files.iter().any(|file| file.day.is_none()) {
        for file in &mut files {
            file.day = None;
        }
    }
    files
}

fn of_omp(log: &LogFile) -> LogPath {
    LogPath {
        path: log.path.clone(),
        day: Some(log.day),
        pid: log.pid,
    }
}

/// One of omp's logs, by its name.
pub fn by_name(path: &Path) -> Option<LogPath> {
    LogFile::parse(path).map(|log| of_omp(&log))
}

fn named(path: &Path) -> LogPath {
    by_name(path).unwrap_or_else(|| LogPath::from(path))
}
