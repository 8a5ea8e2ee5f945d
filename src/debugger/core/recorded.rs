//! What breakpoints record instead of stopping: which hits are within their limits, and the table.

use std::time::Instant;

use super::{prelude::*, refine::StopCandidate};
use crate::{
    record::Record,
    records::{Recorded, RecordedFrame},
};

impl Owner {
    /// Whether a breakpoint records a hit now.
    pub fn has_room(&self, id: SessionId, breakpoint: &Breakpoint) -> bool {
        let records = || self.records.get(&self.root_of(id));
        breakpoint.record.as_ref().is_some_and(|record| {
            records().is_none_or(|all| all.has_room(breakpoint.id, record, Instant::now()))
        })
    }

    /// The row of a hit; none where it is only counted.
    pub fn within_limit(
        &mut self,
        case: &StopCandidate,
        wish: &Breakpoint,
        record: &Record,
    ) -> Option<Recorded> {
        let root = self.root_of(case.session);
        let records = self.records.entry(root).or_default();
        let none_yet = records.skipped() == 0;
        let Some(skipped) = records.take(wish.id, record, Instant::now(), case.stands_somewhere())
        else {
            if none_yet {
                let (label, most) = (wish.label(), record.per_second);
                let text = format!(
                    "The program comes to {label} more than {most} times a second: what is more is counted, and not recorded."
                );
                self.inform(Some(case.session), text);
            }
            return None;
        };
        Some(Recorded {
            skipped,
            ..self.row(case, wish)
        })
    }

    /// A row of a hit, without what it came to.
    pub fn row(&self, case: &StopCandidate, wish: &Breakpoint) -> Recorded {
        let thread_id = case.stop.thread_id;
        let threads = self.session(case.session).map(|s| &s.threads);
        let thread = threads.and_then(|all| all.iter().find(|t| Some(t.id) == thread_id));
        Recorded {
            breakpoint: wish.id,
            at: self.since_start(case.session),
            thread_id,
            thread: thread.map(|t| t.name.clone()),
            ..Recorded::default()
        }
    }

    fn since_start(&self, id: SessionId) -> u64 {
        let live = self.live(self.root_of(id));
        let at = live.and_then(|live| SystemTime::now().duration_since(live.started?).ok());
        at.map_or(0, |at| at.as_micros() as u64)
    }

    /// Keeps what a logpoint printed.
    pub fn keep_logged(&mut self, id: SessionId, row: Recorded) {
        if !row.values.is_empty() {
            let root = self.root_of(id);
            self.records.entry(root).or_default().keep(row);
        }
    }

    /// The same of what an adapter printed for one: its values, where they can be told from its words.
    pub fn read_logged(&mut self, id: SessionId, chunk: &OutputChunk) {
        let Some((live, session)) = self.live(id).zip(self.session(id)) else {
            return;
        };
        let is_printed = |b: &&Breakpoint| {
            b.enabled
                && b.log_message.is_some()
                && !Ours::of(
                    b,
                    &session.capabilities,
                    &live.personality,
                    live.shared.contains(&b.id),
                )
                .message
        };
        let all = self.breakpoints().filter(is_printed);
        let all: Vec<_> = all.cloned().collect();
        let (root, at) = (self.root_of(id), self.since_start(id));
        for logpoint in all {
            let records = self.records.entry(root).or_default();
            let Some(values) = records.read(&logpoint, chunk) else {
                continue;
            };
            let file = match &logpoint.site {
                BreakpointSite::Source { path, .. } => Some(path.lossy()),
                _ => None,
            };
            let place = RecordedFrame {
                file,
                line: logpoint.shown_line().unwrap_or_default(),
                ..RecordedFrame::default()
            };
            records.keep(Recorded {
                breakpoint: logpoint.id,
                at,
                values,
                stack: Arc::new(vec![place]),
                ..Recorded::default()
            });
            return;
        }
    }

    /// Keeps and tells what was recorded.
    pub fn keep_records(&mut self, id: SessionId, rows: Vec<Recorded>) {
        let root = self.root_of(id);
        for row in rows {
            let row = self.records.entry(root).or_default().keep(row);
            self.change(id, Change::Recorded { row });
        }
    }

    /// The table of a session and all that belong to it.
    pub fn records(&self, session: Option<SessionId>, query: Query) -> Handled {
        query.check()?;
        let session = self.meant(session)?.id;
        let records = self.records.get(&self.root_of(session));
        let seen = records.map(Records::seen).unwrap_or_default();
        let data = tasks::blocking(move || seen.data(&query));
        later(async move {
            let data = Box::new(data.await??);
            Ok(Reply::Data { data })
        })
    }
}
