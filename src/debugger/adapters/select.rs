//! Which adapter fits a program or a process.
//!
//! What the file certainly is (machine code of a language, a script of an interpreter) decides first, then its
//! extension, then the project it stands in, then the order of the native debuggers, then the name.

use std::net::{SocketAddr, ToSocketAddrs as _};

use base::{peers, surroundings::http};

use super::{
    backend::{BACKEND, Backend},
    program::{self, FileKind, ProgramFacts},
    resolve::{marked_root, resolve, resolve_near},
    shape::PortStyle,
};
use crate::prelude::*;

/// How long a server is given to speak first, as debug adapters do.
const GREETING: Duration = Duration::from_millis(500);
/// The language of programs in a simulator.
const SIMULATED: &str = "swift";

impl Backend {
    /// What the option or else the variable says; nothing when neither does.
    pub fn wanted(context: &Context) -> Result<Option<Self>, AdapterError> {
        if context.backend.is_some() {
            return Ok(context.backend);
        }
        context
            .var(BACKEND)
            .map(str::parse)
            .transpose()
            .map_err(|unknown: String| {
                let hint = format!("set {BACKEND} to dap or lldb-cli, or unset it");
                AdapterError::new(ErrorKind::Usage, format!("{BACKEND}: {unknown}"), hint)
            })
    }

    /// What to say when LLDB's command line was wished for and another language's debugger is used.
    pub fn unused_by(self, adapter: &Adapter) -> Option<String> {
        (self == Self::LldbCli && adapter.backend != Some(self)).then(|| {
            format!(
                "The backend lldb-cli is for programs of machine code: this one is debugged with {}.",
                adapter.name
            )
        })
    }

    /// Whether an adapter may be used with it.
    pub(super) fn suits(self, adapter: &Adapter) -> bool {
        adapter.native_rank.is_none() || adapter.backend == Some(self)
    }
}

/// What a person wants to debug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program to start.
    Launch {
        /// The program, a file or a directory.
        program: PathBuf,
    },
    /// A process of this machine.
    AttachPid(u32),
    /// A debuggee or adapter that listens.
    AttachPort {
        /// Name or address.
        host: String,
        /// TCP port.
        port: u16,
    },
    /// What a dead process left.
    Core {
        /// The core file.
        core: PathBuf,
        /// The program that died, when known.
        program: Option<PathBuf>,
    },
    /// An attach whose adapter knows what to attach to by its own arguments.
    AttachConfigured,
}

/// Chooses the adapter for a target and finds its program. An explicit name is that adapter or an error.
pub fn select(
    table: &Table,
    context: &Context,
    target: &Target,
    explicit: Option<&str>,
) -> Result<Resolved, AdapterError> {
    if let Some(name) = explicit {
        return start_as(table.get(name)?, context, target);
    }
    let narrowed;
    let table = match Backend::wanted(context)? {
        Some(backend) => {
            narrowed = table.filtered(|adapter| backend.suits(adapter));
            &narrowed
        }
        None => table,
    };
    // Those that may and know the program's language, and then those for machine code.
    let by_language = |facts: Option<ProgramFacts>, may: fn(&Adapter) -> bool| {
        let speaking = table
            .iter()
            .filter(|adapter| may(adapter) && facts.as_ref().is_some_and(|f| speaks(adapter, f)));
        first_that_starts(table, context, target, speaking.chain(native(table)))
    };
    match target {
        Target::Launch { program } => for_launch(table, context, program),
        Target::AttachPort { host, port } => {
            if let Some((fitting, listener)) = of_listener(table, host, *port)? {
                let mut found = first_that_starts(table, context, target, fitting.into_iter())?;
                found.because = Some(format!("{listener}: {} is used.", found.adapter.name));
                return Ok(found);
            }
            let first = table.iter().filter(|adapter| adapter.attach_port_first);
            let mut found = first_that_starts(table, context, target, first.chain(native(table)))?;
            found.because = Some(format!(
                "It is not known what listens on port {port}: {} is tried; name the adapter if that is wrong.",
                found.adapter.name
            ));
            Ok(found)
        }
        Target::AttachPid(pid) => by_language(of_process(*pid), |adapter| {
            adapter.personality.attach.by_language
        }),
        Target::Core { program, .. } => {
            let facts = program.as_deref().map(program::inspect);
            by_language(facts, |adapter| adapter.native_rank.is_none())
        }
        Target::AttachConfigured => Err(AdapterError::new(
            ErrorKind::Usage,
            "attach needs a process id or a port, or an adapter that knows by itself".to_owned(),
            "omp-debug attach --pid N, or --port P [--host H]",
        )),
    }
}

