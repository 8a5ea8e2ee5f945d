//! Short questions to programs, with an end: what version are you, can you import this?

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::context::Context;

/// An answer is cut after this many bytes.
const MAX_ANSWER: u64 = 64 << 10;
/// How long a question that stands in the way of a launch may take.
const LIMIT: Duration = Duration::from_secs(5);

/// What a program answers on stdout, when it ends well in time.
pub(super) fn ask(program: &Path, args: &[&str], context: &Context) -> Option<String> {
    let mut child = Command::new(program)
        .args(args)
        .env_clear()
        .envs(context.env.iter())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let (sender, answer) = std::sync::mpsc::channel();
    // Reading on a thread of its own: a program that prints nothing must not hold us past the limit.
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.take(MAX_ANSWER).read_to_end(&mut text);
        // Nobody listens any more when the limit has passed.
        let _ = sender.send(read.map(|_| String::from_utf8_lossy(&text).into_owned()));
    });
    let deadline = Instant::now() + LIMIT;
    let text = answer.recv_timeout(LIMIT).ok().and_then(Result::ok);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return text.filter(|_| status.success()),
            // stdout is closed, so the end is near; nothing else announces it.
            Ok(None) if text.is_some() && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            _ => {
                // It has just ended, or it ends now.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// The first number with a dot in a program's answer to its version option, as major and full text.
/// Remembered for as long as the file stays the same.
pub(super) fn version(program: &Path, args: &[String], context: &Context) -> Option<(u32, String)> {
    type Known = HashMap<(PathBuf, SystemTime, u64), Option<(u32, String)>>;
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let metadata = program.metadata().ok()?;
    let key = (
        program.to_owned(),
        metadata.modified().ok()?,
        metadata.len(),
    );
    let known = KNOWN
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&key)
        .cloned();
    known.unwrap_or_else(|| {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        let version = ask(program, &args, context).and_then(|text| parse_version(&text));
        KNOWN
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, version.clone());
        version
    })
}

/// The first `major.minor...` in a text. Only its first line counts when it has one there.
pub(super) fn parse_version(text: &str) -> Option<(u32, String)> {
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
}
