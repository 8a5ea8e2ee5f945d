//! speedscope's own format: the frames once, then for each thread its samples as lists of their numbers.
//!
//! The schema is <https://www.speedscope.app/file-format-schema.json>.

use super::{list, put, threads};
use crate::profile::prelude::*;

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
    list(out, profile.frames.iter(), |out, frame| {
        let mut value = serde_json::Map::new();
        value.insert("name".to_owned(), json!(&*frame.name));
        if let Some(file) = frame.file.as_ref().or(frame.module.as_ref()) {
            value.insert("file".to_owned(), json!(&**file));
        }
        if let Some(line) = frame.line {
            value.insert("line".to_owned(), json!(line));
        }
        put(out, &value.into())
    })?;
    out.write_all(br#"]},"profiles":["#)?;
    list(out, threads(profile), |out, (thread, samples)| {
        one(profile, thread, unit, &samples, out)
    })?;
    out.write_all(b"]}\n")
}

fn one(
    profile: &Profile,
    thread: ThreadId,
    unit: &str,
    samples: &[&Sample],
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = super::thread_name(profile, thread);
    let name = if name.is_empty() {
        &profile.name
    } else {
        &name
    };
    let total = samples
        .iter()
        .fold(0_u64, |sum, sample| sum.saturating_add(sample.weight));
    write!(
        out,
        r#"{{"type":"sampled","unit":"{unit}","startValue":0,"endValue":{total},"name":"#
    )?;
    put(out, &json!(name))?;
    out.write_all(br#","samples":["#)?;
    let mut stack: Vec<u32> = Vec::new();
    list(out, samples.iter(), |out, sample| {
        stack.clear();
        stack.extend(profile.frames_of(sample.stack).map(|frame| frame.0));
        out.write_all(b"[")?;
        list(out, stack.iter().rev(), |out, frame| write!(out, "{frame}"))?;
        out.write_all(b"]")
    })?;
    out.write_all(br#"],"weights":["#)?;
    list(out, samples.iter(), |out, sample| {
        write!(out, "{}", sample.weight)
    })?;
    out.write_all(b"]}")
}
