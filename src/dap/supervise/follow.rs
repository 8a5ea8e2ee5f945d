//! Follows a command to the program that it runs in the end.
//!
//! The command and all that it starts are traced: each stops when it has become another program and has not run any of it, is
//! looked at, and goes on. Nothing of it outlives us. One that is chosen never runs: it is ended where it stands, and what led to
//! it is told to end, so that makes and compilers take back what is half done.

use std::{
    collections::{BTreeMap, HashSet},
    ffi::OsString,
    fs, io,
    os::unix::{
        fs::MetadataExt as _,
        process::{CommandExt as _, ExitStatusExt as _},
    },
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{signals, tree};

/// Seconds that what led to the chosen one has to end by itself.
const GRACE: u32 = 2;
const SETUID: u32 = 0o4000;

/// A process that has become a program, and has not run any of it.
#[derive(Clone, Debug, Default)]
pub struct Exec {
    /// The program's file.
    pub exe: PathBuf,
    pub argv: Vec<String>,
    pub cwd: PathBuf,
    pub env: BTreeMap<String, String>,
    /// By its file it would run as somebody else, which the kernel does not do for one that is traced.
    pub is_setuid: bool,
}

impl Exec {
    fn of(pid: i32) -> io::Result<Self> {
        let proc = PathBuf::from(format!("/proc/{pid}"));
        let list = |name| -> io::Result<Vec<String>> {
            let bytes = fs::read(proc.join(name))?;
            let whole = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
            let parts = whole.split(|byte| *byte == 0);
            Ok(parts
                .map(|part| String::from_utf8_lossy(part).into_owned())
                .collect())
        };
        let env = list("environ")?.into_iter();
        let env = env.filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        let file = fs::metadata(proc.join("exe"))?;
        let own = rustix::process::geteuid();
        Ok(Self {
            exe: fs::read_link(proc.join("exe"))?,
            argv: list("cmdline")?,
            cwd: fs::read_link(proc.join("cwd"))?,
            env: env.collect(),
            is_setuid: file.mode() & SETUID != 0 && !own.is_root() && file.uid() != own.as_raw(),
        })
    }
}

/// Runs a command until `choose` takes one of its programs, or to its end, whose exit code it gives. What it prints goes to our standard
/// error. To be called by a process of one thread.
///
/// # Errors
///
/// It could not be started; `EPERM` where the system does not let us trace.
pub fn follow(
    argv: &[OsString],
    mut choose: impl FnMut(&Exec) -> bool,
) -> io::Result<Option<ExitStatus>> {
    // Told to end, it ends, and then there is nothing to follow; we see to the rest.
    signals::ignore(libc::SIGTERM);
    let first = spawn(argv)?;
    let (mut known, mut ended, mut is_chosen) = (HashSet::from([first]), None, false);
    let mut has_options = false;
    while let Some((pid, status)) = wait()? {
        if !libc::WIFSTOPPED(status) {
            known.remove(&pid);
            if pid == first {
                ended = Some(ExitStatus::from_raw(status));
            }
            // What it left behind ends with us.
            if ended.is_some() && !is_chosen {
                break;
            }
            continue;
        }
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let is_exec = event == libc::PTRACE_EVENT_EXEC || !has_options;
        if !std::mem::replace(&mut has_options, true) {
            let all = libc::PTRACE_O_EXITKILL
                | libc::PTRACE_O_TRACEEXEC
                | libc::PTRACE_O_TRACEFORK
                | libc::PTRACE_O_TRACEVFORK
                | libc::PTRACE_O_TRACECLONE;
            trace(libc::PTRACE_SETOPTIONS, pid, all)?;
        }
        // A new one stops by itself, before or after its parent tells.
        let is_new = known.insert(pid) && signal == libc::SIGSTOP;
        if is_exec && is_chosen {
            kill(pid);
        } else if is_exec && Exec::of(pid).is_ok_and(|exec| choose(&exec)) {
            is_chosen = true;
            alarm(GRACE);
            for other in tree::descendants(std::process::id().cast_signed()).unwrap_or_default() {
                other.signal(Signal::TERM);
            }
            kill(pid);
        }
        let passed_on = if is_exec || is_new || event != 0 {
            0
        } else {
            signal
        };
        // One that is gone meanwhile is told by the next wait.
        let _ = trace(libc::PTRACE_CONT, pid, passed_on);
    }
    Ok(ended.filter(|_| !is_chosen))
}

fn spawn(argv: &[OsString]) -> io::Result<i32> {
    let (program, rest) = argv
        .split_first()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut command = Command::new(program);
    command.args(rest).stdout(Stdio::from(io::stderr()));
    let prepare = || {
        signals::reset_in_child();
        trace(libc::PTRACE_TRACEME, 0, 0)
    };
    #[expect(
        unsafe_code,
        reason = "a process asks to be traced between fork and exec"
    )]
    // SAFETY: the closure only makes system calls that are async-signal-safe and allocates nothing, and this process has one thread.
    unsafe {
        command.pre_exec(prepare);
    }
    Ok(command.spawn()?.id().cast_signed())
}

/// The next of those below us that has stopped or ended; none when there are no more.
fn wait() -> io::Result<Option<(i32, i32)>> {
    loop {
        let mut status = 0;
        #[expect(
            unsafe_code,
            reason = "rustix waits for no other tracees than children"
        )]
        // SAFETY: the status is ours and lives through the call.
        let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL) };
        if pid > 0 {
            return Ok(Some((pid, status)));
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::ECHILD) => return Ok(None),
            _ => return Err(error),
        }
    }
}

fn trace(what: libc::c_uint, pid: i32, value: i32) -> io::Result<()> {
    let (nowhere, value) = (std::ptr::null_mut::<()>(), i64::from(value));
    #[expect(unsafe_code, reason = "rustix has no ptrace")]
    // SAFETY: these requests take numbers and touch no memory of ours; a process that is not ours to trace gives an error.
    let done = unsafe { libc::ptrace(what, pid, nowhere, value) };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn kill(pid: i32) {
    // It is not waited for yet, so that its number is nobody else's.
    let _ = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::KILL));
}

/// Ends us in so many seconds, and with us all that is traced.
fn alarm(seconds: u32) {
    #[expect(unsafe_code, reason = "rustix has no alarm")]
    // SAFETY: it takes no pointer, and nobody else here uses it.
    unsafe {
        libc::alarm(seconds);
    }
}
