//! All functions and threads as one JSON object, for scripts.

use crate::profile::{
    prelude::*,
    tree::{Options, Tree},
};

/// The name of a unit in the file.
pub const fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Samples => "samples",
        Unit::Nanoseconds => "nanoseconds",
        Unit::Bytes => "bytes",
        Unit::Count => "count",
    }
}

/// Writes the object: weights are whole numbers in its unit, lines count from 1.
pub fn write(profile: &Profile, out: &mut dyn Write, cancel: &Cancel) -> io::Result<()> {
    let options = Options {
        idle: true,
        debuggers: true,
        ..Options::default()
    };
    let tree = Tree::build(profile, None, &options, cancel);
    let mut threads: Vec<u64> = vec![0; profile.threads.len()];
    for sample in &profile.samples {
        slots::add(&mut threads, sample.thread.0, sample.weight);
    }
    let functions: Vec<_> = tree
        .rows
        .iter()
        .filter_map(|row| {
            let function = tree.function(row.function)?;
            Some(json!({
                "name": &*function.name,
                "file": function.file.as_deref(),
                "line": function.line,
                "module": function.module.as_deref(),
                "own": row.weight.own,
                "total": row.weight.total,
            }))
        })
        .collect();
    let nanos = |time: Option<Duration>| time.map(nanoseconds);
    let all = json!({
        "name": profile.name,
        "unit": unit(profile.unit),
        "total": tree.total(),
        "duration_ns": nanos(profile.duration),
        "interval_ns": nanos(profile.interval),
        "samples": profile.samples.len(),
        "lost": profile.lost,
        "notes": profile.notes,
        "threads": profile
            .threads
            .iter()
            .zip(&threads)
            .map(|(thread, weight)| json!({
                "name": &*thread.name,
                "pid": thread.pid,
                "tid": thread.tid,
                "weight": weight,
            }))
            .collect::<Vec<_>>(),
        "functions": functions,
    });
    super::put(out, &all)?;
    out.write_all(b"\n")
}
