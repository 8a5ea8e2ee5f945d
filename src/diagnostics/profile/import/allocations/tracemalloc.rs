//! Snapshots of Python's `tracemalloc`, as `Snapshot.dump` writes them.
//!
//! Format: a pickle of a `tracemalloc.Snapshot`, whose `traces._traces` are tuples of domain, size, traceback and, from Python 3.9 on, the
//! number of frames there were (`Lib/tracemalloc.py`); a traceback is a tuple of files and lines, the innermost first. It has no names of
//! functions: a frame is called by its line.

use std::collections::HashMap;
use std::io::BufRead;

use super::pickle::{self, Item, Trouble, Values};
use super::{Allocations, Figures, ImportError, Known, Site, Tool};
use crate::diagnostics::profile::import::{Strings, line_number};
use crate::diagnostics::profile::{Builder, Frame, StackId, Unit};
use crate::text::amount;

/// The classes of a snapshot.
const CLASSES: &[&str] = &["tracemalloc.Snapshot", "tracemalloc._Traces"];

/// A pickle whose class stands near its beginning.
pub(super) fn looks_like(head: &[u8]) -> bool {
    let near = head.get(..head.len().min(256)).unwrap_or_default();
    head.first() == Some(&0x80) && memchr::memmem::find(near, b"tracemalloc").is_some()
}

fn odd(place: String, why: impl Into<String>) -> ImportError {
    ImportError::Broken {
        format: Tool::Tracemalloc.title(),
        place,
        why: why.into(),
    }
}

/// Reads all of it.
pub(super) fn read(input: impl BufRead) -> Result<Allocations, ImportError> {
    let (values, top) = pickle::read(input, CLASSES).map_err(|trouble| match trouble {
        Trouble::Read(error) => ImportError::Read(error),
        Trouble::CutShort => ImportError::CutShort {
            format: Tool::Tracemalloc.title(),
            place: "its pickle".to_owned(),
        },
        Trouble::Odd(what) => odd("its pickle".to_owned(), what),
    })?;
    let state = |item: Item, class: &str| {
        let (found, state) = values.object(item)?;
        (found == class).then_some(state)
    };
    let traces = state(top, "tracemalloc.Snapshot")
        .and_then(|snapshot| values.field(snapshot, "traces"))
        .and_then(|traces| state(traces, "tracemalloc._Traces"))
        .and_then(|traces| values.field(traces, "_traces"))
        .and_then(|traces| values.list(traces));
    let Some(traces) = traces else {
        return Err(odd(
            "its pickle".to_owned(),
            "it holds no traces of a snapshot",
        ));
    };
    let mut reader = Reader {
        values: &values,
        builder: Builder::new(Unit::Bytes),
        strings: Strings::default(),
        stacks: HashMap::new(),
        sites: HashMap::new(),
        cut: 0,
    };
    for (at, trace) in traces.iter().enumerate() {
        reader.trace(*trace).ok_or_else(|| {
            odd(
                format!("trace {at}"),
                "it is none of a size and a traceback",
            )
        })?;
    }
    Ok(reader.finish())
}

struct Reader<'v> {
    values: &'v Values,
    builder: Builder,
    strings: Strings,
    /// By the place of the traceback, which is shared by all traces that have it.
    stacks: HashMap<u32, StackId>,
    sites: HashMap<StackId, Figures>,
    /// Traces of which Python kept only the innermost frames.
    cut: u64,
}

impl Reader<'_> {
    fn trace(&mut self, trace: Item) -> Option<()> {
        let fields = self.values.list(trace)?;
        let (size, traceback, frames) = match fields {
            [_, Item::Number(size), traceback]
            | [_, Item::Number(size), traceback, Item::Nothing] => (*size, *traceback, None),
            [_, Item::Number(size), traceback, Item::Number(frames)] => {
                (*size, *traceback, Some(*frames))
            }
            _ => return None,
        };
        let size = u64::try_from(size).ok()?;
        let Item::List(place) = traceback else {
            return None;
        };
        let kept = self.values.list(traceback)?.len();
        let is_cut = frames
            .and_then(|frames| usize::try_from(frames).ok())
            .is_some_and(|frames| frames > kept);
        self.cut += u64::from(is_cut);
        let stack = if let Some(stack) = self.stacks.get(&place) {
            *stack
        } else {
            let stack = self.stack(traceback)?;
            self.stacks.insert(place, stack);
            stack
        };
        self.sites.entry(stack).or_default().add(&Figures {
            bytes: size,
            blocks: 1,
            ..Figures::default()
        });
        Some(())
    }

    fn stack(&mut self, traceback: Item) -> Option<StackId> {
        let mut stack = None;
        for frame in self.values.list(traceback)?.iter().rev() {
            let [file, Item::Number(line)] = self.values.list(*frame)? else {
                return None;
            };
            let file = self.values.text(*file)?;
            let short = file.rsplit('/').next().unwrap_or(file);
            let frame = Frame {
                name: self.strings.get(&format!("{short}:{line}")),
                file: self.strings.some(file),
                line: line_number(*line),
                module: None,
            };
            let frame = self.builder.frame(frame);
            stack = Some(self.builder.stack(stack, frame));
        }
        Some(stack.unwrap_or_else(|| {
            let frame = self.builder.frame(Frame {
                name: "(no stack)".into(),
                ..Frame::default()
            });
            self.builder.stack(None, frame)
        }))
    }

    fn finish(mut self) -> Allocations {
        let sites = self.sites.into_iter();
        let mut sites: Vec<Site> = sites
            .map(|(stack, figures)| Site { stack, figures })
            .collect();
        sites.sort_by_key(|site| site.stack);
        if self.cut > 0 {
            let note = format!(
                "{} allocated deeper than tracemalloc was told to look: tracemalloc.start(25) keeps 25 frames",
                amount::count(self.cut, "block was", "blocks were")
            );
            self.builder.about().notes.push(note);
        }
        Allocations::new(Tool::Tracemalloc, self.builder, sites, Known::default())
    }
}
