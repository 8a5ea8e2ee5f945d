//! What is piped into us, where a program that is started is to read it.

use std::path::PathBuf;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::stdio::stdin;

/// How long whoever is before us in a pipe may take to write something: both sides of it are started at once.
const PATIENCE: Duration = Duration::from_millis(200);

/// A path at which others read our standard input, when it is a file or something is written into it; none for a terminal, for
/// `/dev/null`, and for a pipe in which nothing is.
pub(super) fn input() -> Option<PathBuf> {
    let kind = fstat(stdin())
        .ok()
        .map(|stat| FileType::from_raw_mode(stat.st_mode))?;
    let has_some = match kind {
        FileType::RegularFile => true,
        // A socket cannot be opened by another path.
        FileType::Fifo => is_readable(),
        _ => false,
    };
    has_some.then(|| {
        if cfg!(target_os = "linux") {
            // By our number: the one who opens it may be an adapter.
            PathBuf::from(format!("/proc/{}/fd/0", std::process::id()))
        } else {
            PathBuf::from("/dev/stdin")
        }
    })
}

fn is_readable() -> bool {
    let stdin = stdin();
    let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec::try_from(PATIENCE).ok();
    let ready = poll(&mut wanted, patience.as_ref()).unwrap_or_default();
    let found = wanted.first().map(PollFd::revents);
    ready > 0 && found.is_some_and(|found| found.contains(PollFlags::IN))
}
