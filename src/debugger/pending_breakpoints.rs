//! Why a breakpoint is not in place, as far as can be told from its file, the program and what is known of the adapter.
//!
//! The one truth of it for screen, prompt and `run`. It reads files, so it has no place on a task that must not wait.

use base::text::missing::no_file;

use super::{
    adapters::{extension, inspect},
    hits::condition_is_broken,
    reachability,
    workspace::is_source,
};
use crate::prelude::*;

/// What a line of these files begins with when it is a comment.
const COMMENTS: &[(&str, &[&str])] = &[
    (
        "#",
        &[
            "py", "pyw", "rb", "sh", "bash", "pl", "r", "jl", "ex", "exs", "nim",
        ],
    ),
    (
        "//",
        &[
            "c", "h", "cc", "cpp", "cxx", "hpp", "rs", "go", "js", "mjs", "cjs", "ts", "mts",
            "cts", "tsx", "jsx", "java", "kt", "cs", "swift", "dart", "zig", "scala", "php", "d",
        ],
    ),
    ("--", &["lua", "hs", "adb", "ads"]),
];

/// The message of one that the adapter passed over in its answer.
pub const UNTOLD: &str = "the adapter did not say that it placed it";

/// One clause on why, and what to do; `message` is what the adapter said of it.
pub fn why(breakpoint: &Breakpoint, session: &Session, message: Option<&str>) -> String {
    // Its condition was the reason, or it was looked into at the program's end.
    if let Some(known) = &breakpoint.never_hit {
        return known.clone();
    }
    let adapter = &session.adapter;
    let known = Table::builtin().get(adapter).ok();
    let broken = known.zip(message).and_then(|(adapter, message)| {
        let (_, why) = adapter.personality.broken_condition(message)?;
        Some(condition_is_broken(why))
    });
    if let Some(broken) = broken.filter(|_| breakpoint.condition.is_some()) {
        return broken;
    }
    match &breakpoint.site {
        BreakpointSite::Function { name }
            if !session.capabilities.supports_function_breakpoints =>
        {
            format!("{adapter} cannot stop at functions: set it at the file and line of {name}")
        }
        BreakpointSite::Function { name } if message == Some(UNTOLD) => format!(
            "{adapter} did not say that it placed it, and may never stop there: set it at the file and line of {name}"
        ),
        BreakpointSite::Function { name } => {
            let is_loaded = match session.phase {
                Phase::Terminated => "was loaded",
                _ => "is loaded yet",
            };
            format!(
                "no function {name:?} {is_loaded}: write it as the debugger prints it in a stack, with its package or module"
            )
        }
        BreakpointSite::Source { path, line, .. } => of_another(path, *line, session)
            .or_else(|| of_file(path, *line))
            .or_else(|| of_adapter(path, session))
            .or_else(|| of_program(path, *line, session))
            .unwrap_or_else(|| {
                let hint = hint(adapter, path);
                let said = message
                    .map(|m| format!("{adapter} says: {m}; "))
                    .unwrap_or_default();
                let loaded = session.has_loaded(path).then(|| {
                    let name = path.file_name().unwrap_or_default().display();
                    format!("{name} is loaded and has no code at line {line}: set it at a line with a statement")
                });
                let when = loaded.unwrap_or_else(|| {
                    let when = if session.phase == Phase::Terminated {
                        "the program never loaded that code"
                    } else {
                        "it is placed as soon as the program loads that code"
                    };
                    when.to_owned()
                });
                format!("{said}{when}{hint}")
            }),
        _ => message.map_or_else(
            || format!("{adapter} has not placed it"),
            |said| format!("{adapter} says: {said}"),
        ),
    }
}

/// Why one that is in place was never come to, where its file or what is known of the adapter says so.
pub fn why_never(breakpoint: &Breakpoint, session: &Session) -> Option<String> {
    match &breakpoint.site {
        BreakpointSite::Source { path, line, .. } => {
            of_another(path, *line, session).or_else(|| of_file(path, *line))
        }
        BreakpointSite::Function { .. } => {
            let adapter = Table::builtin().get(&session.adapter).ok()?;
            let hint = adapter.personality.unverified_hints.get("fn")?;
            Some(format!("no function of that name was called; {hint}"))
        }
        _ => None,
    }
}

