//! Where the wall time of a session went: starting, the program running, the program standing still, and the adapter's answers.
//!
//! The times are those of the core that has the session; a front end asks for them with [`super::Command::Spent`]. What the program itself
//! did while it ran is a profiler's business.

use std::time::Instant;

use base::text::width::{pad, pad_start};
use dap::client::{Wait, Waits};

use crate::prelude::*;

/// What a session's time was spent on, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timings {
    /// Until the program ran for the first time.
    pub starting_us: u64,
    /// The program ran.
    pub running_us: u64,
    /// The program stood still.
    pub stopped_us: u64,
    /// The adapter's answers, those that took most together first. They overlap with each other and with the times above.
    pub requests: Vec<RequestTiming>,
}

/// What the answers to one command took, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestTiming {
    /// The command, as it is called on the wire.
    pub command: String,
    /// How many came.
    pub count: u64,
    /// All of them together.
    pub total_us: u64,
    /// The one that took longest.
    pub longest_us: u64,
}

/// Microseconds as people read them: `12 us`, `1.2 ms`, `3.40 s`.
pub fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} us"),
        1_000..1_000_000 => format!("{}.{} ms", us / 1_000, us % 1_000 / 100),
        _ => format!("{}.{:02} s", us / 1_000_000, us % 1_000_000 / 10_000),
    }
}

impl Timings {
    /// The table of it, for every front: the phases with their part of the whole, then the adapter's answers.
    pub fn lines(&self) -> Vec<String> {
        const NAME: usize = 28;
        let phases = [
            ("starting", self.starting_us),
            ("the program running", self.running_us),
            ("stopped", self.stopped_us),
        ];
        let all = phases
            .iter()
            .fold(0_u64, |sum, (_, us)| sum.saturating_add(*us));
        let part = |us: u64| us as f64 * 100.0 / all.max(1) as f64;
        let head = |name: &str, columns: &[&str]| {
            let columns: String = columns.iter().map(|c| pad_start(c, 11)).collect();
            format!("{}{columns}", pad(name, NAME))
        };
        let mut lines = vec![head("Session", &["time", "part"])];
        lines.extend(phases.map(|(name, us)| {
            let part = format!("{:.1} %", part(us));
            head(name, &[&time(us), &part])
        }));
        lines.push(head("together", &[&time(all), ""]).trim_end().to_owned());
        lines.push(String::new());
        if self.requests.is_empty() {
            lines.push("The adapter has answered nothing yet.".to_owned());
            return lines;
        }
        lines.push(head(
            "Answers of the adapter",
            &["count", "together", "each", "longest"],
        ));
        lines.extend(self.requests.iter().map(|answered| {
            head(
                &sanitise(&answered.command),
                &[
                    &answered.count.to_string(),
                    &time(answered.total_us),
                    &time(answered.total_us / answered.count.max(1)),
                    &time(answered.longest_us),
                ],
            )
        }));
        lines.push("Answers overlap with each other and with the times above.".to_owned());
        lines
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Adds up the phases of one session.
#[derive(Debug, Default)]
pub(super) struct Clock {
    phase: Phase,
    since: Option<Instant>,
    starting: Duration,
    running: Duration,
    stopped: Duration,
    /// Of each connection: a start that is tried again has more than one.
    waits: Vec<Waits>,
}

impl Clock {
    /// The session is in this phase from `now` on.
    pub fn enter(&mut self, phase: Phase, now: Instant) {
        if let (Some(since), Some(time)) = (self.since, self.time()) {
            *time += now.saturating_duration_since(since);
        }
        self.phase = phase;
        self.since = Some(now);
    }

    fn time(&mut self) -> Option<&mut Duration> {
        match self.phase {
            Phase::Initializing | Phase::Configured => Some(&mut self.starting),
            Phase::Running => Some(&mut self.running),
            Phase::Stopped => Some(&mut self.stopped),
            Phase::NotStarted | Phase::Terminated => None,
        }
    }

    /// Its adapter's answers count from now on.
    pub fn listen(&mut self, waits: Waits) {
        self.waits.push(waits);
    }

    /// All of it until now.
    pub fn spent(&mut self, now: Instant) -> Timings {
        self.enter(self.phase, now);
        let mut all: BTreeMap<&'static str, Wait> = BTreeMap::new();
        for (command, wait) in self.waits.iter().flat_map(Waits::by_command) {
            let sum = all.entry(command).or_default();
            sum.count += wait.count;
            sum.total += wait.total;
            sum.longest = sum.longest.max(wait.longest);
        }
        let mut requests: Vec<RequestTiming> = all
            .into_iter()
            .map(|(command, wait)| RequestTiming {
                command: command.to_owned(),
                count: wait.count,
                total_us: microseconds(wait.total),
                longest_us: microseconds(wait.longest),
            })
            .collect();
        requests.sort_by_key(|answered| std::cmp::Reverse(answered.total_us));
        Timings {
            starting_us: microseconds(self.starting),
            running_us: microseconds(self.running),
            stopped_us: microseconds(self.stopped),
            requests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_own_time_and_the_present_one_goes_on() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut clock = Clock::default();
        clock.enter(Phase::Initializing, at(0));
        clock.enter(Phase::Configured, at(30));
        clock.enter(Phase::Running, at(50));
        clock.enter(Phase::Stopped, at(150));
        let spent = clock.spent(at(160));
        assert_eq!(
            (spent.starting_us, spent.running_us, spent.stopped_us),
            (50_000, 100_000, 10_000)
        );
        clock.enter(Phase::Running, at(170));
        clock.enter(Phase::Terminated, at(180));
        let spent = clock.spent(at(9_000));
        assert_eq!(
            (spent.starting_us, spent.running_us, spent.stopped_us),
            (50_000, 110_000, 20_000)
        );
        assert!(spent.requests.is_empty());
    }

    #[test]
    fn the_table_has_parts_of_the_whole_and_every_answer() {
        let spent = Timings {
            starting_us: 250_000,
            running_us: 500_000,
            stopped_us: 250_000,
            requests: vec![RequestTiming {
                command: "stackTrace\u{1b}[31m".to_owned(),
                count: 4,
                total_us: 4_200,
                longest_us: 3_000,
            }],
        };
        let lines = spent.lines();
        let words = |line: usize| lines[line].split_whitespace().joined(" ");
        assert_eq!(words(1), "starting 250.0 ms 25.0 %");
        assert_eq!(words(2), "the program running 500.0 ms 50.0 %");
        assert_eq!(words(4), "together 1.00 s");
        assert_eq!(words(7), "stackTrace␛[31m 4 4.2 ms 1.0 ms 3.0 ms");
        let nothing = Timings::default().lines();
        assert!(nothing[1].ends_with("0.0 %"), "{nothing:?}");
        assert!(nothing[6].contains("nothing yet"), "{nothing:?}");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(time(3_000), "3.0 ms");
        assert_eq!(time(1_230_000), "1.23 s");
        assert_eq!(time(12), "12 us");
    }
}
