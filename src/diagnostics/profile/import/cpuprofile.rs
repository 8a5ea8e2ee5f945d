//! `.cpuprofile`: a tree of functions, which of its nodes ran at each look, and the time between looks.
//!
//! Written by V8 (`node --cpu-prof`, Chrome, Bun, omp's bundles). Lines and columns count from 0, times are microseconds. The
//! numbers of a large file are most of it, so they are taken up while they are read: what is kept of a look is four bytes until its time
//! is known.

use serde::de::MapAccess;

use crate::{each::Each, profile::import::prelude::*};

const FORMAT: &str = ".cpuprofile";
/// What V8 calls the node above all.
const ROOT: &str = "(root)";
const NONE: u32 = u32::MAX;

/// A node as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: u32,
    call_frame: Call,
    #[serde(default)]
    hit_count: u64,
    children: Option<Vec<u32>>,
    /// Traces name the caller instead.
    parent: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    #[serde(default)]
    function_name: String,
    #[serde(default)]
    url: String,
    line_number: Option<f64>,
}

/// What is kept of a node.
struct ProfileNode {
    id: u32,
    parent: u32,
    frame: FrameId,
    hits: u64,
}

/// A number for the number of each node: where it stands, or its stack.
enum Index {
    Dense(Vec<u32>),
    Sparse(HashMap<u32, u32>),
}

impl Index {
    fn of(kept: &[ProfileNode], of_each: impl IntoIterator<Item = u32>) -> Self {
        let most = kept.iter().map(|node| node.id).max().unwrap_or(0) as usize;
        let pairs = kept.iter().map(|node| node.id).zip(of_each);
        // Numbers are dense in what V8 writes.
        if most > kept.len().saturating_mul(4) + 1024 {
            return Self::Sparse(pairs.collect());
        }
        let mut all = vec![NONE; most + 1];
        for (id, number) in pairs {
            slots::put(&mut all, id, number);
        }
        Self::Dense(all)
    }

    fn get(&self, id: u32) -> Option<u32> {
        let found = match self {
            Self::Dense(all) => all.get(id as usize),
            Self::Sparse(all) => all.get(&id),
        };
        found.copied().filter(|number| *number != NONE)
    }
}

/// What was read so far.
#[derive(Default)]
pub struct Cpu {
    builder: Builder,
    strings: Strings,
    kept: Option<Vec<ProfileNode>>,
    edges: Vec<(u32, u32)>,
    stacks: Option<Index>,
    looks: Option<Vec<u32>>,
    /// Only when they come before what they are the times of.
    early: Option<Vec<f64>>,
    /// The time of the newest look, in nanoseconds since the beginning.
    at: i64,
    /// Looks whose time is known.
    seen: usize,
    trouble: Option<String>,
    /// When it began, in microseconds.
    start: Option<f64>,
    /// When it ended, in microseconds.
    end: Option<f64>,
}

impl Cpu {
    /// Whether this is one at all.
    pub fn is_there(&self) -> bool {
        self.kept.is_some()
    }

