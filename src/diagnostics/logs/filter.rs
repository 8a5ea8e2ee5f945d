//! Which entries are wanted.

use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

use super::{
    quick::{Minute, quick},
    record::{Entry, Level},
    shape::Shape,
    shown::ShownMatcher,
    source::Source,
    unit::{BLOCK, LARGE, Unit, first_line, read_entry},
};

/// A found text of a line larger than a block may stand across two; this much of both is looked at together.
const OVERLAP: usize = 4096;
/// Clocks jump: entries are looked for this much before the time that is asked for.
const MARGIN: i64 = 3_600_000;
/// An expression that goes on beyond an entry so often is tried on each entry by itself.
const BEYOND: usize = 8;

/// Why a pattern cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pattern:?} is no regular expression: {reason}")]
pub struct FilterError {
    /// As written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

#[derive(Clone, Debug)]
struct Pattern {
    regex: Regex,
    /// Whether entries in which it is found are the wanted ones, or the others.
    wanted: bool,
    /// What finds in many entries at once whatever this finds in one of them, and maybe more.
    block: Option<Regex>,
    /// What it finds in entries as they are shown.
    shown: ShownMatcher,
}

impl Pattern {
    fn new(pattern: &str, wanted: bool) -> Result<Self, FilterError> {
        let regex = compile(pattern)?;
        let (shown, more) = ShownMatcher::of(pattern, &regex);
        // What looks at the end of an entry, or changes what a line is, sees another one in a block.
        let inner = pattern.strip_prefix("(?i)").unwrap_or(pattern);
        let spans = !["(?", "$", "\\A", "\\z"]
            .iter()
            .any(|part| inner.contains(part));
        let block = match more {
            _ if !spans || shown.has_levels() => None,
            Some(more) => Some(compile(&more)?),
            None if shown.is_empty() => Some(regex.clone()),
            None => None,
        };
        Ok(Self {
            regex,
            wanted,
            block,
            shown,
        })
    }

    /// Whether an entry is wanted that stands like this in the file.
    fn takes(&self, source: &Source, text: &[u8]) -> bool {
        self.finds(source, text) == self.wanted
    }

    fn finds(&self, source: &Source, text: &[u8]) -> bool {
        if self.regex.is_match(text) {
            return true;
        }
        if self.shown.is_empty() {
            return false;
        }
        if self.shown.has_levels() && self.shown.is_level(level(source, text)) {
            return true;
        }
        self.shown.concerns(text)
            && self.block.as_ref().is_none_or(|block| block.is_match(text))
            && self.shown.finds(&self.regex, &read_entry(source, text))
    }

    fn takes_entry(&self, entry: &Entry) -> bool {
        let found = self.regex.is_match(entry.text.as_bytes())
            || !self.shown.is_empty() && self.shown.finds(&self.regex, entry);
        found == self.wanted
    }
}

/// The level of an entry.
fn level(source: &Source, text: &[u8]) -> Option<Level> {
    let line = first_line(text);
    let quick = (source.shape == Shape::Json).then(|| quick(line, &mut Minute::default()));
    match quick.flatten() {
        Some(quick) => quick.level,
        None => source.shape.head(text).level,
    }
}

/// Which entries are wanted: all conditions hold together, several processes mean any of them.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pids: Vec<u32>,
    level: Option<Level>,
    /// Whether an entry has to tell a level itself.
    told: bool,
    since: Option<i64>,
    patterns: Vec<Pattern>,
    /// Text that every wanted entry holds: blocks without it are not looked at.
    needle: Option<Finder<'static>>,
    pid_needle: Option<Finder<'static>>,
}

impl Filter {
    /// Only entries of these processes; none means all.
    #[must_use]
    pub fn pids(mut self, pids: &[u32]) -> Self {
        self.pids = pids.to_vec();
        self.pid_needle = match pids {
            [one] => Some(Finder::new(one.to_string().as_bytes()).into_owned()),
            _ => None,
        };
        self
    }

    /// Only entries at least as bad as this. One without a level (plain text, a line of a stack) goes with the one before it
    /// that has one, and is wanted where there is none.
    #[must_use]
    pub fn level(mut self, level: Option<Level>) -> Self {
        self.level = level;
        self
    }

    /// Only entries that say themselves that they are at least as bad as this.
    #[must_use]
    pub fn told(mut self, level: Level) -> Self {
        (self.level, self.told) = (Some(level), true);
        self
    }

    /// Whether an entry without a level is wanted behind one that has this.
    pub fn takes_behind(&self, level: Option<Level>) -> bool {
        level.is_none() || level >= self.level
    }

