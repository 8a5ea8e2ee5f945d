//! What can be seen without samples of the kernel and without attaching: the states of threads in `/proc`.
//!
//! Who has (or wants) a processor and who waits, in which system call and at which place in the kernel; never a function of the program. A
//! thread that was not scheduled since the last look is where it was, which `schedstat` tells in one small read.

use base::stat::Stat;

use super::{
    sampler::Clock,
    target::{numbers_in, read},
};
use crate::profile::sample::prelude::*;

/// How often it is looked for new children.
const FAMILY: Duration = Duration::from_millis(500);
/// Frames of the kernel's stack that are kept.
const DEEPEST: usize = 64;

/// What is known of a thread from the last look.
struct KnownThread {
    thread: ThreadId,
    /// Its `schedstat`, which changes whenever it was given a processor.
    scheduled: String,
    state: char,
    /// Clock ticks in its own code and in the kernel.
    ticks: (u64, u64),
    in_kernel: bool,
    stack: Option<StackId>,
}

/// Which threads count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFilter {
    Running,
    Waiting,
    Both,
}

pub struct States {
    target: Target,
    interval: Duration,
    only: Option<u32>,
    children: bool,
    wanted: StateFilter,
    began: Instant,
    next: Instant,
    family: Vec<u32>,
    looked: Option<Instant>,
    known: HashMap<(u32, u32), KnownThread>,
}

impl States {
    pub fn start(target: &Target, options: &Options) -> Self {
        let wanted = match options.clock {
            Clock::Cpu => StateFilter::Running,
            Clock::Wall => StateFilter::Both,
        };
        Self::of(target, options, wanted)
    }

    pub fn of(target: &Target, options: &Options, wanted: StateFilter) -> Self {
        let began = Instant::now();
        Self {
            target: target.clone(),
            interval: options.interval(),
            only: options.thread,
            children: options.children,
            wanted,
            began,
            next: began,
            family: vec![target.pid],
            looked: None,
            known: HashMap::new(),
        }
    }

    /// What the reader of such a profile should know.
    pub const NOTE: &str = "taken from the states of threads in /proc, without functions: which of its functions a thread was in cannot be seen this way, and one that waited for a free processor counts as running";

    /// One look at every thread.
    fn look(&mut self, into: &mut Builder) -> u64 {
        if self.children && self.looked.is_none_or(|at| at.elapsed() >= FAMILY) {
            self.looked = Some(Instant::now());
            self.family = self.target.descendants();
            self.family.insert(0, self.target.pid);
        }
        let at = nanoseconds(self.began.elapsed());
        let mut samples = 0;
        for pid in self.family.clone() {
            let threads = numbers_in(format!("/proc/{pid}/task")).into_iter();
            let only = self.only;
            for tid in threads.filter(|tid| only.is_none_or(|only| only == *tid)) {
                if let Some((thread, stack)) = self.thread(pid, tid, into) {
                    samples += 1;
                    into.sample(Sample {
                        stack,
                        thread,
                        weight: 1,
                        at,
                    });
                }
            }
        }
        samples
    }

    /// What a thread does, if it counts.
    fn thread(&mut self, pid: u32, tid: u32, into: &mut Builder) -> Option<(ThreadId, StackId)> {
        let dir = format!("/proc/{pid}/task/{tid}");
        let scheduled = read(format!("{dir}/schedstat")).unwrap_or_default();
        if let Some(known) = self.known.get(&(pid, tid))
            && !scheduled.is_empty()
            && known.scheduled == scheduled
            && known.state != 'R'
        {
            return Some((known.thread, known.stack?));
        }
        let stat = Stat::read(format!("{dir}/stat"))?;
        let ticks = (stat.user, stat.kernel);
        let before = self.known.get(&(pid, tid));
        let in_kernel = match before.map(|known| known.ticks) {
            Some((user, kernel)) if ticks != (user, kernel) => {
                ticks.1.saturating_sub(kernel) > ticks.0.saturating_sub(user)
            }
            _ => before.is_some_and(|known| known.in_kernel),
        };
        let thread = before.map_or_else(
            || {
                into.thread(Thread {
                    pid: Some(pid),
                    tid: Some(u64::from(tid)),
                    name: stat.name.as_str().into(),
                })
            },
            |known| known.thread,
        );
        let frames = match stat.state {
            'R' if self.wanted != StateFilter::Waiting => {
                let place = if in_kernel {
                    "[in the kernel]"
                } else {
                    "[in its own code]"
                };
                vec!["[running]".to_owned(), place.to_owned()]
            }
            _ if self.wanted == StateFilter::Running => Vec::new(),
            'S' | 'D' | 'I' => waiting(&dir, stat.state),
            'T' => vec!["[stopped]".to_owned()],
            't' => vec!["[stopped by its debugger]".to_owned()],
            _ => Vec::new(),
        };
        let frames = frames.into_iter().map(|name| Frame {
            module: (!name.starts_with('[')).then(|| "[kernel]".into()),
            ..Frame::named(name)
        });
        let stack = into.stack_of_frames(frames);
        let known = KnownThread {
            thread,
            scheduled,
            state: stat.state,
            ticks,
            in_kernel,
            stack,
        };
        self.known.insert((pid, tid), known);
        Some((thread, stack?))
    }
}

