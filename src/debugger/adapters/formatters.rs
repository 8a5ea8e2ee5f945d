//! Formatters of values that came with a project: scripts of a debugger, which [`Adapter::project_scripts`] names, and `.natvis` files.
//!
//! They lie in the folder where the person works, and are used once their content was trusted.

use super::{
    adapter::ProgramKind,
    support::give,
    trust::{self, CommandLine, FileState, Untrusted},
    user_files::{Warning, look},
};
use crate::{
    prelude::*,
    previews::{natvis, set_project},
};

/// Folders of a project where such files are looked for.
const FOLDERS: [&str; 4] = [".", ".vscode", "natvis", "debug_metadata"];
/// What stands for the file in the words of a [`ProjectScript`](super::ProjectScript).
const SCRIPT: &str = "${script}";
/// Files of a folder that are looked at.
const MOST_FILES: usize = 1000;

/// Gives a debugger what the project has for it, as far as it was trusted; says what was not, and what cannot be read.
pub fn add_project(
    adapter: &Adapter,
    context: &Context,
    argv: &mut Vec<String>,
    arguments: &mut Value,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut tables = Vec::new();
    for path in files(context) {
        let script = adapter.project_scripts.iter().find(|row| row.is(&path));
        let is_native = adapter.program == ProgramKind::Binary;
        if script.is_none() && !(is_native && is_natvis(&path)) {
            continue;
        }
        let Some(seen) = look(context, &path, &mut warnings) else {
            continue;
        };
        if !seen.trusted && !is_of_use(&seen) {
            continue;
        }
        if !seen.trusted {
            let commands = commands(&seen, [adapter]);
            warnings.push(Warning::Untrusted { path, commands });
            continue;
        }
        if let Some(script) = script {
            let file = seen.path.to_string_lossy();
            let filled = |word: &String| word.replace(SCRIPT, &file);
            give(&script.args, &script.init_commands, filled, argv, arguments);
            continue;
        }
        match natvis::read(&seen.text) {
            Ok(table) => {
                if table.left_out > 0 {
                    let why = format!(
                        "{} display strings compute what only a debugger could",
                        table.left_out
                    );
                    warnings.push(Warning::Partly { path, why });
                }
                tables.push(table);
            }
            Err(why) => warnings.push(Warning::Unreadable { path, why }),
        }
    }
    set_project(tables);
    warnings
}

/// The files that wait for a decision.
pub fn pending(context: &Context) -> Vec<Untrusted> {
    let files = files(context).into_iter();
    let adapters = || Table::builtin().iter().map(AsRef::as_ref);
    files
        .filter_map(|path| {
            let is_one = is_natvis(&path)
                || adapters().any(|a| a.project_scripts.iter().any(|row| row.is(&path)));
            let seen = is_one.then(|| trust::look(context, &path).ok()).flatten()?;
            (!seen.trusted && is_of_use(&seen)).then(|| Untrusted {
                commands: commands(&seen, adapters()),
                path: seen.path,
                sha256: seen.sha256,
            })
        })
        .collect()
}

/// What comes of a file, for the doctor: `; .gdbinit of this project is used`.
pub fn of_project(adapter: &Adapter, context: &Context) -> String {
    let files = files(context).into_iter();
    let files = files.filter(|path| adapter.project_scripts.iter().any(|row| row.is(path)));
    let told = files.map(|path| {
        let name = path.strip_prefix(&context.cwd).unwrap_or(&path);
        let is_used = trust::look(context, &path).is_ok_and(|seen| seen.trusted);
        let what = if is_used { "is used" } else { "is not trusted" };
        format!("; {} of this project {what}", name.display())
    });
    told.collect()
}

fn is_natvis(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("natvis"))
}

/// Whether anything of a file would be used: where all display strings compute what only a debugger could, there is nothing to trust.
fn is_of_use(seen: &FileState) -> bool {
    let is_empty = || natvis::read(&seen.text).is_ok_and(|table| table.types() == 0);
    !is_natvis(&seen.path) || !is_empty()
}

/// What a file makes debuggers do.
fn commands<'a>(
    seen: &FileState,
    adapters: impl IntoIterator<Item = &'a Adapter>,
) -> Vec<CommandLine> {
    if is_natvis(&seen.path) {
        let what = match natvis::read(&seen.text) {
            Ok(table) => format!("say what values of {} types show", table.types()),
            Err(why) => why,
        };
        return vec![CommandLine::new("previews", [what])];
    }
    let mut commands: Vec<CommandLine> = Vec::new();
    for adapter in adapters {
        if let Some(script) = adapter.project_scripts.iter().find(|s| s.is(&seen.path)) {
            let file = seen.path.to_string_lossy();
            let words = script.args.iter().chain(&script.init_commands);
            let argv = words.map(|word| word.replace(SCRIPT, &file));
            commands.push(CommandLine::new(&adapter.name, argv));
        }
    }
    commands
}

/// All files of the folders, in order. Whoever works at home has no project there.
fn files(context: &Context) -> Vec<PathBuf> {
    if context.home.as_deref() == Some(&*context.cwd) {
        return Vec::new();
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in FOLDERS {
        let folder = match folder {
            "." => context.cwd.clone(),
            below => context.cwd.join(below),
        };
        let entries = fs::read_dir(folder).into_iter().flatten();
        let entries = entries.take(MOST_FILES).flatten();
        files.extend(entries.map(|entry| entry.path()));
    }
    files.sort();
    files
}
