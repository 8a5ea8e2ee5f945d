//! What goes into a report, in which order, and what is left out.

use base::region;
use jiff::civil::Date;

use super::{
    facts, logs,
    outcome::Note,
    session::{self, ChosenSession},
    walk,
};
use crate::{omp::Layout, prelude::*};

base::kinds! {
    /// A part of a report that can be switched off as a whole.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Part {
        /// `system.json`
        System = ["system", "the machine: system, processor, memory, shell, terminal"],
        /// `env.json`
        Env = ["env", "variables of the environment"],
        /// `config.json`
        Config = ["config", "model and modes of the session"],
        /// `logs.txt`
        Logs = ["logs", "the last 1,000 lines of each of omp's logs of the day"],
        /// `raw-sse.txt`
        RawSse = ["raw-sse", "what the provider streamed"],
        /// `session.jsonl`
        Session = ["session", "the conversation"],
        /// `artifacts/**`, the sessions of subagents among them
        Artifacts = ["artifacts", "outputs of tools, sessions of subagents"],
        /// `profile.*`, `heap.*`, `work.*`
        Profiles = ["profiles", "a profile that was taken, what omp-debug was busy with"],
        /// `debug-session.json`, `hang.txt`
        Debug = ["debug-session", "stops, stacks, variables and output of the debugger's sessions"],
        /// `protocol.jsonl`
        Protocol = ["protocol", "what debugger and adapter said to each other"],
        /// `attached/*`
        Attached = ["attached", "files that you added"],
    }
    fn row(self) -> [&'static str; 2];
}

impl Part {
    /// The name in `--no-…`.
    pub fn name(self) -> &'static str {
        self.row()[0]
    }

    /// What it is, for the one who decides about it.
    pub fn about(self) -> &'static str {
        self.row()[1]
    }
}

/// Something that the caller adds.
#[derive(Clone, Debug)]
pub enum Extra {
    /// A file, named as its kind is named in a report.
    File(PathBuf),
    /// What was captured of event streams, in omp's text form.
    RawSse(PathBuf),
    /// What an adapter was told and said.
    Protocol(PathBuf),
    /// The debugger's state as plain data.
    Debug(Value),
    /// Why a program hangs, in lines.
    Hang(String),
    /// A profile that is at hand: the name of its member (`work.folded`, `profile.md`) and what is in it.
    Profile(&'static str, Vec<u8>),
}

/// How much a report may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one member; more of it is cut off.
    pub member: u64,
    /// Bytes of all members together; what comes after is left out.
    pub total: u64,
    /// Artifacts.
    pub files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            member: 1 << 30,
            total: 4 << 30,
            files: 100_000,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Where omp keeps its files.
    pub layout: Layout,
    /// Variables of the environment.
    pub variables: BTreeMap<String, String>,
    /// The current folder.
    pub cwd: PathBuf,
    /// The local day; none = that of the clock.
    pub today: Option<Date>,
    /// A session's file or a part of its name; none = the one of this terminal, or the newest.
    pub session: Option<String>,
    /// What else goes in.
    pub extras: Vec<Extra>,
    /// Parts that are left out.
    pub without: BTreeSet<Part>,
    /// Members that are left out, and all below a folder of this name.
    pub without_members: BTreeSet<String>,
    /// How much at most.
    pub limits: Limits,
}

impl Request {
    /// For this process, with omp's files where `layout` says.
    pub fn of_process(layout: Layout) -> Self {
        Self {
            layout,
            variables: std::env::vars_os()
                .map(|(name, value)| {
                    (
                        name.to_string_lossy().into_owned(),
                        value.to_string_lossy().into_owned(),
                    )
                })
                .collect(),
            cwd: std::env::current_dir().unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The redactor that knows the secrets of these variables, and of the `.env` files that omp reads.
    pub fn redactor(&self) -> Redactor {
        let files = self.layout.env_files(&self.cwd, &self.variables);
        Redactor::new().with_secrets(self.variables.clone().into_iter().chain(files))
    }
}

/// Where a member's bytes are.
#[derive(Clone, Debug)]
pub enum Piece {
    Bytes(Vec<u8>),
    /// The variables, whose values are redacted by their names.
    Variables(BTreeMap<String, String>),
    /// The end of a log, below its name.
    Log(PathBuf),
    /// A file; with a folder, no link below that is followed.
    File(Option<PathBuf>, PathBuf),
}

/// A member to be.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its name in the archive.
    pub name: String,
    /// Which part it belongs to.
    pub part: Part,
    /// Bytes, as far as it is known before reading.
    pub size: u64,
    /// Where it comes from, for people.
    pub from: Option<String>,
    pub(super) pieces: Vec<Piece>,
}

/// What goes in.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// In the order in which they stand in the archive.
    pub members: Vec<Planned>,
    /// What is left out already, and what should be known.
    pub notes: Vec<Note>,
    pub session: Option<ChosenSession>,
    /// How much at most.
    pub limits: Limits,
}

