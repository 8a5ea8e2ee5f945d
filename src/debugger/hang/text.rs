//! What was seen, to read: who never goes on first, then all by their stacks.

use base::text::amount;

use super::{
    kinds,
    report::{BUSY, Deadlock, Frame, Hang, Wait, Waiter},
};
use crate::prelude::*;

/// Names in one line, frames of a group, members of a circle and holders of a lock that are written.
const NAMES: usize = 6;
const FRAMES: usize = 12;
const CYCLE: usize = 12;
const HOLDERS: usize = 3;

/// A line, and what it is, for those who colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub text: String,
    /// What kind of line.
    pub tone: Tone,
    /// Whom it is about, and which of its frames, by their places.
    pub at: Option<(usize, usize)>,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Title,
    /// Somebody never goes on.
    Bad,
    Group,
    Wait,
    /// A call of the person's own code.
    Own,
    /// One of a group that is not named in the group's line: for who seeks it, and no part of the text.
    Folded,
    /// Anything else.
    Plain,
}

impl Hang {
    /// All of it.
    pub fn text(&self) -> String {
        let lines = self.lines().into_iter();
        let lines = lines.filter(|line| line.tone != Tone::Folded);
        let texts = lines.map(|line| line.text).joined("\n");
        texts + "\n"
    }

    /// The lines of it.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut put = |tone, at, text: String| {
            let text = sanitise(&text).into_owned();
            lines.push(Line { text, tone, at });
        };
        put(Tone::Title, None, self.verdict());
        let left = amount::thousands(self.left_out as u64);
        let most = self.told_at_most.map(|most| amount::thousands(most as u64));
        match (self.left_out, most) {
            (0, None) => {}
            (_, None) => put(
                Tone::Plain,
                None,
                format!("{left} more were not looked at."),
            ),
            (0, Some(most)) => {
                let told = format!("There are more than {most}: the debugger tells of no others.");
                put(Tone::Plain, None, told);
            }
            (_, Some(most)) => {
                let told = format!(
                    "More than {left} others were not looked at: the debugger tells of {most} at most."
                );
                put(Tone::Plain, None, told);
            }
        }
        for note in &self.notes {
            put(Tone::Plain, None, note.clone());
        }
        for deadlock in &self.deadlocks {
            put(Tone::Plain, None, String::new());
            put(Tone::Bad, None, self.heading(deadlock));
            let last = deadlock.cycle.len().min(CYCLE) - 1;
            for (place, key) in deadlock.cycle.iter().take(CYCLE).enumerate() {
                let found = self.waiters.iter().enumerate().find(|(_, w)| w.key == *key);
                let Some((at, waiter)) = found else {
                    continue;
                };
                let (edge, wall) = match (self.is_circle(deadlock), place == 0, place == last) {
                    (false, ..) => ("  ", "  "),
                    (_, true, true) => ("\u{250c}\u{25b6}", "\u{2514}\u{2500}"),
                    (_, true, _) => ("\u{250c}\u{25b6}", "\u{2502} "),
                    (.., true) => ("\u{2502} ", "\u{2514}\u{2500}"),
                    _ => ("\u{2502} ", "\u{2502} "),
                };
                let here = kinds::own(&waiter.frames);
                let frame = waiter.frames.get(here).map(called).unwrap_or_default();
                let at = Some((at, here));
                put(Tone::Own, at, format!("  {edge} {}  {frame}", waiter.name));
                put(
                    Tone::Wait,
                    at,
                    format!("  {wall}   waits for {}", self.waits_for(waiter)),
                );
            }
        }
        for group in &self.groups {
            let members = group.iter().filter_map(|at| self.waiters.get(*at));
            let names = members.clone().take(NAMES).map(described).joined(", ");
            let (Some(first), Some(waiter)) = (group.first(), members.clone().next()) else {
                continue;
            };
            let at = |frame| Some((*first, frame));
            let counted = counted(&waiter.kind, group.len());
            let more = more(group.len(), NAMES);
            put(Tone::Plain, None, String::new());
            put(Tone::Group, at(0), format!("{counted}: {names}{more}"));
            if waiter.wait.is_some() {
                let verb = if group.len() == 1 { "waits" } else { "wait" };
                put(
                    Tone::Wait,
                    at(0),
                    format!("  {verb} for {}", self.waits_for(waiter)),
                );
            }
            for (place, waiter) in group.iter().zip(members).skip(NAMES) {
                let here = kinds::own(&waiter.frames);
                let frame = waiter.frames.get(here).map(called).unwrap_or_default();
                let text = format!("  {}  {frame}", described(waiter));
                put(Tone::Folded, Some((*place, here)), text);
            }
            for (text, tone, frame) in folded(&waiter.frames) {
                put(tone, at(frame), format!("    {text}"));
            }
        }
        lines
    }

    /// One line on what was found.
    fn verdict(&self) -> String {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for waiter in &self.waiters {
            *kinds.entry(&waiter.kind).or_default() += 1;
        }
        let counts: Vec<_> = kinds
            .iter()
            .map(|(kind, count)| counted(kind, *count))
            .collect();
        let found = self.found();
        let stood = self
            .stood_ms
            .map(|ms| format!(" It stood still for {ms} ms."));
        let (program, stood) = (&self.program, stood.unwrap_or_default());
        if counts.is_empty() && self.left_out > 0 {
            return format!("{program}: there was no time to look at anybody.{stood}");
        }
        if counts.is_empty() {
            return format!("{program}: nobody was seen to wait.{stood}");
        }
        let (counts, stacks) = (counts.join(", "), counted("stack", self.groups.len()));
        format!("{program}: {counts} at {stacks}. {found}{stood}")
    }

    /// What it comes to, of those that were looked at.
    fn found(&self) -> String {
        let works = |w: &&Waiter| w.cpu.is_some_and(|cpu| cpu > BUSY);
        let busy = match self.waiters.iter().filter(works).count() {
            0 => "nobody is".to_owned(),
            busy => busy.to_string(),
        };
        let is_unknown = |w: &&Wait| w.lock && w.holders.is_empty() && !w.never;
        let waits = self.waiters.iter().filter_map(|w| w.wait.as_ref());
        let unknown: BTreeSet<_> = waits.filter(is_unknown).map(|w| &w.what).collect();
        let but = match unknown.len() {
            0 => String::new(),
            count => format!(
                ", but who holds {} could not be told",
                counted("lock", count)
            ),
        };
        let circles = self.deadlocks.iter().filter(|d| self.is_circle(d)).count();
        let never = match self.deadlocks.len() - circles {
            0 => None,
            1 => Some("1 waits for what never comes".to_owned()),
            many => Some(format!("{many} wait for what never comes")),
        };
        let circles = (circles > 0).then(|| counted("deadlock", circles));
        let told = match (circles, never) {
            (None, None) if self.left_out == 0 && self.told_at_most.is_none() => {
                format!("No deadlock was found{but}; {busy} busy")
            }
            (None, None) => {
                let looked = amount::thousands(self.waiters.len() as u64);
                format!("No deadlock among the {looked} that were looked at{but}; {busy} busy")
            }
            (circles, never) => circles.into_iter().chain(never).joined(", and "),
        };
        format!("{told}.")
    }

    /// Whether they wait for each other; there is nobody to wait for otherwise.
    fn is_circle(&self, deadlock: &Deadlock) -> bool {
        let first = deadlock
            .cycle
            .first()
            .and_then(|key| self.waiter(key)?.wait.as_ref());
        first.is_some_and(|wait| !wait.never)
    }

    fn heading(&self, deadlock: &Deadlock) -> String {
        let probably = if deadlock.certain { "" } else { "PROBABLY A " };
        let name = |key: &String| {
            let waiter = self.waiter(key);
            waiter.map_or_else(
                || key.clone(),
                |w| {
                    // Goroutines are called so.
                    format!("the {} {}", w.kind, w.name.trim_start_matches("goroutine "))
                },
            )
        };
        let who = match (deadlock.cycle.as_slice(), self.is_circle(deadlock)) {
            ([one], false) => format!("NEVER GOES ON: {} waits for what never comes", name(one)),
            ([one], true) => format!("{probably}DEADLOCK: {} waits for itself", name(one)),
            (many, _) => format!("{probably}DEADLOCK: {} wait for each other", many.len()),
        };
        match deadlock.behind.as_slice() {
            [] => format!("{who}."),
            [one] => format!("{who}, and {} waits behind.", name(one)),
            many => format!("{who}, and {} more wait behind.", many.len()),
        }
    }

    /// What one waits for, who has it, and how that is known.
    fn waits_for(&self, waiter: &Waiter) -> String {
        let Some(wait) = &waiter.wait else {
            return String::new();
        };
        let name = |key: &String| {
            self.waiter(key)
                .map_or_else(|| key.clone(), |w| w.name.clone())
        };
        let names: Vec<_> = wait.holders.iter().take(HOLDERS).map(name).collect();
        let (names, more) = (names.join(", "), more(wait.holders.len(), HOLDERS));
        let probably = if wait.certain { "" } else { "probably " };
        match (names.is_empty(), wait.never) {
            (true, false) if wait.lock => {
                format!("{}: who holds it could not be told", wait.what)
            }
            (true, false) => wait.what.clone(),
            (true, true) => format!("{} ({})", wait.what, wait.how),
            _ => format!("{}: {probably}{names}{more} ({})", wait.what, wait.how),
        }
    }
}

