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

use std::io::BufRead;

use super::{Builder, Frame, FrameId, Sample, Thread};
use crate::diagnostics::Cancel;

/// Frames of a stack that are kept, from the innermost.
const DEEPEST: usize = 16_384;
/// Bytes of a line that are looked at.
const LONGEST: usize = 64 * 1024;
/// Lines between two looks whether the reader should end.
const LINES: u64 = 4096;

/// Why a text could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PerfScriptError {
    /// Reading failed.
    #[error("line {line}: {source}")]
    Read {
        /// Where, from 1.
        line: u64,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is something else.
    #[error(
        "line {line} is neither the head of a sample nor a frame: {quote:?}; `perf script` writes such a text"
    )]
    NotPerf {
        /// Where, from 1.
        line: u64,
        /// How it begins.
        quote: String,
    },
    /// Nobody wants it any more.
    #[error("reading was cancelled")]
    Cancelled,
}

/// The head of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Head<'t> {
    name: &'t str,
    pid: Option<u32>,
    tid: Option<u32>,
    /// Nanoseconds, on the clock of perf.
    time: Option<u64>,
}

/// What was lost is told in lines of this sort, with a number after the word.
const LOST: [&str; 2] = ["PERF_RECORD_LOST_SAMPLES lost ", "PERF_RECORD_LOST lost "];

/// Reads such a text, a line at a time.
#[derive(Debug, Default)]
pub struct Reader {
    /// Only samples of these processes; empty = all.
    only: Vec<u32>,
    /// The thread and the time of the sample that is being read; nothing between samples, or while one is passed over.
    sample: Option<(super::ThreadId, u64)>,
    in_sample: bool,
    /// The innermost first.
    frames: Vec<FrameId>,
    /// What the innermost frame of the last line was, as long as its source line may follow.
    last: Option<Frame>,
    began: Option<u64>,
    line: u64,
    samples: u64,
    deeper: u64,
    lost: u64,
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

    /// Samples read so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Samples that perf says it lost so far.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Takes a line, without its end.
    pub fn line(&mut self, line: &[u8], into: &mut Builder) -> Result<(), PerfScriptError> {
        self.line += 1;
        let text = String::from_utf8_lossy(line.get(..line.len().min(LONGEST)).unwrap_or_default());
        let text = text.trim_end();
        if text.is_empty() {
            self.end_sample(into);
            return Ok(());
        }
        if let Some(count) = LOST.iter().find_map(|word| Some(text.split_once(word)?.1)) {
            let digits = count.split(|c: char| !c.is_ascii_digit()).next();
            self.lost += digits.and_then(|d| d.parse::<u64>().ok()).unwrap_or(1);
            return Ok(());
        }
        let is_indented = text.starts_with([' ', '\t']);
        // Names are put in a column where there are no stacks: such a head is indented, too.
        if self.in_sample && is_indented && self.frame(text.trim_start(), into) {
            return Ok(());
        }
        match head(text) {
            Some(head) => {
                self.end_sample(into);
                self.begin_sample(&head, into);
                Ok(())
            }
            // Comments in front, and what other events say.
            None if text.starts_with('#') || self.is_perf => Ok(()),
            None => Err(PerfScriptError::NotPerf {
                line: self.line,
                quote: text.chars().take(80).collect(),
            }),
        }
    }

    /// There are no more lines: the last sample ends.
    pub fn end(&mut self, into: &mut Builder) {
        self.end_sample(into);
        if self.deeper > 0 {
            let note = format!(
                "{} stacks were deeper than {DEEPEST} frames; their outermost frames are left out",
                std::mem::take(&mut self.deeper)
            );
            into.about().notes.push(note);
        }
    }

    fn begin_sample(&mut self, head: &Head<'_>, into: &mut Builder) {
        self.is_perf = true;
        self.in_sample = true;
        let wanted = self.only.is_empty() || head.pid.is_some_and(|pid| self.only.contains(&pid));
        self.sample = wanted.then(|| {
            let thread = into.thread(Thread {
                pid: head.pid,
                tid: head.tid.or(head.pid).map(u64::from),
                name: head.name.into(),
            });
            let at = head.time.map_or(Sample::NO_TIME, |time| {
                time.saturating_sub(*self.began.get_or_insert(time))
            });
            (thread, at)
        });
    }

    /// False when the line is neither a frame nor where one's source is.
    fn frame(&mut self, text: &str, into: &mut Builder) -> bool {
        if let Some(frame) = frame(text) {
            if self.sample.is_none() {
                return true;
            }
            if self.frames.len() >= DEEPEST {
                // Counted once a stack.
                self.deeper += u64::from(self.last.take().is_some());
                return true;
            }
            self.frames.push(into.frame(frame.clone()));
            self.last = Some(frame);
            return true;
        }
        let Some((file, line)) = source_line(text) else {
            return false;
        };
        if let Some(known) = &mut self.last {
            known.file = Some(file.into());
            known.line = Some(line);
            let known = into.frame(known.clone());
            if let Some(last) = self.frames.last_mut() {
                *last = known;
            }
        }
        true
    }

