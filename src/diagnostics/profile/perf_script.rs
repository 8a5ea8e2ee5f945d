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
//! read here (process, thread, time, addresses, symbols, objects, source lines) may stand in any of its forms. The text is read line by
//! line, as it comes, so that a profile can be looked at while `perf` still writes it. Frames without a symbol are called
//! `[unknown]`, of the object they belong to.
//!
//! [`Reader`] takes what was sampled here, where every sample weighs the same, and files of which nobody knows how they were recorded: which
//! event counts, and what a sample weighs. The number before the event is what the sample stands for.

use crate::{profile::prelude::*, texts::leading_number};

/// Frames of a stack that are kept, from the innermost.
const DEEPEST: usize = 16_384;
/// Bytes of a line that are looked at.
const LONGEST: usize = 64 * 1024;

/// The head of a sample.
pub(super) struct Head<'t> {
    /// Of the thread.
    pub name: &'t str,
    /// The process, where it stands before the thread.
    pub pid: Option<u32>,
    /// The thread; perf writes -1 for one that is gone, which is none.
    pub tid: Option<u32>,
    /// Nanoseconds, on the clock of perf.
    pub time: Option<u64>,
    pub counted: Option<Counted<'t>>,
}

/// What stands behind the time in the head of a sample.
#[derive(Default)]
pub(super) struct Counted<'t> {
    /// What the sample stands for: nanoseconds of the clock events, else counted events.
    pub period: Option<u64>,
    /// The event's name, with its modifiers.
    pub event: &'t str,
    /// What else is in the line: the only frame, where no stacks were recorded.
    pub rest: &'t str,
}

/// What was lost is told in lines of this sort, with a number after the word.
const LOST: [&str; 2] = ["PERF_RECORD_LOST_SAMPLES lost ", "PERF_RECORD_LOST lost "];

/// A sample whose frames are still being read.
#[derive(Debug)]
struct Open {
    thread: ThreadId,
    at: u64,
    period: Option<u64>,
    event: String,
}

/// Reads such a text, a line at a time.
#[derive(Debug, Default)]
pub struct Reader {
    /// Only samples of these processes; empty = all.
    only: Vec<u32>,
    /// Nobody knows how it was recorded: what a sample stands for is asked, and no strange line is passed over.
    is_file: bool,
    /// The sample that is being read; nothing between samples, or while one is passed over.
    sample: Option<Open>,
    in_sample: bool,
    /// The innermost first, and one of those that are too deep.
    frames: Vec<Frame>,
    began: Option<u64>,
    /// When the last sample was taken, since the first.
    last: u64,
    /// The event that counts, and in what; of others, how many samples there were.
    counts: Option<(String, Unit)>,
    others: BTreeMap<String, u64>,
    /// Samples of a file that have no frames.
    without: u64,
    /// Samples read so far.
    pub samples: u64,
    deeper: u64,
    /// Samples that perf says it lost so far.
    pub lost: u64,
    /// A whole sample was read, or its head: from here on a strange line is passed over.
    is_perf: bool,
}

impl Reader {
    /// Reads samples of these processes only; of all when there are none.
    pub fn of(only: Vec<u32>) -> Self {
        Self {
            only,
            ..Self::default()
        }
    }

    /// Reads a file.
    pub fn of_a_file() -> Self {
        Self {
            is_file: true,
            ..Self::default()
        }
    }

    /// Takes a line, without its end; the error says in a sentence that the text is something else.
    pub fn line(&mut self, line: &[u8], into: &mut Builder) -> Result<(), String> {
        let text = String::from_utf8_lossy(line.get(..LONGEST).unwrap_or(line));
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
        if self.in_sample && is_indented && take_frame(text.trim_start(), &mut self.frames) {
            self.frames.truncate(DEEPEST + 1);
            return Ok(());
        }
        let is_sample = |head: &Head<'_>| head.time.is_some() && head.counted.is_some();
        let head = head(text).filter(|head| !self.is_file || is_sample(head));
        // Comments in front, and what other events say.
        let may_be_strange = if self.is_file {
            is_indented
        } else {
            self.is_perf
        };
        match head {
            Some(head) => {
                self.end_sample(into);
                self.begin_sample(head, into);
                Ok(())
            }
            None if text.starts_with('#') || may_be_strange => Ok(()),
            None => Err(format!(
                "{:?} is neither the head of a sample nor a frame; `perf script` writes such a text",
                beginning(text, 80)
            )),
        }
    }

