//! Interpreters: which one a program runs under, and which Python can import a module.
//!
//! A module is looked for as a directory first, because starting an interpreter to ask costs more than all the
//! rest of a resolution, and because a project's interpreter must not run before the program itself does.

use base::surroundings;

use super::{context::is_executable, probe, program};
use crate::prelude::*;

const VENV_DIRS: [&str; 4] = [".venv", "venv", ".env", "env"];

/// Variables that name the virtual environment that is active.
pub const ACTIVE: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];

/// Where the commands of the active virtual environment are.
pub fn active(context: &Context) -> impl Iterator<Item = PathBuf> {
    let folder = |name| surroundings::folder(&context.env, name);
    ACTIVE
        .into_iter()
        .filter_map(move |name| Some(folder(name)?.join("bin")))
}

/// The interpreters of the project's virtual environments and of the active one, the nearest first.
pub fn of_project(context: &Context, roots: &[PathBuf]) -> Vec<PathBuf> {
    let active = active(context).map(|bin| bin.join("python"));
    roots
        .iter()
        .flat_map(|root| VENV_DIRS.iter().map(move |dir| root.join(dir)))
        .filter(|dir| dir.join("pyvenv.cfg").is_file())
        .map(|dir| dir.join("bin/python"))
        .chain(active)
        .collect()
}

/// The interpreter a program runs under: the one its first line names, the one of a virtual environment beside
/// it or above it, the active one, the first on PATH.
pub fn for_program(program: &Path, names: &[String], context: &Context) -> Option<PathBuf> {
    if let Some(named) = program::inspect(program).interpreter {
        let is_ours = Path::new(&named).file_name().is_some_and(|file| {
            let file = file.to_string_lossy();
            names.iter().any(|name| file.starts_with(name.as_str()))
        });
        let found = if named.starts_with('/') {
            Some(PathBuf::from(&named)).filter(|path| is_executable(path))
        } else {
            None
        };
        // `env NAME` says no more than the search below, unless it names a version.
        let found = found.or_else(|| {
            (!names.contains(&named))
                .then(|| context.on_path(&named))
                .flatten()
        });
        if is_ours && found.is_some() {
            return found;
        }
    }
    let absolute = context.absolute(program);
    let start = if absolute.is_dir() {
        Some(absolute.as_path())
    } else {
        absolute.parent()
    };
    let roots: Vec<_> = start
        .into_iter()
        .flat_map(Path::ancestors)
        // A project ends at its repository or at the directory the person works in.
        .scan(false, |ended, dir| {
            let go_on = !*ended;
            *ended = dir.join(".git").exists() || dir == context.cwd;
            go_on.then(|| dir.to_owned())
        })
        // Where one stands is the project of what lies in it, and of nothing else.
        .chain(
            absolute
                .starts_with(&context.cwd)
                .then(|| context.cwd.clone()),
        )
        .collect();
    of_project(context, &roots)
        .into_iter()
        .filter(|path| {
            path.file_name()
                .is_some_and(|file| names.iter().any(|name| file == name.as_str()))
        })
        .find(|path| is_executable(path))
        .or_else(|| names.iter().find_map(|name| context.on_path(name)))
        .map(|path| behind_shim(&path, context).unwrap_or(path))
}

/// The interpreter behind a version manager's shim. The shim is a shell script that costs more time than the
/// interpreter itself, and a debuggee is started through two of them.
fn behind_shim(path: &Path, context: &Context) -> Option<PathBuf> {
    let root = path.parent()?.parent()?;
    if path.parent()?.file_name()? != "shims" || !root.join("versions").is_dir() {
        return None;
    }
    let versions = match context.var("PYENV_VERSION") {
        Some(version) => version.to_owned(),
        None => context
            .cwd
            .ancestors()
            .map(|dir| dir.join(".python-version"))
            .chain([root.join("version")])
            .find_map(|file| fs::read_to_string(file).ok())?,
    };
    let version = versions
        .split([':', '\n', ' '])
        .find(|word| !word.is_empty())?;
    if version.contains('/') {
        return None;
    }
    Some(
        root.join("versions")
            .join(version)
            .join("bin")
            .join(path.file_name()?),
    )
    .filter(|path| is_executable(path))
}

/// Whether this interpreter can import a module.
pub fn has_module(python: &Path, module: &str, context: &Context) -> bool {
    let python = behind_shim(python, context).unwrap_or_else(|| python.to_owned());
    let Some(prefix) = python.parent().and_then(Path::parent) else {
        return false;
    };
    if packages_of(prefix).any(|dir| dir.join(module).is_dir()) {
        return true;
    }
    // In a virtual environment there is no other place, unless it opens up to the system's.
    if let Ok(settings) = fs::read_to_string(prefix.join("pyvenv.cfg"))
        && !settings
            .lines()
            .any(|line| line.replace(' ', "") == "include-system-site-packages=true")
    {
        return false;
    }
    let question = format!(
        "import importlib.util,sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    );
    // -I: neither the current directory nor PYTHONPATH may stand in for an installed module.
    probe::ask(&python, &["-I", "-c", &question], context).is_some()
}

/// Where a module is that is a directory, without running anything where that can be seen.
pub fn module_directory(python: &Path, module: &str, context: &Context) -> Option<PathBuf> {
    let real = behind_shim(python, context).unwrap_or_else(|| python.to_owned());
    let prefix = real.parent().and_then(Path::parent)?;
    let seen = packages_of(prefix)
        .map(|dir| dir.join(module))
        .find(|dir| dir.is_dir());
    seen.or_else(|| {
        let question = format!(
            "import importlib.util as u; print((u.find_spec('{module}').submodule_search_locations or [''])[0])"
        );
        let told = probe::ask(&real, &["-I", "-c", &question], context)?;
        Some(PathBuf::from(told.trim())).filter(|dir| dir.is_dir())
    })
}

fn packages_of(prefix: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(prefix.join("lib"))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .flat_map(|entry| ["site-packages", "dist-packages"].map(|dir| entry.path().join(dir)))
}
