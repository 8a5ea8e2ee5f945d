//! pprof, compressed as its tools want it.
//!
//! The format is <https://github.com/google/pprof/blob/main/proto/profile.proto>. Each frame is a location; threads are labels.

use std::time::UNIX_EPOCH;

use flate2::{Compression, write::GzEncoder};

use super::{super::wire::Message, Strings};
use crate::profile::prelude::*;

/// Writes the message.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut out = GzEncoder::new(out, Compression::new(6));
    let mut strings = Strings::default();
    // The empty one is the first.
    strings.get("");
    let mut message = Message::default();
    let (kind, unit) = match profile.unit {
        Unit::Nanoseconds => ("cpu", "nanoseconds"),
        Unit::Bytes => ("space", "bytes"),
        Unit::Samples => ("samples", "count"),
        Unit::Count => ("events", "count"),
    };
    // How often a stack was seen goes first where weights are something else, as Go has it.
    let has_seen = profile.unit != Unit::Samples;
    let mut types = vec![(kind, unit)];
    if has_seen {
        types.insert(0, ("samples", "count"));
    }
    for (kind, unit) in types {
        let (kind, unit) = (strings.get(kind), strings.get(unit));
        message.message(1, Message::default().number(1, kind).number(2, unit));
    }
    for ((thread, stack), (weight, seen)) in super::by_stack(profile) {
        let mut inner = Message::default();
        // Numbers of locations are those of frames, from 1.
        inner.numbers(
            1,
            profile.frames_of(stack).map(|frame| u64::from(frame.0) + 1),
        );
        let values = [seen, weight];
        inner.numbers(2, values.into_iter().skip(usize::from(!has_seen)));
        if let Some(thread) = profile.threads.get(thread.0 as usize) {
            if !thread.name.is_empty() {
                let (key, name) = (strings.get("thread"), strings.get(&thread.name));
                inner.message(3, Message::default().number(1, key).number(2, name));
            }
            let numbers = [("tid", thread.tid), ("pid", thread.pid.map(u64::from))];
            for (key, number) in numbers {
                if let Some(number) = number {
                    let key = strings.get(key);
                    inner.message(3, Message::default().number(1, key).number(3, number));
                }
            }
        }
        message.message(2, &inner);
        out.write_all(&message.0)?;
        message.0.clear();
    }
    let mut modules: HashMap<&str, u64> = HashMap::new();
    let mut functions: HashMap<(u64, u64), u64> = HashMap::new();
    for (id, frame) in (1_u64..).zip(&profile.frames) {
        let module = frame.module.as_deref().unwrap_or_default();
        let next = modules.len() as u64 + 1;
        let mapping = *modules.entry(module).or_insert_with(|| {
            let file = strings.get(module);
            let mut inner = Message::default();
            // It has its functions: nobody needs to look for the program.
            inner.number(1, next).number(5, file).number(7, 1);
            message.message(3, &inner);
            next
        });
        let name = strings.get(&frame.name);
        let file = strings.get(frame.file.as_deref().unwrap_or_default());
        let next = functions.len() as u64 + 1;
        let function = *functions.entry((name, file)).or_insert_with(|| {
            let mut inner = Message::default();
            inner.number(1, next).number(2, name).number(3, name);
            inner.number(4, file);
            message.message(5, &inner);
            next
        });
        let mut line = Message::default();
        line.number(1, function);
        line.number(2, u64::from(frame.line.unwrap_or(0)));
        let mut inner = Message::default();
        inner.number(1, id).number(2, mapping).message(4, &line);
        message.message(4, &inner);
        out.write_all(&message.0)?;
        message.0.clear();
    }
    let since = profile
        .started
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanos = |time: Option<Duration>| {
        time.and_then(|time| u64::try_from(time.as_nanos()).ok())
            .unwrap_or(0)
    };
    message.number(9, nanos(since));
    message.number(10, nanos(profile.duration));
    if profile.interval.is_some() {
        let (kind, unit) = (strings.get("cpu"), strings.get("nanoseconds"));
        message.message(11, Message::default().number(1, kind).number(2, unit));
        message.number(12, nanos(profile.interval));
    }
    for text in &strings.all {
        message.bytes(6, text.as_bytes());
    }
    out.write_all(&message.0)?;
    out.finish()?;
    Ok(())
}
