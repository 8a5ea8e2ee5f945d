//! The processed form of profiler.firefox.com, which samply and others write: tables of stacks, frames, functions and strings,
//! for each thread or, in newer files, for all of them together.

use serde::de::IgnoredAny;

use super::speedscope;
use crate::profile::{Thread as OurThread, import::prelude::*};

const FORMAT: &str = "Firefox profile";

/// About all of it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Milliseconds.
    interval: Option<f64>,
    /// Milliseconds since 1970.
    start_time: Option<f64>,
    product: Option<String>,
}

/// What all threads, or all profiles of speedscope, have in common.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared {
    /// Those of speedscope.
    pub frames: Option<Vec<speedscope::Frame>>,
    #[serde(alias = "stringTable")]
    string_array: Option<Vec<String>>,
    stack_table: Option<StackTable>,
    frame_table: Option<FrameTable>,
    func_table: Option<FuncTable>,
    resource_table: Option<ResourceTable>,
}

/// The tables of a thread: its own, or else the common ones.
struct Tables<'a> {
    strings: &'a [String],
    stacks: &'a StackTable,
    frames: &'a FrameTable,
    funcs: &'a FuncTable,
    resources: Option<&'a ResourceTable>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StackTable {
    frame: Vec<u32>,
    prefix: Vec<Option<u32>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FrameTable {
    func: Vec<u32>,
    line: Vec<Option<i64>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct FuncTable {
    name: Vec<u32>,
    file_name: Vec<Option<u32>>,
    line_number: Vec<Option<i64>>,
    resource: Vec<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ResourceTable {
    name: Vec<u32>,
}

/// A thread.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Thread {
    name: String,
    process_name: Option<String>,
    pid: Option<Number>,
    tid: Option<Number>,
    samples: Samples,
    #[serde(alias = "stringTable")]
    string_array: Option<Vec<String>>,
    stack_table: Option<StackTable>,
    frame_table: Option<FrameTable>,
    func_table: Option<FuncTable>,
    resource_table: Option<ResourceTable>,
}

impl Thread {
    fn tables<'a>(&'a self, shared: &'a Shared, place: &str) -> Result<Tables<'a>> {
        let missing = |name: &str| broken(place, format!("it has no {name}"));
        Ok(Tables {
            strings: self
                .string_array
                .as_ref()
                .or(shared.string_array.as_ref())
                .ok_or_else(|| missing("stringArray"))?,
            stacks: self
                .stack_table
                .as_ref()
                .or(shared.stack_table.as_ref())
                .ok_or_else(|| missing("stackTable"))?,
            frames: self
                .frame_table
                .as_ref()
                .or(shared.frame_table.as_ref())
                .ok_or_else(|| missing("frameTable"))?,
            funcs: self
                .func_table
                .as_ref()
                .or(shared.func_table.as_ref())
                .ok_or_else(|| missing("funcTable"))?,
            resources: self
                .resource_table
                .as_ref()
                .or(shared.resource_table.as_ref()),
        })
    }
}

/// A number, or one that is written as text, or as `"123-4"`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(f64),
    Text(String),
    Other(IgnoredAny),
}

