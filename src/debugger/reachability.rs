//! Whether a program may come to a saved breakpoint: a guess from names alone, for deciding whether to stop at its entry.
//!
//! A breakpoint counts when it is in the program's own file (or folder), or when the program mentions its file: a binary's debug
//! information has the file's name in it, a script names the modules it loads. When it cannot be told, it counts; so does one that was given
//! with the program.

use memchr::memmem;

use super::adapters;
use crate::prelude::*;

/// Bytes of a program that are searched; a larger one is taken to mention everything.
const LIMIT: u64 = 256 * 1024 * 1024;
/// Folders that are looked into for a source that is named relative to one of them.
const MOST_FOLDERS: usize = 4096;
/// Of what is longer, none is a path.
const LONGEST_PATH: usize = 4096;

/// Whether any of these may stop the program: one that was given with it does, and of others see [`any`].
pub fn stops(breakpoints: &[Breakpoint], program: &Path, file_types: &[String]) -> bool {
    let is_given = |breakpoint: &Breakpoint| match &breakpoint.site {
        BreakpointSite::Source { path, .. } => {
            breakpoint.passing.is_some() && speaks(path, file_types)
        }
        _ => false,
    };
    let sites: Vec<_> = breakpoints.iter().map(|b| b.site.clone()).collect();
    breakpoints.iter().any(is_given) || any(&sites, program, file_types)
}

/// Whether any of `sites` may be reached by `program`, which is debugged by an adapter for files of these endings (with their
/// dots; none = any).
pub fn any(sites: &[BreakpointSite], program: &Path, file_types: &[String]) -> bool {
    let mut text = None;
    sites.iter().any(|site| match site {
        BreakpointSite::Function { .. }
        | BreakpointSite::Instruction { .. }
        | BreakpointSite::Data { .. } => true,
        BreakpointSite::Source { path, .. } if !speaks(path, file_types) => false,
        BreakpointSite::Source { path, .. } if path.starts_with(program) => true,
        BreakpointSite::Source { path, .. } if program.is_dir() => path.starts_with(program),
        BreakpointSite::Source { path, .. } => {
            let text = text.get_or_insert_with(|| read(program));
            text.as_deref().is_none_or(|text| mentions(text, path))
        }
    })
}

/// Whether a file is in a language that is debugged through files of these endings.
pub fn speaks(path: &Path, file_types: &[String]) -> bool {
    let ending = adapters::extension(path);
    file_types.is_empty() || ending.is_empty() || file_types.contains(&ending)
}

fn read(program: &Path) -> Option<Vec<u8>> {
    let size = fs::metadata(program).ok()?.len();
    (size <= LIMIT).then(|| fs::read(program).ok()).flatten()
}

/// Under which paths an executable's debug information knows source files of this name. Those that it tells relative to the folder
/// they were compiled in are looked for below the folders that it names, and are there only if they are found.
pub fn known_as(program: &Path, name: &str) -> Vec<PathBuf> {
    let Some(text) = read(program).filter(|text| text.starts_with(b"\x7fELF")) else {
        return Vec::new();
    };
    let mut known: Vec<PathBuf> = Vec::new();
    let mut relative: Vec<PathBuf> = Vec::new();
    for at in memmem::find_iter(&text, name.as_bytes()) {
        let Some(path) =
            string_around(&text, at).filter(|path| path.file_name().is_some_and(|n| n == name))
        else {
            continue;
        };
        let list = if path.is_absolute() {
            &mut known
        } else {
            &mut relative
        };
        if !list.contains(&path) {
            list.push(path);
        }
    }
    if known.is_empty() && !relative.is_empty() {
        let folders = memmem::find_iter(&text, b"\0/").take(MOST_FOLDERS);
        for folder in folders.filter_map(|at| string_around(&text, at + 1)) {
            let found = relative.iter().map(|path| folder.join(path));
            for path in found.filter(|path| path.is_file()) {
                if !known.contains(&path) {
                    known.push(path);
                }
            }
        }
    }
    known
}

/// The text between two zeros in which a place is.
fn string_around(bytes: &[u8], at: usize) -> Option<PathBuf> {
    let (before, after) = bytes.split_at_checked(at)?;
    let before = before.rsplitn(2, |b| *b == 0).next()?;
    let after = after.splitn(2, |b| *b == 0).next()?;
    if before.len() + after.len() > LONGEST_PATH {
        return None;
    }
    let whole = [before, after].concat();
    String::from_utf8(whole).ok().map(PathBuf::from)
}

fn mentions(program: &[u8], source: &Path) -> bool {
    let is_binary = program.starts_with(b"\x7fELF");
    let name = if is_binary {
        source.file_name()
    } else {
        source.file_stem()
    };
    name.is_none_or(|name| memmem::find(program, name.as_encoded_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_breakpoints_that_the_program_may_come_to_count() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("many.py");
        fs::write(&script, "import helpers\nhelpers.run()\n").unwrap();
        let binary = dir.path().join("prog");
        fs::write(&binary, b"\x7fELF....prog.c\0...").unwrap();
        let types = |types: &[&str]| types.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let (py, c) = (types(&[".py"]), types(&[".c"]));
        let at = |site| Breakpoint::new(BreakpointId(1), site);
        let site = |name: &str| {
            at(BreakpointSite::Source {
                path: dir.path().join(name),
                line: 1,
                column: None,
            })
        };
        for (name, program, types, counts) in [
            ("many.py", &script, &py, true),
            ("helpers.py", &script, &py, true),
            ("bank.py", &script, &py, false),
            ("prog.c", &script, &py, false),
            ("prog.c", &binary, &c, true),
            ("seg.c", &binary, &c, false),
            ("deep/lib.py", &dir.path().to_owned(), &py, true),
        ] {
            assert_eq!(
                stops(&[site(name)], program, types),
                counts,
                "{name} in {}",
                program.display()
            );
        }
        let function = at(BreakpointSite::Function { name: "f".into() });
        assert!(stops(&[function], &script, &py));
        let given = |name| Breakpoint {
            passing: Some(crate::Passing::default()),
            ..site(name)
        };
        assert!(stops(&[given("bank.py")], &script, &py));
        assert!(!stops(&[given("prog.c")], &script, &py));
    }
}