    fn end_sample(&mut self, into: &mut Builder) {
        self.in_sample = false;
        self.last = None;
        let Some((thread, at)) = self.sample.take() else {
            self.frames.clear();
            return;
        };
        if self.frames.is_empty() {
            self.frames.push(into.frame(unknown(None)));
        }
        if let Some(stack) = into.stack_of(self.frames.drain(..).rev()) {
            self.samples += 1;
            into.sample(Sample {
                stack,
                thread,
                weight: 1,
                at,
            });
        }
    }
}

/// Reads a whole text.
pub fn read(
    mut input: impl BufRead,
    into: &mut Builder,
    cancel: &Cancel,
) -> Result<Reader, PerfScriptError> {
    let mut reader = Reader::default();
    let mut line = Vec::new();
    loop {
        if reader.line.is_multiple_of(LINES) && cancel.is_cancelled() {
            return Err(PerfScriptError::Cancelled);
        }
        let number = reader.line + 1;
        let failed = |source| PerfScriptError::Read {
            line: number,
            source,
        };
        if !read_line(&mut input, &mut line).map_err(failed)? {
            break;
        }
        reader.line(&line, into)?;
    }
    reader.end(into);
    Ok(reader)
}

/// The next line without its end, of which only so much is kept as is looked at; false at the end of the text.
pub(super) fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let mut is_there = false;
    loop {
        let block = match input.fill_buf() {
            Ok(block) => block,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if block.is_empty() {
            return Ok(is_there);
        }
        is_there = true;
        let end = memchr::memchr(b'\n', block);
        let part = block.get(..end.unwrap_or(block.len())).unwrap_or_default();
        let room = (LONGEST + 1).saturating_sub(line.len());
        line.extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// `NAME PID[/TID] [CPU] SECONDS.FRACTION: …`; the name may hold blanks, the processor and the time may be missing.
fn head(text: &str) -> Option<Head<'_>> {
    let mut words = Words::of(text);
    let mut ids: Option<(usize, Option<u32>, u32)> = None;
    while let Some((at, word)) = words.next_word() {
        if word.starts_with('[') && ids.is_some() {
            continue;
        }
        if let Some(time) = word.strip_suffix(':').and_then(nanoseconds) {
            let (end, pid, tid) = ids?;
            return Some(Head {
                name: text.get(..end)?.trim(),
                pid: pid.or(Some(tid)),
                tid: Some(tid),
                time: Some(time),
            });
        }
        // The last number before the time: a name may be a number, too.
        let (word, is_last) = word.strip_suffix(':').map_or((word, false), |w| (w, true));
        let found = match word.split_once('/') {
            Some((pid, tid)) => Some((pid.parse().ok(), tid.parse().ok())),
            None => word.parse().ok().map(|tid| (None, Some(tid))),
        };
        if at > 0
            && let Some((pid, Some(tid))) = found
        {
            ids = Some((at, pid, tid));
            if is_last {
                break;
            }
        }
    }
    let (end, pid, tid) = ids?;
    // Without a time only the two numbers together are sure to be those of a process.
    let pid = pid?;
    Some(Head {
        name: text.get(..end)?.trim(),
        pid: Some(pid),
        tid: Some(tid),
        time: None,
    })
}

/// Words and where they begin.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, at: 0 }
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
    if address.len() < 2 || !address.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let rest = rest.trim();
    // Objects are paths or names in brackets, and either may hold ` (`.
    let at = [" (/", " ([", " ("]
        .into_iter()
        .find_map(|mark| rest.rfind(mark));
    let (symbol, object) = match at.filter(|_| rest.ends_with(')')) {
        Some(at) => (
            rest.get(..at).unwrap_or_default(),
            rest.get(at + 2..rest.len() - 1),
        ),
        None => (rest, None),
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
        name: symbol.into(),
        module: module.map(Into::into),
        ..Frame::default()
    })
}

fn unknown(module: Option<&str>) -> Frame {
    Frame {
        name: "[unknown]".into(),
        module: module.map(Into::into),
        ..Frame::default()
    }
}