impl Number {
    fn get(&self) -> Option<u64> {
        match self {
            Self::Plain(number) if *number >= 0.0 => Some(*number as u64),
            Self::Text(text) => text.split(['-', '.']).next()?.parse().ok(),
            _ => None,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Samples {
    stack: Vec<Option<u32>>,
    time: Option<Vec<f64>>,
    time_deltas: Option<Vec<f64>>,
    weight: Option<Vec<f64>>,
    weight_type: Option<String>,
    /// Only in what the browser itself hands out.
    schema: Option<IgnoredAny>,
}

fn broken(place: &str, why: String) -> ImportError {
    ImportError::broken(FORMAT, place, why)
}

fn unit_of(threads: &[Thread]) -> Unit {
    let kind = threads
        .iter()
        .find(|thread| !thread.samples.stack.is_empty());
    match kind.and_then(|thread| thread.samples.weight_type.as_deref()) {
        Some("tracing-ms") => Unit::Nanoseconds,
        Some("bytes") => Unit::Bytes,
        _ => Unit::Samples,
    }
}

/// The profile of all threads.
pub fn profile(meta: &Meta, shared: &Shared, threads: &[Thread]) -> Result<Profile> {
    let unit = unit_of(threads);
    let mut builder = Builder::new(unit);
    let mut strings = Strings::default();
    let mut last = 0.0_f64;
    let origin = threads
        .iter()
        .filter_map(|thread| times(&thread.samples).next())
        .fold(f64::INFINITY, f64::min);
    for (number, thread) in (1..).zip(threads) {
        let named = beginning(&thread.name, 40);
        let place = format!("thread {number} of {} ({named:?})", threads.len());
        if thread.samples.schema.is_some() {
            return Err(ImportError::unfit(
                "it is the browser's raw form: open it in profiler.firefox.com and save it from there",
            ));
        }
        if thread.samples.stack.iter().all(Option::is_none) {
            continue;
        }
        let tables = thread.tables(shared, &place)?;
        let stacks = stacks(&tables, &mut builder, &mut strings, &place)?;
        let process = thread.process_name.as_deref().unwrap_or_default();
        let name = if process.is_empty() || process == thread.name {
            thread.name.clone()
        } else {
            format!("{process}: {}", thread.name)
        };
        let id = builder.thread(OurThread {
            pid: thread
                .pid
                .as_ref()
                .and_then(Number::get)
                .and_then(|pid| u32::try_from(pid).ok()),
            tid: thread.tid.as_ref().and_then(Number::get),
            name: name.into(),
        });
        let count = thread.samples.stack.len();
        if let Some(weights) = &thread.samples.weight
            && weights.len() != count
        {
            let weights = weights.len();
            let why = format!("there are {count} samples and {weights} weights");
            return Err(broken(&place, why));
        }
        let mut times = times(&thread.samples);
        let weights = thread.samples.weight.iter().flatten().copied();
        let weights = weights.chain(std::iter::repeat(1.0));
        for (stack, weight) in thread.samples.stack.iter().zip(weights) {
            let time = times.next();
            let Some(stack) = stack else { continue };
            let Some(stack) = stacks.get(*stack as usize) else {
                let count = stacks.len();
                let why = format!("a sample is at stack {stack}, and there are {count}");
                return Err(broken(&place, why));
            };
            let factor = if unit == Unit::Nanoseconds { 1e6 } else { 1.0 };
            last = last.max(time.unwrap_or(0.0) - origin);
            builder.sample(Sample {
                stack: *stack,
                thread: id,
                weight: (weight * factor).max(0.0).round() as u64,
                at: time.map_or(Sample::NO_TIME, |time| ((time - origin) * 1e6) as u64),
            });
        }
    }
    let about = builder.about();
    about.name = meta.product.clone().unwrap_or_default();
    about.interval = meta
        .interval
        .filter(|ms| ms.is_finite() && *ms > 0.0)
        .map(|ms| Duration::from_nanos((ms * 1e6) as u64));
    if last > 0.0 && last.is_finite() {
        about.duration = Some(Duration::from_nanos((last * 1e6) as u64));
    }
    about.started = meta
        .start_time
        .filter(|ms| *ms > 0.0)
        .and_then(|ms| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(ms as u64)));
    Ok(builder.finish())
}

/// When samples were taken, in milliseconds.
fn times(samples: &Samples) -> impl Iterator<Item = f64> + '_ {
    let plain = samples.time.iter().flatten().copied();
    let mut at = 0.0;
    let deltas = samples
        .time_deltas
        .iter()
        .filter(|_| samples.time.is_none())
        .flatten();
    plain.chain(deltas.map(move |delta| {
        at += *delta;
        at
    }))
}

/// What the stacks of a thread are in ours.
fn stacks(
    tables: &Tables<'_>,
    builder: &mut Builder,
    strings: &mut Strings,
    place: &str,
) -> Result<Vec<StackId>> {
    let Tables {
        strings: texts,
        stacks,
        frames,
        funcs,
        resources,
    } = tables;
    let text = |number: Option<u32>| -> Result<&str> {
        let Some(number) = number else { return Ok("") };
        texts
            .get(number as usize)
            .map(String::as_str)
            .ok_or_else(|| {
                let count = texts.len();
                broken(
                    place,
                    format!("string {number} is named, and there are {count}"),
                )
            })
    };
    let mut ids: Vec<FrameId> = Vec::with_capacity(frames.func.len());
    for (number, func) in frames.func.iter().enumerate() {
        let func = *func as usize;
        let Some(name) = funcs.name.get(func) else {
            let count = funcs.name.len();
            let why = format!("function {func} is named, and there are {count}");
            return Err(broken(place, why));
        };
        let file = text(slots::at(&funcs.file_name, func))?;
        let line = slots::at(&frames.line, number);
        let line = line.or_else(|| slots::at(&funcs.line_number, func));
        let resource = funcs
            .resource
            .get(func)
            .and_then(|r| usize::try_from(*r).ok());
        let module = resource.and_then(|at| resources.and_then(|r| r.name.get(at).copied()));
        let module = text(module)?;
        ids.push(builder.frame(Frame {
            name: strings.get(text(Some(*name))?),
            file: strings.some(&plain_path(file)),
            line: line.and_then(line_number),
            // A script's resource is its file again.
            module: strings.some(if module == file { "" } else { module }),
        }));
    }
    let mut done: Vec<StackId> = Vec::with_capacity(stacks.frame.len());
    for (number, frame) in stacks.frame.iter().enumerate() {
        let Some(frame) = ids.get(*frame as usize) else {
            let count = ids.len();
            let why = format!("frame {frame} is named, and there are {count}");
            return Err(broken(place, why));
        };
        // A caller comes before what it calls.
        let prefix = slots::at(&stacks.prefix, number);
        let above = prefix.and_then(|at| done.get(at as usize).copied());
        if let Some(at) = prefix
            && above.is_none()
        {
            let why = format!("stack {number} is called by {at}, which does not come before it");
            return Err(broken(place, why));
        }
        done.push(builder.stack(above, *frame));
    }
    Ok(done)
}