impl Plan {
    /// Looks for everything. What cannot be had is a note, not an error; the error is a session that was named and is not there.
    pub fn find(request: &Request, cancel: &Cancel) -> Result<Self, String> {
        let _region = region!("report.plan");
        let mut plan = Self {
            limits: request.limits,
            ..Self::default()
        };
        let wants = |part: Part| !request.without.contains(&part);
        if wants(Part::Session) || wants(Part::Artifacts) || wants(Part::Config) {
            plan.session = session::find(
                &request.layout,
                &request.variables,
                &request.cwd,
                request.session.as_deref(),
            )?;
        }
        let session = plan.session.clone();
        for part in Part::ALL.into_iter().filter(|part| wants(*part)) {
            match part {
                Part::System => {
                    let facts = facts::machine(&request.variables, &request.cwd);
                    plan.made("system.json", part, facts::pretty(&facts));
                }
                Part::Env => plan.members.push(Planned {
                    name: "env.json".to_owned(),
                    part,
                    size: request
                        .variables
                        .iter()
                        .map(|(name, value)| (name.len() + value.len() + 8) as u64)
                        .sum(),
                    from: None,
                    pieces: vec![Piece::Variables(request.variables.clone())],
                }),
                Part::Config => {
                    let path = session.as_ref().map(|s| s.path.as_path());
                    let settings = facts::session_settings(path);
                    plan.made("config.json", part, facts::pretty(&settings));
                }
                Part::Logs => plan.add_logs(request),
                Part::Session => match &session {
                    Some(session) => {
                        let name = "session.jsonl".to_owned();
                        plan.file(name, part, None, session.path.clone());
                    }
                    None => plan.note(Note::left_out("session.jsonl", "there is no session")),
                },
                Part::Artifacts => {
                    if let Some(session) = &session {
                        plan.add_artifacts(session, request.limits.files, cancel);
                    }
                }
                Part::Debug | Part::RawSse | Part::Protocol | Part::Profiles | Part::Attached => {
                    plan.add_extras(part, &request.extras);
                }
            }
        }
        plan.leave_out(&request.without_members);
        Ok(plan)
    }

    /// Takes away members by name, and all below folders of this name.
    pub fn leave_out(&mut self, names: &BTreeSet<String>) {
        self.members.retain(|member| {
            !names.contains(&member.name)
                && !member
                    .name
                    .match_indices('/')
                    .any(|(at, _)| member.name.get(..at).is_some_and(|n| names.contains(n)))
        });
    }

    /// Bytes of all members, as far as it is known.
    pub fn size(&self) -> u64 {
        self.members.iter().map(|member| member.size).sum()
    }

    pub(super) fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    fn made(&mut self, name: &str, part: Part, bytes: Vec<u8>) {
        self.members.push(Planned {
            name: name.to_owned(),
            part,
            size: bytes.len() as u64,
            from: None,
            pieces: vec![Piece::Bytes(bytes)],
        });
    }

    fn file(&mut self, name: String, part: Part, below: Option<PathBuf>, path: PathBuf) {
        let metadata = match &below {
            Some(folder) => std::fs::symlink_metadata(folder.join(&path)),
            None => std::fs::metadata(&path),
        };
        match metadata {
            // Whoever is to read it would look for what was never there.
            Ok(metadata) if metadata.len() == 0 && part == Part::Profiles => {
                let why = "it is empty (0 bytes): whatever wrote it did not get to the end";
                self.note(Note::left_out(&name, why));
            }
            Ok(metadata) => self.members.push(Planned {
                size: metadata.len(),
                from: Some(path.to_string_lossy().into_owned()),
                name,
                part,
                pieces: vec![Piece::File(below, path)],
            }),
            Err(error) => self.note(Note::left_out(&name, &error.to_string())),
        }
    }

