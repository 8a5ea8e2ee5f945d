//! A file that `perf script` wrote, of a recording that nobody knows: which event counts, and what a sample weighs.
//!
//! How heads and frames are written is [`crate::profile::perf_script`]'s. The number before the event is what the sample
//! stands for: nanoseconds of the clock events, else counted events.

use super::{ImportError, Input, is_text, lines::Lines, some};
use crate::{
    prelude::*,
    profile::{
        Builder, Frame, Profile, Sample, Thread, ThreadId, Unit,
        perf_script::{Counted, frame, head, source_line},
    },
};

const FORMAT: &str = "output of perf script";
/// No line is longer.
const LONGEST: (u64, &str) = (1 << 20, "1 MB");

/// What the line about a sample says beside its thread.
struct Head {
    /// Nanoseconds.
    time: u64,
    period: Option<u64>,
    event: String,
}

impl Head {
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
    head: Head,
    thread: ThreadId,
    /// The innermost first.
    frames: Vec<Frame>,
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
        if is_indented && self.frame(text) {
            return Ok(());
        }
        if self.begin(line.trim_end()) || is_indented {
            // Below a frame, perf may also say what it could not do.
            return Ok(());
        }
        let some: String = text.chars().take(60).collect();
        Err(lines.broken(format!("{some:?} is neither a sample nor a frame")))
    }

    /// Takes up the line about a sample; whether it was one.
    fn begin(&mut self, line: &str) -> bool {
        let Some(head) = head(line) else {
            return false;
        };
        let (Some(time), Some(counted)) = (head.time, head.counted) else {
            return false;
        };
        let Counted {
            period,
            event,
            rest,
        } = counted;
        self.close();
        let thread = self.builder.thread(Thread {
            pid: head.pid,
            tid: head.tid.map(u64::from),
            name: head.name.into(),
        });
        self.open = Some(Open {
            head: Head {
                time,
                period,
                event: event.to_owned(),
            },
            thread,
            frames: Vec::new(),
        });
        self.frame(rest);
        true
    }

    /// Takes up a frame of the open sample, or the place in the source of the one above it; whether it was either.
    fn frame(&mut self, text: &str) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        if let Some(frame) = frame(text) {
            open.frames.push(frame);
            return true;
        }
        match (source_line(text), open.frames.last_mut()) {
            (Some((file, line)), Some(last)) => {
                last.file = Some(file.into());
                last.line = Some(line);
                true
            }
            _ => false,
        }
    }

    /// The sample has all its frames.
    fn close(&mut self) {
        let Some(Open {
            head,
            thread,
            frames,
        }) = self.open.take()
        else {
            return;
        };
        let unit = head.unit();
        let (start, event, unit) = self
            .first
            .get_or_insert_with(|| (head.time, head.event.clone(), unit));
        if *event != head.event {
            *self.others.entry(head.event).or_default() += 1;
            return;
        }
        let Some(stack) = self.builder.stack_of_frames(frames.into_iter().rev()) else {
            self.without += 1;
            return;
        };
        self.last = self.last.max(head.time.saturating_sub(*start));
        self.builder.sample(Sample {
            stack,
            thread,
            weight: match unit {
                Unit::Samples => 1,
                _ => head.period.unwrap_or(1),
            },
            at: head.time.saturating_sub(*start),
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
