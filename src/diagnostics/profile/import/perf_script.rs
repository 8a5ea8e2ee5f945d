//! The text that `perf script` writes: one sample after the other, each a head and the frames of its stack.
//!
//! ```text
//! worker 4711/4713 [001]  5678.123456:   10101010 cpu-clock:u:
//!             55d3e1a2b1f4 fib+0x14 (/srv/prog)
//!                   prog.c:7
//!             7f0c2a629d90 [unknown] (/usr/lib/x86_64-linux-gnu/libc.so.6)
//!
//! ```
//!
//! The innermost frame comes first, an empty line ends a stack. Which columns there are depends on `perf script -F`; those that are
//! read here (process, thread, time, period, event, addresses, symbols, objects, source lines) may stand in any of its forms. The number
//! before the event is what the sample stands for. Frames without a symbol are called `[unknown]`, of the object they belong to.

use super::{is_text, lines::Lines, prelude::*};
use crate::texts::leading_number;

const FORMAT: &str = "output of perf script";
/// No line is longer.
const LONGEST: (u64, &str) = (1 << 20, "1 MB");
/// Bytes of a line that are looked at.
const WIDEST: usize = 64 * 1024;
/// Frames of a stack that are kept, from the innermost.
const DEEPEST: usize = 16_384;
/// What was lost is told in lines of this sort, with a number after the word.
const LOST: [&str; 2] = ["PERF_RECORD_LOST_SAMPLES lost ", "PERF_RECORD_LOST lost "];

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
        let Some(head) = head(text.trim_end()) else {
            continue;
        };
        let next = lines.peek().copied().unwrap_or_default();
        if !head.rest.is_empty() || next.first().is_some_and(u8::is_ascii_whitespace) {
            return true;
        }
    }
    false
}

/// Reads all samples. Where there are several events, those of the first one count.
pub(super) fn read(input: Input<'_>) -> Result<Profile> {
    let mut builder = Builder::default();
    let mut reader = Reader::default();
    let mut lines = Lines::new(input, FORMAT, LONGEST);
    while lines.next()? {
        let read = reader.line(&lines.line, &mut builder);
        read.map_err(|why| lines.broken(why))?;
    }
    reader.end(&mut builder);
    some(builder.finish(), FORMAT)
}

/// The head of a sample.
struct Head<'t> {
    /// Of the thread.
    name: &'t str,
    /// The process, where it stands before the thread.
    pid: Option<u32>,
    /// The thread; perf writes -1 for one that is gone, which is none.
    tid: Option<u32>,
    /// Nanoseconds, on the clock of perf.
    time: u64,
    /// What the sample stands for: nanoseconds of the clock events, else counted events.
    period: Option<u64>,
    /// The event's name, with its modifiers.
    event: &'t str,
    /// What else is in the line: the only frame, where no stacks were recorded.
    rest: &'t str,
}

/// A sample whose frames are still being read.
#[derive(Debug)]
struct Open {
    thread: ThreadId,
    at: u64,
    period: Option<u64>,
    event: String,
}

#[derive(Debug, Default)]
struct Reader {
    /// The sample that is being read; nothing between samples.
    sample: Option<Open>,
    /// The innermost first, and one of those that are too deep.
    frames: Vec<Frame>,
    began: Option<u64>,
    /// When the last sample was taken, since the first.
    last: u64,
    /// The event that counts, and in what; of others, how many samples there were.
    counts: Option<(String, Unit)>,
    others: BTreeMap<String, u64>,
    /// Samples that have no frames.
    without: u64,
    deeper: u64,
    /// Samples that perf says it lost so far.
    lost: u64,
}

impl Reader {
    /// Takes a line, without its end; the error says in a sentence that the text is something else.
    fn line(&mut self, line: &[u8], into: &mut Builder) -> Result<(), String> {
        let text = String::from_utf8_lossy(line.get(..WIDEST).unwrap_or(line));
        let text = text.trim_end();
        if text.is_empty() {
            self.end_sample(into);
            return Ok(());
        }
        if let Some(count) = LOST.iter().find_map(|word| Some(text.split_once(word)?.1)) {
            let count = leading_number(count).unwrap_or(1);
            self.lost = self.lost.saturating_add(count);
            return Ok(());
        }
        let is_indented = text.starts_with([' ', '\t']);
        // Names are put in a column where there are no stacks: such a head is indented, too.
        if self.sample.is_some() && is_indented && take_frame(text.trim_start(), &mut self.frames) {
            self.frames.truncate(DEEPEST + 1);
            return Ok(());
        }
        match head(text) {
            Some(head) => {
                self.end_sample(into);
                self.begin_sample(&head, into);
                Ok(())
            }
            // Comments in front, and what other events say.
            None if text.starts_with('#') || is_indented => Ok(()),
            None => Err(format!(
                "{:?} is neither the head of a sample nor a frame; `perf script` writes such a text",
                beginning(text, 80)
            )),
        }
    }

