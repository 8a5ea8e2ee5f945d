//! Recordings of heaptrack, as `heaptrack_interpret` writes them: what a normal run of `heaptrack` leaves behind. They become a profile
//! whose weights are the bytes that each stack held when most were held.
//!
//! Format (`src/analyze/accumulatedtracedata.cpp` of heaptrack, versions 1 to 3 of it): a line for each thing, its first letter says which, numbers are
//! hexadecimal, and what was written before is named by its number from 1 (0 = none). `s` a text, `i` an address with its module and
//! functions, `t` a stack (its innermost address, and the stack that called), `a` so many bytes allocated by a stack, `+` and `-` one such
//! block allocated and freed, `c` milliseconds since the beginning. A stack comes after what called it, so that none can call itself.
//!
//! What `heaptrack --raw` writes has addresses without names: it is known by its `x` and `m`, and left to `heaptrack_interpret`.

use super::{lines::Lines, prelude::*};

const TITLE: &str = "heaptrack recording";

/// A line, and a text within one.
const LONGEST: u64 = 1 << 20;
/// Bytes of all texts.
const TEXTS: usize = 512 << 20;
/// Of each kind: addresses, stacks, sizes.
const MOST: usize = 1 << 25;
/// Versions of the format.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=3;

/// `v 10400 3`: the program's version and the format's.
pub fn looks_like(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(rest) = line.strip_prefix(b"v ") else {
        return false;
    };
    let text = std::str::from_utf8(rest.trim_ascii()).unwrap_or_default();
    let mut words = text.split(' ');
    // Letters are lower: `v 1` alone may be anything.
    words.next().is_some_and(|version| version.len() >= 5)
        && words.next().is_none_or(|word| word.len() <= 4)
        && words.next().is_none()
        && text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_hexdigit())
}

/// A stack, by numbers: its innermost address, and the stack that called it.
#[derive(Clone, Copy)]
struct Trace {
    address: u32,
    parent: u32,
}

/// Blocks of one size that one stack allocates.
#[derive(Clone, Copy)]
struct BlockClass {
    size: u64,
    trace: u32,
}

/// Bytes of a stack while the file is read.
#[derive(Clone, Copy, Default)]
struct Balance {
    /// What was not freed so far.
    held: u64,
    /// What it held at the last peak.
    peak: u64,
    /// The peak after which it last changed.
    epoch: u64,
}

#[derive(Default)]
struct Reader {
    version: u64,
    texts: Vec<Arc<str>>,
    text_bytes: usize,
    /// The functions at each address, the innermost first.
    addresses: Vec<Vec<FrameId>>,
    traces: Vec<Trace>,
    kinds: Vec<BlockClass>,
    /// By the stack's number; the first is what has none.
    held: Vec<Balance>,
    /// How often something was allocated.
    calls: u64,
    /// How often something was freed right after it was allocated.
    temporary: u64,
    total: u64,
    peak: u64,
    peak_at: u64,
    epoch: u64,
    now: u64,
    /// The kind that was allocated last, when nothing else came between.
    last: Option<usize>,
    unknown_frees: u64,
    attached: bool,
    builder: Builder,
}

/// Reads all of it.
pub fn read(mut input: Input<'_>) -> Result<Profile> {
    let mut lines = Lines::new(&mut input, TITLE, (LONGEST, "1048576 bytes"));
    let mut reader = Reader {
        builder: Builder::new(Unit::Bytes),
        held: vec![Balance::default()],
        ..Reader::default()
    };
    while lines.next()? {
        match lines.line.first() {
            None => {}
            Some(b's') => reader.text(&mut lines)?,
            Some(_) => reader.line(&lines)?,
        }
    }
    if reader.version == 0 {
        return Err(lines.cut_short());
    }
    some(reader.finish(), TITLE)
}

/// The numbers behind a line's letter.
struct Numbers<'l> {
    rest: &'l [u8],
}

impl Numbers<'_> {
    /// The next one; nothing at the end of the line or where there is none.
    fn next(&mut self) -> Option<u64> {
        let rest = self.rest.trim_ascii_start();
        let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
        let word = rest.get(..end)?;
        self.rest = rest.get(end..)?;
        if word.is_empty() || word.len() > 16 {
            return None;
        }
        word.iter().try_fold(0, |number: u64, byte| {
            let digit = char::from(*byte).to_digit(16)?;
            Some(number << 4 | u64::from(digit))
        })
    }

    fn is_over(&self) -> bool {
        self.rest.trim_ascii().is_empty()
    }
}