    /// There are no more lines: the last sample ends.
    pub fn end(&mut self, into: &mut Builder) {
        self.end_sample(into);
        let about = into.about();
        if self.is_file {
            let counts = self.counts.take();
            about.unit = counts.map(|(_, unit)| unit).unwrap_or_default();
            about.duration = Some(Duration::from_nanos(self.last)).filter(|d| !d.is_zero());
            about.lost = self.lost;
        }
        let mut note = |count: u64, (one, many): (&str, &str), what: &str| {
            if count > 0 {
                let count = amount::count(count, one, many);
                about.notes.push(format!("{count} {what}"));
            }
        };
        let deeper = format!("deeper than {DEEPEST} frames: what is outermost there is left out");
        note(
            std::mem::take(&mut self.deeper),
            ("stack was", "stacks were"),
            &deeper,
        );
        note(
            self.without,
            ("sample has", "samples have"),
            "no frames: left out",
        );
        for (event, count) in std::mem::take(&mut self.others).into_iter().take(8) {
            let what = format!("{event:?}, which is another event: left out");
            note(count, ("sample counts", "samples count"), &what);
        }
    }

    fn begin_sample(&mut self, head: Head<'_>, into: &mut Builder) {
        self.is_perf = true;
        self.in_sample = true;
        // A lone number may be either.
        let pid = head.pid.or(head.tid);
        let wanted = self.only.is_empty() || pid.is_some_and(|pid| self.only.contains(&pid));
        self.sample = wanted.then(|| {
            let thread = into.thread(Thread {
                pid,
                tid: head.tid.or(pid).map(u64::from),
                name: head.name.into(),
            });
            let at = head.time.map_or(Sample::NO_TIME, |time| {
                time.saturating_sub(*self.began.get_or_insert(time))
            });
            let counted = head.counted.filter(|_| self.is_file);
            let counted = counted.unwrap_or_default();
            take_frame(counted.rest, &mut self.frames);
            Open {
                thread,
                at,
                period: counted.period,
                event: counted.event.to_owned(),
            }
        });
    }

    fn end_sample(&mut self, into: &mut Builder) {
        self.in_sample = false;
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
        if frames.is_empty() && self.is_file {
            self.without += 1;
            return;
        }
        if frames.is_empty() {
            frames.push(unknown(None));
        }
        if let Some(stack) = into.stack_of_frames(frames.into_iter().rev()) {
            self.samples += 1;
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

/// The next line without its end, of which only so much is kept as is looked at; false at the end of the text.
pub(super) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut is_there = false;
    loop {
        let block = match input.fill_buf() {
            Ok(block) => block,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if block.is_empty() {
            return Ok(is_there);
        }
        is_there = true;
        let end = memchr::memchr(b'\n', block);
        let part = block.get(..end.unwrap_or(block.len())).unwrap_or_default();
        let room = (LONGEST + 1).saturating_sub(line.len());
        line.extend_from_slice(part.get(..room).unwrap_or(part));
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// `NAME PID[/TID] [CPU] SECONDS.FRACTION: …`; the name may hold blanks, the processor and the time may be missing.
pub(super) fn head(text: &str) -> Option<Head<'_>> {
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
    // Without a time only the two numbers together are sure to be those of a process.
    let (end, pid, tid) = ids.filter(|(_, pid, _)| time.is_some() || pid.is_some())?;
    Some(Head {
        name: text.get(..end)?.trim(),
        pid,
        tid,
        time,
        counted: time.and_then(|_| counted(words.rest())),
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

/// `[PERIOD] EVENT: …`.
fn counted(text: &str) -> Option<Counted<'_>> {
    let mut words = Words { text, at: 0 };
    let (_, mut word) = words.next_word()?;
    let period = word.parse().ok();
    if period.is_some() {
        (_, word) = words.next_word()?;
    }
    let event = word.strip_suffix(':')?;
    let is_name = !event.is_empty() && !event.starts_with(':');
    is_name.then(|| Counted {
        period,
        event,
        rest: words.rest().trim(),
    })
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
    if may_be_head && head(text).is_some_and(|head| head.time.is_some()) {
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
pub(super) fn take_frame(text: &str, frames: &mut Vec<Frame>) -> bool {
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
