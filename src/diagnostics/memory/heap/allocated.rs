//! Heap profiles by function, by file and by the places that allocate; read by `profile::import`.
//!
//! What stands in a [`Class`] of a snapshot has a meaning for these as well: `count` are blocks, `shallow` are the bytes that a function
//! allocated itself, `retained` those that it and what it called allocated, once however often it calls itself.

use std::cmp::Reverse;

use super::{Class, Format, Heap, More, Object, dominators::NONE, once::held_once};
use crate::{
    prelude::*,
    profile::{
        Frame, Profile, StackId,
        import::{
            ImportError,
            allocations::{Allocations, Figures},
        },
    },
};

/// Largest sites.
const LARGEST: usize = 100;
/// Callers that are named of each.
const HELD_BY: usize = 8;

/// Names that functions of several files have.
fn shared_names(profile: &Profile) -> HashSet<Arc<str>> {
    let mut files: HashMap<&Arc<str>, &Arc<str>> = HashMap::new();
    let mut shared = HashSet::new();
    for frame in &profile.frames {
        if let Some(file) = &frame.file
            && *files.entry(&frame.name).or_insert(file) != file
        {
            shared.insert(Arc::clone(&frame.name));
        }
    }
    shared
}

/// Sums up a heap profile.
pub fn summarise(found: &Allocations, cancel: &Cancel) -> Result<Heap, ImportError> {
    let profile = &found.profile;
    let total = found.total();
    let mut own: Vec<Figures> = vec![Figures::default(); profile.stacks.len()];
    for site in &found.sites {
        if let Some(own) = own.get_mut(site.stack.0 as usize) {
            own.add(&site.figures);
        }
    }
    let stacks = Stacks::new(profile, own);
    let shared = shared_names(profile);
    let function = |frame: &Frame| match &frame.file {
        // As `<module>` and `__init__`: told apart by their files.
        Some(file) if shared.contains(&frame.name) => {
            let short = file.rsplit('/').next().unwrap_or(file);
            format!("{} ({short})", frame.name)
        }
        _ => frame.name.to_string(),
    };
    let file = |frame: &Frame| {
        let place = frame.file.as_deref().or(frame.module.as_deref());
        place.unwrap_or("(unknown)").to_owned()
    };
    let mut heap = Heap {
        format: Format::Heaptrack,
        objects: total.blocks,
        total: total.bytes,
        more: Some(more(&total)),
        // The first says what is counted, which the headline does.
        notes: profile.notes.iter().skip(1).cloned().collect(),
        classes: stacks.by(function, cancel)?,
        files: stacks.by(file, cancel)?,
        ..Heap::default()
    };
    let mut largest = found.sites.clone();
    largest.sort_by_key(|site| {
        let figures = &site.figures;
        Reverse((
            figures.bytes,
            figures.leaked,
            figures.allocated,
            Reverse(site.stack),
        ))
    });
    let largest = largest.iter().take(LARGEST);
    heap.largest = largest
        .map(|one| site(profile, one.stack, &one.figures))
        .collect();
    Ok(heap)
}

fn more(figures: &Figures) -> More {
    More {
        allocated: figures.allocated,
        calls: figures.calls,
        leaked: figures.leaked,
        leaked_blocks: figures.leaked_blocks,
        temporary: figures.temporary,
        peak: true,
    }
}

fn site(profile: &Profile, stack: StackId, figures: &Figures) -> Object {
    let mut frames = profile
        .frames_of(stack)
        .filter_map(|frame| profile.frame(frame));
    let inner = frames.next();
    Object {
        id: figures.blocks,
        class: inner
            .map(|frame| frame.name.to_string())
            .unwrap_or_default(),
        name: inner.and_then(place).unwrap_or_default(),
        shallow: figures.bytes,
        retained: figures.bytes,
        held_by: frames
            .take(HELD_BY)
            .map(|frame| frame.name.to_string())
            .collect(),
        more: Some(more(figures)),
    }
}

/// `alloc.c:12`, without folders.
fn place(frame: &Frame) -> Option<String> {
    let file = frame.file.as_deref().or(frame.module.as_deref())?;
    let name = file.rsplit('/').next().unwrap_or(file);
    Some(match frame.line {
        Some(line) => format!("{name}:{line}"),
        None => name.to_owned(),
    })
}

/// The stacks, with what each allocated itself and with all that it called.
struct Stacks<'p> {
    profile: &'p Profile,
    own: Vec<Figures>,
    with_called: Vec<u64>,
    /// Who called each.
    above: Vec<u32>,
}

impl<'p> Stacks<'p> {
    fn new(profile: &'p Profile, own: Vec<Figures>) -> Self {
        let callers = profile.stacks.iter();
        let above: Vec<u32> = callers.map(|s| s.parent.map_or(NONE, |p| p.0)).collect();
        let mut with_called: Vec<u64> = own.iter().map(|figures| figures.bytes).collect();
        // A caller has a smaller number than what it calls.
        for (called, caller) in above.iter().enumerate().rev() {
            let bytes = slots::at(&with_called, called);
            slots::add(&mut with_called, *caller, bytes);
        }
        Self {
            profile,
            own,
            with_called,
            above,
        }
    }

    /// Sums by what frames are called; the most bytes first.
    fn by(
        &self,
        key: impl Fn(&Frame) -> String,
        cancel: &Cancel,
    ) -> Result<Vec<Class>, ImportError> {
        let mut names: HashMap<String, usize> = HashMap::new();
        let mut classes: Vec<(Class, Figures)> = Vec::new();
        let mut class_of: Vec<usize> = Vec::with_capacity(self.profile.frames.len());
        for frame in &self.profile.frames {
            class_of.push(*names.entry(key(frame)).or_insert_with_key(|name| {
                let class = Class {
                    name: name.clone(),
                    ..Class::default()
                };
                classes.push((class, Figures::default()));
                classes.len() - 1
            }));
        }
        let class_at = |stack: u32| {
            let stack = self.profile.stack(StackId(stack));
            stack.map_or(usize::MAX, |stack| slots::at(&class_of, stack.frame.0))
        };
        for (stack, own) in (0..).zip(&self.own) {
            if let Some((_, sum)) = classes.get_mut(class_at(stack)) {
                sum.add(own);
            }
        }
        let (above, held) = (&self.above, &self.with_called);
        let retained = held_once(above, class_at, held, classes.len(), cancel)?;
        for ((class, _), retained) in classes.iter_mut().zip(retained) {
            class.retained = retained;
        }
        let mut classes: Vec<Class> = classes
            .into_iter()
            // Inside of the allocator, or callers of nothing that is counted.
            .filter(|(class, sum)| (class.retained, *sum) != (0, Figures::default()))
            .map(|(class, sum)| Class {
                count: sum.blocks,
                shallow: sum.bytes,
                more: Some(more(&sum)),
                ..class
            })
            .collect();
        classes.sort_by(|a, b| {
            (b.shallow, b.retained, &a.name).cmp(&(a.shallow, a.retained, &b.name))
        });
        Ok(classes)
    }
}
