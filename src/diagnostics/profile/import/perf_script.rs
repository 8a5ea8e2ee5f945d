//! What `perf script` prints: for each sample a line about it and, indented below, its frames, the innermost first.
//!
//! ```text
//! spin 4711/4712 [001]  1234.567890:   10000000 cpu-clock:u:
//!         55d4e000112d hot_loop+0x1d (/usr/bin/spin)
//!         55d4e0001250 main+0x40 (/usr/bin/spin)
//! ```
//!
//! Times are seconds. The number before the event is what the sample stands for: nanoseconds of the clock events, else counted events.

use std::collections::BTreeMap;
use std::io::{BufRead, Read as _};
use std::sync::LazyLock;
use std::time::Duration;

use regex::bytes::Regex;

use super::{ImportError, Strings, line_number};
use crate::diagnostics::profile::{Builder, Frame, Profile, Sample, Thread, ThreadId, Unit};

const FORMAT: &str = "output of perf script";
/// No line is longer.
const LONGEST: u64 = 1024 * 1024;

static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?-u)^\s*(?<comm>\S.*?)\s+(?:(?<pid>\d+)/)?(?<tid>-?\d+)\s+(?:\[\d+\]\s+)?(?<time>\d+\.\d+):\s+(?:(?<period>\d+)\s+)?(?<event>[^\s:][^\s]*?):(?:\s+(?<rest>\S.*))?\s*$",
    )
    .ok()
});

/// What the line about a sample says.
struct Head {
    comm: String,
    pid: Option<u32>,
    tid: Option<u64>,
    /// Nanoseconds.
    time: u64,
    period: Option<u64>,
    event: String,
    /// The only frame, where no stacks were recorded.
    rest: String,
}

