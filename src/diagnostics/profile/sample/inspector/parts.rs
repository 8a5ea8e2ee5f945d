//! What an isolate hands over each time its profiler is stopped, put together to one profile.
//!
//! A part is V8's `.cpuprofile`, which [`import`] reads: a hostile one ends as a file of that kind would.

use serde_json::value::RawValue;

use crate::profile::{
    import,
    sample::{prelude::*, sampler::Clock, target::read},
    tree::IDLE,
};

/// From one turn to the next, at least.
const LEAST: Duration = Duration::from_secs(1);
/// And at most: what is handed over stays small, and somebody looks at it.
const MOST: Duration = Duration::from_secs(10);
/// A turn is so many times as far from the next as it takes.
const APART: u32 = 100;

/// A heap of JavaScript with a thread that runs it.
pub struct Isolate {
    /// The session of a worker; none for the main thread.
    pub session: Option<String>,
    pub thread: Thread,
    /// When it was stopped last, and how far it is to the next time.
    pub turned: Instant,
    pub turn: Duration,
    /// Answers to [`super::Purpose::Stop`] that are to come.
    pub owes: u32,
    /// When the last part ended, in the runtime's microseconds.
    end: Option<f64>,
    pub is_there: bool,
}

impl Isolate {
    pub fn new(session: Option<String>, thread: Thread) -> Self {
        Self {
            session,
            thread,
            turned: Instant::now(),
            turn: LEAST,
            owes: 0,
            end: None,
            is_there: true,
        }
    }

    /// It runs again: what that took since it was asked to stop says when its turn is next. The first time it is started is no turn.
    pub fn goes_on(&mut self) {
        if self.end.is_some() {
            let took = self.turned.elapsed();
            self.turn = took.saturating_mul(APART).clamp(LEAST, MOST);
        }
    }
}

/// The times of a part, in microseconds of the runtime's clock.
#[derive(Deserialize)]
struct Part {
    profile: Span,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    start_time: f64,
    end_time: f64,
}

/// What is known of all parts together.
#[derive(Default)]
pub struct Parts {
    /// When the first one began, in the runtime's microseconds.
    origin: Option<f64>,
    /// How often there was one in the middle.
    pub turns: u64,
    /// Microseconds that are in none.
    between: f64,
    /// Nanoseconds that the main thread was seen at work.
    busy: u64,
    /// Nanoseconds that it had had a processor before.
    before: Option<u64>,
}

impl Parts {
    /// The first one begins.
    pub fn begin(&mut self, target: &Target) {
        self.before = on_processor(target);
    }

    /// Adds one.
    pub fn add(
        &mut self,
        isolate: &mut Isolate,
        result: &RawValue,
        options: &Options,
        into: &mut Builder,
        taken: &mut SampleBatch,
    ) -> Result<()> {
        let broken = |why: &dyn Display| SampleError::failed("what its inspector sent", why);
        let Part { profile: span } =
            serde_json::from_str(result.get()).map_err(|error| broken(&error))?;
        let never = Cancel::default();
        let part = match import::read_from(result.get().as_bytes(), 0, &never, &|_, _| ()) {
            Ok(part) if part.unit == Unit::Nanoseconds => Some(part),
            Ok(_) => return Err(broken(&"its samples have no times")),
            Err(import::ImportError::NoSamples(_)) => None,
            Err(error) => return Err(broken(&error)),
        };
        let about = into.about();
        about.unit = Unit::Nanoseconds;
        let between = isolate
            .end
            .map_or(0.0, |end| (span.start_time - end).max(0.0));
        isolate.end = Some(span.end_time);
        self.between += between;
        // A runtime that had no time to look tells nothing of it: the weights of its samples are true, but they are fewer.
        let all = (span.end_time - span.start_time).max(0.0) + between;
        let due = (all / options.interval().as_micros() as f64) as u64;
        let seen = part.as_ref().map_or(0, |part| part.samples.len()) as u64;
        let lost = due.saturating_sub(seen);
        about.lost = about.lost.saturating_add(lost);
        taken.lost = taken.lost.saturating_add(lost);
        let origin = *self.origin.get_or_insert(span.start_time);
        let after = ((span.start_time - origin).max(0.0) * 1000.0) as u64;
        let Some(part) = part else { return Ok(()) };
        let is_idle = part.is_in(IDLE);
        let thread = into.thread(isolate.thread.clone());
        let is_wall = options.clock == Clock::Wall;
        let (count, weight) = into.add(&part, thread, after, |stack| is_wall || !is_idle(stack));
        taken.samples += count;
        if isolate.session.is_none() && !is_wall {
            self.busy = self.busy.saturating_add(weight);
        }
        Ok(())
    }

    /// What a reader should know of how they fit together; `stood` is how long it is known to have stood still, which is said elsewhere.
    pub fn notes(&self, target: &Target, stood: Duration) -> Vec<String> {
        let mut notes = Vec::new();
        if self.turns > 0 {
            notes.push(format!(
                "what came between the parts that its profiler handed over is not in it: {} in {}",
                words::time((self.between * 1000.0) as u64),
                amount::count(self.turns, "gap", "gaps")
            ));
        }
        let had = self.before.zip(on_processor(target));
        let had = had.map(|(before, now)| now.saturating_sub(before));
        let busy = self.busy.saturating_sub(nanoseconds(stood));
        // What is counted begins and ends with a sample, and another program may have had the processor for a moment.
        if let Some(had) = had
            && busy > had.saturating_mul(3) / 2 + 500_000_000
        {
            let why = if had < busy / 20 {
                "it stood still, as at a breakpoint of another debugger; continue it and take the profile again"
            } else {
                "the rest it waited inside of functions, for the system, a debugger or a processor"
            };
            notes.push(format!(
                "its main thread had a processor for {} of the {} that are counted: {why}",
                words::time(had),
                words::time(self.busy)
            ));
        }
        notes
    }
}

/// Nanoseconds that the main thread of a process had a processor, where the kernel counts them: proc(5), `schedstat`.
fn on_processor(target: &Target) -> Option<u64> {
    let pid = target.pid;
    let text = read(format!("/proc/{pid}/task/{pid}/schedstat")).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}
