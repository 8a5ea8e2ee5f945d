//! What was seen at the stops of a session, kept so that one can look back after stepping too far.
//!
//! Nothing is ever asked for because of it: a [`StopSnapshot`] is what had been loaded when the program went on (reason, stacks, scopes,
//! variables, watches), and [`Pages`] are the parts of values that somebody opened. Both are bounded in bytes; what had to go is
//! counted. The stops of a recording have the same form, so that one table and one way to look at them serve both. Which stop
//! is kept when is the core's business (`core/past_stops`).

mod difference;

use std::sync::atomic::AtomicUsize;

use difference::cut;

use super::command::Page;
use crate::prelude::*;

pub(crate) use difference::shown_frame;
pub use difference::{Difference, ValueChange, difference, is_module, own_scopes};

/// Stops kept of a session; older ones are let go.
const MOST_STOPS: usize = 1000;
/// Bytes kept of a session's stops, roughly counted.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of opened values kept of one stop.
const MOST_OPENED: usize = 512 * 1024;
/// What a frame, a variable and a stop take beside their texts.
const OVERHEAD: usize = 200;

/// One stop as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StopSnapshot {
    /// From 1, over the life of the session.
    pub number: u64,
    /// When, in milliseconds since 1970; of a recording since its beginning.
    pub at: Option<u64>,
    /// All that was loaded.
    pub stop: Stop,
    pub threads: Vec<Thread>,
    /// Bytes that the session had printed by the time the program went on.
    pub output_at: u64,
}

/// What another session is like at a stop of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SiblingSnapshot {
    pub session: SessionId,
    pub phase: Phase,
    /// Its exit code, where it has ended and the recording has that.
    pub exit_code: Option<i64>,
    /// Where it stands.
    pub seen: Option<Box<StopSnapshot>>,
}

/// One stop in a table of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastStop {
    /// See [`StopSnapshot::number`]; of a recording of several sessions its place among the stops of all of them.
    pub number: u64,
    /// Whose it is, in a recording of several sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// See [`StopSnapshot::at`].
    pub at: Option<u64>,
    /// Why, in the adapter's word.
    pub reason: String,
    /// What the exception or the adapter said about it.
    pub text: Option<String>,
    /// Which thread stopped.
    pub thread_id: Option<i64>,
    /// Its name, where known.
    pub thread: Option<String>,
    /// The function that was shown.
    pub function: Option<String>,
    /// Path or name of its source.
    pub file: Option<String>,
    /// The line in it, from 1.
    pub line: Option<i64>,
    /// Bytes printed since the stop before.
    pub printed: u64,
    /// What is otherwise than at the stop before.
    pub difference: Difference,
    /// What watches came to, those that were evaluated there.
    #[serde(default, deserialize_with = "super::keyed::deserialize")]
    pub watches: BTreeMap<WatchId, Outcome>,
}

/// The stops of a session, as a front end asks for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stops {
    /// Oldest first.
    pub stops: Vec<PastStop>,
    /// Older ones that are no longer kept.
    pub let_go: u64,
    /// Number of the one where the program stands, or stood last.
    pub here: Option<u64>,
    /// Whether it still stands there.
    pub stands: bool,
    /// Whether they come from a recording: then there are some in it to which it has not been played yet.
    pub recorded: bool,
}

/// Parts of values that were opened at a stop, by what they were asked for with.
#[derive(Debug, Default)]
pub struct Pages {
    rows: HashMap<(i64, Option<Page>), Vec<Variable>>,
    /// Pages of values as data, by their expressions and what was asked.
    data: Vec<(String, Query, Data)>,
    bytes: usize,
}

/// Pages that answers on their way still come into.
pub type SharedPages = Arc<Mutex<Pages>>;

impl Pages {
    /// Keeps an answer, unless this stop has enough of them.
    pub fn keep(&mut self, reference: i64, page: Option<Page>, variables: &[Variable]) {
        let bytes = weight_of(variables);
        if self.bytes + bytes <= MOST_OPENED {
            self.bytes += bytes;
            self.rows.insert((reference, page), variables.to_vec());
        }
    }