/// `FILE:LINE`.
fn source_line(text: &str) -> Option<(&str, u32)> {
    let (file, line) = text.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    (!file.is_empty() && line > 0).then_some((file, line))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::diagnostics::profile::{Profile, Unit};

    fn profile(text: &str) -> Result<Profile, PerfScriptError> {
        let mut builder = Builder::new(Unit::Samples);
        read(text.as_bytes(), &mut builder, &Cancel::default())?;
        Ok(builder.finish())
    }

    /// Stacks as folded text, the outermost first.
    fn folded(profile: &Profile) -> Vec<String> {
        profile
            .samples()
            .iter()
            .map(|sample| {
                let mut names: Vec<&str> = profile
                    .frames_of(sample.stack)
                    .filter_map(|id| Some(&*profile.frame(id)?.name))
                    .collect();
                names.reverse();
                names.join(";")
            })
            .collect()
    }

    #[test]
    fn every_form_of_the_columns() {
        let text = "\
# ========
# captured on    : Sun Nov 22
my prog 4711/4713 [001]  5678.123456:   10101010 cpu-clock:u: \n\
\t    55d3e1a2b1f4 std::vec<int, (x)>::at(unsigned long) const+0x14 (/srv/my (deleted) prog)
\t                 prog.cc:7
\t    55d3e1a2b200 main+0x1 (/srv/prog)
\n\
7 12 5678.2: \n\t ffffffff8100 [unknown] ([kernel.kallsyms])\n\t 7f00 [unknown] ([unknown])\n\n\
perf 12/12 5678.200000001:\n\t 7f01 inner (inlined)\n\t 7f02 outer+0x2zz (/a)\n";
        let profile = profile(text).unwrap();
        assert_eq!(
            folded(&profile),
            [
                "main;std::vec<int, (x)>::at(unsigned long) const",
                "[unknown];[unknown]",
                "outer+0x2zz;inner"
            ]
        );
        let names: Vec<_> = profile
            .threads()
            .iter()
            .map(|t| (&*t.name, t.pid, t.tid))
            .collect();
        assert_eq!(
            names,
            [
                ("my prog", Some(4711), Some(4713)),
                ("7", Some(12), Some(12)),
                ("perf", Some(12), Some(12))
            ]
        );
        let at: Vec<u64> = profile.samples().iter().map(|s| s.at).collect();
        assert_eq!(at, [0, 76_544_000, 76_544_001]);
        let source = profile.frames().iter().find(|f| f.line == Some(7)).unwrap();
        assert_eq!(source.file.as_deref(), Some("prog.cc"));
        let modules: Vec<_> = profile
            .frames()
            .iter()
            .map(|f| f.module.as_deref())
            .collect();
        assert!(modules.contains(&Some("[kernel.kallsyms]")));
        assert!(modules.contains(&Some("/srv/prog")));
    }

    #[test]
    fn what_was_lost_is_counted_and_strange_lines_between_samples_are_passed_over() {
        let text = "a 1/1 1.5:\n\t 7f f (/x)\n\n\
            a 1/1 1.6: PERF_RECORD_LOST lost 12\n\
            perf 2/2 1.7: PERF_RECORD_LOST_SAMPLES lost 3\nwhatever\na 1/1 1.8:\n\t 7f f (/x)";
        let mut builder = Builder::new(Unit::Samples);
        let reader = read(text.as_bytes(), &mut builder, &Cancel::default()).unwrap();
        assert_eq!((reader.samples(), reader.lost()), (2, 15));
    }

    #[test]
    fn only_the_processes_that_are_wanted() {
        let text = "a 1/1 1.5:\n\t 7f f (/x)\n\nb 2/3 1.6:\n\t 7f g (/x)\n\n";
        let mut builder = Builder::new(Unit::Samples);
        let mut reader = Reader::of(vec![2]);
        for line in text.lines() {
            reader.line(line.as_bytes(), &mut builder).unwrap();
        }
        reader.end(&mut builder);
        assert_eq!(folded(&builder.finish()), ["g"]);
    }

    #[test]
    fn another_text_is_refused_where_it_is_another() {
        let error = profile("# perf\n{\"nodes\": []}\n")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line 2 ") && error.contains("nodes"),
            "{error}"
        );
        assert!(profile("").unwrap().samples().is_empty());
        let cancel = Cancel::default();
        cancel.cancel();
        let mut builder = Builder::default();
        let cancelled = read("a".as_bytes(), &mut builder, &cancel).unwrap_err();
        assert!(matches!(cancelled, PerfScriptError::Cancelled));
    }

    #[test]
    fn stacks_of_any_depth_and_lines_of_any_length() {
        let mut text = "a 1/1 1.5:\n".to_owned();
        for depth in 0..20_000 {
            writeln!(text, "\t 7f{depth:04x} f{depth} (/x)").unwrap();
        }
        let long = "n".repeat(200_000);
        writeln!(text, "\nb 1/1 1.6:\n\t 7f {long} (/x)").unwrap();
        let profile = profile(&text).unwrap();
        let depths: Vec<usize> = profile
            .samples()
            .iter()
            .map(|s| profile.frames_of(s.stack).count())
            .collect();
        assert_eq!(depths, [DEEPEST, 1]);
        assert!(
            profile
                .notes
                .iter()
                .any(|n| n.starts_with("1 stacks were deeper"))
        );
        assert!(profile.frames().iter().all(|f| f.name.len() <= LONGEST));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_stumble(text in "([a-z/0-9:.\\[\\] ()+\\tx#é]{0,40}\n){0,12}") {
            let _ = profile(&text);
        }

        #[test]
        fn no_line_makes_it_stumble(line in ".{0,80}") {
            let _ = head(&line);
            let _ = frame(&line);
            let _ = source_line(&line);
        }
    }
}
