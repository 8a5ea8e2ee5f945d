//! Samples through the program perf: `perf record` writes into a pipe, `perf script` turns that into text as it comes.
//!
//! The clock is the kernel's own (`cpu-clock`), which is there in virtual machines too, where no counter of the processor is. Stacks are
//! unwound by `perf script` from a copy of each stack's end, so that programs need no frame pointers. The process is not stopped and not
//! attached to: this works for one that a debugger holds as well.

use std::{
    os::unix::process::ExitStatusExt as _,
    process::Stdio,
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
};

use super::{allowed::Allowed, helper::Helper, sampler::Tools};
use crate::profile::{
    perf_script::{self, Reader},
    sample::prelude::*,
};

/// Bytes of a stack's end that are copied with each sample.
const STACK: u32 = 16 * 1024;
/// Lines that are handed over at once, and such batches that may wait.
const BATCH: usize = 256;
const WAITING: usize = 256;
/// How long perf may take to end once it was asked to.
const LAST: Duration = Duration::from_secs(20);

pub struct Perf {
    record: Helper,
    script: Helper,
    lines: Receiver<Vec<Vec<u8>>>,
    reader: Reader,
    lost_before: u64,
    over: bool,
}

impl Perf {
    pub fn start(
        target: &Target,
        options: &Options,
        allowed: &Allowed,
        tools: &Tools,
    ) -> Result<Self> {
        if let Some(why) = allowed.no_samples() {
            return Err(SampleError::Failed(why));
        }
        let program = tools.need("perf", "the program perf is not installed: `apt-get install linux-perf` (Debian), `linux-tools-generic` (Ubuntu), `dnf install perf`")?;
        let mut record = tools.command(&program);
        let event = if allowed.kernel() {
            "cpu-clock"
        } else {
            "cpu-clock:u"
        };
        record.args(["record", "-q", "-e", event, "-F", &options.rate.to_string()]);
        record.args(["--call-graph", &format!("dwarf,{STACK}"), "-o", "-"]);
        // Those that are started later are inherited, and left out by the reader when they are not wanted.
        let mut only = vec![target.pid];
        if let Some(thread) = options.thread {
            record.args(["-t", &thread.to_string()]);
        } else {
            let mut pids = target.pid.to_string();
            if options.children {
                for child in target.descendants() {
                    pids = format!("{pids},{child}");
                }
                only.clear();
            }
            record.args(["-p", &pids]);
        }
        let mut record = Helper::start("perf record", record.stdout(Stdio::piped()))?;
        let pipe = record.output()?;
        let mut script = tools.command(&program);
        script.args(["script", "-i", "-", "--no-inline", "--show-lost-events"]);
        script.args(["-F", "comm,pid,tid,time,event,ip,sym,dso"]);
        let script = script.stdin(Stdio::from(pipe)).stdout(Stdio::piped());
        let mut script = Helper::start("perf script", script)?;
        let text = script.output()?;
        let (sender, lines) = sync_channel(WAITING);
        std::thread::spawn(move || hand_over(text, &sender));
        Ok(Self {
            record,
            script,
            lines,
            reader: Reader::of(only),
            lost_before: 0,
            over: false,
        })
    }

    /// Takes what is there, and what comes until then. At the end of the text it is over.
    fn read_until(&mut self, until: Instant, into: &mut Builder) -> Result<SampleBatch> {
        let before = self.reader.samples;
        while !self.over {
            let patience = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(patience) {
                Ok(batch) => {
                    for line in batch {
                        self.reader
                            .line(&line, into)
                            .map_err(SampleError::about("perf script"))?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.reader.end(into);
                    self.over = true;
                }
            }
        }
        let lost = self.reader.lost - self.lost_before;
        self.lost_before = self.reader.lost;
        into.about().lost += lost;
        Ok(SampleBatch {
            samples: self.reader.samples - before,
            lost,
            ended: self.over,
        })
    }

    /// Both have ended, or do so now; the error is that of one that failed without a single sample.
    fn check(&mut self) -> Result<()> {
        let recorded = self.record.wait(LAST);
        let written = self.script.wait(LAST);
        if self.reader.samples > 0 {
            return Ok(());
        }
        let said = self.record.said();
        if [
            "perf_event_paranoid",
            "Operation not permitted",
            "Permission denied",
            "Access to performance",
        ]
        .iter()
        .any(|word| said.contains(word))
        {
            return Err(SampleError::Failed(Allowed::look().refused()));
        }
        // An interrupted `perf record` ends by that signal's number or well, depending on its version.
        match recorded {
            Some(status) if status.success() || status.code() == Some(130) => {}
            Some(status) if status.signal() == Some(libc::SIGINT) => {}
            status => return Err(self.record.failed(status)),
        }
        match written {
            Some(status) if status.success() => Ok(()),
            status => Err(self.script.failed(status)),
        }
    }
}

impl Sampler for Perf {
    fn take(&mut self, patience: Duration, into: &mut Builder) -> Result<SampleBatch> {
        let taken = self.read_until(Instant::now() + patience, into)?;
        if taken.ended {
            self.check()?;
        }
        Ok(taken)
    }

    fn finish(mut self: Box<Self>, into: &mut Builder) -> Result<SampleBatch> {
        if !self.over {
            self.record.interrupt();
        }
        let taken = self.read_until(Instant::now() + LAST, into)?;
        self.check()?;
        Ok(SampleBatch {
            ended: true,
            ..taken
        })
    }
}

/// Hands lines over, several at once when they come fast and at once when they do not.
fn hand_over(text: impl Read, to: &SyncSender<Vec<Vec<u8>>>) {
    let mut input = BufReader::with_capacity(64 * 1024, text);
    let mut batch = Vec::new();
    let mut line = Vec::new();
    while let Ok(true) = perf_script::read_line(&mut input, &mut line) {
        batch.push(std::mem::take(&mut line));
        if (batch.len() >= BATCH || input.buffer().is_empty())
            && to.send(std::mem::take(&mut batch)).is_err()
        {
            return;
        }
    }
    if !batch.is_empty() {
        // Whoever read them has ended, then.
        let _ = to.send(batch);
    }
}