/// The adapter for a script whose language has only one, known without looking whether it is there. None where several fit,
/// and then the first that is there is chosen.
pub fn only_fit(table: &Table, context: &Context, program: &Path) -> Option<String> {
    let program = context.absolute(program);
    let extension = program::extension(&program);
    let named = |adapter: &Adapter| adapter.file_types.contains(&extension);
    if table.iter().filter(|adapter| named(adapter)).count() != 1 {
        return None;
    }
    let backend = Backend::wanted(context).ok()?;
    let facts = program::inspect(&program);
    let fits = |adapter: &&Arc<Adapter>| {
        backend.is_none_or(|backend| backend.suits(adapter))
            && (named(adapter) || speaks(adapter, &facts))
    };
    let mut fitting = table.iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only.name.clone()),
        _ => None,
    }
}

/// The debugger for a program in a simulator: the first that knows the platform's language and is here.
pub fn for_simulator(table: &Table, context: &Context) -> Result<Resolved, AdapterError> {
    let backend = Backend::wanted(context)?;
    let fits = |adapter: &&Arc<Adapter>| {
        adapter.native_rank.is_some()
            && adapter
                .languages
                .iter()
                .any(|language| language == SIMULATED)
            && backend.is_none_or(|backend| backend.suits(adapter))
    };
    let mut missing = None;
    for adapter in native(table).into_iter().filter(fits) {
        match resolve(adapter, context) {
            Ok(found) => return Ok(found),
            Err(error) => missing = missing.or(Some(error)),
        }
    }
    Err(missing.unwrap_or_else(|| none_available(table, context, "a simulator", &[])))
}

/// The adapter, ready for this target, or why it cannot do that.
fn start_as(
    adapter: &Arc<Adapter>,
    context: &Context,
    target: &Target,
) -> Result<Resolved, AdapterError> {
    let attach = &adapter.personality.attach;
    let unsupported = |what: &str| {
        let hint = "choose another adapter with --adapter; omp-debug adapters list names them";
        Err(AdapterError::unsupported(&adapter.name, what, hint))
    };
    match target {
        Target::Launch { program } => {
            let named = !program.as_os_str().is_empty();
            let program = context.absolute(program);
            if named && program.is_dir() && !adapter.accepts_directory_program {
                return Err(directory_error(adapter, &program));
            }
            resolve_near(adapter, context, Some(&program))
        }
        Target::AttachPort { host, port } => match attach.port_style {
            PortStyle::Direct => Ok(Resolved::remote(adapter, context, host, *port)),
            PortStyle::Unsupported => unsupported("attach to a port"),
            _ => resolve(adapter, context),
        },
        Target::AttachPid(_) if attach.pid_keys.is_empty() => {
            unsupported("attach to a process by its id")
        }
        Target::Core { .. } if attach.core_key.is_none() => unsupported("open a core file"),
        Target::AttachPid(_) | Target::Core { .. } | Target::AttachConfigured => {
            resolve(adapter, context)
        }
    }
}

fn directory_error(adapter: &Adapter, program: &Path) -> AdapterError {
    let meant = program::programs_in(program);
    AdapterError::directory(&adapter.name, program, meant.first())
}

/// The debuggers for machine code in their order, then everything else that could know.
fn native(table: &Table) -> Vec<&Arc<Adapter>> {
    let mut adapters: Vec<_> = table.iter().collect();
    adapters.sort_by_key(|adapter| {
        (
            adapter.native_rank.unwrap_or(u32::MAX),
            adapter.name.clone(),
        )
    });
    adapters
}