    fn add_logs(&mut self, request: &Request) {
        let today = request.today.unwrap_or_else(|| jiff::Zoned::now().date());
        let found = match logs::find(&request.layout.logs, today) {
            Ok(found) => found,
            Err(error) => {
                let why = format!(
                    "{:?} cannot be read: {error}",
                    request.layout.logs.to_string_lossy()
                );
                return self.note(Note::left_out("logs.txt", &why));
            }
        };
        let Some(day) = found.day else {
            return self.note(Note::left_out("logs.txt", "omp has no logs"));
        };
        if day != today {
            self.note(Note::about(
                "logs.txt",
                &format!("there are no logs of today; these are of {day}"),
            ));
        }
        self.members.push(Planned {
            name: "logs.txt".to_owned(),
            part: Part::Logs,
            size: found.size,
            from: Some(format!("{} logs of {day}", found.files.len())),
            pieces: found.files.into_iter().map(Piece::Log).collect(),
        });
    }

    fn add_artifacts(&mut self, session: &ChosenSession, most: usize, cancel: &Cancel) {
        let Some(folder) = session.artifacts() else {
            return;
        };
        let walk = match walk::walk(&folder, most, cancel) {
            Ok(walk) => walk,
            // A session need not have any.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.note(Note::left_out("artifacts", &error.to_string())),
        };
        let mut names = BTreeSet::new();
        for found in walk.files {
            let mut name = format!("artifacts/{}", walk::member_name(&found.path));
            while !names.insert(name.clone()) {
                name.push('_');
            }
            self.members.push(Planned {
                name,
                part: Part::Artifacts,
                size: found.size,
                from: None,
                pieces: vec![Piece::File(Some(folder.clone()), found.path)],
            });
        }
        for (path, why) in walk.left_out {
            let name = format!("artifacts/{}", walk::member_name(&path));
            self.note(Note::left_out(&name, &why));
        }
    }

    /// The name, or one like it that no member has.
    fn unused(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.members.iter().any(|member| member.name == name) {
            name.push('_');
        }
        name
    }

    fn add_extras(&mut self, part: Part, extras: &[Extra]) {
        for extra in extras {
            match extra {
                Extra::Debug(state) if part == Part::Debug => {
                    self.made("debug-session.json", part, facts::pretty(state));
                }
                Extra::Hang(text) if part == Part::Debug => {
                    self.made("hang.txt", part, text.clone().into_bytes());
                }
                Extra::Profile(name, bytes) if part == Part::Profiles && bytes.is_empty() => {
                    self.note(Note::left_out(name, "it is empty"));
                }
                Extra::Profile(name, bytes) if part == Part::Profiles => {
                    self.made(&self.unused(name), part, bytes.clone());
                }
                Extra::Debug(_) | Extra::Hang(_) | Extra::Profile(..) => {}
                Extra::RawSse(path) => self.add(part, (Part::RawSse, "raw-sse.txt"), path),
                Extra::Protocol(path) => self.add(part, (Part::Protocol, "protocol.jsonl"), path),
                Extra::File(path) => {
                    let (of, name) = place_of(path);
                    self.add(part, (of, &name), path);
                }
            }
        }
    }

    fn add(&mut self, part: Part, (of, name): (Part, &str), path: &Path) {
        if of == part {
            // A link that a person names is meant.
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            self.file(self.unused(name), part, None, path);
        }
    }
}

/// Whether a file that a person adds is unpacked first, so that secrets are looked for in it. An archive stays one.
pub fn is_packed(path: &Path) -> bool {
    let stem = path.file_stem().map(Path::new);
    let is_archive = stem.and_then(Path::extension).is_some_and(|e| e == "tar");
    path.extension().is_some_and(|e| e == "gz") && !is_archive
}

/// Where a file belongs that a person adds, by its name.
fn place_of(path: &Path) -> (Part, String) {
    let name = path.file_name().map_or(path, Path::new);
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
    let known = match extension {
        "cpuprofile" => "profile.cpuprofile",
        "heapsnapshot" => "heap.heapsnapshot",
        // Any picture and any profile may be called so.
        "folded" if stem.starts_with("work") => "work.folded",
        "svg" if stem.starts_with("work") => "work.svg",
        "md" if stem.starts_with("profile") => "profile.md",
        "md" if stem.starts_with("work") => "work.md",
        "json" if stem == "memory" || stem.starts_with("memory.") => "memory.json",
        "txt" if stem.starts_with("raw-sse") => return (Part::RawSse, "raw-sse.txt".to_owned()),
        _ => {
            let unpacked = is_packed(path).then_some(Path::new(stem));
            let name = walk::member_name(unpacked.unwrap_or(name));
            return (Part::Attached, format!("attached/{name}"));
        }
    };
    (Part::Profiles, known.to_owned())
}

/// `omp-report-<time>.tar.gz`.
pub fn name_of_report(now: jiff::Timestamp) -> String {
    let time = now.strftime("%Y-%m-%dT%H-%M-%S-%3fZ");
    format!("omp-report-{time}.tar.gz")
}
