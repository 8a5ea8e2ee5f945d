//! A process that is meant by its name.

use std::ffi::OsStr;

use super::prelude::*;
use crate::debugger::workspace::{Process, list_processes};

/// A process with exactly this name wins over those that have it somewhere in their command line.
pub fn by_name(name: &str) -> Result<u32> {
    let parent = std::os::unix::process::parent_id();
    by_name_below(parent, name, &list_processes())
}

/// The process that a name means to a process of ours whose parent is `parent`: neither we nor who started us.
pub fn by_name_below(parent: u32, name: &str, processes: &[Process]) -> Result<u32> {
    let mut own = vec![std::process::id()];
    let mut next = Some(parent);
    while let Some(pid) = next.filter(|pid| !own.contains(pid)) {
        own.push(pid);
        next = processes
            .iter()
            .find(|p| p.pid == pid)
            .and_then(|p| p.parent);
    }
    let is = |word: Option<&str>| {
        let file = word.and_then(|word| Path::new(word.trim_start_matches('-')).file_name());
        file == Some(OsStr::new(name))
    };
    // The program's own name, which systems cut; then the script that it runs; then any part of the command line.
    let fits: [&dyn Fn(&Process) -> bool; 3] = [
        &|p| p.name == name || is(words(p).next()),
        &|p| is(words(p).skip(1).find(|word| !word.starts_with('-'))),
        &|p| p.command.contains(name),
    ];
    let found = fits.map(|fits| -> Vec<&Process> {
        let others = processes.iter().filter(|p| !own.contains(&p.pid));
        others.filter(|p| fits(p)).collect()
    });
    let found = found.into_iter().find(|some| !some.is_empty());
    let found = found.unwrap_or_default();
    match found.as_slice() {
        [] => Err(Failure::usage(format!(
            "no process of yours is called {name:?}: `ps ux` shows what runs"
        ))),
        [one] => Ok(one.pid),
        several => {
            let lines = several.iter().take(20);
            let lines = lines.map(|p| format!("{:>9}  {}", p.pid, sanitise(&p.command)));
            let list = lines.collect::<Vec<_>>().join("\n");
            Err(Failure::usage(format!(
                "{name:?} fits several processes, choose one with --pid:\n{list}"
            )))
        }
    }
}

fn words(process: &Process) -> std::str::Split<'_, char> {
    process.command.split(' ')
}