    /// The same of a page of a value as data.
    pub fn keep_data(&mut self, expression: &str, query: &Query, data: &Data) {
        let is_same = |page: &(String, Query, Data)| page.0 == expression && page.1 == *query;
        if let Some(at) = self.data.iter().position(is_same) {
            self.bytes -= self.data.remove(at).2.weight();
        }
        let bytes = data.weight();
        if self.bytes + bytes <= MOST_OPENED {
            self.bytes += bytes;
            let page = (expression.to_owned(), query.clone(), data.clone());
            self.data.push(page);
        }
    }

    /// What was read of a value as data, to be put beside `now`: of a table the rows that were asked for, as far as they follow each
    /// other.
    pub fn data(&self, expression: &str, query: &Query, now: &Data) -> Option<Data> {
        let is_such = |page: &&(String, Query, Data)| {
            let (of, asked, data) = page;
            let is_order = asked.sort == query.sort && asked.filter == query.filter;
            of == expression && is_order && data.view == now.view
        };
        let mut pages = self.data.iter().rev().filter(is_such).map(|page| &page.2);
        let mut data = pages.next()?.clone();
        let Content::Table(table) = &mut data.content else {
            return Some(data);
        };
        let mut rows = BTreeMap::new();
        for page in self.data.iter().filter(is_such) {
            if let Content::Table(page) = &page.2.content
                && page.columns == table.columns
            {
                let named = page.labels.iter().cloned().zip(page.rows.iter().cloned());
                rows.extend((page.first..).zip(named));
            }
        }
        let whole = rows.len() as u64 == table.total;
        table.first = if whole { 0 } else { query.rows.0 };
        let following = (table.first..).map_while(|at| rows.remove(&at));
        (table.labels, table.rows) = following.unzip();
        Some(data)
    }

    /// All rows under a reference that were asked for: in one, or else the pages by where they begin.
    pub fn all(&self, reference: i64) -> Option<Vec<Variable>> {
        if let Some(whole) = self.find(reference, None) {
            return Some(whole.to_vec());
        }
        let pages = self.rows.iter().filter(|((of, _), _)| *of == reference);
        let mut pages: Vec<_> = pages
            .map(|((_, page), rows)| (page.map_or(0, |page| page.start), rows))
            .collect();
        pages.sort_by_key(|(start, _)| *start);
        let rows = pages.iter().flat_map(|(_, rows)| rows.iter().cloned());
        (!pages.is_empty()).then(|| rows.collect())
    }

    /// What the same question was answered.
    pub fn find(&self, reference: i64, page: Option<Page>) -> Option<&[Variable]> {
        self.rows.get(&(reference, page)).map(Vec::as_slice)
    }
}

/// A stop of a recording: what was seen, what was opened, and what the program printed until it went on.
#[derive(Debug, Default)]
pub struct RecordedStop {
    pub seen: StopSnapshot,
    /// What was opened.
    pub pages: Pages,
    /// What was printed since the stop before.
    pub output: Vec<OutputChunk>,
}

/// One stop and what belongs to it.
#[derive(Debug)]
struct StopRecord {
    seen: StopSnapshot,
    pages: SharedPages,
    output: Vec<OutputChunk>,
    printed: u64,
    difference: Difference,
    bytes: usize,
}

/// The stop where the program stands, which the state of the session has.
#[derive(Clone, Copy, Debug)]
pub struct Present<'a> {
    pub stop: &'a Stop,
    pub threads: &'a [Thread],
    /// Bytes printed until now.
    pub printed: u64,
}

/// The stops of one session.
#[derive(Debug, Default)]
pub struct History {
    kept: VecDeque<StopRecord>,
    bytes: usize,
    let_go: u64,
    /// What is opened at the present stop.
    opened: SharedPages,
    /// When the present stop came.
    since: Option<u64>,
    /// Bytes printed when the program went on from the present stop.
    left_at: Option<u64>,
    /// For a recording: at which of its stops the player is, from 1.
    player: Option<Arc<AtomicUsize>>,
}