    /// There are no more lines: the last sample ends.
    fn end(&mut self, into: &mut Builder) {
        self.end_sample(into);
        let about = into.about();
        let counts = self.counts.take();
        about.unit = counts.map(|(_, unit)| unit).unwrap_or_default();
        about.duration = Some(Duration::from_nanos(self.last)).filter(|d| !d.is_zero());
        about.lost = self.lost;
        let mut note = |count: u64, (one, many): (&str, &str), what: &str| {
            if count > 0 {
                let count = amount::count(count, one, many);
                about.notes.push(format!("{count} {what}"));
            }
        };
        let deeper = format!("deeper than {DEEPEST} frames: what is outermost there is left out");
        note(self.deeper, ("stack was", "stacks were"), &deeper);
        let without = "no frames: left out";
        note(self.without, ("sample has", "samples have"), without);
        for (event, count) in self.others.iter().take(8) {
            let what = format!("{event:?}, which is another event: left out");
            note(*count, ("sample counts", "samples count"), &what);
        }
    }

    fn begin_sample(&mut self, head: &Head<'_>, into: &mut Builder) {
        // A lone number may be either.
        let pid = head.pid.or(head.tid);
        let thread = into.thread(Thread {
            pid,
            tid: head.tid.or(pid).map(u64::from),
            name: head.name.into(),
        });
        take_frame(head.rest, &mut self.frames);
        self.sample = Some(Open {
            thread,
            at: head
                .time
                .saturating_sub(*self.began.get_or_insert(head.time)),
            period: head.period,
            event: head.event.to_owned(),
        });
    }

    fn end_sample(&mut self, into: &mut Builder) {
        let mut frames = std::mem::take(&mut self.frames);
        let Some(open) = self.sample.take() else {
            return;
        };
        let (event, unit) = self.counts.get_or_insert_with(|| {
            let clocks = ["cpu-clock", "task-clock"];
            let unit = match open.period {
                Some(_) if clocks.iter().any(|clock| open.event.contains(clock)) => {
                    Unit::Nanoseconds
                }
                Some(_) => Unit::Count,
                None => Unit::Samples,
            };
            (open.event.clone(), unit)
        });
        if *event != open.event {
            *self.others.entry(open.event).or_default() += 1;
            return;
        }
        let weight = match unit {
            Unit::Samples => 1,
            _ => open.period.unwrap_or(1),
        };
        self.deeper += u64::from(frames.len() > DEEPEST);
        frames.truncate(DEEPEST);
        if frames.is_empty() {
            self.without += 1;
            return;
        }
        if let Some(stack) = into.stack_of_frames(frames.into_iter().rev()) {
            self.last = self.last.max(open.at);
            into.sample(Sample {
                stack,
                thread: open.thread,
                weight,
                at: open.at,
            });
        }
    }
}

