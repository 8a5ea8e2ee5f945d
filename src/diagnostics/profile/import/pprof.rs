//! pprof: what Go's and many other profilers write, a message of protocol buffers.
//!
//! The format is <https://github.com/google/pprof/blob/main/proto/profile.proto>. Of several values for each sample the one counts that
//! the file names, else the last, as in pprof itself.

use crate::profile::{
    import::prelude::*,
    wire::{Broken, Fields, Value},
};

const FORMAT: &str = "pprof file";
/// Strings come after what names them, so all of it is held: no more than this.
const MOST: u64 = 1 << 30;

/// Whether the beginning of a file may be one: fields that there are, with their types.
pub fn looks_like(head: &[u8]) -> bool {
    let mut seen = 0;
    for field in Fields::new(head).take(8) {
        let is_known = match field {
            Ok((1..=6 | 11, value)) => matches!(value, Value::Bytes(_)),
            Ok((7..=10 | 12 | 14, value)) => matches!(value, Value::Number(_)),
            Ok((13 | 15, _)) => true,
            Ok(_) => false,
            // The head may end in the middle of one.
            Err(broken) => return broken.is_short && seen > 0,
        };
        if !is_known {
            return false;
        }
        seen += 1;
    }
    seen > 0
}

struct Location {
    mapping: u64,
    address: u64,
    /// Functions and lines, the innermost first.
    lines: Vec<(u64, i64)>,
}

/// What a sample is made of, as numbers.
#[derive(Default)]
struct Tables<'a> {
    strings: Vec<&'a [u8]>,
    /// Their names and files.
    functions: HashMap<u64, [u64; 2]>,
    locations: HashMap<u64, Location>,
    /// Their file names.
    mappings: HashMap<u64, u64>,
    /// Kind and unit.
    types: Vec<(u64, u64)>,
    wanted: u64,
    time: u64,
    duration: u64,
    period: (u64, u64, u64),
}

/// Reads it.
pub fn read(input: Input<'_>) -> Result<Profile> {
    let bytes = read_at_most(input, MOST + 1)?;
    if bytes.len() as u64 > MOST {
        return Err(ImportError::unfit(
            "it is a pprof file of more than 1 GiB, which is not read",
        ));
    }
    let tables = tables(&bytes)?;
    profile(&bytes, &tables)
}

fn at(error: Broken, base: usize) -> ImportError {
    let place = format!("byte {}", base + error.at);
    if error.is_short {
        return ImportError::cut_short(FORMAT, place);
    }
    ImportError::broken(FORMAT, place, "there is no such field")
}

/// Where a part of the file begins in it.
fn offset(all: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(all.as_ptr() as usize)
}

/// The numbers in these fields of a message; 0 where there is none.
fn numbers<const N: usize>(all: &[u8], message: &[u8], wanted: [u64; N]) -> Result<[u64; N]> {
    let mut found = [0; N];
    for field in Fields::new(message) {
        let (number, value) = field.map_err(|e| at(e, offset(all, message)))?;
        for (place, wanted) in found.iter_mut().zip(wanted) {
            if number == wanted {
                *place = value.number();
            }
        }
    }
    Ok(found)
}

fn tables(all: &[u8]) -> Result<Tables<'_>> {
    let mut tables = Tables::default();
    for field in Fields::new(all) {
        let (number, value) = field.map_err(|e| at(e, 0))?;
        let message = value.bytes();
        match number {
            1 => tables.types.push(numbers(all, message, [1, 2])?.into()),
            3 => {
                let [id, file] = numbers(all, message, [1, 5])?;
                tables.mappings.insert(id, file);
            }
            4 => {
                let [id, mapping, address] = numbers(all, message, [1, 2, 3])?;
                let mut location = Location {
                    mapping,
                    address,
                    lines: Vec::new(),
                };
                for (number, value) in Fields::new(message).flatten() {
                    if number == 4 {
                        let [function, line] = numbers(all, value.bytes(), [1, 2])?;
                        location.lines.push((function, line as i64));
                    }
                }
                tables.locations.insert(id, location);
            }
            5 => {
                let [id, name, file] = numbers(all, message, [1, 2, 4])?;
                tables.functions.insert(id, [name, file]);
            }
            6 => tables.strings.push(message),
            9 => tables.time = value.number(),
            10 => tables.duration = value.number(),
            11 => [tables.period.0, tables.period.1] = numbers(all, message, [1, 2])?,
            12 => tables.period.2 = value.number(),
            14 => tables.wanted = value.number(),
            _ => {}
        }
    }
    Ok(tables)
}

impl Tables<'_> {
    fn text(&self, number: u64) -> Cow<'_, str> {
        let bytes = usize::try_from(number)
            .ok()
            .and_then(|at| self.strings.get(at));
        String::from_utf8_lossy(bytes.copied().unwrap_or_default())
    }

    /// Which value of a sample counts.
    fn column(&self) -> usize {
        let named = self
            .types
            .iter()
            .position(|(kind, _)| self.wanted > 0 && *kind == self.wanted);
        named.unwrap_or_else(|| self.types.len().saturating_sub(1))
    }
}

