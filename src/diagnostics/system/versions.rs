//! Versions of omp and of the tools around it.
//!
//! Files are read where they say the version. A program is only started when it is none of the working folder's: a repository must not
//! run anything because somebody looks at a system's facts.

use std::sync::mpsc;

use base::{
    files,
    surroundings::{self, Variables, on_path},
};

use super::gaps::Gaps;
use crate::prelude::*;

/// How long a program may take to say its version.
const LIMIT: Duration = Duration::from_secs(5);
/// How much of what it says is read, in bytes.
const LARGEST: u64 = 64 * 1024;
/// Folders above a program in which its package may be described.
const LEVELS: usize = 6;

/// Versions; nothing = not here, or it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Versions {
    /// omp-debug.
    pub app: String,
    pub omp: Option<String>,
    pub omp_path: Option<String>,
    /// The runtime that omp runs on.
    pub bun: Option<String>,
    pub node: Option<String>,
    pub git: Option<String>,
}

impl Versions {
    /// Only what we know of ourselves.
    pub(super) fn of_us() -> Self {
        Self {
            app: env!("CARGO_PKG_VERSION").to_owned(),
            ..Self::default()
        }
    }

    /// Asks them all, at the same time.
    pub(super) fn look(cwd: &Path, env: &Variables, gaps: &mut Gaps, cancel: &Cancel) -> Self {
        let programs = ["omp", "bun", "node", "git"].map(|name| (name, on_path(name, env)));
        let asked = programs.map(|(name, path)| {
            let described = path.as_deref().filter(|_| name == "omp").and_then(package);
            let waiting = match (&path, described) {
                (_, Some(version)) => Answer::Known(Ok(version)),
                (Some(path), None) => ask(path, cwd, env),
                (None, None) => Answer::Known(Err(format!("{name} is not on PATH"))),
            };
            (name, path, waiting)
        });
        let [(_, omp_path, _), ..] = &asked;
        let omp_path = omp_path.as_ref().map(|p| p.to_string_lossy().into_owned());
        let [omp, bun, node, git] = asked.map(|(name, _, waiting)| {
            let found = waiting.wait(cancel);
            gaps.take(&format!("versions.{name}"), found)
        });
        Self {
            omp,
            omp_path,
            bun,
            node,
            git,
            ..Self::of_us()
        }
    }
}

/// The version in the description of the package that a program belongs to.
fn package(program: &Path) -> Option<String> {
    let real = program.canonicalize().ok()?;
    real.ancestors().skip(1).take(LEVELS).find_map(|dir| {
        let text = files::text_at_most(&dir.join("package.json"), LARGEST * 4)?;
        let described: Value = serde_json::from_str(&text).ok()?;
        let name = described.get("name")?.as_str()?;
        // Another package that has a program of this name says its own version.
        if !(name.ends_with("pi-coding-agent") || name == "omp") {
            return None;
        }
        let version = described.get("version")?.as_str()?;
        Some(sanitise(version.get(..version.len().min(60))?).into_owned())
    })
}

/// A question that may not be answered yet.
enum Answer {
    Known(Result<String, String>),
    Running(std::process::Child, mpsc::Receiver<Vec<u8>>, PathBuf),
}

fn ask(program: &Path, cwd: &Path, env: &Variables) -> Answer {
    let started = surroundings::question(program, cwd, env)
        .and_then(|mut command| command.arg("--version").spawn());
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            let why = format!("{} cannot be started: {error}", program.display());
            return Answer::Known(Err(why));
        }
    };
    let (sender, answer) = mpsc::channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was read before an error is an answer, too; nobody may wait for it any more.
            let _ = out.take(LARGEST).read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
    }
    Answer::Running(child, answer, program.to_path_buf())
}

impl Answer {
    fn wait(self, cancel: &Cancel) -> Result<String, String> {
        let (mut child, answer, program) = match self {
            Self::Known(answer) => return answer,
            Self::Running(child, answer, program) => (child, answer, program),
        };
        let limit = if cancel.is_cancelled() {
            Duration::ZERO
        } else {
            LIMIT
        };
        let said = answer.recv_timeout(limit);
        // It has answered, or it will not: in both cases nobody needs it any more.
        let _ = child.kill();
        let _ = child.wait();
        let program = program.display();
        let said = said.map_err(|_timeout| {
            format!(
                "{program} --version gave no answer within {} s",
                LIMIT.as_secs()
            )
        })?;
        let said = String::from_utf8_lossy(&said);
        number_in(&said).ok_or_else(|| {
            let head = beginning(said.trim(), 60);
            format!("{program} --version says {head:?}, which holds no version")
        })
    }
}

/// The first word that begins like a version: `git version 2.39.5` gives `2.39.5`.
fn number_in(text: &str) -> Option<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '/' | '(' | ')' | ','))
        .map(|word| word.trim_start_matches('v'))
        .find(|word| {
            let (major, rest) = word.split_once('.').unwrap_or_default();
            !major.is_empty()
                && major.bytes().all(|b| b.is_ascii_digit())
                && rest.starts_with(|c: char| c.is_ascii_digit())
        })
        .map(|word| beginning(&sanitise(word), 40))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt as _;

    fn program(path: &Path, script: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn versions_are_read_from_files_and_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let lib = dir.path().join("lib/pi");
        program(&lib.join("dist/cli.js"), "echo started >&2; exit 7");
        let described = r#"{"name":"@oh-my-pi/pi-coding-agent","version":"18.2.3"}"#;
        std::fs::write(lib.join("package.json"), described).unwrap();
        let bin = dir.path().join("bin");
        program(&bin.join("git"), "echo git version 2.39.5");
        program(&bin.join("bun"), "echo no numbers here");
        std::os::unix::fs::symlink(lib.join("dist/cli.js"), bin.join("omp")).unwrap();
        let path = format!("relative:{}", bin.display());
        let env = BTreeMap::from([("PATH".to_owned(), path)]);
        let mut gaps = Gaps::new(dir.path());
        let found = Versions::look(
            dir.path().join("project").as_path(),
            &env,
            &mut gaps,
            &Cancel::default(),
        );
        assert_eq!(found.omp.as_deref(), Some("18.2.3"));
        assert_eq!(found.git.as_deref(), Some("2.39.5"));
        assert_eq!((found.bun, found.node), (None, None));
        let unknown = gaps.into_list();
        let why = |field: &str| {
            unknown
                .iter()
                .find(|u| u.field == field)
                .unwrap()
                .why
                .clone()
        };
        assert!(why("versions.bun").contains("no numbers here"));
        assert_eq!(why("versions.node"), "node is not on PATH");
    }

    #[test]
    fn numbers_in_what_programs_say() {
        for (text, wanted) in [
            ("v20.11.1\n", Some("20.11.1")),
            ("omp/18.3.4 linux-x64", Some("18.3.4")),
            ("version one", None),
            ("", None),
        ] {
            assert_eq!(number_in(text).as_deref(), wanted, "{text}");
        }
    }
}
