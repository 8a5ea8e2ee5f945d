//! What this machine is, what it allows, and which of omp's processes run on it.
//!
//! [`Collector::facts`] reads files and asks the kernel, and takes milliseconds; [`Collector::versions`] may start programs, and takes
//! longer. What cannot be found out is `None`, and [`System::unknown`] says why. [`text`] writes all of it for people, [`processes`]
//! samples chosen processes. What a terminal can do is left to the screen, which adapters there are to the debugger.

mod cgroup;
mod disk;
mod gaps;
mod limits;
pub(crate) mod machine;
mod place;
pub mod processes;
pub mod text;
mod versions;

#[cfg(test)]
mod tests;

use base::surroundings;

use crate::{omp::Layout, prelude::*};

pub use cgroup::Cgroup;
pub use disk::Disk;
pub use gaps::{Gaps, Unknown};
pub use limits::{Inotify, Limits, ResourceLimit};
pub use machine::{Gpu, Load, Memory};
pub use place::{Container, Locale};
pub use versions::Versions;

/// The version of the names below. Names are only added while it stays the same.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that is known, as `system --json` writes it. Sizes are in bytes, times in seconds unless a name says otherwise.
#[derive(Clone, Debug, Default, Serialize)]
pub struct System {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When it was read: UTC, RFC 3339, milliseconds.
    pub taken: String,
    /// Kernel and platform: `Linux 6.18.0 (linux)`.
    pub os: Option<String>,
    /// The distribution's own name.
    pub os_name: Option<String>,
    /// The processor's architecture: `x86_64`.
    pub arch: String,
    /// The model of the first processor, or `Unknown CPU`.
    pub cpu: String,
    /// Processors that this process may run on.
    pub cpus: Option<usize>,
    /// Seconds since the machine was started.
    pub uptime: Option<u64>,
    /// How busy it is.
    pub load: Option<Load>,
    /// Memory of the machine.
    pub memory: Option<Memory>,
    /// Graphics processors.
    pub gpus: Vec<Gpu>,
    /// File systems of the folders that matter.
    pub disks: Vec<Disk>,
    /// Versions of programs; filled in by [`Collector::versions`].
    pub versions: Versions,
    /// The folder that we work in.
    pub cwd: String,
    /// The person's shell, or `unknown`.
    pub shell: String,
    /// `TERM_PROGRAM`, else `TERM`.
    pub terminal: Option<String>,
    /// Language and character set.
    pub locale: Locale,
    /// What encloses us.
    pub container: Container,
    /// What the kernel allows.
    pub limits: Limits,
    /// The environment, in order of names; secrets are replaced.
    pub environment: BTreeMap<String, String>,
    /// Where omp keeps its files, and which of its processes run.
    pub omp: Omp,
    /// Debug adapters; filled in by whoever knows them.
    pub adapters: Vec<Adapter>,
    /// What could not be found out, and why.
    pub unknown: Vec<Unknown>,
}

/// omp on this machine.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Omp {
    /// Its root folder.
    pub root: String,
    /// The profile in use; none is the default one.
    pub profile: Option<String>,
    /// Whether the root folder is there.
    pub present: bool,
    /// Its folders by what is in them.
    pub folders: BTreeMap<&'static str, String>,
    /// What could not be taken as it was given.
    pub warnings: Vec<String>,
    /// Its running processes.
    pub processes: Vec<processes::Process>,
}

/// A debug adapter as the debugger found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Adapter {
    pub name: String,
    /// Whether it can be started.
    pub found: bool,
    /// Its version, when it tells one.
    pub version: Option<String>,
    /// Where it was found, or why it was not.
    pub how: String,
}

impl Adapter {
    /// One of this name, as the debugger says: whether it is here, its version, where it was found or why not.
    pub fn new(
        name: &str,
        (found, version, how): (bool, Option<&str>, &str),
        redactor: &Redactor,
    ) -> Self {
        Self {
            name: name.to_owned(),
            found,
            version: version.map(str::to_owned),
            how: redactor.redact(how).into_owned(),
        }
    }
}

/// What is asked about: handed in, so that tests need not change the process.
#[derive(Clone, Debug)]
pub struct Collector {
    /// The folder below which `/proc`, `/sys` and `/etc` are.
    pub root: PathBuf,
    /// The folder that we work in.
    pub cwd: PathBuf,
    /// The environment.
    pub env: BTreeMap<String, String>,
    /// Where omp keeps its files.
    pub omp: Layout,
}