fn first_that_starts<'a>(
    table: &Table,
    context: &Context,
    target: &Target,
    adapters: impl Iterator<Item = &'a Arc<Adapter>>,
) -> Result<Resolved, AdapterError> {
    let mut considered = Vec::new();
    for adapter in adapters {
        match start_as(adapter, context, target) {
            Ok(found) => return Ok(found),
            // Another one that is not here; not one that cannot do it.
            Err(error) if error.kind == ErrorKind::AdapterMissing => considered.push(adapter),
            Err(_) => {}
        }
    }
    let language = considered
        .first()
        .and_then(|adapter| adapter.languages.first());
    let of = language.map_or("that", String::as_str);
    Err(none_available(table, context, of, &considered))
}

fn none_available(
    table: &Table,
    context: &Context,
    target: &str,
    considered: &[&Arc<Adapter>],
) -> AdapterError {
    let installed = table
        .iter()
        .filter(|adapter| resolve(adapter, context).is_ok());
    let mut installed: Vec<_> = installed.map(|adapter| adapter.name.as_str()).collect();
    if installed.is_empty() {
        installed.push("none");
    }
    let what = format!(
        "No debugger adapter available. Installed adapters: {}",
        installed.join(", ")
    );
    // The command that installs the best of them.
    let hint = considered.first().map(|adapter| adapter.install_hint());
    let target = target.rsplit('/').next().unwrap_or(target);
    AdapterError {
        missing: Some(format!("No debug adapter for {target} is here.")),
        ..AdapterError::new(ErrorKind::AdapterMissing, what, hint.unwrap_or_default())
    }
}

fn for_launch(table: &Table, context: &Context, program: &Path) -> Result<Resolved, AdapterError> {
    let program = context.absolute(program);
    let facts = program::inspect(&program);
    let start = if facts.kind == FileKind::Directory {
        Some(program.as_path())
    } else {
        program.parent()
    };
    let has_root = |adapter: &Adapter| {
        start.is_some_and(|start| marked_root(&adapter.root_markers, start).is_some())
    };
    let is_of_type = |adapter: &Adapter| adapter.file_types.contains(&facts.extension);
    let fits = |adapter: &&Arc<Adapter>| {
        if facts.kind == FileKind::Directory {
            adapter.accepts_directory_program && has_root(adapter)
        } else if facts.languages.is_empty() && facts.interpreter.is_none() {
            is_of_type(adapter)
        } else {
            speaks(adapter, &facts)
        }
    };
    let mut candidates: Vec<_> = table.iter().filter(fits).collect();
    if candidates.is_empty() {
        // An extension and an interpreter may disagree; either is better than a guess.
        let may_fit = |adapter: &&Arc<Adapter>| {
            is_of_type(adapter)
                || adapter.native_rank.is_some_and(|rank| rank <= 2)
                || has_root(adapter)
        };
        candidates.extend(table.iter().filter(may_fit));
    }
    candidates.sort_by_cached_key(|adapter| {
        (
            language_rank(adapter, &facts),
            !is_of_type(adapter),
            !has_root(adapter),
            raw_runtime(adapter, &facts).is_some(),
            adapter.native_rank.unwrap_or(u32::MAX),
            adapter.name.clone(),
        )
    });
    let mut missing = None;
    for adapter in &candidates {
        if facts.kind == FileKind::Directory && !adapter.accepts_directory_program {
            return Err(directory_error(adapter, &program));
        }
        match resolve_near(adapter, context, Some(&program)) {
            Ok(mut found) => {
                let passed_over = candidates
                    .iter()
                    .filter(|a| a.native_rank < adapter.native_rank);
                let mut raw = passed_over.filter_map(|a| Some((a, raw_runtime(a, &facts)?)));
                found.because = raw.next().map(|(passed_over, runtime)| {
                    let (name, other) = (&adapter.name, &passed_over.name);
                    format!("{other} shows values of {runtime} as raw fields: {name} is used.")
                });
                return Ok(found);
            }
            Err(error) => missing = missing.or(Some(error)),
        }
    }
    // A program of a known kind names the one adapter that would fit; no other debugger stands in silently.
    let is_known_kind = candidates
        .iter()
        .any(|adapter| is_of_type(adapter) || speaks(adapter, &facts));
    match missing {
        Some(error) if is_known_kind && candidates.len() == 1 => Err(error),
        _ => Err(none_available(
            table,
            context,
            &program.display().to_string(),
            &candidates,
        )),
    }
}