/// What a thread waits for, the outermost first.
fn waiting(dir: &str, state: char) -> Vec<String> {
    let first = if state == 'D' {
        "[waiting for a device]"
    } else {
        "[waiting]"
    };
    let mut frames = vec![first.to_owned()];
    let call = read(format!("{dir}/syscall")).unwrap_or_default();
    if let Some(name) = system_call(&call) {
        frames.push(name);
    }
    let stack = read(format!("{dir}/stack")).unwrap_or_default();
    let functions: Vec<String> = kernel_stack(&stack).collect();
    if functions.is_empty() {
        let place = read(format!("{dir}/wchan")).unwrap_or_default();
        let place = place.trim();
        if !place.is_empty() && place != "0" {
            frames.push(sanitise(place).into_owned());
        }
    } else {
        frames.extend(functions.into_iter().rev());
    }
    frames
}

/// The functions of `/proc/PID/task/TID/stack`, lines of `[<0>] function+0x1/0x2 [module]`, the innermost first.
fn kernel_stack(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().take(DEEPEST).filter_map(|line| {
        let (_, rest) = line.split_once("] ")?;
        let name = rest.split(['+', ' ']).next()?;
        (!name.is_empty() && !name.starts_with("0x")).then(|| sanitise(name).into_owned())
    })
}

/// The name of the call that `/proc/PID/task/TID/syscall` names by its number.
fn system_call(text: &str) -> Option<String> {
    let number: i64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    // -1: it waits for something else, a page for example.
    let number = (number >= 0).then_some(number)?;
    let mut known = CALLS.iter().chain(OLD_CALLS);
    let name = known.find(|(known, _)| *known == number);
    let name = name.and_then(|(_, name)| name.strip_prefix("SYS_"));
    Some(name.map_or_else(|| format!("system call {number}"), str::to_owned))
}

/// Calls with their numbers.
macro_rules! calls {
    ($($call:ident),+ $(,)?) => { &[$((libc::$call, stringify!($call))),+] };
}

/// Calls that wait, by the numbers that they have on this processor.
static CALLS: &[(i64, &str)] = calls![
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_openat,
    SYS_close,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ppoll,
    SYS_pselect6,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_futex,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_wait4,
    SYS_waitid,
    SYS_accept,
    SYS_accept4,
    SYS_connect,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_sendto,
    SYS_sendmsg,
    SYS_flock,
    SYS_fcntl,
    SYS_ioctl,
    SYS_io_getevents,
    SYS_io_uring_enter,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_restart_syscall,
    SYS_splice,
    SYS_sendfile,
    SYS_mmap,
    SYS_munmap,
];

/// Those that only processors of this kind have.
#[cfg(target_arch = "x86_64")]
static OLD_CALLS: &[(i64, &str)] = calls![SYS_poll, SYS_select, SYS_epoll_wait, SYS_pause,];
#[cfg(not(target_arch = "x86_64"))]
static OLD_CALLS: &[(i64, &str)] = &[];

impl Sampler for States {
    fn take(&mut self, patience: Duration, into: &mut Builder) -> Result<SampleBatch> {
        let until = Instant::now() + patience;
        let mut taken = SampleBatch::default();
        loop {
            let now = Instant::now();
            if now < self.next {
                let wake = self.next.min(until);
                std::thread::sleep(wake.saturating_duration_since(now));
                if self.next > until {
                    break;
                }
            }
            if !self.target.is_there() {
                taken.ended = true;
                if self.known.is_empty() {
                    return Err(self.target.has_ended().into());
                }
                break;
            }
            taken.samples += self.look(into);
            self.next += self.interval;
            // Looks that were due meanwhile are lost, not made up for.
            let late = Instant::now().saturating_duration_since(self.next);
            let missed = late.as_nanos() / self.interval.as_nanos().max(1);
            let missed = u32::try_from(missed).unwrap_or(u32::MAX);
            self.next += self.interval * missed;
            taken.lost += u64::from(missed);
        }
        into.about().lost += taken.lost;
        Ok(taken)
    }

    fn finish(self: Box<Self>, _into: &mut Builder) -> Result<SampleBatch> {
        Ok(SampleBatch {
            ended: Stat::of(self.target.pid).is_none(),
            ..SampleBatch::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_places_of_the_kernel() {
        let read = format!(
            "{} 0x0 0x7f 0x400 0x0 0x0 0x0 0x7ffe 0x7f0c",
            libc::SYS_read
        );
        assert_eq!(system_call(&read).as_deref(), Some("read"));
        assert_eq!(system_call("9999 0x0").as_deref(), Some("system call 9999"));
        for none in ["running", "-1 0x7ffe 0x7f0c", ""] {
            assert_eq!(system_call(none), None, "{none}");
        }
        let stack =
            "[<0>] futex_wait_queue+0x5d/0x90\n[<0>] do_futex+0x1/0x2 [mod]\n[<0>] 0xffff\nodd\n";
        assert_eq!(
            kernel_stack(stack).collect::<Vec<_>>(),
            ["futex_wait_queue", "do_futex"]
        );
    }
}
