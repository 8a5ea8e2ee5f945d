//! What was seen, to read: who never goes on first, then all by their stacks.

use base::text::{amount, sanitise::sanitise};

use super::{Deadlock, Frame, Hang, Waiter};
use crate::prelude::*;

/// Names in one line, frames of a group and members of a circle that are written.
const NAMES: usize = 6;
const FRAMES: usize = 12;
const CYCLE: usize = 12;

/// A line, and what it is, for those who colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// What kind of line.
    pub tone: Tone,
    /// Whom it is about, and which of its frames, by their places.
    pub at: Option<(usize, usize)>,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Of all.
    Title,
    /// Somebody never goes on.
    Bad,
    /// Of a group.
    Group,
    /// What is waited for.
    Wait,
    /// A call of the person's own code.
    Own,
    /// Anything else.
    Plain,
}

impl Hang {
    /// One line on what was found.
    pub fn verdict(&self) -> String {
        let busy = self
            .waiters
            .iter()
            .filter(|w| w.cpu.is_some_and(|cpu| cpu > 0.5))
            .count();
        match (self.deadlocks.len(), busy) {
            (0, 0) => "No deadlock was found; nobody is busy.".to_owned(),
            (0, busy) => format!(
                "No deadlock was found; {} busy.",
                amount::count(busy as u64, "is", "are")
            ),
            (1, _) => "1 deadlock.".to_owned(),
            (count, _) => format!("{count} deadlocks."),
        }
    }

    /// All of it.
    pub fn text(&self) -> String {
        let lines = self.lines();
        let texts: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
        texts.join(
            "
",
        ) + "
"
    }

    /// The lines of it.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut put = |text: String, tone, at| {
            lines.push(Line {
                text: sanitise(&text).into_owned(),
                tone,
                at,
            });
        };
        let stood = self
            .stood_ms
            .map(|ms| format!(" It stood still for {ms} ms."))
            .unwrap_or_default();
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for waiter in &self.waiters {
            *kinds.entry(&waiter.kind).or_default() += 1;
        }
        let count = |(kind, count): (&&str, &u64)| amount::count(*count, kind, &format!("{kind}s"));
        let counts: Vec<_> = kinds.iter().map(count).collect();
        let stacks = amount::count(self.groups.len() as u64, "stack", "stacks");
        put(
            format!(
                "{}: {} at {stacks}. {}{stood}",
                self.program,
                counts.join(", "),
                self.verdict()
            ),
            Tone::Title,
            None,
        );
        if self.left_out > 0 {
            put(
                format!("{} more were not looked at.", self.left_out),
                Tone::Plain,
                None,
            );
        }
        for note in &self.notes {
            put(note.clone(), Tone::Plain, None);
        }
        for deadlock in &self.deadlocks {
            put(String::new(), Tone::Plain, None);
            put(self.heading(deadlock), Tone::Bad, None);
            let shown = deadlock.cycle.len().min(CYCLE);
            let is_circle = self.is_circle(deadlock);
            for (place, key) in deadlock.cycle.iter().take(CYCLE).enumerate() {
                let Some((at, waiter)) = self.place(key) else {
                    continue;
                };
                let (edge, wall) = match (is_circle, place, shown - place) {
                    (false, ..) => (" ", " "),
                    (true, 0, 1) => ("\u{2514}\u{25b6}", "  "),
                    (true, 0, _) => ("\u{250c}\u{25b6}", "\u{2502} "),
                    (true, ..) => ("\u{2502} ", "\u{2502} "),
                };
                let here = waiter.frames.iter().position(|f| f.own).unwrap_or(0);
                let frame = waiter.frames.get(here).map(|f| format!("  {}", called(f)));
                put(
                    format!("  {edge} {}{}", waiter.name, frame.unwrap_or_default()),
                    Tone::Own,
                    Some((at, here)),
                );
                let wall = if is_circle && place + 1 == shown {
                    "\u{2514}\u{2500}"
                } else {
                    wall
                };
                put(
                    format!("  {wall}   waits for {}", self.waits_for(waiter)),
                    Tone::Wait,
                    Some((at, here)),
                );
            }
            if deadlock.cycle.len() > shown {
                put(
                    format!("     \u{2026} and {} more", deadlock.cycle.len() - shown),
                    Tone::Plain,
                    None,
                );
            }
        }
        for group in &self.groups {
            let members = group.iter().filter_map(|at| self.waiters.get(*at));
            let names: Vec<_> = members.clone().take(NAMES).map(described).collect();
            let more = group.len().saturating_sub(NAMES);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let Some((first, waiter)) = group
                .first()
                .and_then(|at| Some((*at, self.waiters.get(*at)?)))
            else {
                continue;
            };
            put(String::new(), Tone::Plain, None);
            let kind = amount::count(
                group.len() as u64,
                &waiter.kind,
                &format!("{}s", waiter.kind),
            );
            put(
                format!("{kind}: {}{more}", names.join(", ")),
                Tone::Group,
                Some((first, 0)),
            );
            if waiter.wait.is_some() {
                let verb = if group.len() == 1 { "waits" } else { "wait" };
                put(
                    format!("  {verb} for {}", self.waits_for(waiter)),
                    Tone::Wait,
                    Some((first, 0)),
                );
            }
            for (text, tone, frame) in folded(&waiter.frames) {
                put(text, tone, Some((first, frame)));
            }
        }
        lines
    }

    fn place(&self, key: &str) -> Option<(usize, &Waiter)> {
        self.waiters
            .iter()
            .enumerate()
            .find(|(_, waiter)| waiter.key == key)
    }

    /// Whether they wait for each other; there is nobody to wait for otherwise.
    fn is_circle(&self, deadlock: &Deadlock) -> bool {
        let first = deadlock.cycle.first().and_then(|key| self.waiter(key));
        first
            .and_then(|w| w.wait.as_ref())
            .is_some_and(|wait| !wait.never)
    }

    fn heading(&self, deadlock: &Deadlock) -> String {
        let probably = if deadlock.certain { "" } else { "PROBABLY A " };
        let who = match (deadlock.cycle.as_slice(), self.is_circle(deadlock)) {
            ([one], false) => format!(
                "NEVER GOES ON: {} waits for what never comes",
                self.name(one)
            ),
            ([one], true) => format!("{probably}DEADLOCK: {} waits for itself", self.name(one)),
            (many, _) => format!("{probably}DEADLOCK: {} wait for each other", many.len()),
        };
        match deadlock.behind.as_slice() {
            [] => format!("{who}."),
            [one] => format!("{who}, and {} waits behind.", self.name(one)),
            many => format!("{who}, and {} more wait behind.", many.len()),
        }
    }

    fn name(&self, key: &str) -> String {
        self.waiter(key).map_or_else(
            || key.to_owned(),
            |w| format!("{} {}", w.kind, w.name).replace("goroutine goroutine", "goroutine"),
        )
    }

    /// What one waits for, who has it, and how that is known.
    pub fn waits_for(&self, waiter: &Waiter) -> String {
        let Some(wait) = &waiter.wait else {
            return String::new();
        };
        let names: Vec<_> = wait
            .holders
            .iter()
            .take(3)
            .map(|key| self.waiter(key).map_or(key.as_str(), |w| &w.name))
            .collect();
        let more = wait.holders.len().saturating_sub(3);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let probably = if wait.certain { "" } else { "probably " };
        let by = if names.is_empty() {
            String::new()
        } else {
            format!(": {probably}{}{more}", names.join(", "))
        };
        let how = if wait.how.is_empty() || (names.is_empty() && !wait.never) {
            String::new()
        } else {
            format!(" ({})", wait.how)
        };
        format!("{}{by}{how}", wait.what)
    }
}