/// The one file of an executable that a breakpoint can mean whose own is not there: it was named without all of its folders.
pub fn meant(breakpoint: &Breakpoint, cwd: &Path, program: &Path) -> Option<PathBuf> {
    let path = breakpoint.site.file().filter(|path| !path.exists())?;
    let named = path.strip_prefix(cwd).ok()?;
    let name = named.file_name()?.to_str()?;
    let known = reachability::known_as(program, name).into_iter();
    let known: BTreeSet<PathBuf> = known
        .filter(|known| known.ends_with(named))
        .filter_map(|known| known.canonicalize().ok())
        .collect();
    let mut known = known.into_iter();
    known.next().filter(|_| known.next().is_none())
}

/// Whether the program was made of another file of that name.
pub fn of_another(path: &Path, line: i64, session: &Session) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let target = Path::new(&session.target);
    let same = |known: &Path| {
        known == path
            || known
                .canonicalize()
                .is_ok_and(|k| path.canonicalize().is_ok_and(|p| p == k))
    };
    let modules = session.modules.values().filter_map(|m| m.path.as_deref());
    let loaded = modules
        .map(PathBuf::from)
        .chain([target.to_owned()])
        .filter(|known| known.file_name().is_some_and(|n| n == name));
    let mut known: Vec<PathBuf> = loaded.chain(reachability::known_as(target, name)).collect();
    known.dedup();
    if known.is_empty() || known.iter().any(|known| same(known)) {
        return None;
    }
    let first = known.first()?.display();
    let others = match known.len() {
        1 => String::new(),
        n => format!(" ({} more of that name)", n - 1),
    };
    Some(format!(
        "{} is not what the program runs: it knows {name} as {first}{others}; set it at {first}:{line}",
        path.display()
    ))
}

/// What the file itself says.
pub fn of_file(path: &Path, line: i64) -> Option<String> {
    let (what, next) = read(path, line)?;
    let next = next.map(|next| format!(": the next line with code is {next}"));
    Some(format!("{what}{}", next.unwrap_or_default()))
}

/// Why a breakpoint is at another line than it was asked for.
pub fn why_moved(path: &Path, asked: i64, real: i64) -> String {
    let why = of_line(path, asked);
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    if real > asked {
        format!("asked for line {asked}{why}, the next code is at line {real}")
    } else {
        format!("asked for line {asked}{why}, the code of it begins at line {real}")
    }
}

/// What it says of a line from which a breakpoint was moved: where to is known.
pub fn of_line(path: &Path, line: i64) -> Option<String> {
    read(path, line).map(|(what, _)| what)
}

/// What is wrong with a line, and the next one that has code.
fn read(path: &Path, line: i64) -> Option<(String, Option<usize>)> {
    let shown = path.display();
    let Ok(text) = fs::read_to_string(path) else {
        let why = || (format!("{}: check the path", no_file(path)), None);
        return (!path.exists()).then(why);
    };
    let lines: Vec<&str> = text.lines().collect();
    let index = usize::try_from(line - 1).ok()?;
    let Some(here) = lines.get(index) else {
        return Some((format!("{shown} has only {} lines", lines.len()), None));
    };
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let mark = COMMENTS
        .iter()
        .find(|(_, types)| types.contains(&extension.as_str()))
        .map(|(mark, _)| *mark);
    let is_code = |text: &str| {
        let text = text.trim();
        !text.is_empty() && mark.is_none_or(|mark| !text.starts_with(mark))
    };
    if is_code(here) {
        return None;
    }
    let what = if here.trim().is_empty() {
        "empty"
    } else {
        "a comment"
    };
    let next = lines
        .iter()
        .enumerate()
        .skip(index)
        .find(|(_, text)| is_code(text))
        .map(|(i, _)| i + 1);
    Some((format!("line {line} is {what}"), next))
}

