//! Short questions to programs, with an end: what version are you, can you import this? None of them runs a file of the project.

use std::io::Read as _;

use rustix::process::{WaitId, WaitIdOptions, waitid};

use crate::prelude::*;

/// An answer is cut after this many bytes.
const MAX_ANSWER: u64 = 64 << 10;
/// How long a question that stands in the way of a launch may take. On a busy machine gdb needs seconds to say its version.
const LIMIT: Duration = Duration::from_secs(15);

/// What a program answers on stdout, when it ends well in time.
pub fn ask(program: &Path, args: &[&str], context: &Context) -> Option<String> {
    let mut question = context.question(program).ok()?;
    let mut child = question.args(args).spawn().ok()?;
    let stdout = child.stdout.take()?;
    let pid = Pid::from_child(&child);
    let (sender, answer) = std::sync::mpsc::channel();
    // Waiting on a thread of its own: a program that prints nothing, or does not end, must not hold us past the limit.
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.take(MAX_ANSWER).read_to_end(&mut text);
        // Sees the end without taking the number from the process: until we reap it, no other process can have it.
        let _ = waitid(
            WaitId::Pid(pid),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        );
        // Nobody listens any more when the limit has passed.
        let _ = sender.send(read.map(|_| String::from_utf8_lossy(&text).into_owned()));
    });
    let text = answer.recv_timeout(LIMIT).ok().and_then(Result::ok);
    if text.is_none() {
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    let said = text.filter(|_| status.success());
    if said.is_none() {
        tracing::warn!(%status, "{} {args:?} gave no answer", program.display());
    }
    said
}

/// The first number with a dot in a program's answer to its version option, as major and full text.
/// Remembered for as long as the file stays the same, by later processes too: gdb takes as long to say its version as to
/// start, and that would come before every launch.
pub fn version(program: &Path, args: &[String], context: &Context) -> Option<(u32, String)> {
    type KnownVersions = HashMap<PathBuf, (Stamp, Option<(u32, String)>)>;
    static ASKED: LazyLock<Mutex<KnownVersions>> = LazyLock::new(Mutex::default);
    let stamp = Stamp::of(program)?;
    let asked = || lock(&ASKED);
    if let Some((_, version)) = asked().get(program).filter(|(of, _)| *of == stamp) {
        return version.clone();
    }
    let version = kept(program, stamp, context).or_else(|| {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let text = ask(program, &args, context)?;
        let version = parse_version(&text)?;
        keep(program, stamp, &version.1, context);
        Some(version)
    });
    asked().insert(program.to_owned(), (stamp, version.clone()));
    version
}

/// What changes when a program is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    /// Time of its last change, in nanoseconds since 1970.
    modified: u128,
    /// Its length in bytes.
    length: u64,
}

impl Stamp {
    fn of(program: &Path) -> Option<Self> {
        let metadata = program.metadata().ok()?;
        let modified = metadata
            .modified()
            .ok()?
            .duration_since(SystemTime::UNIX_EPOCH)
            .ok()?;
        Some(Self {
            modified: modified.as_nanos(),
            length: metadata.len(),
        })
    }
}

/// What an earlier process was told, by program.
type StoredVersions = BTreeMap<PathBuf, (Stamp, String)>;

fn kept_file(context: &Context) -> PathBuf {
    context.state_dir.join("versions.json")
}

/// All that is kept; nothing when the file is missing or not ours: then programs are asked again.
fn all_kept(context: &Context) -> StoredVersions {
    let Ok(file) = File::open(kept_file(context)) else {
        return StoredVersions::new();
    };
    let mut text = Vec::new();
    match file.take(MAX_ANSWER).read_to_end(&mut text) {
        Ok(_) => serde_json::from_slice(&text).unwrap_or_default(),
        Err(_) => StoredVersions::new(),
    }
}

fn kept(program: &Path, stamp: Stamp, context: &Context) -> Option<(u32, String)> {
    let (of, version) = all_kept(context).remove(program)?;
    (of == stamp).then(|| parse_version(&version)).flatten()
}

/// Keeps one more. A loss, by error or by two processes at once, costs one question.
fn keep(program: &Path, stamp: Stamp, version: &str, context: &Context) {
    let mut all = all_kept(context);
    all.retain(|path, (of, _)| Stamp::of(path) == Some(*of));
    all.insert(program.to_owned(), (stamp, version.to_owned()));
    let written = files::replace(&kept_file(context), |out| {
        Ok(serde_json::to_writer(out, &all)?)
    });
    if let Err(error) = written {
        tracing::debug!(%error, "the version of {} is not kept", program.display());
    }
}

/// The first `major.minor...` in a text. Only its first line counts when it has one there.
pub fn parse_version(text: &str) -> Option<(u32, String)> {
    text.split(|c: char| c.is_whitespace() || "(),;:\"".contains(c))
        .map(|word| word.trim_start_matches(['v', 'V']))
        .map(|word| word.strip_prefix("go").unwrap_or(word))
        .find_map(|word| {
            let (major, rest) = word.split_once('.')?;
            let major = major.parse().ok()?;
            rest.starts_with(|c: char| c.is_ascii_digit())
                .then(|| (major, word.to_owned()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_print() {
        for (text, version) in [
            ("GNU gdb (Debian 13.1-3) 13.1\nCopyright", (13, "13.1-3")),
            ("GNU gdb (GDB) 18.1", (18, "18.1")),
            ("lldb version 19.1.7", (19, "19.1.7")),
            (
                "Delve Debugger\nVersion: 1.20.2\nBuild: $Id: e0c2",
                (1, "1.20.2"),
            ),
            ("rdbg 1.4.0", (1, "1.4.0")),
            ("1.8.22\n", (1, "1.8.22")),
        ] {
            assert_eq!(
                parse_version(text),
                Some((version.0, version.1.to_owned())),
                "{text}"
            );
        }
        assert_eq!(parse_version("no numbers. at all"), None);
    }

    #[test]
    fn an_answer_is_taken_from_a_program_that_ends_well_only() {
        let folder = tempfile::tempdir().unwrap();
        let context = Context::new(folder.path().to_owned(), BTreeMap::new());
        let shell = Path::new("/bin/sh");
        let said = |script| ask(shell, &["-c", script], &context);
        assert_eq!(said("echo 18.1").as_deref(), Some("18.1\n"));
        assert_eq!(said("echo 18.1; exit 3"), None);
        // It says all, and then takes its time to end.
        let slow = "echo 18.1; exec >&-; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        assert_eq!(said(slow).as_deref(), Some("18.1\n"));
    }

    #[test]
    fn a_version_is_kept_until_the_program_changes() {
        let folder = tempfile::tempdir().unwrap();
        let context = Context {
            state_dir: folder.path().join("state"),
            ..Context::new(folder.path().to_owned(), BTreeMap::new())
        };
        let program = folder.path().join("tool");
        fs::write(&program, "one").unwrap();
        let stamp = Stamp::of(&program).unwrap();
        assert_eq!(kept(&program, stamp, &context), None);
        keep(&program, stamp, "18.1", &context);
        assert_eq!(
            kept(&program, stamp, &context),
            Some((18, "18.1".to_owned()))
        );
        fs::write(&program, "another").unwrap();
        let changed = Stamp::of(&program).unwrap();
        assert_eq!(kept(&program, changed, &context), None);
        fs::write(kept_file(&context), "{\"/tool\": 7}").unwrap();
        assert_eq!(kept(&program, stamp, &context), None);
    }
}
