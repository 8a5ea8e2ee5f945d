//! What a program is, judged by its file: script, executable or directory, and whether it can be debugged.

use std::io::Read as _;

use base::{
    stat::{Stat, mapped_file},
    text::missing::no_file,
};

use super::{adapter::ProgramKind, context::is_executable, elf, personality::FunctionName};
use crate::prelude::*;

/// What kind of thing a program is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FileKind {
    /// Nothing of that name exists.
    #[default]
    Missing,
    Directory,
    /// An ELF executable.
    Elf,
    /// An executable of macOS or Windows.
    OtherBinary,
    /// A script with a first line that names its interpreter.
    Script,
    Other,
}

/// What is known of a program before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramFacts {
    /// What kind of thing it is.
    pub kind: FileKind,
    /// Its extension, lower case with the dot; empty when it has none.
    pub extension: String,
    /// Languages it is certainly written in; `native` for machine code of an unknown one.
    pub languages: Vec<String>,
    /// The interpreter of its first line, as written there.
    pub interpreter: Option<String>,
    /// Its own main function, where the language's runtime has a `main` before it.
    pub main: Option<String>,
    /// What its machine code says; absent where that cannot be told.
    pub image: Option<Image>,
    /// Whether it carries debug information; absent for what is no ELF file.
    pub debug_info: Option<bool>,
    /// What a person should know before debugging it.
    pub warnings: Vec<String>,
}

/// What a person should know of a core dump: that its end is missing, or that its program is another build than this one.
pub fn of_dump(core: &Path, program: Option<&Path>) -> Vec<String> {
    // What opens a pipe waits for whoever writes to it.
    let open = |path: &Path| path.is_file().then(|| File::open(path).ok())?;
    let Some(dump) = open(core) else {
        return Vec::new();
    };
    let (file, shown) = (program.and_then(open), core.display());
    let cut = elf::is_cut(&dump)
        .then(|| format!("{shown} is truncated: stacks and values may be incomplete."));
    let is_of_another = file.is_some_and(|file| elf::is_dump_of_another(&dump, &file));
    let other = program.filter(|_| is_of_another).map(|program| {
        let program = program.display();
        format!("{shown} was not dumped by this build of {program}: functions, lines and values may be wrong.")
    });
    cut.into_iter().chain(other).collect()
}

/// What a person should know of a process that a signal has stopped.
pub fn stopped_by_signal(pid: u32) -> Option<String> {
    let is_stopped = Stat::of(pid).is_some_and(|stat| stat.state == 'T');
    is_stopped.then(|| {
        format!(
            "Process {pid} is stopped by a signal (as by Ctrl-Z): `kill -CONT {pid}` lets it go on."
        )
    })
}

/// The variable that an address of a running process lies in, as the file of which it is a part names it; and how far in.
pub fn variable_at(pid: i64, address: u64) -> Option<String> {
    let (file, start) = mapped_file(pid, address)?;
    elf::variable(&file, start, address)
}

/// A file of machine code that names its symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The file.
    pub path: PathBuf,
    /// Languages and tools whose runtime it has.
    pub runtimes: Vec<&'static str>,
}

impl Image {
    /// What each of these functions of Rust is called in it, which a person named by the end of its path, in whole parts. There may be
    /// several of that name, and a generic function has several symbols.
    pub fn find(
        &self,
        functions: &[String],
        by: FunctionName,
    ) -> BTreeMap<String, BTreeSet<String>> {
        let file = File::open(&self.path).ok();
        file.and_then(|file| elf::functions(&file, functions, by))
            .unwrap_or_default()
    }
}

/// The extension of a path as tables of adapters have it: in lower case, with its dot; empty where there is none.
pub(crate) fn extension(path: &Path) -> String {
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy());
    extension.map_or_else(String::new, |extension| {
        format!(".{}", extension.to_lowercase())
    })
}

/// What can be told from the file alone. Never fails: a file that cannot be read says nothing.
pub fn inspect(path: &Path) -> ProgramFacts {
    let mut facts = ProgramFacts {
        extension: extension(path),
        ..ProgramFacts::default()
    };
    let Ok(metadata) = path.metadata() else {
        return facts;
    };
    if metadata.is_dir() {
        facts.kind = FileKind::Directory;
        return facts;
    }
    facts.kind = FileKind::Other;
    // Opening a pipe or a device could block or do something.
    let Some(mut file) = metadata.is_file().then(|| File::open(path).ok()).flatten() else {
        return facts;
    };
    if let Some(elf) = elf::read(&file) {
        facts.kind = FileKind::Elf;
        let language = match (elf.is_go, elf.is_rust) {
            (true, _) => Some("go"),
            (_, true) => Some("rust"),
            _ => None,
        };
        facts.languages = language
            .into_iter()
            .chain(["native"])
            .map(str::to_owned)
            .collect();
        facts.main = elf.main;
        let image = |runtimes| Image {
            path: path.to_owned(),
            runtimes,
        };
        facts.image = elf.runtimes.map(image);
        facts.debug_info = Some(elf.has_debug_info);
        if !elf.has_debug_info {
            facts.warnings.push(format!(
                "{} has no debug information, so lines and variables will be missing: build it with -g \
                 (Rust: the dev profile, or debug = true; Go: without -ldflags=-s)",
                path.display()
            ));
        }
        return facts;
    }
    let mut head = Vec::new();
    if file.by_ref().take(256).read_to_end(&mut head).is_err() {
        return facts;
    }
    match head.as_slice() {
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..]
        | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..]
        | [0xca, 0xfe, 0xba, 0xbe, ..]
        | [b'M', b'Z', ..] => {
            facts.kind = FileKind::OtherBinary;
            facts.languages = vec!["native".to_owned()];
        }
        [b'#', b'!', line @ ..] => {
            facts.kind = FileKind::Script;
            facts.interpreter = interpreter(line);
        }
        _ => {}
    }
    facts
}