/// Whether the adapter debugs such files at all.
fn of_adapter(path: &Path, session: &Session) -> Option<String> {
    let adapter = Table::builtin().get(&session.adapter).ok()?;
    (is_source(path) && !reachability::speaks(path, &adapter.file_types)).then(|| {
        format!(
            "{} is another language's file: {} debugs {}",
            path.display(),
            adapter.name,
            adapter.file_types.join(" ")
        )
    })
}

/// What the program's own file says. Debug information has each line of a file that it mentions: once the program was loaded, nothing
/// that is loaded later could have code of it.
fn of_program(path: &Path, line: i64, session: &Session) -> Option<String> {
    let program = Path::new(&session.target);
    let facts = inspect(program);
    if facts.debug_info == Some(false) {
        return facts.warnings.first().cloned();
    }
    facts.debug_info?;
    let site = BreakpointSite::Source {
        path: path.to_owned(),
        line: 1,
        column: None,
    };
    let name = path.file_name()?.lossy();
    let program_name = program.file_name()?.lossy();
    if !reachability::any(&[site], program, &[]) {
        return Some(format!(
            "the debug information of {program_name} does not mention {name}: no code of it is in that program"
        ));
    }
    let changed = |p: &Path| p.metadata().and_then(|m| m.modified()).ok();
    if changed(path)? > changed(program)? {
        return Some(format!(
            "{name} is newer than {program_name}: build the program again"
        ));
    }
    let is_loaded = matches!(session.phase, Phase::Stopped | Phase::Terminated);
    is_loaded.then(|| format!(
        "{program_name} has no code of line {line} of {name}, nor of one behind it in the same function: set it at a line with a statement"
    ))
}

/// What is known of the adapter and this kind of file.
fn hint(adapter: &str, path: &Path) -> String {
    let Ok(adapter) = Table::builtin().get(adapter) else {
        return String::new();
    };
    let hints = &adapter.personality.unverified_hints;
    hints
        .get(&extension(path))
        .or_else(|| hints.get("*"))
        .map(|hint| format!("; {hint}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BreakpointId, BreakpointSpec};
    use dap::types::Source;

    fn told(path: &Path, line: i64, adapter: &str, target: &Path) -> String {
        let breakpoint = Breakpoint::new(BreakpointId(1), BreakpointSpec::line(path, line).site);
        let session = Session {
            adapter: adapter.to_owned(),
            target: target.lossy(),
            ..Session::default()
        };
        why(&breakpoint, &session, None)
    }

    #[test]
    fn the_file_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.py");
        fs::write(&file, "x = 1\n\n# why\ny = 2\n").unwrap();
        let target = file.clone();
        assert_eq!(
            told(&file, 2, "debugpy", &target),
            "line 2 is empty: the next line with code is 4"
        );
        assert_eq!(
            told(&file, 3, "debugpy", &target),
            "line 3 is a comment: the next line with code is 4"
        );
        assert!(told(&file, 9, "debugpy", &target).contains("has only 4 lines"));
        assert!(
            told(&folder.path().join("b.py"), 1, "debugpy", &target).contains("there is no file")
        );
        assert!(told(&file, 1, "debugpy", &target).contains("as soon as the program loads"));
        let mut session = Session {
            adapter: "debugpy".to_owned(),
            target: target.lossy(),
            phase: Phase::Terminated,
            ..Session::default()
        };
        let breakpoint = Breakpoint::new(BreakpointId(1), BreakpointSpec::line(&file, 1).site);
        assert!(why(&breakpoint, &session, None).starts_with("the program never loaded"));
        let source = Source {
            path: Some(file.lossy()),
            ..Source::default()
        };
        session.sources.insert("a.py".to_owned(), source);
        assert!(why(&breakpoint, &session, None).starts_with("a.py is loaded and has no code"));
        let foreign = folder.path().join("a.rs");
        fs::write(&foreign, "fn main() {}\n").unwrap();
        assert!(told(&foreign, 1, "debugpy", &target).contains("debugs .py"));
    }
}
