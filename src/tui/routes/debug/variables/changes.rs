//! What has changed since the stop before: values by the frame and the path that they have in the tree.

use std::collections::{HashMap, HashSet};

use super::{
    node::{Node, is_range_key},
    place::{Path, ValuePlace},
};

/// What a value was at a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastValue {
    pub value: String,
    /// What it showed once it had been looked into.
    pub preview: Option<String>,
}

impl LastValue {
    /// Whether it is another one now. The text of a struct stays what it is when its fields change, and what it shows is compared where both
    /// were looked into.
    pub fn differs(&self, value: &str, preview: Option<&str>) -> bool {
        let previews = self.preview.as_deref().zip(preview);
        self.value != value || previews.is_some_and(|(before, now)| differs(before, now))
    }
}

/// Values at this stop and at the one before.
#[derive(Debug, Default)]
pub(super) struct Changes {
    seen: HashMap<Path, LastValue>,
    before: HashMap<Path, LastValue>,
    /// What was open with its rows known, likewise: a row that is new in it was made since.
    held: HashSet<Path>,
    held_before: HashSet<Path>,
}

impl Changes {
    /// The program has stopped anew: what was seen was before.
    pub fn stopped(&mut self) {
        *self = Self {
            before: std::mem::take(&mut self.seen),
            held_before: std::mem::take(&mut self.held),
            ..Self::default()
        };
    }

    /// The rows of the node at `path` are known.
    pub fn hold(&mut self, place: &ValuePlace, path: &Path) {
        self.held.insert(key(place, path));
    }

    /// Marks a node whose value is another one than before.
    pub fn compare(&mut self, place: &ValuePlace, path: &Path, node: &mut Node) {
        if !node.is_value() || node.lazy {
            return;
        }
        let value = value_key(place, path);
        if node.unread {
            // What comes next is compared with what was read last.
            if let Some(before) = self.before.get(&value) {
                self.seen.entry(value).or_insert_with(|| before.clone());
            }
            return;
        }
        // New beside rows that were seen at the stop before: the program has just made it.
        node.changed = match self.before.get(&value) {
            Some(before) => before.differs(&node.value, None),
            None => path
                .split_last()
                .is_some_and(|(_, holder)| self.held_before.contains(&key(place, holder))),
        };
        // What was looked into at this stop stays looked into, also where its text has gaps.
        let seen = self.seen.get(&value).and_then(|seen| seen.preview.as_ref());
        let looked_into = seen.is_some() && seen == node.preview.as_ref();
        let seen = LastValue {
            value: node.value.clone(),
            preview: None,
        };
        self.seen.insert(value, seen);
        if looked_into || !node.wants_preview() {
            self.compare_previews(place, path, node);
        }
    }

    /// The same once it was looked into.
    pub fn compare_previews(&mut self, place: &ValuePlace, path: &Path, node: &mut Node) {
        let key = value_key(place, path);
        if let Some(before) = self.before.get(&key) {
            node.changed |= before.differs(&node.value, node.preview.as_deref());
        }
        if let Some(seen) = self.seen.get_mut(&key) {
            seen.preview.clone_from(&node.preview);
        }
    }
}

/// The frame, the thread and the path of a node.
fn key<'a>(place: &'a ValuePlace, path: impl IntoIterator<Item = &'a String>) -> Path {
    let whose = place.thread.map(|thread| thread.to_string());
    let path = path.into_iter().cloned();
    [place.frame.clone(), whose.unwrap_or_default()]
        .into_iter()
        .chain(path)
        .collect()
}

/// The same of a value: ranges are ours and may be cut differently next time.
fn value_key(place: &ValuePlace, path: &[String]) -> Path {
    key(place, path.iter().filter(|step| !is_range_key(step)))
}

/// Whether values that show this are different ones. Parts may have come too late for one of them: nobody knows what stands in a gap
/// (`…`), nor what belongs to what behind one that only one of them has.
fn differs(before: &str, now: &str) -> bool {
    let gaps = |text: &str| text.matches('…').count();
    let shape_is_same = gaps(before) == gaps(now);
    let both = before.chars().zip(now.chars());
    for (before, now) in both {
        match (before, now) {
            ('…', '…') if shape_is_same => {}
            ('…', _) | (_, '…') => return false,
            (before, now) if before != now => return true,
            _ => {}
        }
    }
    // One is the beginning of the other, then.
    let shared = before.chars().count().min(now.chars().count());
    let rest = |text: &str| text.chars().nth(shared);
    rest(before)
        .or_else(|| rest(now))
        .is_some_and(|next| next != '…')
}

#[cfg(test)]
mod tests {
    use super::differs;

    #[test]
    fn what_stands_in_a_gap_is_not_known() {
        for (before, now, differ) in [
            ("P {x: 1}", "P {x: 1}", false),
            ("P {x: 1}", "P {x: 2}", true),
            ("P {x: 1, …}", "P {x: 1, y: 2}", false),
            ("P {x: …, y: 1}", "P {x: …, y: 2}", true),
            ("P {x: …, y: …}", "P {x: …, y: 2}", false),
            ("abc", "abc…", false),
            ("abc", "abcd", true),
        ] {
            assert_eq!(differs(before, now), differ, "{before} {now}");
            assert_eq!(differs(now, before), differ, "{now} {before}");
        }
    }
}