    /// Takes up a member of the file; false when it is none of this format's.
    pub fn member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        map: &mut A,
    ) -> Result<bool, A::Error> {
        match name {
            "nodes" => {
                self.kept.get_or_insert_default();
                map.next_value_seed(Each("a list", &mut |node| {
                    self.node(node);
                    Ok(())
                }))?;
            }
            // The numbers of the nodes that ran.
            "samples" => {
                let looks = self.looks.get_or_insert_default();
                map.next_value_seed(Each("a list", &mut |id| {
                    looks.push(id);
                    Ok(())
                }))?;
            }
            // The times between looks.
            "timeDeltas" if self.kept.is_some() && self.looks.is_some() => {
                self.resolve();
                map.next_value_seed(Each("a list", &mut |delta| {
                    self.delta(delta);
                    Ok(())
                }))?;
            }
            "timeDeltas" => {
                let early = self.early.get_or_insert_default();
                map.next_value_seed(Each("a list", &mut |delta| {
                    early.push(delta);
                    Ok(())
                }))?;
            }
            "startTime" => self.start = map.next_value()?,
            "endTime" => self.end = map.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn node(&mut self, node: Node) {
        let line = node.call_frame.line_number;
        let name = if node.call_frame.function_name.is_empty() {
            "(anonymous)"
        } else {
            &node.call_frame.function_name
        };
        let frame = Frame {
            name: self.strings.get(name),
            file: self.strings.some(&plain_path(&node.call_frame.url)),
            line: line.and_then(|line| line_number((line as i64).saturating_add(1))),
            module: None,
        };
        let frame = self.builder.frame(frame);
        let children = node.children.unwrap_or_default();
        self.edges
            .extend(children.into_iter().map(|child| (child, node.id)));
        if let Some(kept) = &mut self.kept {
            kept.push(ProfileNode {
                id: node.id,
                parent: node.parent.unwrap_or(NONE),
                frame,
                hits: node.hit_count,
            });
        }
    }

    /// Makes the stacks, once all nodes are known.
    fn resolve(&mut self) {
        if self.stacks.is_some() {
            return;
        }
        let mut kept = self.kept.take().unwrap_or_default();
        let index = Index::of(&kept, 0..);
        let at_of = |id| index.get(id).map(|at| at as usize);
        for (child, parent) in std::mem::take(&mut self.edges) {
            match at_of(child).and_then(|at| kept.get_mut(at)) {
                Some(node) => node.parent = parent,
                None => {
                    self.trouble.get_or_insert_with(|| {
                        format!("node {parent} has the child {child}, which is not there")
                    });
                }
            }
        }
        // A node's stack needs its caller's: up to one that is known, then down again.
        let root = self.strings.get(ROOT);
        let mut done: Vec<Option<u32>> = vec![None; kept.len()];
        let mut way: Vec<usize> = Vec::new();
        for first in 0..kept.len() {
            if self.trouble.is_some() {
                break;
            }
            let mut above = None;
            let mut next = Some(first);
            while let Some(at) = next {
                if let Some(stack) = slots::at(&done, at) {
                    above = (stack != NONE).then_some(StackId(stack));
                    break;
                }
                if way.len() > kept.len() {
                    let id = kept.get(at).map_or(0, |node| node.id);
                    self.trouble
                        .get_or_insert_with(|| format!("node {id} is among its own callers"));
                    way.clear();
                    break;
                }
                way.push(at);
                next = kept
                    .get(at)
                    .filter(|node| node.parent != NONE)
                    .and_then(|node| at_of(node.parent));
            }
            while let Some(at) = way.pop() {
                let Some(node) = kept.get(at) else { continue };
                let is_root = node.parent == NONE
                    && self
                        .builder
                        .so_far()
                        .frame(node.frame)
                        .is_some_and(|frame| Arc::ptr_eq(&frame.name, &root));
                // What is above everything says nothing.
                above = (!is_root).then(|| self.builder.stack(above, node.frame));
                let stack = above.map_or(NONE, |stack| stack.0);
                slots::put(&mut done, at, Some(stack));
            }
        }
        self.stacks = Some(Index::of(
            &kept,
            done.into_iter().map(|stack| stack.unwrap_or(NONE)),
        ));
        self.kept = Some(kept);
    }

    fn delta(&mut self, micros: f64) {
        let nanos = (micros * 1000.0).round() as i64;
        if let Some(before) = self.seen.checked_sub(1) {
            self.look(before, self.at, nanos);
        }
        self.seen += 1;
        self.at = self.at.saturating_add(nanos);
    }

    /// What ran at a look ran until the next one.
    fn look(&mut self, number: usize, at: i64, lasted: i64) {
        let Some(id) = self.looks.as_ref().and_then(|looks| looks.get(number)) else {
            return;
        };
        let id = *id;
        let stack = match self.stacks.as_ref().and_then(|stacks| stacks.get(id)) {
            Some(stack) => StackId(stack),
            None => self.outside(id),
        };
        self.builder.sample(Sample {
            stack,
            thread: ThreadId(0),
            weight: u64::try_from(lasted).unwrap_or(0),
            at: u64::try_from(at).unwrap_or(0),
        });
    }

    /// The stack of a sample that is at the root, or at no node at all.
    fn outside(&mut self, id: u32) -> StackId {
        // It is looked for until the first one is missing.
        if self.trouble.is_none()
            && let Some(kept) = &self.kept
            && !kept.iter().any(|node| node.id == id)
        {
            self.trouble = Some(format!("a sample is at node {id}, which is not there"));
        }
        let frame = Frame::named(self.strings.get(ROOT));
        let frame = self.builder.frame(frame);
        self.builder.stack(None, frame)
    }

    /// The profile.
    pub fn finish(mut self) -> Result<Profile> {
        self.builder.thread(Thread::default());
        self.resolve();
        if let Some(early) = self.early.take() {
            for delta in early {
                self.delta(delta);
            }
        }
        let count = self.looks.as_ref().map_or(0, Vec::len);
        let span = match (self.start, self.end) {
            (Some(start), Some(end)) if end > start => Some((end - start) * 1000.0),
            _ => None,
        };
        if self.seen > 0 {
            let left = span.map_or(0, |span| span as i64).saturating_sub(self.at);
            self.look(self.seen - 1, self.at, left.max(0));
            if count > self.seen {
                let without = count - self.seen;
                let note = format!(
                    "{} no time: left out",
                    amount::count(without as u64, "sample has", "samples have")
                );
                self.builder.about().notes.push(note);
            }
            self.builder.about().unit = Unit::Nanoseconds;
        } else if count > 0 {
            // Without times, looks are taken to be equally far apart.
            let step = span.map_or(0, |span| (span / count as f64) as i64);
            for number in 0..count {
                let at = step.saturating_mul(number as i64);
                self.look(number, at, step.max(1));
            }
            let unit = if step > 0 {
                Unit::Nanoseconds
            } else {
                Unit::Samples
            };
            self.builder.about().unit = unit;
        } else {
            self.hits();
        }
        if let Some(why) = self.trouble {
            return Err(ImportError::broken(FORMAT, "its nodes", why));
        }
        let about = self.builder.about();
        about.duration = span.map(|span| Duration::from_nanos(span as u64));
        if let (Some(all), 1..) = (about.duration, count) {
            about.interval = u32::try_from(count).ok().map(|count| all / count);
        }
        Ok(self.builder.finish())
    }

    /// Without samples there is how often each node was met.
    fn hits(&mut self) {
        let kept = self.kept.take().unwrap_or_default();
        for node in kept.iter().filter(|node| node.hits > 0) {
            let stack = match self.stacks.as_ref().and_then(|stacks| stacks.get(node.id)) {
                Some(stack) => StackId(stack),
                None => self.builder.stack(None, node.frame),
            };
            self.builder.sample(Sample {
                stack,
                thread: ThreadId(0),
                weight: node.hits,
                at: Sample::NO_TIME,
            });
        }
        self.builder.about().unit = Unit::Samples;
    }
}