/// Whether the file's own content says that it is this adapter's.
fn speaks(adapter: &Adapter, facts: &ProgramFacts) -> bool {
    facts
        .languages
        .iter()
        .any(|language| adapter.languages.contains(language))
        || facts
            .interpreter
            .as_deref()
            .is_some_and(|interpreter| is_interpreter_of(adapter, interpreter))
}

/// The runtime of the program whose values an adapter shows as fields alone.
fn raw_runtime<'f>(adapter: &Adapter, facts: &'f ProgramFacts) -> Option<&'f str> {
    let runtimes = &facts.image.as_ref()?.runtimes;
    let is_raw = |runtime: &&&str| adapter.no_formatters.iter().any(|r| r == **runtime);
    runtimes.iter().find(is_raw).copied()
}

/// 0 for the adapter of the very language, 1 for one of machine code in general. Among the debuggers that know
/// the language by itself the one that knows nothing else comes first.
fn language_rank(adapter: &Adapter, facts: &ProgramFacts) -> u32 {
    match facts.languages.first() {
        Some(language) if adapter.languages.contains(language) => {
            u32::from(adapter.native_rank.is_some())
        }
        _ => 2,
    }
}

/// `python3.11` is an interpreter of the family `python`.
fn is_interpreter_of(adapter: &Adapter, interpreter: &str) -> bool {
    let name = interpreter.rsplit('/').next().unwrap_or(interpreter);
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    adapter.interpreters.iter().any(|known| known == family)
}

/// Adapters, and why they fit.
type Fitting<'t> = (Vec<&'t Arc<Adapter>>, String);

/// The adapters for whoever listens at a port, and who that is. Its process tells without being disturbed: a debug server may take
/// one client only. Where the process tells nothing (another host, another account, a tunnel) it is asked whether it is an inspector;
/// fails where it answers as a server of web pages does.
fn of_listener<'t>(
    table: &'t Table,
    host: &str,
    port: u16,
) -> Result<Option<Fitting<'t>>, AdapterError> {
    let fitting = |name: &str, listener: String| {
        let is_its = |adapter: &&Arc<Adapter>| adapter.attach_listener.fit(name);
        let adapters: Vec<_> = native(table).into_iter().filter(is_its).collect();
        (!adapters.is_empty()).then_some((adapters, listener))
    };
    let addresses = (host, port).to_socket_addrs();
    let addresses: Vec<SocketAddr> = addresses.into_iter().flatten().collect();
    for (pid, name) in addresses.iter().flat_map(|at| peers::listeners(*at)) {
        let whole = peers::with_arguments(pid, &name);
        let program = whole.split(' ').next().unwrap_or(&name);
        let listener = format!(
            "{} (process {pid}) listens on port {port}",
            sanitise(program)
        );
        let found = fitting(program, listener.clone()).or_else(|| fitting(&whole, listener));
        if found.is_some() {
            return Ok(found);
        }
    }
    for at in addresses {
        let Some((_, answer)) = http::answer(at, "/json/version", Some(GREETING)) else {
            continue;
        };
        let answer: Option<Value> = serde_json::from_slice(&answer).ok();
        let Some(name) = answer.as_ref().and_then(|answer| answer.text_of("Browser")) else {
            return Err(AdapterError::new(
                ErrorKind::Usage,
                format!("what listens on port {port} answers HTTP, and is no debugger"),
                "give the port of a debug server, or --pid N for the program itself",
            ));
        };
        let name: String = sanitise(name).chars().take(60).collect();
        if let Some(found) = fitting(&name, format!("{name} answers on port {port}")) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What a running process is, by its executable.
pub fn of_process(pid: u32) -> Option<ProgramFacts> {
    let link = PathBuf::from(format!("/proc/{pid}/exe"));
    let name = fs::read_link(&link).ok()?;
    // Read through the link: the file may have been replaced or be in another mount namespace.
    let mut facts = program::inspect(&link);
    for warning in &mut facts.warnings {
        *warning = warning.replace(&link.lossy(), &name.lossy());
    }
    facts.interpreter = name.file_name().map(Lossy::lossy);
    Some(facts)
}