    /// Whether an entry is wanted behind one of this level, with which it goes if it has none.
    pub fn takes_with(&self, behind: Option<Level>, entry: &Entry) -> bool {
        (entry.level.is_some() || self.takes_behind(behind)) && self.takes(entry)
    }

    /// Only entries since this time (milliseconds since 1970); those without a time are left out.
    #[must_use]
    pub fn since(mut self, time: Option<i64>) -> Self {
        self.since = time;
        self
    }

    /// Only entries in which the expression is found, as they stand in the file or as they are shown: the level's name in capitals, a known
    /// message in words, fields as `key=value`. Of several, every one.
    pub fn grep(mut self, pattern: &str) -> Result<Self, FilterError> {
        let found = Pattern::new(pattern, true)?;
        let is_text = regex::escape(pattern) == pattern && !pattern.is_empty();
        if is_text && found.shown.is_empty() {
            self.needle = Some(Finder::new(pattern.as_bytes()).into_owned());
        }
        self.patterns.push(found);
        Ok(self)
    }

    /// Only entries in which the expression is not found, in either form.
    pub fn hide(mut self, pattern: &str) -> Result<Self, FilterError> {
        self.patterns.push(Pattern::new(pattern, false)?);
        Ok(self)
    }

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.pids.is_empty()
            && self.level.is_none()
            && self.since.is_none()
            && self.patterns.is_empty()
    }

    /// Whether an entry that was read already is wanted, for what it says itself. Of one that was cut only the beginning is looked at.
    pub fn takes(&self, entry: &Entry) -> bool {
        self.takes_head(entry.pid, entry.level, entry.time)
            && self
                .patterns
                .iter()
                .all(|pattern| pattern.takes_entry(entry))
    }

    /// Whether no entry of this file can be wanted.
    pub(super) fn excludes(&self, source: &Source) -> bool {
        source
            .pid
            .is_some_and(|pid| !self.pids.is_empty() && !self.pids.contains(&pid))
    }

    /// Whether entries from before this time on, as far as clocks can be trusted, are too old.
    pub(super) fn is_too_old(&self, time: Option<i64>) -> bool {
        matches!((self.since, time), (Some(since), Some(time)) if time < since.saturating_sub(MARGIN))
    }

    /// The wanted entries of a unit.
    pub(super) fn select(
        &self,
        source: &Source,
        unit: &Unit,
    ) -> std::io::Result<Vec<(usize, usize)>> {
        if self.is_empty() {
            return Ok(unit.entries(source));
        }
        if (unit.bytes.len() as u64) < unit.length {
            let mut found = unit.entries(source);
            if !self.accepts_huge(source, unit)? {
                found.clear();
            }
            return self.following(source, unit, found);
        }
        let of_pid = self.pid_needle.as_ref().filter(|_| source.pid.is_none());
        let needle = self.needle.as_ref().or(of_pid);
        let mut found = Vec::new();
        if let Some(needle) = needle {
            let mut from = 0;
            while let Some(hit) = unit.bytes.get(from..).and_then(|rest| needle.find(rest)) {
                let entry = unit.entry_around(source, from + hit);
                found.push(entry);
                from = entry.1.max(from + hit + 1);
            }
        } else if let Some(block) = self
            .patterns
            .iter()
            .filter(|pattern| pattern.wanted)
            .find_map(|pattern| pattern.block.as_ref())
        {
            found = find_in_block(block, source, unit);
        } else {
            found = unit.entries(source);
        }
        found.retain(|(start, end)| {
            self.accepts(source, unit.bytes.get(*start..*end).unwrap_or_default())
        });
        self.following(source, unit, found)
    }

    /// Those without a level go with what they follow.
    fn following(
        &self,
        source: &Source,
        unit: &Unit,
        mut found: Vec<(usize, usize)>,
    ) -> std::io::Result<Vec<(usize, usize)>> {
        if self.level.is_none() || self.told {
            return Ok(found);
        }
        let mut levels = Levels::default();
        let mut failed = None;
        found.retain(|entry| match levels.of(source, unit, *entry) {
            Ok(level) => self.takes_behind(level),
            Err(error) => {
                failed.get_or_insert(error);
                false
            }
        });
        failed.map_or(Ok(found), Err)
    }

    fn accepts(&self, source: &Source, entry: &[u8]) -> bool {
        let text = entry.trim_ascii_end();
        !text.is_empty()
            && self
                .patterns
                .iter()
                .all(|pattern| pattern.takes(source, text))
            && self.accepts_head(source, text)
    }

    fn accepts_head(&self, source: &Source, text: &[u8]) -> bool {
        if self.pids.is_empty() && self.level.is_none() && self.since.is_none() {
            return true;
        }
        let line = first_line(text);
        // Most lines are known to be unwanted by their beginning.
        if source.shape == Shape::Json
            && let Some(quick) = quick(line, &mut Minute::default())
            && !self.takes_head(source.pid.or(quick.pid), quick.level, quick.time)
        {
            return false;
        }
        let head = source.shape.head(text);
        self.takes_head(source.pid.or(head.pid), head.level, head.time)
    }

    fn takes_head(&self, pid: Option<u32>, level: Option<Level>, time: Option<i64>) -> bool {
        (self.pids.is_empty() || pid.is_some_and(|pid| self.pids.contains(&pid)))
            && (self.level.is_none() || level >= self.level || level.is_none() && !self.told)
            && (self.since.is_none() || time >= self.since)
    }

    /// An entry of which only the beginning is in memory: what it says is unknown, and its text is looked through in parts, as it stands
    /// in the file.
    fn accepts_huge(&self, source: &Source, unit: &Unit) -> std::io::Result<bool> {
        if !self.accepts_head(source, &unit.bytes) {
            return Ok(false);
        }
        let mut missing: Vec<&Pattern> = self.patterns.iter().collect();
        let mut bytes = Vec::new();
        let mut from = unit.base;
        while from < unit.end() && !missing.is_empty() {
            let count = (unit.end() - from).min((LARGE + OVERLAP) as u64) as usize;
            source.read(from, count, &mut bytes)?;
            if missing
                .iter()
                .any(|p| !p.wanted && p.regex.is_match(&bytes))
            {
                return Ok(false);
            }
            missing.retain(|pattern| !pattern.wanted || !pattern.regex.is_match(&bytes));
            from += LARGE as u64;
        }
        Ok(missing.iter().all(|pattern| !pattern.wanted))
    }
}