fn unit_of(kind: &str, unit: &str) -> (Unit, u64) {
    match unit {
        "nanoseconds" | "ns" => (Unit::Nanoseconds, 1),
        "microseconds" | "us" => (Unit::Nanoseconds, 1000),
        "milliseconds" | "ms" => (Unit::Nanoseconds, 1_000_000),
        "seconds" | "s" => (Unit::Nanoseconds, 1_000_000_000),
        "bytes" => (Unit::Bytes, 1),
        "kilobytes" => (Unit::Bytes, 1 << 10),
        "megabytes" => (Unit::Bytes, 1 << 20),
        _ if kind.contains("sample") => (Unit::Samples, 1),
        _ => (Unit::Count, 1),
    }
}

fn profile(all: &[u8], tables: &Tables<'_>) -> Result<Profile> {
    let column = tables.column();
    let (kind, unit) = tables.types.get(column).copied().unwrap_or_default();
    let (kind, unit) = (tables.text(kind), tables.text(unit));
    let (unit, factor) = unit_of(&kind, &unit);
    let mut builder = Builder::new(unit);
    let mut frames = Frames {
        tables,
        strings: Strings::default(),
        known: HashMap::new(),
    };
    let mut stack: Vec<FrameId> = Vec::new();
    for field in Fields::new(all) {
        let (2, message) = field.map_err(|e| at(e, 0))? else {
            continue;
        };
        let message = message.bytes();
        stack.clear();
        let (mut values, mut value, mut thread) = (0, 0, Thread::default());
        for field in Fields::new(message) {
            match field.map_err(|e| at(e, offset(all, message)))? {
                (1, locations) => {
                    for location in locations.numbers() {
                        let Some(here) = frames.of(location, &mut builder) else {
                            let place = format!("byte {}", offset(all, message));
                            let why = format!("location {location} is named, and is not there");
                            return Err(ImportError::broken(FORMAT, place, why));
                        };
                        stack.extend_from_slice(&here);
                    }
                }
                (2, numbers) => {
                    for number in numbers.numbers() {
                        if values == column {
                            value = number;
                        }
                        values += 1;
                    }
                }
                (3, label) => frames.label(label.bytes(), &mut thread),
                _ => {}
            }
        }
        // Differences have negative values, which no picture can show.
        let weight = u64::try_from(value as i64).unwrap_or(0);
        if weight > 0
            && let Some(stack) = builder.stack_of(stack.iter().rev().copied())
        {
            let thread = builder.thread(thread);
            builder.sample(Sample {
                stack,
                thread,
                weight: weight.saturating_mul(factor),
                at: Sample::NO_TIME,
            });
        }
    }
    let others: Vec<_> = tables
        .types
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != column)
        .map(|(_, (kind, _))| tables.text(*kind))
        .collect();
    let about = builder.about();
    if !others.is_empty() {
        about.notes.push(format!(
            "shown is {kind}; the file has {} as well",
            others.join(", ")
        ));
    }
    about.duration = Some(Duration::from_nanos(tables.duration)).filter(|d| !d.is_zero());
    about.started = (tables.time > 0)
        .then(|| SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(tables.time)))
        .flatten();
    let (kind, unit, period) = tables.period;
    if let (Unit::Nanoseconds, factor) = unit_of(&tables.text(kind), &tables.text(unit)) {
        let period = Duration::from_nanos(period.saturating_mul(factor));
        about.interval = Some(period).filter(|d| !d.is_zero());
    }
    some(builder.finish(), FORMAT)
}

/// The frames of each location.
struct Frames<'a> {
    tables: &'a Tables<'a>,
    strings: Strings,
    known: HashMap<u64, Arc<[FrameId]>>,
}

impl Frames<'_> {
    /// The innermost first.
    fn of(&mut self, location: u64, builder: &mut Builder) -> Option<Arc<[FrameId]>> {
        if let Some(known) = self.known.get(&location) {
            return Some(Arc::clone(known));
        }
        let tables = self.tables;
        let found = tables.locations.get(&location)?;
        let module = tables.mappings.get(&found.mapping).copied().unwrap_or(0);
        let module = self.strings.some(&tables.text(module));
        let unnamed = found.lines.is_empty().then_some(None);
        let lines = found.lines.iter().map(Some).chain(unnamed);
        let frames = lines.map(|line| {
            let function = line.and_then(|(function, _)| tables.functions.get(function));
            let texts = function.map(|texts| texts.map(|text| tables.text(text)));
            let [name, file] = texts.unwrap_or_default();
            let name = if name.is_empty() {
                format!("0x{:x}", found.address).into()
            } else {
                name
            };
            builder.frame(Frame {
                name: self.strings.get(&name),
                file: self.strings.some(&file),
                line: line.and_then(|(_, line)| line_number(*line)),
                module: module.clone(),
            })
        });
        let frames: Arc<[FrameId]> = frames.collect();
        self.known.insert(location, Arc::clone(&frames));
        Some(frames)
    }

    /// Takes up the thread's name or number, which some tools write.
    fn label(&self, message: &[u8], thread: &mut Thread) {
        let [key, text, number] = numbers(message, message, [1, 2, 3]).unwrap_or_default();
        match self.tables.text(key).as_ref() {
            "thread" | "thread_name" | "thread name" => thread.name = self.tables.text(text).into(),
            "tid" | "thread_id" | "thread id" if number > 0 => thread.tid = Some(number),
            "pid" | "process_id" => thread.pid = u32::try_from(number).ok(),
            _ => {}
        }
    }
}
