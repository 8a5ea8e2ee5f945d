//! Which sessions live: their artifacts are never cleared.
//!
//! omp does not say which process has which session, so every sign counts: what a terminal's breadcrumb names, what a running
//! process has open, and, for each running process, one of the newest sessions of its project.

use super::{root::ArtifactRoot, spot::ArtifactFolder};
use crate::{omp::live, prelude::*};

/// Says of each one whether its session lives.
pub fn mark(ground: &ArtifactRoot, found: &mut [ArtifactFolder]) {
    for one in found.iter_mut() {
        (one.live, one.own) = (None, false);
    }
    let own = ground.own_session();
    let breadcrumbs = live::breadcrumbs(&ground.layout);
    let running = live::processes(&ground.layout, |_| true);
    let mut open = Vec::new();
    let mut projects: BTreeMap<PathBuf, Vec<u32>> = BTreeMap::new();
    for (pid, process) in running {
        open.extend(open_files(pid).into_iter().map(|file| (pid, file)));
        let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).ok();
        if let Some(project) = process.project.or(cwd) {
            projects.entry(project).or_default().push(pid);
        }
    }
    for one in found.iter_mut() {
        let (session, folder) = (one.spot.session(), one.spot.path());
        one.own = own.as_deref().is_some_and(|own| same(own, &session));
        if one.own {
            one.live = Some("the session of this terminal".to_owned());
        } else if let Some((terminal, _)) =
            breadcrumbs.iter().find(|(_, noted)| same(noted, &session))
        {
            one.live = Some(format!("the session of terminal {terminal}"));
        } else if let Some((pid, _)) = open
            .iter()
            .find(|(_, file)| *file == session || file.starts_with(&folder))
        {
            one.live = Some(format!("in use by process {pid}"));
        }
    }
    for (project, pids) in projects {
        let mut of_project: Vec<&mut ArtifactFolder> = found
            .iter_mut()
            .filter(|one| one.cwd.as_deref().is_some_and(|cwd| same(cwd, &project)))
            .collect();
        of_project.sort_by_key(|one| std::cmp::Reverse(one.used));
        // As many as there are processes: each of them may have any of these.
        for (one, pid) in of_project.into_iter().zip(pids) {
            one.live.get_or_insert_with(|| {
                format!("the newest session of a project in which process {pid} runs")
            });
        }
    }
}

/// Whether both are the same file or folder; a home may be reached by several names.
fn same(one: &Path, other: &Path) -> bool {
    one == other
        || (one.file_name() == other.file_name()
            && matches!((one.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b))
}

fn open_files(pid: u32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/fd"));
    let entries = entries.into_iter().flatten().flatten();
    entries
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .filter(|path| path.is_absolute())
        .collect()
}