fn counted(kind: &str, count: usize) -> String {
    amount::count(count as u64, kind, &format!("{kind}s"))
}

fn more(count: usize, shown: usize) -> String {
    match count.saturating_sub(shown) {
        0 => String::new(),
        more => format!(" and {} more", amount::thousands(more as u64)),
    }
}

/// A name, and what it does beside waiting.
fn described(waiter: &Waiter) -> String {
    match (waiter.cpu, waiter.running) {
        (Some(cpu), _) if cpu > 0.02 => format!("{} (busy {:.0} %)", waiter.name, cpu * 100.0),
        (_, Some(true)) => format!("{} (runs)", waiter.name),
        _ => waiter.name.clone(),
    }
}

fn called(frame: &Frame) -> String {
    match frame
        .path
        .as_deref()
        .and_then(|path| path.rsplit('/').next())
    {
        Some(file) => format!("{}  {file}:{}", frame.name, frame.line),
        None => frame.name.clone(),
    }
}

/// Frames as lines, with their places; what is nobody's own in one line.
fn folded(frames: &[Frame]) -> Vec<(String, Tone, usize)> {
    let mut lines = Vec::new();
    let all_foreign = !frames.iter().any(|frame| frame.own);
    let mut at = 0;
    while let Some(frame) = frames.get(at).filter(|_| lines.len() < FRAMES) {
        let run = frames.iter().skip(at).take_while(|f| !f.own).count();
        let (text, tone, long) = match run {
            0 => (called(frame), Tone::Own, 1),
            1 => (called(frame), Tone::Plain, 1),
            _ if all_foreign => (called(frame), Tone::Plain, 1),
            _ => (format!("\u{2026} {run} library frames"), Tone::Plain, run),
        };
        lines.push((text, tone, at));
        at += long;
    }
    if at < frames.len() {
        let left = format!("\u{2026} {} more frames", frames.len() - at);
        lines.push((left, Tone::Plain, at));
    }
    lines
}
