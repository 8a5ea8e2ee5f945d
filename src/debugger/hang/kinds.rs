//! What functions' names say of a wait.

use super::report::Frame;

/// What a thread waits for in a function whose name has this in it. The first that fits, among the innermost frames, is it.
const WAITS: &[(&str, &str)] = &[
    ("pthread_cond_", "a condition variable"),
    ("condition_variable", "a condition variable"),
    ("Condvar::wait", "a condition variable"),
    ("pthread_barrier_wait", "a barrier"),
    ("Barrier::wait", "a barrier"),
    ("std::latch", "a latch"),
    ("sem_wait", "a semaphore"),
    ("sem_timedwait", "a semaphore"),
    ("mpmc::", "a channel"),
    ("mpsc::", "a channel"),
    ("crossbeam_channel::", "a channel"),
    ("thread::park", "being unparked"),
    ("nanosleep", "a time (it sleeps)"),
    ("epoll_", "events of files and sockets"),
    ("ppoll", "events of files and sockets"),
    ("poll", "events of files and sockets"),
    ("pselect", "events of files and sockets"),
    ("select", "events of files and sockets"),
    ("accept", "a connection"),
    ("connect", "a connection to be made"),
    ("recv", "data of a socket"),
    ("waitpid", "the end of a process"),
    ("wait4", "the end of a process"),
    ("waitid", "the end of a process"),
    ("sigwait", "a signal"),
    ("pause", "a signal"),
    ("flock", "a lock of a file"),
    ("read", "data to read"),
    ("write", "room to write"),
];

/// What a goroutine of the runtime's own waits for.
pub const RUNTIME: &str = "work of the runtime";

/// The same of goroutines, whose innermost frames are the runtime's.
const GO_WAITS: &[(&str, &str)] = &[
    ("sync.(*Cond).Wait", "a condition variable"),
    ("sync.(*WaitGroup).Wait", "a WaitGroup"),
    ("sync.runtime_SemacquireWaitGroup", "a WaitGroup"),
    ("os/signal.signal_recv", "a signal"),
    ("time.Sleep", "a time (it sleeps)"),
    ("runtime.netpollblock", "a file or a socket"),
    ("runtime.selectgo", "one of several channels"),
    ("runtime.block", "nothing: an empty select never ends"),
    ("runtime.chanrecv", "a channel"),
    ("runtime.chansend", "a channel"),
    ("runtime.semacquire", "a semaphore"),
    ("runtime.goparkunlock", RUNTIME),
    ("runtime.gopark", RUNTIME),
];

/// Frames from the innermost on among which the wait is looked for.
const DEPTH: usize = 12;

/// What one waits for by the names of its functions.
pub fn wait(frames: &[Frame], is_go: bool) -> Option<&'static str> {
    let table = if is_go { GO_WAITS } else { WAITS };
    let foreign = || frames.iter().take(DEPTH).take_while(|f| !f.own);
    let found = table.iter().find(|(name, _)| {
        foreign().any(|f| {
            let called = f.name.trim_start_matches('_');
            if is_go || name.contains(':') || name.len() > 7 {
                called.contains(name)
            } else {
                // Short names are parts of many others.
                let bare = ["GI_", "libc_", "libc"]
                    .iter()
                    .fold(called, |name, prefix| {
                        name.trim_start_matches(prefix).trim_start_matches('_')
                    });
                let bare = bare.split(['(', '@']).next().unwrap_or_default();
                bare.trim_end_matches(|c: char| c.is_ascii_digit()) == *name
            }
        })
    });
    found.map(|(_, words)| *words)
}

/// What functions of C's and C++'s libraries and of Rust's begin with; `?` is one whose name is not known.
const LIBRARIES: [&str; 9] = [
    "_", "?", "pthread_", "lll_", "futex", "syscall", "std::", "<std::", "core::",
];

/// The place of the innermost frame of the person's own. In a program without debug information that is the first one without a source
/// whose name is no library's.
pub fn own(frames: &[Frame]) -> usize {
    let named = |f: &Frame| f.path.is_none() && !LIBRARIES.iter().any(|l| f.name.starts_with(l));
    let own = frames.iter().position(|f| f.own);
    own.or_else(|| frames.iter().position(named)).unwrap_or(0)
}

/// Whether one of the innermost frames is of a function with this in its name.
pub fn calls(frames: &[Frame], name: &str) -> bool {
    frames.iter().take(DEPTH).any(|f| f.name.contains(name))
}