/// Why a program cannot be started under an adapter.
fn wrong(what: String) -> DebuggerError {
    DebuggerError::program(what)
}

/// A program is not there.
pub fn missing(path: &Path) -> DebuggerError {
    let near = nearest(path).map(|near| format!("; did you mean {}?", near.display()));
    wrong(format!("{}{}", no_file(path), near.unwrap_or_default()))
}

/// Files that are no programs, and the command that shows them.
const SHOWN: [(&[&str], &str); 4] = [
    (&[".log", ".jsonl", ".ndjson"], "logs"),
    (&[".cpuprofile", ".folded", ".pprof", ".pb"], "profile"),
    (&[".heapsnapshot"], "memory"),
    (&[".har", ".sse"], "sse"),
];

/// Whether an adapter can start this program. What only hampers debugging is a warning of the facts.
pub fn check_program(path: &Path, adapter: &Adapter) -> Result<ProgramFacts> {
    let facts = inspect(path);
    let shown = path.display();
    if let Err(error) = path.metadata() {
        return Err(if error.kind() == io::ErrorKind::NotFound {
            missing(path)
        } else {
            wrong(format!("{shown} cannot be read: {error}"))
        });
    }
    if facts.kind == FileKind::Directory && !adapter.accepts_directory_program {
        let first = programs_in(path).into_iter().next();
        let such = first.map(|first| format!(", such as {}", first.display()));
        return Err(wrong(format!(
            "{shown} is a directory; name the program in it{}",
            such.unwrap_or_default()
        )));
    }
    if facts.kind == FileKind::Elf && !is_executable(path) {
        return Err(wrong(format!(
            "{shown} is not executable; run: chmod +x {shown}"
        )));
    }
    // An adapter that builds some kinds of sources takes machine code for everything else.
    let modes = adapter.personality.launch.mode.as_ref();
    let binary = adapter.program == ProgramKind::Binary
        || modes.is_some_and(|rules| !rules.extensions.contains_key(&facts.extension));
    if binary && matches!(facts.kind, FileKind::Script | FileKind::Other) {
        let is_source = adapter.file_types.contains(&facts.extension);
        let (what, advice) = if is_source {
            let all = path.parent().map(programs_in).unwrap_or_default();
            let built = all.iter().find(|one| one.file_stem() == path.file_stem());
            let advice = built.map(|built| format!("its executable may be {}", built.display()));
            let advice = advice.unwrap_or_else(|| "build it and name the executable".to_owned());
            ("source code", advice)
        } else if let Some(interpreter) = &facts.interpreter {
            (
                "a script",
                format!("choose an adapter for {interpreter} with --adapter"),
            )
        } else {
            let reader = SHOWN
                .iter()
                .find(|(kinds, _)| kinds.contains(&&*facts.extension));
            let advice = reader.map(|(_, command)| format!("omp-debug {command} {shown} shows it"));
            (
                "no executable of this machine",
                advice.unwrap_or_else(|| "name an executable".to_owned()),
            )
        };
        let adapter = &adapter.name;
        return Err(wrong(format!(
            "{shown} is {what}, and {adapter} debugs executables: {advice}"
        )));
    }
    Ok(facts)
}

/// Executables that a build left in a project's directory, the newest first.
pub fn programs_in(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = ["target/debug", "build", "out", "bin", "."]
        .iter()
        .filter_map(|below| fs::read_dir(dir.join(below)).ok())
        .flat_map(|entries| entries.take(1000).flatten())
        .map(|entry| entry.path())
        .filter(|path| is_executable(path) && inspect(path).kind == FileKind::Elf)
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    found.sort_by(|left, right| right.cmp(left));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The interpreter of a script's first line: `/usr/bin/env -S NAME` is looked through.
fn interpreter(line: &[u8]) -> Option<String> {
    let line = line.split(|byte| *byte == b'\n').next()?;
    let text = String::from_utf8_lossy(line);
    let mut words = text.split_whitespace();
    let first = words.next()?;
    if Path::new(first).file_name()? == "env" {
        words
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .map(str::to_owned)
    } else {
        Some(first.to_owned())
    }
}

/// A file beside a missing one whose name differs only by case or extension.
fn nearest(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_string_lossy().to_lowercase();
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    fs::read_dir(dir.unwrap_or_else(|| Path::new(".")))
        .ok()?
        .take(10_000)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file())
        .find(|path| {
            path.file_stem()
                .is_some_and(|other| other.to_string_lossy().to_lowercase() == stem)
        })
}