impl Reader {
    fn line(&mut self, lines: &Lines<'_>) -> Result<()> {
        let (letter, rest) = lines.line.split_first().unwrap_or((&b'#', &[]));
        let mut numbers = Numbers { rest };
        let mut next = || numbers.next().ok_or_else(|| lines.unexpected("is damaged"));
        if self.version == 0 && *letter != b'v' {
            return Err(lines.unexpected("comes before the version"));
        }
        match letter {
            b'+' => self.allocate(next()?, lines),
            b'-' => self.free(next()?, lines),
            b'a' => {
                let (size, trace) = (next()?, next()?);
                let trace = below(trace, self.traces.len()).ok_or_else(|| {
                    lines.unexpected(&format!(
                        "names a stack that does not come before it: there are {:#x}",
                        self.traces.len()
                    ))
                })?;
                push(&mut self.kinds, BlockClass { size, trace }, lines)
            }
            b't' => {
                let (address, parent) = (next()?, next()?);
                let own = self.traces.len() + 1;
                let parent = below(parent, self.traces.len()).ok_or_else(|| {
                    lines.unexpected(&format!(
                        "is stack {own:#x} and names one that does not come before it as its caller"
                    ))
                })?;
                let address = below(address, self.addresses.len()).ok_or_else(|| {
                    lines.unexpected(&format!(
                        "names an address that does not come before it: there are {:#x}",
                        self.addresses.len()
                    ))
                })?;
                self.held.push(Balance::default());
                push(&mut self.traces, Trace { address, parent }, lines)
            }
            b'i' => self.address(numbers, lines),
            b'c' => {
                self.now = next()?;
                Ok(())
            }
            b'v' => {
                next()?;
                let version = numbers.next().unwrap_or(0);
                if !VERSIONS.contains(&version) {
                    return Err(lines.unexpected("says a version of the format that is not read here (1 to 3 are): heaptrack_print -f FILE -F heap.folded --flamegraph-cost-type peak writes what is"));
                }
                self.version = version;
                Ok(())
            }
            b'A' => {
                self.attached = true;
                Ok(())
            }
            b'x' | b'm' => Err(ImportError::unfit(
                "it is a raw recording of heaptrack, in which functions have no names: zstd -dc < FILE | /usr/lib/heaptrack/libexec/heaptrack_interpret | zstd -c > heaptrack.zst makes what is read here (heaptrack without --raw does so by itself)",
            )),
            // The command, the machine, resident memory, suppressions, comments.
            b'X' | b'I' | b'R' | b'S' | b'#' => Ok(()),
            _ => Err(lines.unexpected("begins with a letter that means nothing")),
        }
    }

    fn text(&mut self, lines: &mut Lines<'_>) -> Result<()> {
        let rest = lines.line.get(2..).unwrap_or_default();
        let bytes = if self.version >= 3 {
            let blank = memchr::memchr(b' ', rest).unwrap_or(rest.len());
            let mut numbers = Numbers { rest };
            let length = numbers
                .next()
                .ok_or_else(|| lines.unexpected("does not say how long its text is"))?;
            if length > LONGEST {
                return Err(lines.unexpected("is a text of more than a megabyte"));
            }
            let mut bytes = rest.get(blank + 1..).unwrap_or_default().to_vec();
            // A text may have ends of lines in it.
            let missing = (length as usize).saturating_sub(bytes.len());
            if missing > 0 {
                bytes.push(b'\n');
                let more = read_at_most(&mut lines.input, missing as u64)?;
                if more.len() < missing {
                    return Err(lines.cut_short());
                }
                bytes.extend(more);
                // The end of the line behind it, which was counted for the one within.
                bytes.truncate(length as usize);
            } else if bytes.len() as u64 > length {
                return Err(lines.unexpected("is longer than it says"));
            }
            bytes
        } else {
            rest.to_vec()
        };
        self.text_bytes += bytes.len() + size_of::<Arc<str>>();
        if self.text_bytes > TEXTS {
            return Err(lines.broken("its texts have more than 512 MB until here"));
        }
        self.texts.push(String::from_utf8_lossy(&bytes).into());
        Ok(())
    }

    /// `i ADDRESS MODULE [FUNCTION FILE LINE]...`; what is behind the first function are those that it was inlined into.
    fn address(&mut self, mut numbers: Numbers<'_>, lines: &Lines<'_>) -> Result<()> {
        let odd = || lines.unexpected("is damaged");
        let address = numbers.next().ok_or_else(odd)?;
        let module = numbers.next().unwrap_or(0);
        let module = self.named(module, lines)?;
        let mut frames = Vec::new();
        while !numbers.is_over() {
            let name = numbers.next().ok_or_else(odd)?;
            let mut next_or_none = || {
                if numbers.is_over() {
                    return Some(0);
                }
                numbers.next()
            };
            let file = next_or_none().ok_or_else(odd)?;
            let line = next_or_none().ok_or_else(odd)?;
            let name = self
                .named(name, lines)?
                .unwrap_or_else(|| format!("{address:#x}").into());
            let frame = Frame {
                name,
                file: self.named(file, lines)?,
                line: i64::try_from(line).ok().and_then(line_number),
                module: module.clone(),
            };
            frames.push(self.builder.frame(frame));
        }
        if frames.is_empty() {
            let place = module.as_deref().map(|module| {
                let name = module.rsplit('/').next().unwrap_or(module);
                // Libraries lie elsewhere in each run, but a page begins where one begins.
                format!("…{:03x} in {name}", address & 0xfff)
            });
            let frame = Frame {
                module,
                ..Frame::named(place.unwrap_or_else(|| format!("{address:#x}")))
            };
            frames.push(self.builder.frame(frame));
        }
        push(&mut self.addresses, frames, lines)
    }