impl Collector {
    /// For this machine.
    pub fn new(cwd: &Path, env: BTreeMap<String, String>, omp: Layout) -> Self {
        Self {
            root: PathBuf::from("/"),
            cwd: cwd.to_path_buf(),
            env,
            omp,
        }
    }

    /// What is known without starting a program. Milliseconds, unless a file system hangs.
    pub fn facts(&self) -> System {
        let mut gaps = Gaps::new(&self.root);
        let redactor = Redactor::new().with_secrets(self.env.iter());
        let clean = |path: &Path| redactor.redact(&path.to_string_lossy()).into_owned();
        let (cpu, memory) = machine::cpu_and_memory(&mut gaps);
        let variable = |name: &str| self.env.get(name).filter(|value| !value.is_empty());
        let mut system = System {
            schema_version: SCHEMA_VERSION,
            taken: crate::logs::utc(jiff::Timestamp::now()),
            os: machine::os(&mut gaps),
            os_name: machine::os_name(&mut gaps),
            arch: std::env::consts::ARCH.to_owned(),
            cpu,
            cpus: machine::cpus(&mut gaps),
            uptime: machine::uptime(&mut gaps),
            load: machine::load(&mut gaps),
            memory,
            gpus: machine::gpus(&gaps),
            disks: disk::of(&self.places(), &mut gaps),
            versions: Versions::of_us(),
            cwd: clean(&self.cwd),
            shell: variable("SHELL")
                .map_or_else(|| "unknown".to_owned(), |s| redactor.redact(s).into_owned()),
            terminal: variable("TERM_PROGRAM")
                .or_else(|| variable("TERM"))
                .map(|name| redactor.redact(name).into_owned()),
            locale: Locale::of(&self.env, &mut gaps),
            container: Container::look(&self.env, &gaps),
            limits: Limits::look(&mut gaps),
            environment: self
                .env
                .iter()
                .map(|(name, value)| (name.clone(), redactor.redact_env(name, value).into_owned()))
                .collect(),
            omp: self.look_at_omp(&redactor),
            ..System::default()
        };
        for disk in &mut system.disks {
            redactor.hide(&mut disk.path);
        }
        system.unknown = gaps.into_list();
        // A reason quotes the path that it is about.
        for unknown in &mut system.unknown {
            redactor.hide(&mut unknown.why);
        }
        system
    }

    /// The versions of omp and of the tools around it. May start programs; each is given some seconds.
    pub fn versions(&self, cancel: &Cancel) -> (Versions, Vec<Unknown>) {
        let mut gaps = Gaps::new(&self.root);
        let versions = Versions::look(&self.cwd, &self.env, &mut gaps, cancel);
        (versions, gaps.into_list())
    }

    /// Both, one after the other.
    pub fn all(&self, cancel: &Cancel) -> System {
        let mut system = self.facts();
        let (versions, unknown) = self.versions(cancel);
        system.versions = versions;
        system.unknown.extend(unknown);
        system
    }

    fn places(&self) -> Vec<(&'static str, PathBuf)> {
        let folder = |name| surroundings::folder(&self.env, name);
        let mut places = vec![("working folder", self.cwd.clone())];
        places.extend(folder("HOME").map(|home| ("home", home)));
        let temporary = folder("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
        places.push(("temporary files", temporary));
        if self.omp.root.is_dir() {
            places.push(("omp", self.omp.root.clone()));
        }
        places
    }

    fn look_at_omp(&self, redactor: &Redactor) -> Omp {
        let clean = |path: &Path| redactor.redact(&path.to_string_lossy()).into_owned();
        let layout = &self.omp;
        let mut folders = BTreeMap::from([
            ("agent", clean(&layout.agent)),
            ("logs", clean(&layout.logs)),
            ("reports", clean(&layout.reports)),
            ("blobs", clean(&layout.blobs)),
        ]);
        if let Some(sessions) = layout.sessions.first() {
            folders.insert("sessions", clean(sessions));
        }
        Omp {
            root: clean(&layout.root),
            profile: layout.profile.clone(),
            present: layout.root.is_dir(),
            folders,
            warnings: layout.warnings.clone(),
            processes: processes::of_omp(layout, redactor),
        }
    }
}
