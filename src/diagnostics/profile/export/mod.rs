//! Profiles for other tools, for people, and for later.
//!
//! Every form has all that was measured: what is filtered in a view is not missing from a file. Names are made harmless where a terminal
//! or a browser may show them.

mod firefox;
mod folded;
mod json;
mod markdown;
mod pprof;
mod speedscope;
mod svg;

use std::str::FromStr;

use base::text::json::printable;

use crate::{
    profile::prelude::*,
    whole::{self, Hindrance, NotWritten},
};

pub use markdown::SHOWN;

base::kinds! {
    /// A form of a profile.
    #[derive(PartialOrd, Ord)]
    pub enum Format {
        /// A picture for a browser.
        Svg = ["svg", "a flame graph for any browser", ".svg"],
        /// A line for each stack.
        Folded = ["folded", "a line for each stack, for scripts", ".folded"],
        /// What `go tool pprof` reads.
        Pprof = ["pprof", "for go tool pprof and many more", ".pb.gz"],
        /// What speedscope.app reads.
        Speedscope = ["speedscope", "for speedscope.app", ".speedscope.json"],
        /// What profiler.firefox.com reads.
        Firefox = ["firefox", "for profiler.firefox.com", ".firefox.json"],
        /// The functions that weigh most, as a table.
        Markdown = ["markdown", "a table of the functions that weigh most", ".md"],
        /// All functions and threads, for scripts.
        Json = ["json", "all functions and threads, for scripts", ".json"],
    }
    fn row(self) -> [&'static str; 3];
}

impl Format {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.row()[0]
    }

    /// What it is for.
    pub fn about(self) -> &'static str {
        self.row()[1]
    }

    /// What files of it end with.
    pub fn ending(self) -> &'static str {
        self.row()[2]
    }

    /// What a file's name says of its form.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let others = [
            (".pprof", Self::Pprof),
            (".pb", Self::Pprof),
            (".prof", Self::Pprof),
            (".collapsed", Self::Folded),
            (".txt", Self::Folded),
            (".markdown", Self::Markdown),
        ];
        // The longest ending counts: `.json` ends several.
        Self::ALL
            .into_iter()
            .map(|format| (format.ending(), format))
            .chain(others)
            .filter(|(ending, _)| name.ends_with(ending))
            .max_by_key(|(ending, _)| ending.len())
            .map(|(_, format)| format)
    }

    /// Why a file's name says no form although it has an ending: a sentence, or nothing when it says one or has none.
    pub fn unknown(path: &Path) -> Option<String> {
        path.extension()?;
        if Self::of(path).is_some() {
            return None;
        }
        let known = Self::ALL.map(Self::ending).join(", ");
        Some(format!(
            "{:?} has the ending of no form of a profile: end it with one of {known}, or say the form with --format",
            path.to_string_lossy()
        ))
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("{text:?} is no form of a profile: write one of {names}")
            })
    }
}

/// Writes `target`, a file that is there as a whole or not at all; gives its size in bytes.
pub fn save(
    profile: &Profile,
    format: Format,
    target: &Path,
    force: bool,
    cancel: &Cancel,
) -> Result<u64, NotWritten> {
    let ((), size) = whole::write(target, force, |out| write(profile, format, out, cancel))?;
    Ok(size)
}

/// The members of a report for a profile that was taken: all stacks as text, in which secrets can be found, and the functions that
/// weigh most; none for a profile without samples.
pub fn members(
    profile: &Profile,
    cancel: &Cancel,
) -> Result<Vec<(&'static str, Vec<u8>)>, Hindrance> {
    if profile.samples.is_empty() {
        return Ok(Vec::new());
    }
    [
        ("profile.folded", Format::Folded),
        ("profile.md", Format::Markdown),
    ]
    .into_iter()
    .map(|(name, format)| {
        let mut bytes = Vec::new();
        write(profile, format, &mut bytes, cancel)?;
        Ok((name, bytes))
    })
    .collect()
}

/// Writes a profile to `out`.
pub fn write(
    profile: &Profile,
    format: Format,
    out: &mut dyn Write,
    cancel: &Cancel,
) -> Result<(), Hindrance> {
    match format {
        Format::Svg => svg::write(profile, out)?,
        Format::Folded => folded::write(profile, out)?,
        Format::Pprof => pprof::write(profile, out)?,
        Format::Speedscope => speedscope::write(profile, out)?,
        Format::Firefox => firefox::write(profile, out)?,
        Format::Markdown => markdown::write(profile, out, cancel)?,
        Format::Json => json::write(profile, out, cancel)?,
    }
    if cancel.is_cancelled() {
        return Err(Hindrance::Other("writing was cancelled".to_owned()));
    }
    Ok(out.flush()?)
}

/// Strings of a file, each once.
#[derive(Default)]
struct Strings {
    numbers: HashMap<String, u64>,
    all: Vec<String>,
}

impl Strings {
    fn get(&mut self, text: &str) -> u64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.all.len() as u64;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

fn put(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    out.write_all(printable(&value.to_string()).as_bytes())
}

/// Writes a list, separated by commas.
fn list<T>(
    out: &mut dyn Write,
    items: impl Iterator<Item = T>,
    mut each: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    for (number, item) in items.enumerate() {
        if number > 0 {
            out.write_all(b",")?;
        }
        each(out, item)?;
    }
    Ok(())
}

/// The threads that have samples, with these.
fn threads(profile: &Profile) -> impl Iterator<Item = (ThreadId, Vec<&Sample>)> {
    let threads = (0..).take(profile.threads.len().max(1)).map(ThreadId);
    threads.filter_map(|thread| {
        let of_thread = profile.samples.iter().filter(|s| s.thread == thread);
        let samples: Vec<&Sample> = of_thread.collect();
        (!samples.is_empty()).then_some((thread, samples))
    })
}

/// What each stack weighs in each thread, with how often it was seen.
fn by_stack(profile: &Profile) -> BTreeMap<(ThreadId, StackId), (u64, u64)> {
    let mut all = BTreeMap::new();
    for sample in &profile.samples {
        let (weight, seen): &mut (u64, u64) = all.entry((sample.thread, sample.stack)).or_default();
        *weight = weight.saturating_add(sample.weight);
        *seen += 1;
    }
    all
}

/// A frame as one word of a folded stack: `name (file:line)`, with nothing in it that means something there.
fn folded_name(frame: &Frame) -> String {
    let mut text = sanitise(&frame.name).into_owned();
    if let Some(file) = &frame.file {
        let place = super::tree::place(Some(file), frame.line, None);
        text = format!("{text} ({})", sanitise(&place));
    }
    if text.contains([';', '\n']) {
        text = text.replace([';', '\n'], ":");
    }
    if text.is_empty() {
        "(anonymous)".to_owned()
    } else {
        text
    }
}

/// A thread as people tell it from others.
pub fn thread_name(profile: &Profile, thread: ThreadId) -> String {
    let Some(thread) = profile.threads.get(thread.0 as usize) else {
        return String::new();
    };
    let number = match (thread.tid, thread.pid) {
        (Some(tid), _) => tid.to_string(),
        (None, Some(pid)) => pid.to_string(),
        (None, None) => String::new(),
    };
    let name = sanitise(&thread.name);
    [&*name, &number]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests;