/// A name, and what it does beside waiting.
fn described(waiter: &Waiter) -> String {
    let doing = match (waiter.cpu, waiter.running) {
        (Some(cpu), _) if cpu > 0.02 => format!(" (busy {:.0} %)", cpu * 100.0),
        (_, Some(true)) => " (runs)".to_owned(),
        _ => String::new(),
    };
    format!("{}{doing}", waiter.name)
}

fn called(frame: &Frame) -> String {
    let file = frame
        .path
        .as_deref()
        .and_then(|path| path.rsplit('/').next());
    file.map_or_else(
        || frame.name.clone(),
        |file| format!("{}  {file}:{}", frame.name, frame.line),
    )
}

/// Frames as lines, with their places; what is nobody's own in one line.
fn folded(frames: &[Frame]) -> Vec<(String, Tone, usize)> {
    let mut lines = Vec::new();
    let all_foreign = !frames.iter().any(|frame| frame.own);
    let mut at = 0;
    while let Some(frame) = frames.get(at).filter(|_| lines.len() < FRAMES) {
        let run = frames.iter().skip(at).take_while(|f| !f.own).count();
        if frame.own || all_foreign || run == 1 {
            let tone = if frame.own { Tone::Own } else { Tone::Plain };
            lines.push((format!("    {}", called(frame)), tone, at));
            at += 1;
        } else {
            lines.push((
                format!("    \u{2026} {run} library frames"),
                Tone::Plain,
                at,
            ));
            at += run;
        }
    }
    if at < frames.len() {
        lines.push((
            format!("    \u{2026} {} more frames", frames.len() - at),
            Tone::Plain,
            at,
        ));
    }
    lines
}
