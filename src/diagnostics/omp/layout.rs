//! The folders of one omp installation.

use base::surroundings;

use super::dotenv;
use crate::prelude::*;

/// What decides where omp's files are: handed in, so that tests need not change the process.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The user's home.
    pub home: PathBuf,
    /// The current folder.
    pub cwd: PathBuf,
    pub variables: BTreeMap<String, String>,
    /// `--omp-dir`: the folder to use instead of `~/.omp`.
    pub omp_dir: Option<PathBuf>,
}

impl Environment {
    fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }
}

/// Where everything is. None of it need exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The named profile, when it is not the default one.
    pub profile: Option<String>,
    /// The root: the config folder, or the profile's folder in it.
    pub root: PathBuf,
    /// Settings, and where sessions are unless XDG moves them.
    pub agent: PathBuf,
    pub logs: PathBuf,
    /// Report bundles.
    pub reports: PathBuf,
    /// Daemons and their clients.
    pub daemons: PathBuf,
    /// Which session belongs to which terminal.
    pub terminal_sessions: PathBuf,
    /// Where sessions may be, the place that omp writes to first: it lists those of all projects from a place of its own.
    pub sessions: Vec<PathBuf>,
    /// Whether the first place of `sessions` holds them directly, without a folder for each project.
    pub flat_sessions: bool,
    /// Large contents that sessions refer to.
    pub blobs: PathBuf,
    /// What could not be taken as it was given.
    pub warnings: Vec<String>,
}

impl Layout {
    /// Finds the folders.
    pub fn find(environment: &Environment) -> Self {
        let mut warnings = Vec::new();
        // The profile is chosen before any `.env` is read, the folders after.
        let profile = profile(environment, &mut warnings);
        let first = Folders::resolve(environment, profile.as_deref());
        let mut complete = environment.clone();
        for folder in [
            &environment.cwd,
            &first.agent,
            &first.root,
            &environment.home,
        ] {
            for (name, value) in dotenv::read(&folder.join(".env")) {
                complete.variables.entry(name).or_insert(value);
            }
        }
        let folders = Folders::resolve(&complete, profile.as_deref());
        folders.layout(&complete, profile, warnings)
    }

    /// What the `.env` files define that omp reads in this folder; of several definitions of a name all are given.
    pub fn env_files(
        &self,
        cwd: &Path,
        variables: &BTreeMap<String, String>,
    ) -> Vec<(String, String)> {
        let home = surroundings::folder(variables, "HOME");
        let folders = [cwd, &self.agent, &self.root];
        folders
            .into_iter()
            .chain(home.as_deref())
            .flat_map(|folder| dotenv::read(&folder.join(".env")))
            .collect()
    }

    /// A project's own folder.
    pub fn project(cwd: &Path) -> PathBuf {
        cwd.join(".omp")
    }
}

/// The choice of a profile: `OMP_PROFILE`, else `PI_PROFILE`; the first one counts even when it is empty.
fn profile(environment: &Environment, warnings: &mut Vec<String>) -> Option<String> {
    let (variable, value) = ["OMP_PROFILE", "PI_PROFILE"].iter().find_map(|name| {
        environment
            .variables
            .get(*name)
            .map(|value| (*name, value.trim()))
    })?;
    if value.is_empty() || value == "default" {
        return None;
    }
    if is_profile(value) {
        return Some(value.to_owned());
    }
    warnings.push(format!(
        "{variable}={value:?} is no name of a profile (small letters, digits, `.`, `_`, `-`): using the default one"
    ));
    None
}

fn is_profile(name: &str) -> bool {
    const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];
    let stem = name.split('.').next().unwrap_or_default();
    let numbered = ["com", "lpt"].iter().any(|device| {
        stem.strip_prefix(device)
            .is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()))
    });
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-')
        })
        && !name.ends_with('.')
        && !DEVICES.contains(&stem)
        && !numbered
}

/// The folders before XDG.
struct Folders {
    root: PathBuf,
    agent: PathBuf,
    /// Whether XDG may move things: only from where they are by default.
    movable: bool,
}

impl Folders {
    fn resolve(environment: &Environment, profile: Option<&str>) -> Self {
        let config = environment.omp_dir.as_ref().map_or_else(
            || {
                environment
                    .home
                    .join(environment.variable("PI_CONFIG_DIR").unwrap_or(".omp"))
            },
            |dir| environment.cwd.join(dir),
        );
        let root = match profile {
            Some(name) => config.join("profiles").join(name),
            None => config.clone(),
        };
        let default = root.join("agent");
        // A value that omp itself derived for a profile was inherited, not chosen.
        let chosen = environment
            .variable("PI_CODING_AGENT_DIR")
            .filter(|_| profile.is_none() && environment.omp_dir.is_none())
            .map(|dir| environment.cwd.join(dir))
            .filter(|dir| {
                let inherited = dir.file_name().is_some_and(|name| name == "agent")
                    && dir.parent().and_then(Path::parent) == Some(&config.join("profiles"));
                *dir != default && !inherited
            });
        Self {
            root,
            movable: chosen.is_none() && environment.omp_dir.is_none(),
            agent: chosen.unwrap_or(default),
        }
    }

    /// Where XDG moves a category, if its variable is set and its folder is there already.
    fn moved(
        &self,
        environment: &Environment,
        profile: Option<&str>,
        variable: &str,
    ) -> Option<PathBuf> {
        let base = surroundings::folder(&environment.variables, variable)?.join("omp");
        let dir = match profile {
            Some(name) => base.join("profiles").join(name),
            None => base,
        };
        (self.movable && dir.is_dir()).then_some(dir)
    }

