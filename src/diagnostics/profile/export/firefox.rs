//! The processed form of profiler.firefox.com, in its version 48: for each thread tables of its samples, stacks, frames, functions and
//! strings.
//!
//! The format is <https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md>.

use std::time::UNIX_EPOCH;

use super::{Strings, list, put, threads};
use crate::profile::prelude::*;

/// Milliseconds between samples when that is not known: the format wants a number.
const INTERVAL: f64 = 1.0;

/// The tables of one thread.
#[derive(Default)]
struct Tables {
    strings: Strings,
    stacks: HashMap<StackId, usize>,
    stack_frames: Vec<usize>,
    stack_prefixes: Vec<Option<usize>>,
    /// A function for each frame: the viewer merges by name.
    frames: HashMap<FrameId, usize>,
    frame_lines: Vec<Option<u32>>,
    func_names: Vec<u64>,
    func_files: Vec<Option<u64>>,
    func_resources: Vec<Option<usize>>,
    resources: Vec<u64>,
}

impl Tables {
    fn frame(&mut self, profile: &Profile, id: FrameId) -> usize {
        if let Some(known) = self.frames.get(&id) {
            return *known;
        }
        let frame = profile.frame(id).cloned().unwrap_or_default();
        let number = self.func_names.len();
        let name = self.strings.get(&frame.name);
        let file = frame.file.as_deref().map(|file| self.strings.get(file));
        let resource = frame.module.as_deref().map(|module| {
            let name = self.strings.get(module);
            let known = self.resources.iter().position(|known| *known == name);
            known.unwrap_or_else(|| {
                self.resources.push(name);
                self.resources.len() - 1
            })
        });
        self.frame_lines.push(frame.line);
        self.func_names.push(name);
        self.func_files.push(file);
        self.func_resources.push(resource);
        self.frames.insert(id, number);
        number
    }

    fn stack(&mut self, profile: &Profile, id: StackId) -> Option<usize> {
        // Up to a stack that is known, then down again.
        let mut way = Vec::new();
        let mut next = Some(id);
        let mut above = None;
        while let Some(here) = next {
            if let Some(known) = self.stacks.get(&here) {
                above = Some(*known);
                break;
            }
            way.push(here);
            next = profile.stack(here).and_then(|stack| stack.parent);
        }
        for here in way.into_iter().rev() {
            let frame = profile.stack(here)?.frame;
            let frame = self.frame(profile, frame);
            let number = self.stack_frames.len();
            self.stack_frames.push(frame);
            self.stack_prefixes.push(above);
            self.stacks.insert(here, number);
            above = Some(number);
        }
        above
    }
}

/// Writes the file, a thread after the other.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let since = profile
        .started
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let interval = profile
        .interval
        .map_or(INTERVAL, |time| time.as_secs_f64() * 1000.0);
    let meta = json!({
        "version": 27,
        "preprocessedProfileVersion": 48,
        "interval": interval,
        "startTime": since.map_or(0.0, |time| time.as_secs_f64() * 1000.0),
        "processType": 0,
        "product": profile.name,
        "stackwalk": 1,
        "debug": false,
        "symbolicated": true,
        "usesOnlyOneStackType": true,
        "doesNotUseFrameImplementation": true,
        "sourceCodeIsNotOnSearchfox": true,
        "extensions": { "id": [], "name": [], "baseURL": [], "length": 0 },
        "sampleUnits": { "time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns" },
        "categories": [{ "name": "Other", "color": "grey", "subcategories": ["Other"] }],
        "markerSchema": [],
    });
    out.write_all(br#"{"meta":"#)?;
    put(out, &meta)?;
    out.write_all(br#","libs":[],"pages":[],"threads":["#)?;
    let mut is_main = true;
    list(out, threads(profile), |out, (thread, samples)| {
        let is_main = std::mem::take(&mut is_main);
        put(out, &one(profile, thread, &samples, is_main))
    })?;
    out.write_all(b"]}\n")
}

fn one(profile: &Profile, thread: ThreadId, samples: &[&Sample], is_main: bool) -> Value {
    let mut tables = Tables::default();
    let stacks: Vec<_> = samples
        .iter()
        .map(|sample| tables.stack(profile, sample.stack))
        .collect();
    let weight_type = match profile.unit {
        Unit::Nanoseconds => "tracing-ms",
        Unit::Bytes => "bytes",
        Unit::Samples | Unit::Count => "samples",
    };
    let weights: Vec<Value> = samples
        .iter()
        .map(|sample| match profile.unit {
            Unit::Nanoseconds => json!(sample.weight as f64 * 1e-6),
            _ => json!(sample.weight),
        })
        .collect();
    let times: Vec<f64> = (0_u32..)
        .zip(samples)
        .map(|(number, sample)| match sample.at {
            Sample::NO_TIME => f64::from(number),
            at => at as f64 / 1e6,
        })
        .collect();
    let about = profile.threads.get(thread.0 as usize);
    let name = about.map(|about| &*about.name).unwrap_or_default();
    let name = if name.is_empty() { "main" } else { name };
    let count = samples.len();
    let (frames, stack_count) = (tables.func_names.len(), tables.stack_frames.len());
    let nothing = |len: usize| vec![Value::Null; len];
    let resource: Vec<i64> = tables
        .func_resources
        .iter()
        .map(|resource| resource.map_or(-1, |at| at as i64))
        .collect();
    json!({
        "processType": "default",
        "processName": profile.name,
        "processStartupTime": 0,
        "processShutdownTime": null,
        "registerTime": 0,
        "unregisterTime": null,
        "pausedRanges": [],
        "name": name,
        "isMainThread": is_main,
        "showMarkersInTimeline": false,
        "pid": about.and_then(|about| about.pid).unwrap_or(0).to_string(),
        "tid": about.and_then(|about| about.tid).unwrap_or_else(|| u64::from(thread.0)),
        "samples": {
            "weightType": weight_type,
            "weight": weights,
            "stack": stacks,
            "time": times,
            "length": count,
        },
        "markers": {
            "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [],
            "length": 0,
        },
        "stackTable": {
            "frame": tables.stack_frames,
            "prefix": tables.stack_prefixes,
            "category": vec![0; stack_count],
            "subcategory": vec![0; stack_count],
            "length": stack_count,
        },
        "frameTable": {
            "address": vec![-1; frames],
            "inlineDepth": vec![0; frames],
            "category": nothing(frames),
            "subcategory": nothing(frames),
            "func": (0..frames).collect::<Vec<_>>(),
            "nativeSymbol": nothing(frames),
            "innerWindowID": nothing(frames),
            "implementation": nothing(frames),
            "line": tables.frame_lines,
            "column": nothing(frames),
            "length": frames,
        },
        "funcTable": {
            "isJS": vec![false; frames],
            "relevantForJS": vec![false; frames],
            "name": tables.func_names,
            "resource": resource,
            "fileName": tables.func_files,
            "lineNumber": nothing(frames),
            "columnNumber": nothing(frames),
            "length": frames,
        },
        "resourceTable": {
            "lib": nothing(tables.resources.len()),
            "host": nothing(tables.resources.len()),
            "type": vec![0; tables.resources.len()],
            "name": tables.resources,
            "length": tables.resources.len(),
        },
        "nativeSymbols": {
            "libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0,
        },
        "stringArray": tables.strings.all,
    })
}