    /// A text by its number; nothing for none.
    fn named(&self, number: u64, lines: &Lines<'_>) -> Result<Option<Arc<str>>> {
        let Some(at) = number.checked_sub(1) else {
            return Ok(None);
        };
        let found = usize::try_from(at).ok().and_then(|at| self.texts.get(at));
        match found {
            Some(text) => Ok(Some(Arc::clone(text))),
            None => Err(lines.unexpected(&format!(
                "names text {number:#x}, and there are {:#x} before it",
                self.texts.len()
            ))),
        }
    }

    fn kind(&self, number: u64, lines: &Lines<'_>) -> Result<(usize, BlockClass)> {
        // These are counted from 0.
        let found = usize::try_from(number).ok();
        let found = found.and_then(|at| Some((at, *self.kinds.get(at)?)));
        found.ok_or_else(|| {
            lines.unexpected(&format!(
                "names an allocation that does not come before it: there are {:#x}",
                self.kinds.len()
            ))
        })
    }

    fn allocate(&mut self, number: u64, lines: &Lines<'_>) -> Result<()> {
        let (at, kind) = self.kind(number, lines)?;
        let epoch = self.epoch;
        if let Some(held) = held(&mut self.held, kind.trace, epoch) {
            held.held = held.held.saturating_add(kind.size);
        }
        self.calls += 1;
        self.last = Some(at);
        self.total = self.total.saturating_add(kind.size);
        if self.total > self.peak {
            self.peak = self.total;
            self.peak_at = self.now;
            // What is held now is what was held at the peak, until it changes.
            self.epoch += 1;
        }
        Ok(())
    }

    fn free(&mut self, number: u64, lines: &Lines<'_>) -> Result<()> {
        let (at, kind) = self.kind(number, lines)?;
        let is_temporary = self.last.take() == Some(at);
        let epoch = self.epoch;
        let Some(held) = held(&mut self.held, kind.trace, epoch) else {
            return Ok(());
        };
        let Some(left) = held.held.checked_sub(kind.size) else {
            self.unknown_frees += 1;
            return Ok(());
        };
        held.held = left;
        self.temporary += u64::from(is_temporary);
        self.total = self.total.saturating_sub(kind.size);
        Ok(())
    }

    fn finish(mut self) -> Profile {
        let thread = self.builder.thread(Thread::default());
        let nothing = Trace {
            address: 0,
            parent: 0,
        };
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(self.held.len());
        let traces = std::iter::once(&nothing).chain(&self.traces);
        for (trace, held) in traces.zip(&self.held) {
            let mut stack = slots::at(&stacks, trace.parent);
            let address = (trace.address as usize).checked_sub(1);
            let frames = address.and_then(|at| self.addresses.get(at));
            for frame in frames.into_iter().flatten().rev() {
                stack = Some(self.builder.stack(stack, *frame));
            }
            stacks.push(stack);
            let weight = if held.epoch == self.epoch {
                held.peak
            } else {
                held.held
            };
            if weight > 0 {
                let stack = stack.unwrap_or_else(|| {
                    let frame = self.builder.frame(Frame::named("(no stack)"));
                    self.builder.stack(None, frame)
                });
                self.builder.sample(Sample {
                    stack,
                    thread,
                    weight,
                    at: Sample::NO_TIME,
                });
            }
        }
        let notes = &mut self.builder.about().notes;
        notes.push(format!("{TITLE}: bytes that were held when most were held"));
        // It looks at the clock every ten milliseconds only.
        if self.peak_at > 0 {
            let after = words::time(nanoseconds(Duration::from_millis(self.peak_at)));
            notes.push(format!("most was held {after} after the beginning"));
        }
        if self.attached {
            notes.push("heaptrack was attached to the running program: what it allocated before is not in it".to_owned());
        }
        if self.unknown_frees > 0 {
            notes.push(format!(
                "{} of what had not been allocated",
                amount::count(self.unknown_frees, "free", "frees")
            ));
        }
        notes.push(format!(
            "{} never freed, {}, {} of them temporary",
            words::weight(self.total, Unit::Bytes),
            amount::count(self.calls, "allocation", "allocations"),
            words::number(self.temporary)
        ));
        self.builder.finish()
    }
}

/// What a stack holds, once it is written down what that was at the last peak.
fn held(all: &mut [Balance], trace: u32, epoch: u64) -> Option<&mut Balance> {
    let held = all.get_mut(trace as usize)?;
    if held.epoch != epoch {
        held.epoch = epoch;
        held.peak = held.held;
    }
    Some(held)
}

/// A number from 1 of something of which there are `count`, or 0 for none.
fn below(number: u64, count: usize) -> Option<u32> {
    let number = u32::try_from(number).ok()?;
    (number as usize <= count).then_some(number)
}

fn push<T>(to: &mut Vec<T>, value: T, lines: &Lines<'_>) -> Result<()> {
    if to.len() >= MOST {
        return Err(lines.broken(format!("there are more than {MOST} of its kind before it")));
    }
    to.push(value);
    Ok(())
}

#[cfg(test)]
mod tests;