impl History {
    /// All stops of a recording; `player` says at which one it is, from 1.
    pub fn recorded(stops: Vec<RecordedStop>, player: Arc<AtomicUsize>) -> Self {
        let mut history = Self {
            player: Some(player),
            ..Self::default()
        };
        for stop in stops {
            history.push(stop.seen, Arc::new(Mutex::new(stop.pages)), stop.output);
        }
        history
    }

    /// Whether the stops come from a recording.
    pub fn is_recorded(&self) -> bool {
        self.player.is_some()
    }

    /// The program goes on, and so many bytes were printed until now; none: it did not go on after all.
    pub fn left(&mut self, printed: Option<u64>) {
        self.left_at = printed;
    }

    /// Another stop comes at `now` (milliseconds since 1970), and this was the one before.
    pub fn turn(&mut self, before: Option<(Stop, Vec<Thread>, u64)>, now: u64) {
        if self.is_recorded() {
            return;
        }
        let pages = mem::take(&mut self.opened);
        if let Some((stop, threads, printed)) = before {
            self.push(self.seen(stop, threads, printed), pages, Vec::new());
        }
        self.since = Some(now);
        self.left_at = None;
    }

    fn push(&mut self, mut seen: StopSnapshot, pages: SharedPages, output: Vec<OutputChunk>) {
        seen.number = self.next_number();
        let before = self.kept.back();
        let difference = difference(before.map(|kept| &kept.seen.stop), &seen.stop);
        let printed = seen
            .output_at
            .saturating_sub(before.map_or(0, |kept| kept.seen.output_at));
        let texts: usize = output.iter().map(OutputChunk::weight).sum();
        let bytes = weight(&seen.stop) + lock(&pages).bytes + texts;
        self.bytes += bytes;
        self.kept.push_back(StopRecord {
            seen,
            pages,
            output,
            printed,
            difference,
            bytes,
        });
        // A recording is bounded by its file.
        let is_over = |history: &Self| {
            !history.is_recorded()
                && (history.kept.len() > MOST_STOPS || history.bytes > MOST_BYTES)
        };
        while is_over(self)
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(oldest.bytes);
            self.let_go += 1;
        }
    }

    fn next_number(&self) -> u64 {
        self.let_go + self.kept.len() as u64 + 1
    }

    /// Number of the stop where the program stands, or stood last.
    fn here(&self, present: Option<Present<'_>>) -> Option<u64> {
        match &self.player {
            Some(player) => u64::try_from(player.load(Ordering::Relaxed))
                .ok()
                .filter(|number| *number > 0),
            None => present.map(|_| self.next_number()),
        }
    }

    /// The table of all of them.
    pub fn table(&self, present: Option<Present<'_>>) -> Stops {
        let mut stops: Vec<PastStop> = self
            .kept
            .iter()
            .map(|kept| row(&kept.seen, kept.printed, kept.difference.clone()))
            .collect();
        if let Some(seen) = self.present(present) {
            let before = self.kept.back().map(|kept| &kept.seen);
            let difference = difference(before.map(|seen| &seen.stop), &seen.stop);
            let printed = before.map_or(0, |seen| seen.output_at);
            stops.push(row(
                &seen,
                seen.output_at.saturating_sub(printed),
                difference,
            ));
        }
        Stops {
            stops,
            let_go: self.let_go,
            here: self.here(present),
            stands: false,
            recorded: self.is_recorded(),
        }
    }

    /// The stop of the state, unless all stops are kept already.
    fn present(&self, present: Option<Present<'_>>) -> Option<StopSnapshot> {
        let present = present.filter(|_| !self.is_recorded())?;
        let (stop, threads) = (present.stop.clone(), present.threads.to_vec());
        Some(self.seen(stop, threads, present.printed))
    }

    /// A stop of a live session, which is the last one so far.
    fn seen(&self, stop: Stop, threads: Vec<Thread>, printed: u64) -> StopSnapshot {
        StopSnapshot {
            number: self.next_number(),
            at: self.since,
            stop,
            threads,
            output_at: self.left_at.unwrap_or(printed),
        }
    }

    /// How many there were in all.
    pub fn count(&self, present: Option<Present<'_>>) -> u64 {
        self.next_number() - u64::from(present.is_none() || self.is_recorded())
    }

    /// One of them; an error says why it is not here.
    pub fn find(&self, number: u64, present: Option<Present<'_>>) -> Result<StopSnapshot, String> {
        if let Some(seen) = self.present(present).filter(|seen| seen.number == number) {
            return Ok(seen);
        }
        if (1..=self.let_go).contains(&number) {
            return Err(format!(
                "Stop {number} is no longer kept: the oldest {} were let go.",
                self.let_go
            ));
        }
        let index = number.checked_sub(self.let_go + 1);
        let kept = index.and_then(|index| self.kept.get(usize::try_from(index).ok()?));
        kept.map(|kept| kept.seen.clone())
            .ok_or_else(|| format!("There was no stop {number}."))
    }

    /// What the program had printed up to a stop, where the session itself may not have it yet: of recordings.
    pub fn output_until(&self, number: u64) -> Option<Vec<OutputChunk>> {
        self.player.as_ref()?;
        let until = self.kept.iter().filter(|kept| kept.seen.number <= number);
        Some(until.flat_map(|kept| kept.output.iter().cloned()).collect())
    }

    /// What was opened at a past stop; none when this is no stop of the past.
    pub fn pages_of(&self, stop: StopId) -> Option<SharedPages> {
        let kept = self
            .kept
            .iter()
            .rev()
            .find(|kept| kept.seen.stop.id == stop);
        kept.map(|kept| Arc::clone(&kept.pages))
    }

    /// What is opened at the present stop.
    pub fn opened(&self) -> SharedPages {
        Arc::clone(&self.opened)
    }
}