/// The levels that the entries of a unit go by, asked from the first to the last.
#[derive(Default)]
struct Levels {
    /// Up to here they are known, and the last one is this; it stands there in the file.
    known: usize,
    last: Option<(u64, Level)>,
    /// Whether it was looked for before the unit.
    looked: bool,
}

impl Levels {
    /// An entry's own, or that of the nearest before it within a block: so the same is found wherever the unit begins.
    fn of(
        &mut self,
        source: &Source,
        unit: &Unit,
        (start, end): (usize, usize),
    ) -> std::io::Result<Option<Level>> {
        let own = level(source, unit.bytes.get(start..end).unwrap_or_default());
        let at = unit.base + start as u64;
        if let Some(own) = own {
            self.last = Some((at, own));
        } else if let Some((place, level)) = last_level(source, unit, self.known, start) {
            self.last = Some((unit.base + place as u64, level));
        } else if self.last.is_none() && !self.looked {
            self.looked = true;
            let from = unit.base.saturating_sub(BLOCK as u64);
            let mut before = Unit {
                base: from,
                ..Unit::default()
            };
            source.read(from, (unit.base - from) as usize, &mut before.bytes)?;
            before.length = before.bytes.len() as u64;
            // What the block begins with may be the rest of an entry.
            let first = usize::from(from > 0);
            let found = last_level(source, &before, first, before.bytes.len());
            self.last = found.map(|(place, level)| (from + place as u64, level));
        }
        self.known = end;
        let near = self
            .last
            .filter(|(place, _)| at.abs_diff(*place) <= BLOCK as u64);
        Ok(near.map(|(_, level)| level))
    }
}

/// The last entry with a level that begins between two places of a unit.
fn last_level(source: &Source, unit: &Unit, from: usize, mut to: usize) -> Option<(usize, Level)> {
    while to > from {
        let (start, end) = unit.entry_around(source, to - 1);
        if start < from {
            break;
        }
        if let Some(level) = level(source, unit.bytes.get(start..end).unwrap_or_default()) {
            return Some((start, level));
        }
        to = start;
    }
    None
}

fn compile(pattern: &str) -> Result<Regex, FilterError> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .size_limit(1 << 22)
        .build()
        .map_err(|error| {
            let reason = error.to_string();
            let reason = reason
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned();
            FilterError {
                pattern: pattern.to_owned(),
                reason,
            }
        })
}

