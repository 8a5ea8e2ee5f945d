//! Samples of the kernel, read by ourselves: the crate stackpulse opens the perf events and unwinds the stacks, [`super::symbols`] names
//! the functions.
//!
//! The clock is the kernel's own, which is there in virtual machines too, where no counter of the processor is. The process is neither
//! stopped nor attached to: a stop would be seen by its shell or its debugger. Recording and naming happen on a thread of their own, since
//! what names functions cannot leave its thread; what is seen is handed over in batches, each stack once. A frame is its function, and its
//! line is where that begins, so that one function stays one frame.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::JoinHandle,
};

use stackpulse::{
    ErrorKind, Pid, ReadStatus, Recorder, SampleRate, Spool,
    profile::{self, SymbolOrigin},
    record::{AttachPolicy, ProcessScope, SamplingEvent},
    spool::Sample as Seen,
    symbolize::{CachedBatch, CachedSession, StackEntry},
};

use super::{allowed::Allowed, symbols::Symbols, target::read};
use crate::profile::sample::prelude::*;

/// From one batch to the next.
const PUBLISHED: Duration = Duration::from_millis(200);
/// How long the recorder waits for samples before it looks whether it should end.
const PATIENCE: Duration = Duration::from_millis(50);
/// Batches that may wait for the reader.
const WAITING: usize = 256;
/// Stacks that are remembered, so that each is named and handed over once.
const STACKS: usize = 1 << 16;
/// The kernel has room for the samples of the fourth part of a second on each processor, when we get none for so long.
const ROOM: u32 = 4;
/// And for as many at least, which is half a second at the usual rate: on a busy machine nobody comes for them sooner.
const LEAST: u32 = 64;
/// How long the last batches may take.
const LAST: Duration = Duration::from_secs(20);

/// What the thread hands over.
#[derive(Default)]
struct Batch {
    /// Stacks that were not there before, the innermost frame first; they are numbered in this order.
    stacks: Vec<Vec<Frame>>,
    samples: Vec<Looked>,
    lost: u64,
}

/// One look at one thread.
#[derive(Clone, Copy)]
struct Looked {
    stack: u32,
    pid: u32,
    tid: u32,
    at: Duration,
}

pub struct Native {
    target: Target,
    stop: Cancel,
    batches: Receiver<Batch>,
    thread: Option<JoinHandle<Result<()>>>,
    only: Option<u32>,
    began: Option<Duration>,
    stacks: Vec<Option<StackId>>,
    threads: HashMap<(u32, u32), ThreadId>,
    over: bool,
}

impl Native {
    pub fn start(target: &Target, options: &Options, allowed: &Allowed) -> Result<Self> {
        if let Some(why) = allowed.no_samples() {
            return Err(SampleError::Failed(why));
        }
        let (to_us, batches) = sync_channel(WAITING);
        let (ready, is_ready) = sync_channel(1);
        let stop = Cancel::default();
        let thread = {
            let (target, options, allowed) = (target.clone(), *options, *allowed);
            let stop = stop.clone();
            std::thread::Builder::new()
                .name("samples".to_owned())
                .spawn(move || record(&target, &options, &allowed, &stop, &ready, &to_us))
                .map_err(SampleError::about("a thread for samples"))?
        };
        let mut native = Self {
            target: target.clone(),
            stop,
            batches,
            thread: Some(thread),
            only: options.thread,
            began: None,
            stacks: Vec::new(),
            threads: HashMap::new(),
            over: false,
        };
        // Hung up without a word: it could not begin.
        if is_ready.recv().is_err() {
            native.join()?;
        }
        Ok(native)
    }

    /// What the thread ended with.
    fn join(&mut self) -> Result<()> {
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        thread.join().unwrap_or_else(|_panic| {
            let why = "it came to a fault of its own; use another source (--with proc)";
            Err(SampleError::failed("the reader of samples", why))
        })
    }

    fn add(&mut self, batch: Batch, into: &mut Builder, taken: &mut SampleBatch) {
        for stack in batch.stacks {
            self.stacks
                .push(into.stack_of_frames(stack.into_iter().rev()));
        }
        for looked in batch.samples {
            if self.only.is_some_and(|only| only != looked.tid) {
                continue;
            }
            let Some(stack) = slots::at(&self.stacks, looked.stack) else {
                continue;
            };
            let began = *self.began.get_or_insert(looked.at);
            let thread = self.thread_of(looked, into);
            into.sample(Sample {
                stack,
                thread,
                weight: 1,
                at: nanoseconds(looked.at.saturating_sub(began)),
            });
            taken.samples += 1;
        }
        taken.lost += batch.lost;
        into.about().lost += batch.lost;
    }

    fn thread_of(&mut self, looked: Looked, into: &mut Builder) -> ThreadId {
        let Looked { pid, tid, .. } = looked;
        *self.threads.entry((pid, tid)).or_insert_with(|| {
            let name = read(format!("/proc/{pid}/task/{tid}/comm")).unwrap_or_default();
            let name = name.trim_end_matches('\n');
            into.thread(Thread {
                pid: Some(pid),
                tid: Some(u64::from(tid)),
                name: if name.is_empty() {
                    self.target.name.as_str().into()
                } else {
                    name.into()
                },
            })
        })
    }

