//! Where we are and what the environment says, passed in and never read globally.

use std::process::Command;

use base::surroundings::{self, Variables};

use super::backend::Backend;
use crate::prelude::*;

pub(super) use base::surroundings::is_executable;

/// The surroundings in which adapters are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The directory the person works in.
    pub cwd: PathBuf,
    /// The environment that adapters and programs inherit.
    pub env: Arc<Variables>,
    /// The person's home.
    pub home: Option<PathBuf>,
    /// Where our own copies of adapters live (`adapters/NAME` below it).
    pub data_dir: PathBuf,
    /// Where we remember decisions, such as trust.
    pub state_dir: PathBuf,
    /// Where the person configures us.
    pub config_dir: PathBuf,
    /// By which way LLDB is to be spoken to, when an option says so.
    pub backend: Option<Backend>,
}

impl Context {
    /// The surroundings of this process. A variable that is not UTF-8 is left out: no adapter setting is one.
    pub fn from_process() -> io::Result<Self> {
        let env = surroundings::variables();
        let home = surroundings::home(&env);
        Ok(Self::of(std::env::current_dir()?, env, home))
    }

    /// The surroundings that an environment describes, by the XDG rules: a variable that is empty or relative
    /// counts as unset. Nothing of ours is read or written where neither names a folder.
    pub fn new(cwd: PathBuf, env: Variables) -> Self {
        let home = surroundings::folder(&env, "HOME");
        Self::of(cwd, env, home)
    }

    fn of(cwd: PathBuf, env: Variables, home: Option<PathBuf>) -> Self {
        let base = |name, below| surroundings::ours(&env, home.as_deref(), name, below);
        let data_dir = base("XDG_DATA_HOME", ".local/share");
        let state_dir = base("XDG_STATE_HOME", ".local/state");
        let config_dir = base("XDG_CONFIG_HOME", ".config");
        Self {
            cwd,
            env: Arc::new(env),
            home,
            data_dir,
            state_dir,
            config_dir,
            backend: None,
        }
    }

    /// A variable of the environment, if it is set and not empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The directories of PATH, each once: `/bin` is often a link to `/usr/bin`. A relative entry would let the
    /// current directory name a program, so it is left out.
    pub fn path_dirs(&self) -> Vec<PathBuf> {
        let mut seen = BTreeSet::new();
        surroundings::path_folders(&self.env)
            .filter(|dir| seen.insert(dir.canonicalize().unwrap_or_else(|_| dir.clone())))
            .collect()
    }

    /// The first executable of this name on PATH.
    pub fn on_path(&self, name: &str) -> Option<PathBuf> {
        self.path_dirs()
            .into_iter()
            .map(|dir| dir.join(name))
            .find(|path| is_executable(path))
    }

    /// What a program answers, see [`surroundings::question`].
    pub(super) fn question(&self, program: &Path) -> io::Result<Command> {
        surroundings::question(program, &self.cwd, &self.env)
    }

    /// Why nothing of ours is read or written, when it is so.
    pub fn without_folders(&self) -> Option<&'static str> {
        let nowhere = [&self.config_dir, &self.data_dir, &self.state_dir]
            .iter()
            .any(|folder| folder.starts_with(surroundings::NOWHERE));
        nowhere.then_some(
            "HOME is no absolute path and this account has no home: settings, trust and adapters of omp-debug are neither read nor written; set HOME",
        )
    }

    /// A path as the person means it: `~/` is the home, anything relative starts at the current directory.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.cwd.join(path),
        }
    }

    /// The user's data directory that other tools share with us.
    pub(super) fn data_home(&self) -> Option<&Path> {
        self.data_dir.parent()
    }

    /// Where our own copy of what `directory` names is, or would be.
    pub(super) fn managed(&self, directory: &str) -> PathBuf {
        self.data_dir.join("adapters").join(directory)
    }
}