impl Head {
    fn parse(line: &[u8]) -> Option<Self> {
        // A frame begins with blanks and an address; a name may, too, but it has a time behind it.
        let found = HEAD.as_ref()?.captures(line)?;
        let text = |name: &str| {
            let bytes = found.name(name).map(|found| found.as_bytes());
            bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let (seconds, fraction) = text("time")?
            .split_once('.')
            .map(|(s, f)| (s.to_owned(), f.to_owned()))?;
        let nanos: String = fraction
            .chars()
            .chain("000000000".chars())
            .take(9)
            .collect();
        let time = seconds
            .parse::<u64>()
            .ok()?
            .checked_mul(1_000_000_000)?
            .checked_add(nanos.parse().ok()?)?;
        Some(Self {
            comm: text("comm")?,
            pid: text("pid").and_then(|pid| pid.parse().ok()),
            tid: text("tid").and_then(|tid| tid.parse().ok()),
            time,
            period: text("period").and_then(|period| period.parse().ok()),
            event: text("event")?,
            rest: text("rest").unwrap_or_default(),
        })
    }

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
pub(super) fn looks_like(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').take(400).peekable();
    while let Some(line) = lines.next() {
        if line.starts_with(b"#") || line.trim_ascii().is_empty() {
            continue;
        }
        let Some(head) = Head::parse(line) else {
            continue;
        };
        let next = lines.peek().copied().unwrap_or_default();
        if !head.rest.is_empty() || next.first().is_some_and(u8::is_ascii_whitespace) {
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

struct Reader {
    builder: Builder,
    strings: Strings,
    open: Option<Open>,
    first: Option<(u64, String, Unit)>,
    last: u64,
    others: BTreeMap<String, u64>,
    without: u64,
}

/// Reads all samples. Where there are several events, those of the first one count.
pub fn read(mut input: impl BufRead) -> Result<Profile, ImportError> {
    let mut reader = Reader {
        builder: Builder::default(),
        strings: Strings::default(),
        open: None,
        first: None,
        last: 0,
        others: BTreeMap::new(),
        without: 0,
    };
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read = (&mut input).take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.last() != Some(&b'\n') && read as u64 == LONGEST {
            return Err(broken(number, "it has more than 1 MB".to_owned()));
        }
        reader.line(&line, number)?;
    }
    reader.close();
    reader.finish()
}

fn broken(line: u64, why: String) -> ImportError {
    ImportError::Broken {
        format: FORMAT,
        place: format!("line {line}"),
        why,
    }
}

impl Reader {
    fn line(&mut self, line: &[u8], number: u64) -> Result<(), ImportError> {
        let text = line.trim_ascii();
        if text.is_empty() {
            self.close();
            return Ok(());
        }
        if text.starts_with(b"#") {
            return Ok(());
        }
        let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
        if is_indented && self.open.is_some() && self.frame(text) {
            return Ok(());
        }
        if let Some(head) = Head::parse(line) {
            self.close();
            self.begin(head);
            return Ok(());
        }
        // Below a frame, perf may say where its source is and what it could not do.
        if is_indented {
            self.place(text);
            return Ok(());
        }
        let some = String::from_utf8_lossy(text);
        let some: String = some.chars().take(60).collect();
        Err(broken(
            number,
            format!("{some:?} is neither a sample nor a frame"),
        ))
    }

    fn begin(&mut self, head: Head) {
        let thread = self.builder.thread(Thread {
            pid: head.pid,
            tid: head.tid,
            name: head.comm.as_str().into(),
        });
        let rest = head.rest.clone();
        self.open = Some(Open {
            head,
            thread,
            frames: Vec::new(),
        });
        if !rest.is_empty() {
            self.frame(rest.as_bytes());
        }
    }

    /// Takes up `55d4e000112d hot_loop+0x1d (/usr/bin/spin)`; whether it was one.
    fn frame(&mut self, text: &[u8]) -> bool {
        let text = String::from_utf8_lossy(text);
        let Some((address, rest)) = text.split_once(' ') else {
            return false;
        };
        if address.is_empty() || !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        let rest = rest.trim();
        let (symbol, module) = match rest.strip_suffix(')').and_then(|r| r.rsplit_once(" (")) {
            Some((symbol, module)) => (symbol.trim_end(), module),
            None => match rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
                Some(module) => ("", module),
                None => (rest, ""),
            },
        };
        let symbol = match symbol.rsplit_once("+0x") {
            Some((name, offset)) if offset.bytes().all(|b| b.is_ascii_hexdigit()) => name,
            _ => symbol,
        };
        let is_inlined = module == "inlined";
        let frame = Frame {
            name: self.strings.get(if symbol.is_empty() {
                "[unknown]"
            } else {
                symbol
            }),
            file: None,
            line: None,
            module: self.strings.some(if is_inlined { "" } else { module }),
        };
        if let Some(open) = &mut self.open {
            open.frames.push(frame);
        }
        true
    }

    /// Takes up `spin.c:12`, the place of the frame above it.
    fn place(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let Some((file, line)) = text.rsplit_once(':') else {
            return;
        };
        let Some(line) = line.parse().ok().and_then(line_number) else {
            return;
        };
        let Some(last) = self.open.as_mut().and_then(|open| open.frames.last_mut()) else {
            return;
        };
        last.file = self.strings.some(file);
        last.line = Some(line);
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
        let mut top = None;
        for frame in frames.into_iter().rev() {
            let frame = self.builder.frame(frame);
            top = Some(self.builder.stack(top, frame));
        }
        let Some(stack) = top else {
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
        if self.builder.so_far().samples().is_empty() {
            return Err(ImportError::NoSamples(FORMAT));
        }
        let about = self.builder.about();
        about.unit = self.first.map(|(_, _, unit)| unit).unwrap_or_default();
        about.duration = Some(Duration::from_nanos(self.last)).filter(|d| !d.is_zero());
        if self.without > 0 {
            let note = format!("{} samples have no frames and were left out", self.without);
            about.notes.push(note);
        }
        for (event, count) in self.others.into_iter().take(8) {
            about.notes.push(format!(
                "{count} samples count {event:?}, which is another event: they were left out"
            ));
        }
        Ok(self.builder.finish())
    }
}