    fn read_until(&mut self, until: Instant, into: &mut Builder) -> Result<SampleBatch> {
        let mut taken = SampleBatch::default();
        while !self.over {
            let patience = until.saturating_duration_since(Instant::now());
            match self.batches.recv_timeout(patience) {
                Ok(batch) => self.add(batch, into, &mut taken),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.over = true;
                    self.join()?;
                }
            }
        }
        taken.ended = self.over;
        Ok(taken)
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Sampler for Native {
    fn take(&mut self, patience: Duration, into: &mut Builder) -> Result<SampleBatch> {
        self.read_until(Instant::now() + patience, into)
    }

    fn finish(mut self: Box<Self>, into: &mut Builder) -> Result<SampleBatch> {
        self.stop.cancel();
        let taken = self.read_until(Instant::now() + LAST, into)?;
        Ok(SampleBatch {
            ended: true,
            ..taken
        })
    }
}

/// The thread: records until it is stopped or the process ends, and says `ready` once it does.
fn record(
    target: &Target,
    options: &Options,
    allowed: &Allowed,
    stop: &Cancel,
    ready: &SyncSender<()>,
    to: &SyncSender<Batch>,
) -> Result<()> {
    let failed = |error: stackpulse::Error| match error.kind() {
        ErrorKind::Permission => SampleError::Failed(Allowed::look().refused()),
        ErrorKind::TargetGone => target.has_ended().into(),
        _ => SampleError::failed("samples of the kernel", error),
    };
    let pid =
        Pid::try_from(target.pid).map_err(|_not_a_number| ProcessError::Absent(target.pid))?;
    let rate = SampleRate::hz(options.rate).map_err(failed)?;
    let file = tempfile::tempfile()
        .and_then(Spool::disposable)
        .map_err(SampleError::about("a file for samples"))?;
    let scope = if options.children {
        ProcessScope::Descendants
    } else {
        ProcessScope::Process
    };
    let mut recorder = Recorder::builder(rate)
        .sampling_event(SamplingEvent::CpuClock)
        .attach_policy(AttachPolicy::Running)
        .include_kernel(allowed.kernel())
        .scope(scope)
        .ring_buffer_stacks((options.rate / ROOM).max(LEAST))
        .publish_interval(PUBLISHED)
        .attach(pid, file)
        .map_err(failed)?;
    let mut reader = recorder.take_reader().map_err(failed)?;
    let session = reader
        .symbolizer()
        .native(|_process| Symbols::default())
        .build()
        .map_err(failed)?;
    let mut session = session.cache_stacks::<u32>(STACKS);
    // Nobody waits any more: then it ends by itself.
    let _ = ready.send(());
    let mut stacks = 0;
    while !stop.is_cancelled() {
        let seen = recorder.poll(PATIENCE).map_err(failed)?;
        let is_heard = hand_over(&mut session, seen.lost_events(), &mut stacks, to);
        if !is_heard.map_err(failed)? || !seen.root_active() {
            break;
        }
    }
    let before = recorder.stats().lost_events;
    let summary = recorder
        .finish()
        .map_err(SampleError::about("the end of the samples"))?;
    let lost = summary.lost_events.saturating_sub(before);
    hand_over(&mut session, lost, &mut stacks, to).map_err(failed)?;
    Ok(())
}

/// Hands over what was published; false when nobody takes it any more.
fn hand_over(
    session: &mut CachedSession<'_, u32>,
    mut lost: u64,
    stacks: &mut u32,
    to: &SyncSender<Batch>,
) -> stackpulse::Result<bool> {
    loop {
        let mut batch = Batch {
            lost: std::mem::take(&mut lost),
            ..Batch::default()
        };
        let is_last = match session.poll(Duration::ZERO)? {
            ReadStatus::Batch(mut published) => {
                for sample in published.samples() {
                    batch.samples.push(Looked {
                        stack: number_of(&mut published, &sample, stacks, &mut batch.stacks)?,
                        pid: sample.pid().get().unsigned_abs(),
                        tid: sample.tid().get().unsigned_abs(),
                        at: sample.monotonic_timestamp(),
                    });
                }
                false
            }
            ReadStatus::Pending | ReadStatus::Finished(_) => true,
        };
        let is_empty = batch.samples.is_empty() && batch.lost == 0;
        if !is_empty && to.send(batch).is_err() {
            return Ok(false);
        }
        if is_last {
            return Ok(true);
        }
    }
}

/// The number of a sample's stack; a new one is named and added.
fn number_of<'batch>(
    published: &mut CachedBatch<'batch, u32>,
    sample: &Seen<'batch>,
    stacks: &mut u32,
    new: &mut Vec<Vec<Frame>>,
) -> stackpulse::Result<u32> {
    match published.entry(sample.stack())? {
        StackEntry::Occupied(number) => Ok(*number),
        StackEntry::Vacant(entry) => {
            let resolved = entry.resolve()?;
            new.push(resolved.stack().frames().map(frame).collect());
            let number = *stacks;
            *stacks += 1;
            resolved.insert(number);
            Ok(number)
        }
    }
}

/// A frame as profiles have it.
fn frame(seen: &profile::Frame) -> Frame {
    match seen {
        profile::Frame::Python(python) => Frame {
            file: Some(python.file_name().into()),
            ..Frame::named(&*python.func_name)
        },
        profile::Frame::Native(native) => {
            let symbol = native.symbol.as_ref();
            let is_named = native.origin != SymbolOrigin::AddressOnly;
            let source = symbol.map(|symbol| &symbol.source);
            let name = symbol
                .filter(|_| is_named)
                .map_or("[unknown]", |symbol| symbol.name());
            Frame {
                name: name.into(),
                file: source.and_then(|source| source.file.as_deref().map(Into::into)),
                line: source.and_then(|source| source.function_start_line),
                module: symbol.map(|symbol| (&*symbol.module).into()),
            }
        }
        profile::Frame::TruncatedStack => Frame::named("[deeper than the copied stack]"),
    }
}