    fn layout(
        self,
        environment: &Environment,
        profile: Option<String>,
        warnings: Vec<String>,
    ) -> Layout {
        let state = self.moved(environment, profile.as_deref(), "XDG_STATE_HOME");
        let data = self.moved(environment, profile.as_deref(), "XDG_DATA_HOME");
        let state_root = state.as_ref().unwrap_or(&self.root);
        let own = self.agent.join("sessions");
        let mut sessions = Vec::new();
        let flat = environment
            .variable("PI_CODING_AGENT_SESSION_DIR")
            .map(|dir| environment.cwd.join(dir));
        let flat_sessions = flat.is_some();
        for place in [
            flat,
            data.as_ref().map(|dir| dir.join("sessions")),
            Some(own),
        ]
        .into_iter()
        .flatten()
        {
            if !sessions.contains(&place) {
                sessions.push(place);
            }
        }
        Layout {
            logs: state_root.join("logs"),
            reports: state_root.join("reports"),
            daemons: state_root.join("run").join("daemons"),
            terminal_sessions: state
                .as_ref()
                .unwrap_or(&self.agent)
                .join("terminal-sessions"),
            blobs: data.as_ref().unwrap_or(&self.agent).join("blobs"),
            sessions,
            flat_sessions,
            profile,
            root: self.root,
            agent: self.agent,
            warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(home: &Path, variables: &[(&str, &str)]) -> Environment {
        Environment {
            home: home.to_path_buf(),
            cwd: home.join("project"),
            variables: variables
                .iter()
                .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
                .collect(),
            omp_dir: None,
        }
    }

    #[test]
    fn the_default_layout() {
        let home = Path::new("/home/ada");
        let layout = Layout::find(&environment(home, &[]));
        assert_eq!(layout.root, home.join(".omp"));
        assert_eq!(layout.logs, home.join(".omp/logs"));
        assert_eq!(layout.sessions, [home.join(".omp/agent/sessions")]);
        assert_eq!(
            layout.terminal_sessions,
            home.join(".omp/agent/terminal-sessions")
        );
        assert_eq!(layout.daemons, home.join(".omp/run/daemons"));
        assert!(layout.warnings.is_empty());
    }

    #[test]
    fn profiles_and_their_names() {
        let home = Path::new("/home/ada");
        let root = |variables: &[(&str, &str)]| Layout::find(&environment(home, variables)).root;
        assert_eq!(
            root(&[("PI_PROFILE", "work")]),
            home.join(".omp/profiles/work")
        );
        assert_eq!(
            root(&[("OMP_PROFILE", ""), ("PI_PROFILE", "work")]),
            home.join(".omp"),
            "empty blocks"
        );
        assert_eq!(root(&[("OMP_PROFILE", "default")]), home.join(".omp"));
        assert_eq!(
            root(&[("PI_CONFIG_DIR", ".o"), ("OMP_PROFILE", "a.b")]),
            home.join(".o/profiles/a.b")
        );
        for bad in ["../x", "A", "con", "com1.x", "x.", ".", "", &"a".repeat(65)] {
            assert!(!is_profile(bad), "{bad}");
        }
        let layout = Layout::find(&environment(home, &[("OMP_PROFILE", "No")]));
        assert_eq!(layout.warnings.len(), 1);
        assert_eq!(layout.profile, None);
    }

    #[test]
    fn xdg_moves_each_category_that_has_its_folder_already() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        let (state, data) = (home.join("state"), home.join("data"));
        std::fs::create_dir_all(state.join("omp")).unwrap();
        let variables = [
            ("XDG_STATE_HOME", state.to_str().unwrap()),
            ("XDG_DATA_HOME", data.to_str().unwrap()),
        ];
        let layout = Layout::find(&environment(home, &variables));
        assert_eq!(layout.logs, state.join("omp/logs"));
        assert_eq!(
            layout.terminal_sessions,
            state.join("omp/terminal-sessions")
        );
        assert_eq!(
            layout.sessions,
            [home.join(".omp/agent/sessions")],
            "no data folder yet"
        );
        std::fs::create_dir_all(data.join("omp")).unwrap();
        let layout = Layout::find(&environment(home, &variables));
        assert_eq!(
            layout.sessions,
            [data.join("omp/sessions"), home.join(".omp/agent/sessions")]
        );
        let mut own = variables.to_vec();
        own.push(("PI_CODING_AGENT_DIR", "/srv/agent"));
        let layout = Layout::find(&environment(home, &own));
        assert_eq!(
            layout.logs,
            home.join(".omp/logs"),
            "an agent folder of one's own switches XDG off"
        );
        assert_eq!(layout.agent, Path::new("/srv/agent"));
        let mut named = environment(home, &variables);
        named.omp_dir = Some(PathBuf::from("/srv/omp"));
        assert_eq!(Layout::find(&named).logs, Path::new("/srv/omp/logs"));
    }

    #[test]
    fn an_inherited_agent_folder_is_none_of_ones_own() {
        let home = Path::new("/home/ada");
        let layout = Layout::find(&environment(
            home,
            &[("PI_CODING_AGENT_DIR", "/home/ada/.omp/profiles/work/agent")],
        ));
        assert_eq!(layout.agent, home.join(".omp/agent"));
    }

    #[test]
    fn env_files_move_folders_but_choose_no_profile() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        std::fs::create_dir_all(home.join("project")).unwrap();
        std::fs::write(
            home.join("project/.env"),
            "OMP_CODING_AGENT_SESSION_DIR=/srv/s\nOMP_PROFILE=work\n",
        )
        .unwrap();
        let layout = Layout::find(&environment(home, &[]));
        assert_eq!(layout.sessions.first().unwrap(), Path::new("/srv/s"));
        assert!(layout.flat_sessions);
        assert_eq!(layout.profile, None);
    }
}
