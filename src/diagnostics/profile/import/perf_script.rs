//! A file that `perf script` wrote, of a recording that nobody knows: which event counts, and what a sample weighs.
//!
//! How heads and frames are written is [`crate::profile::perf_script`]'s. The number before the event is what the sample
//! stands for: nanoseconds of the clock events, else counted events.

use super::{
    error::{ImportError, Input, some},
    is_text,
    lines::Lines,
};
use crate::{
    prelude::*,
    profile::{
        Builder, Frame, Profile, Sample, Thread, ThreadId, Unit,
        perf_script::{head, take_frame},
    },
};

const FORMAT: &str = "output of perf script";
/// No line is longer.
const LONGEST: (u64, &str) = (1 << 20, "1 MB");

/// Whether the beginning of a text has a sample in it.
pub(super) fn looks_like(beginning: &[u8]) -> bool {
    if !is_text(beginning) {
        return false;
    }
    let mut lines = beginning.split(|byte| *byte == b'\n').take(400).peekable();
    while let Some(line) = lines.next() {
        if line.starts_with(b"#") || line.trim_ascii().is_empty() {
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let Some(counted) = head(text.trim_end()).and_then(|head| head.counted) else {
            continue;
        };
        let next = lines.peek().copied().unwrap_or_default();
        if !counted.rest.is_empty() || next.first().is_some_and(u8::is_ascii_whitespace) {
            return true;
        }
    }
    false
}

/// A sample whose frames are still being read.
struct Open {
    /// Nanoseconds.
    time: u64,
    period: Option<u64>,
    event: String,
    thread: ThreadId,
    /// The innermost first.
    frames: Vec<Frame>,
}

impl Open {
    fn unit(&self) -> Unit {
        let clock = ["cpu-clock", "task-clock"]
            .iter()
            .any(|clock| self.event.contains(clock));
        match self.period {
            Some(_) if clock => Unit::Nanoseconds,
            Some(_) => Unit::Count,
            None => Unit::Samples,
        }
    }
}

#[derive(Default)]
struct Reader {
    builder: Builder,
    open: Option<Open>,
    first: Option<(u64, String, Unit)>,
    last: u64,
    others: BTreeMap<String, u64>,
    without: u64,
}

/// Reads all samples. Where there are several events, those of the first one count.
pub(super) fn read(input: Input<'_>) -> Result<Profile, ImportError> {
    let mut reader = Reader::default();
    let mut lines = Lines::new(input, FORMAT, LONGEST);
    while lines.next()? {
        reader.line(&lines)?;
    }
    reader.close();
    reader.finish()
}

impl Reader {
    fn line(&mut self, lines: &Lines<'_>) -> Result<(), ImportError> {
        let line = String::from_utf8_lossy(&lines.line);
        let text = line.trim();
        if text.is_empty() {
            self.close();
            return Ok(());
        }
        if text.starts_with('#') {
            return Ok(());
        }
        let is_indented = line.starts_with([' ', '\t']);
        let open = self.open.as_mut().filter(|_| is_indented);
        if open.is_some_and(|open| take_frame(text, &mut open.frames)) {
            return Ok(());
        }
        if self.begin(line.trim_end()).is_some() || is_indented {
            // Below a frame, perf may also say what it could not do.
            return Ok(());
        }
        let some = beginning(text, 60);
        Err(lines.broken(format!("{some:?} is neither a sample nor a frame")))
    }

    /// Takes up the line about a sample; nothing when it is none.
    fn begin(&mut self, line: &str) -> Option<()> {
        let head = head(line)?;
        let (time, counted) = (head.time?, head.counted?);
        self.close();
        let thread = self.builder.thread(Thread {
            pid: head.pid,
            tid: head.tid.map(u64::from),
            name: head.name.into(),
        });
        let mut frames = Vec::new();
        take_frame(counted.rest, &mut frames);
        self.open = Some(Open {
            time,
            period: counted.period,
            event: counted.event.to_owned(),
            thread,
            frames,
        });
        Some(())
    }

    /// The sample has all its frames.
    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let unit = open.unit();
        let (start, event, unit) = self
            .first
            .get_or_insert_with(|| (open.time, open.event.clone(), unit));
        if *event != open.event {
            *self.others.entry(open.event).or_default() += 1;
            return;
        }
        let frames = open.frames.into_iter().rev();
        let Some(stack) = self.builder.stack_of_frames(frames) else {
            self.without += 1;
            return;
        };
        let at = open.time.saturating_sub(*start);
        self.last = self.last.max(at);
        self.builder.sample(Sample {
            stack,
            thread: open.thread,
            weight: match unit {
                Unit::Samples => 1,
                _ => open.period.unwrap_or(1),
            },
            at,
        });
    }

    fn finish(mut self) -> Result<Profile, ImportError> {
        let about = self.builder.about();
        about.unit = self.first.map(|(_, _, unit)| unit).unwrap_or_default();
        about.duration = Some(Duration::from_nanos(self.last)).filter(|d| !d.is_zero());
        if self.without > 0 {
            let note = format!(
                "{} no frames: left out",
                amount::count(self.without, "sample has", "samples have")
            );
            about.notes.push(note);
        }
        for (event, count) in self.others.into_iter().take(8) {
            about.notes.push(format!(
                "{} {event:?}, which is another event: left out",
                amount::count(count, "sample counts", "samples count")
            ));
        }
        some(self.builder.finish(), FORMAT)
    }
}