fn row(seen: &StopSnapshot, printed: u64, difference: Difference) -> PastStop {
    let stop = &seen.stop;
    let frame = shown_frame(stop);
    let exception = stop.exception.as_ref();
    let told = exception.and_then(|e| {
        e.description
            .clone()
            .or_else(|| Some(e.exception_id.clone()))
    });
    PastStop {
        number: seen.number,
        session: None,
        at: seen.at,
        reason: stop.reason.clone(),
        text: told
            .or_else(|| stop.text.clone())
            .or_else(|| stop.description.clone())
            .map(|text| cut(&text)),
        thread_id: stop.thread_id,
        thread: stop
            .thread_id
            .and_then(|id| seen.threads.iter().find(|thread| thread.id == id))
            .map(|thread| thread.name.clone()),
        function: frame.map(|frame| frame.name.clone()),
        file: frame.and_then(StackFrame::file).map(str::to_owned),
        line: frame.map(|frame| frame.line).filter(|line| *line > 0),
        printed,
        difference,
        watches: stop
            .watches
            .iter()
            .map(|(id, value)| (*id, brief(&value.result)))
            .collect(),
    }
}

fn brief(outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Value(text) => Outcome::Value(cut(text)),
        Outcome::Error(why) => Outcome::Error(cut(why)),
    }
}

fn weight_of(variables: &[Variable]) -> usize {
    let texts = |v: &Variable| {
        v.name.len()
            + v.value.len()
            + v.type_.as_ref().map_or(0, String::len)
            + v.evaluate_name.as_ref().map_or(0, String::len)
    };
    variables.iter().map(|v| OVERHEAD + texts(v)).sum()
}

/// Bytes that a stop takes, roughly.
fn weight(stop: &Stop) -> usize {
    let frame = |frame: &StackFrame| {
        let path = frame.path().map_or(0, str::len);
        2 * OVERHEAD + frame.name.len() + path
    };
    let stacks: usize = stop
        .stacks
        .values()
        .flat_map(|s| &s.frames)
        .map(frame)
        .sum();
    let scopes = stop.frames.values().flat_map(|frame| &frame.scopes);
    let variables: usize = scopes
        .map(|s| OVERHEAD + weight_of(s.variables.as_deref().unwrap_or_default()))
        .sum();
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    OVERHEAD
        + stacks
        + variables
        + stop.watches.len() * OVERHEAD
        + text(&stop.text)
        + text(&stop.description)
}

#[cfg(test)]
mod tests;