/// `NAME PID[/TID] [CPU] SECONDS.FRACTION: [PERIOD] EVENT: …`; the name may hold blanks, the processor may be missing.
fn head(text: &str) -> Option<Head<'_>> {
    let mut words = Words { text, at: 0 };
    let mut ids: Option<(usize, Option<u32>, Option<u32>)> = None;
    let mut time = None;
    while let Some((at, word)) = words.next_word() {
        if word.starts_with('[') && ids.is_some() {
            continue;
        }
        time = word.strip_suffix(':').and_then(nanoseconds);
        if time.is_some() {
            break;
        }
        // The last number before the time: a name may be a number, too.
        let (word, is_last) = word.strip_suffix(':').map_or((word, false), |w| (w, true));
        let found = match word.split_once('/') {
            Some((pid, tid)) => number(tid).map(|tid| (number(pid), tid)),
            None => number(word).map(|tid| (None, tid)),
        };
        if at > 0
            && let Some((pid, tid)) = found
        {
            ids = Some((at, pid.and_then(known), known(tid)));
            if is_last {
                break;
            }
        }
    }
    let (end, pid, tid) = ids?;
    let time = time?;
    // `[PERIOD] EVENT: …`.
    let (_, mut word) = words.next_word()?;
    let period = word.parse().ok();
    if period.is_some() {
        (_, word) = words.next_word()?;
    }
    let event = word.strip_suffix(':')?;
    if event.is_empty() || event.starts_with(':') {
        return None;
    }
    Some(Head {
        name: text.get(..end)?.trim(),
        pid,
        tid,
        time,
        period,
        event,
        rest: words.rest().trim(),
    })
}

/// The number of a process or a thread; -1 is that of none.
fn number(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (-1..=i64::from(u32::MAX))
        .contains(&number)
        .then_some(number)
}

/// Nothing for -1.
fn known(number: i64) -> Option<u32> {
    u32::try_from(number).ok()
}

/// Words and where they begin.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    /// What was not given yet.
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next_word(&mut self) -> Option<(usize, &'t str)> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        let word = rest.split([' ', '\t']).next().unwrap_or(rest);
        self.at = start + word.len();
        Some((start, word))
    }
}

/// `5678.123456` in nanoseconds.
fn nanoseconds(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.')?;
    if fraction.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let seconds: u64 = seconds.parse().ok()?;
    let scale = 10_u64.checked_pow(9 - u32::try_from(fraction.len()).ok()?)?;
    let fraction = fraction.parse::<u64>().ok()?.checked_mul(scale)?;
    seconds.checked_mul(1_000_000_000)?.checked_add(fraction)
}

/// `ADDRESS SYMBOL[+0xOFFSET] (OBJECT)`; symbol and object may hold blanks and brackets.
fn frame(text: &str) -> Option<Frame> {
    let (address, rest) = text.split_once(' ').unwrap_or((text, ""));
    if address.is_empty() || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    // The name of a thread may be a number, too: such a head has a time and a colon behind it.
    let may_be_head = text.contains(": ") || text.ends_with(':');
    if may_be_head && head(text).is_some() {
        return None;
    }
    let rest = rest.trim();
    // Objects are paths or names in brackets, and either may hold ` (`.
    let at = [" (/", " ([", " ("]
        .into_iter()
        .find_map(|mark| rest.rfind(mark));
    let alone = || rest.strip_prefix('(').and_then(|r| r.strip_suffix(')'));
    let (symbol, object) = match at.filter(|_| rest.ends_with(')')) {
        Some(at) => (
            rest.get(..at).unwrap_or_default(),
            rest.get(at + 2..rest.len() - 1),
        ),
        None => match alone() {
            Some(object) => ("", Some(object)),
            None => (rest, None),
        },
    };
    let module = object.filter(|object| !matches!(*object, "[unknown]" | "inlined" | ""));
    let symbol = symbol.rsplit_once("+0x").map_or(symbol, |(name, offset)| {
        let is_offset = offset.bytes().all(|b| b.is_ascii_hexdigit());
        if is_offset { name } else { symbol }
    });
    if symbol.is_empty() || symbol == "[unknown]" {
        return Some(unknown(module));
    }
    Some(Frame {
        module: module.map(Into::into),
        ..Frame::named(symbol)
    })
}

fn unknown(module: Option<&str>) -> Frame {
    Frame {
        module: module.map(Into::into),
        ..Frame::named("[unknown]")
    }
}

/// `FILE:LINE`.
fn source_line(text: &str) -> Option<(&str, u32)> {
    let (file, line) = text.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    (!file.is_empty() && line > 0).then_some((file, line))
}

/// Takes up a frame, or the place in the source of the one above it; false when the line is neither.
fn take_frame(text: &str, frames: &mut Vec<Frame>) -> bool {
    if let Some(frame) = frame(text) {
        frames.push(frame);
        return true;
    }
    let place = source_line(text).zip(frames.last_mut());
    place.is_some_and(|((file, line), above)| {
        above.file = Some(file.into());
        above.line = Some(line);
        true
    })
}

#[cfg(test)]
mod tests;
