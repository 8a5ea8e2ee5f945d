//! speedscope's own format: the frames once, then for each thread its samples as lists of their numbers.
//!
//! The schema is <https://www.speedscope.app/file-format-schema.json>.

use std::io::{self, Write};

use serde_json::json;

use super::super::{Profile, Sample, ThreadId, Unit};
use base::text::json::printable;

fn put(out: &mut dyn Write, value: &serde_json::Value) -> io::Result<()> {
    out.write_all(printable(&value.to_string()).as_bytes())
}

/// Writes the file, a thread after the other.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let unit = match profile.unit {
        Unit::Nanoseconds => "nanoseconds",
        Unit::Bytes => "bytes",
        Unit::Samples | Unit::Count => "none",
    };
    out.write_all(br#"{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"omp-debug","name":"#)?;
    put(out, &json!(profile.name))?;
    out.write_all(br#","shared":{"frames":["#)?;
    for (number, frame) in profile.frames().iter().enumerate() {
        if number > 0 {
            out.write_all(b",")?;
        }
        let mut value = serde_json::Map::new();
        value.insert("name".to_owned(), json!(&*frame.name));
        if let Some(file) = frame.file.as_ref().or(frame.module.as_ref()) {
            value.insert("file".to_owned(), json!(&**file));
        }
        if let Some(line) = frame.line {
            value.insert("line".to_owned(), json!(line));
        }
        put(out, &value.into())?;
    }
    out.write_all(br#"]},"profiles":["#)?;
    let mut written = 0;
    for thread in (0..).take(profile.threads().len().max(1)).map(ThreadId) {
        let of_thread = || {
            profile
                .samples()
                .iter()
                .filter(move |sample| sample.thread == thread)
        };
        if of_thread().next().is_none() {
            continue;
        }
        if written > 0 {
            out.write_all(b",")?;
        }
        written += 1;
        one(profile, thread, unit, of_thread, out)?;
    }
    out.write_all(b"]}\n")
}

fn one<'a, I: Iterator<Item = &'a Sample>>(
    profile: &Profile,
    thread: ThreadId,
    unit: &str,
    samples: impl Fn() -> I,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = super::thread_name(profile, thread);
    let name = if name.is_empty() {
        profile.name.clone()
    } else {
        name
    };
    let total = samples().fold(0_u64, |sum, sample| sum.saturating_add(sample.weight));
    write!(
        out,
        r#"{{"type":"sampled","unit":"{unit}","startValue":0,"endValue":{total},"name":"#
    )?;
    put(out, &json!(name))?;
    out.write_all(br#","samples":["#)?;
    let mut stack: Vec<u32> = Vec::new();
    for (number, sample) in samples().enumerate() {
        stack.clear();
        stack.extend(profile.frames_of(sample.stack).map(|frame| frame.0));
        if number > 0 {
            out.write_all(b",")?;
        }
        out.write_all(b"[")?;
        for (at, frame) in stack.iter().rev().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(out, "{comma}{frame}")?;
        }
        out.write_all(b"]")?;
    }
    out.write_all(br#"],"weights":["#)?;
    for (number, sample) in samples().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        write!(out, "{comma}{}", sample.weight)?;
    }
    out.write_all(b"]}")
}
