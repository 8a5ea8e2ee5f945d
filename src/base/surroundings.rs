//! What this process stands in: the person's home, the folders of ours below it, and programs of others, which are found and
//! asked so that nothing of the folder we stand in takes part.
//!
//! A repository is looked at before anybody trusts it. Whatever it holds (a module that Python would import, a `gdb` for a
//! PATH with `.` in it, settings of a package manager) must not run because somebody asked what is installed.

pub mod http;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Variables by name.
pub type Variables = BTreeMap<String, String>;

/// Stands for a folder of ours when there is no home: nothing below it can be read, made or written.
pub const NOWHERE: &str = "/dev/null";

/// Variables that make an interpreter or a tool load code of somebody's choice.
const LOADS_CODE: [&str; 10] = [
    "BASH_ENV",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
];

/// The variables of this process. One that is not UTF-8 is left out: no setting is one.
pub fn variables() -> Variables {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// A folder that a variable names. One that is relative counts as unset: the folder we stand in must not decide.
pub fn folder(env: &Variables, name: &str) -> Option<PathBuf> {
    env.get(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// The person's home: what HOME says, else what the system knows of the account.
pub fn home(env: &Variables) -> Option<PathBuf> {
    folder(env, "HOME").or_else(of_account)
}

/// The home of our account in the system's own list.
fn of_account() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let mut entry = std::mem::MaybeUninit::<libc::passwd>::uninit();
    let mut text: Vec<libc::c_char> = vec![0; 16 << 10];
    let mut found = std::ptr::null_mut();
    #[expect(unsafe_code, reason = "rustix does not read the list of accounts")]
    // SAFETY: every pointer is to memory of ours that lives on, with its true length. `found` is null or points to `entry`,
    // whose `pw_dir` is null or a C string in `text`.
    let home = unsafe {
        libc::getpwuid_r(
            libc::geteuid(),
            entry.as_mut_ptr(),
            text.as_mut_ptr(),
            text.len(),
            &raw mut found,
        );
        let home = found.as_ref()?.pw_dir;
        (!home.is_null()).then(|| std::ffi::CStr::from_ptr(home))?
    };
    let home = PathBuf::from(std::ffi::OsStr::from_bytes(home.to_bytes()));
    home.is_absolute().then_some(home)
}

/// A folder of ours, by the XDG rules; [`NOWHERE`] when there is neither the variable nor a home.
pub fn ours(env: &Variables, home: Option<&Path>, name: &str, below_home: &str) -> PathBuf {
    folder(env, name)
        .or_else(|| Some(home?.join(below_home)))
        .unwrap_or_else(|| NOWHERE.into())
        .join("omp-debug")
}

/// Whether a path is of the folder we stand in. A home, and what is above one, is nobody's project; our own copies of programs
/// are ours wherever they lie.
fn is_of_project(path: &Path, cwd: &Path, env: &Variables) -> bool {
    let home = home(env);
    if cwd.parent().is_none() || home.as_ref().is_some_and(|home| home.starts_with(cwd)) {
        return false;
    }
    let data = ours(env, home.as_deref(), "XDG_DATA_HOME", ".local/share");
    let is_within = |path: &Path| path.starts_with(cwd) && !path.starts_with(&data);
    let real = path.parent().and_then(|folder| folder.canonicalize().ok());
    is_within(path) || real.is_some_and(|folder| is_within(&folder))
}

/// The folders of PATH that do not depend on where we stand.
pub fn path_folders(env: &Variables) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(env.get("PATH").map_or("", String::as_str))
        .filter(|dir| dir.is_absolute())
}

/// The first program of this name on PATH.
pub fn on_path(name: &str, env: &Variables) -> Option<PathBuf> {
    path_folders(env)
        .map(|dir| dir.join(name))
        .find(|file| is_executable(file))
}

/// Whether the processor has a feature, by the kernel's name for it (proc(5), `/proc/cpuinfo`); nothing where the system does not say so.
pub fn processor_has(feature: &str) -> Option<bool> {
    let said = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    Some(said.split_whitespace().any(|word| word == feature))
}

/// A regular file that somebody may execute.
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// A command that asks a program something about itself or about the machine, or has it install something: with nothing of
/// the folder we stand in, which nobody has to trust for that. Every such question goes through here.
///
/// # Errors
/// When the program itself is of that folder.
pub fn question(program: &Path, cwd: &Path, env: &Variables) -> io::Result<Command> {
    if !program.is_absolute() || is_of_project(program, cwd, env) {
        return Err(io::Error::other(
            "it is a file of the folder we stand in, which is not run to ask it something",
        ));
    }
    let folders = path_folders(env).filter(|folder| !is_of_project(&folder.join("x"), cwd, env));
    let path = std::env::join_paths(folders).map_err(io::Error::other)?;
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(
            env.iter()
                .filter(|(name, _)| !LOADS_CODE.contains(&name.as_str())),
        )
        .env("PATH", path)
        // What `python -m` and `-c` are to leave out: the folder they run in.
        .env("PYTHONSAFEPATH", "1")
        .env("PWD", "/")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_leaves_the_folder_out_and_a_home_is_no_project() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (project, bin) = (root.join("project"), root.join("bin"));
        for folder in [&project.join("bin"), &bin] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let path = format!(".:{}:{}", project.join("bin").display(), bin.display());
        let mut env = Variables::from([
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), root.join("home").display().to_string()),
            ("PYTHONPATH".to_owned(), ".".to_owned()),
            ("NODE_OPTIONS".to_owned(), "--require ./x.js".to_owned()),
            ("KEPT".to_owned(), "1".to_owned()),
        ]);
        assert!(question(&project.join("bin/gdb"), &project, &env).is_err());
        assert!(question(Path::new("gdb"), &project, &env).is_err());
        // Another way to the same folder.
        let link = root.join("link");
        std::os::unix::fs::symlink(&project, &link).unwrap();
        assert!(question(&link.join("bin/gdb"), &project, &env).is_err());
        let command = question(&bin.join("gdb"), &project, &env).unwrap();
        let set: BTreeMap<_, _> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
            .collect();
        assert_eq!(set.get("PATH"), bin.to_str().as_ref());
        assert_eq!((set.get("KEPT"), set.get("PYTHONPATH")), (Some(&"1"), None));
        assert!(!set.contains_key("NODE_OPTIONS"));
        assert_eq!(command.get_current_dir(), Some(Path::new("/")));
        // Who works in the home directory wrote what stands there.
        assert!(question(&root.join("bin/gdb"), &root, &env).is_ok());
        // Our own copies are ours wherever they lie.
        let data = project.join("share").display().to_string();
        env.insert("XDG_DATA_HOME".to_owned(), data);
        let ours = project.join("share/omp-debug/adapters/x/bin/python");
        assert!(question(&ours, &project, &env).is_ok());
    }

    #[test]
    fn relative_folders_count_as_unset() {
        let of = |home: &str, name: &str| {
            let pairs = [("HOME", home), ("XDG_STATE_HOME", name)];
            Variables::from(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
        };
        let env = of("/home/ada", ".");
        let home = home(&env);
        let state = ours(&env, home.as_deref(), "XDG_STATE_HOME", ".local/state");
        assert_eq!(state, Path::new("/home/ada/.local/state/omp-debug"));
        let env = of(".", "/s");
        assert_ne!(super::home(&env), Some(".".into()));
        assert_eq!(
            ours(&env, None, "XDG_STATE_HOME", "x"),
            Path::new("/s/omp-debug")
        );
        let nothing = ours(&of("", "x/.."), None, "XDG_STATE_HOME", ".local/state");
        assert!(nothing.starts_with(NOWHERE));
        assert!(std::fs::create_dir_all(&nothing).is_err());
    }
}