/// The entries in which an expression may be found: it is tried on all of them at once.
fn find_in_block(regex: &Regex, source: &Source, unit: &Unit) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut from, mut beyond) = (0, 0);
    while from < unit.bytes.len()
        && let Some(hit) = regex.find_at(&unit.bytes, from)
        && hit.start() < unit.bytes.len()
    {
        let entry = unit.entry_around(source, hit.start());
        beyond += usize::from(hit.end() > entry.1);
        if beyond > BEYOND {
            found.retain(|known: &(usize, usize)| known.0 < entry.0);
            let rest = unit.entries(source).into_iter();
            found.extend(rest.filter(|other| other.0 >= entry.0));
            break;
        }
        found.push(entry);
        from = entry.1.max(hit.start() + 1);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::source::LogPath;
    use super::*;
    use crate::Cancel;

    #[test]
    fn a_broken_pattern_is_named_with_its_reason() {
        let error = Filter::default().grep("a(b").unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"a(b\" is no regular expression: unclosed group"
        );
    }

    /// What is found in a block at once is what is found in its entries one by one.
    #[test]
    fn expressions_find_the_same_in_blocks() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        let mut text = String::new();
        for n in 0..400 {
            writeln!(text, "line {n} of Many: x{}y\r\n  more {n}", n % 7).unwrap();
        }
        std::fs::write(&path, &text).unwrap();
        let source = Source::open(&LogPath::from(&*path), &Cancel::default()).unwrap();
        let unit =
            super::super::unit::after(&source, 0, text.len() as u64, 1 << 20, &Cancel::default())
                .unwrap()
                .unwrap();
        let entries = unit.entries(&source);
        assert_eq!(entries.len(), 400);
        for pattern in [
            "(?i)MANY: X3",
            "^line 1\\d",
            "more 39$",
            "y$",
            "x[^y]*y",
            "(?s)3y.*line",
            "[^q]*q",
            "x*",
            "\\bmore\\b",
            "\\Aline 5",
            "9\\s+more",
            "x6y\\s+more \\d+\\z",
            "more 17\nline",
        ] {
            let filter = Filter::default().grep(pattern).unwrap();
            let wanted: Vec<_> = entries
                .iter()
                .filter(|(start, end)| {
                    let text = unit.bytes[*start..*end].trim_ascii_end();
                    filter.patterns[0].regex.is_match(text)
                })
                .copied()
                .collect();
            let found = filter.select(&source, &unit).unwrap();
            assert_eq!(found, wanted, "{pattern}");
            let rest = Filter::default().hide(pattern).unwrap();
            let rest = rest.select(&source, &unit).unwrap();
            assert_eq!(found.len() + rest.len(), 400, "{pattern}");
        }
    }

    /// Wherever a page begins, and however large its blocks are.
    #[test]
    fn entries_without_a_level_follow_the_one_before_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        let pad = "x".repeat(200);
        let mut lines = vec!["starts".to_owned()];
        for n in 0..400 {
            let level = if n % 4 == 1 { "ERROR" } else { "DEBUG" };
            lines.push(format!("{level}:app:{n}"));
            lines.extend((0..n % 6).map(|m| format!("Traceback {n} {m} {pad}")));
        }
        // Too far behind to belong to it.
        lines.push("DEBUG:app:long".into());
        lines.extend((0..400).map(|n| format!("far {n} {pad}")));
        std::fs::write(&path, lines.join("\n")).unwrap();
        let source = Source::open(&LogPath::from(&*path), &Cancel::default()).unwrap();
        let length = source.length().unwrap();
        let filter = Filter::default().level(Some(Level::Warn));
        let read = |size: usize| -> Vec<String> {
            let (mut at, mut read) = (0, Vec::new());
            while let Some(unit) =
                super::super::unit::after(&source, at, length, size, &Cancel::default()).unwrap()
            {
                at = unit.end();
                let found = filter.select(&source, &unit).unwrap();
                read.extend(found.into_iter().map(|(start, end)| {
                    let text = unit.bytes[start..end].trim_ascii_end();
                    String::from_utf8_lossy(text).into_owned()
                }));
            }
            read
        };
        let whole = read(1 << 20);
        for size in [300, 1000, 5000, 70_000] {
            assert_eq!(read(size), whole, "{size}");
        }
        let is_error = |n: &str| n.parse::<usize>().unwrap() % 4 == 1;
        assert_eq!(whole[0], "starts");
        let behind = whole
            .iter()
            .filter_map(|line| line.strip_prefix("Traceback "));
        let behind: Vec<_> = behind.filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(
            behind.len(),
            (0..400)
                .filter(|n| n % 4 == 1)
                .map(|n| n % 6)
                .sum::<usize>()
        );
        assert!(behind.into_iter().all(is_error));
        let far = whole.iter().filter(|line| line.starts_with("far ")).count();
        assert!((50..100).contains(&far), "{far}");
        let told = Filter::default().told(Level::Warn);
        let unit = super::super::unit::after(&source, 0, length, 1 << 20, &Cancel::default());
        let told = told.select(&source, &unit.unwrap().unwrap()).unwrap();
        assert_eq!(told.len(), 100);
    }
}
