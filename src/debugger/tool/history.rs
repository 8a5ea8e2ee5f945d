//! What happened between calls, in short lines, for who asks now and then and does not follow the events.

use std::sync::MutexGuard;

use tokio::sync::watch;

use super::{result::EventsSince, text::place};
use crate::{core::Subscription, prelude::*};

/// Lines that are kept.
const KEPT: usize = 1_000;

/// The lines, shared by who writes and who reads them.
#[derive(Clone)]
pub struct History {
    notes: Arc<Mutex<Notes>>,
    seen: watch::Sender<u64>,
}

struct Notes {
    lines: VecDeque<(u64, String)>,
    /// Number of the last line that fell out.
    dropped_at: u64,
    dropped: u64,
    began_at: u64,
    /// Breakpoints by their names, for when only their id is told.
    breakpoints: BTreeMap<BreakpointId, String>,
    /// The stop of each session whose place was told.
    placed: BTreeMap<SessionId, StopId>,
    /// What was told last of a breakpoint in a session: adapters say the same more than once.
    answered: BTreeMap<(SessionId, BreakpointId), String>,
}

impl History {
    /// What comes after `state`; [`Self::follow`] must run.
    pub fn after(state: &State) -> Self {
        Self {
            notes: Arc::new(Mutex::new(Notes {
                lines: VecDeque::new(),
                dropped_at: 0,
                dropped: 0,
                began_at: state.seq,
                breakpoints: state
                    .breakpoints
                    .iter()
                    .map(|b| (b.id, b.label()))
                    .collect(),
                placed: BTreeMap::new(),
                answered: BTreeMap::new(),
            })),
            seen: watch::Sender::new(state.seq),
        }
    }

    /// Takes notes until the core ends.
    pub async fn follow(self, mut events: Subscription) {
        while let Some(batch) = events.next().await {
            let mut notes = self.lock();
            for event in &batch {
                if let Some(line) = notes.line(event) {
                    notes.push(event.seq, sanitise(&line).into_owned());
                }
            }
            drop(notes);
            if let Some(last) = batch.last() {
                self.seen.send_replace(last.seq);
            }
        }
        // Nobody waits for what will not come.
        self.seen.send_replace(u64::MAX);
    }

    /// What happened after event `since`, up to `now` at least.
    pub async fn since(&self, since: u64, now: u64) -> EventsSince {
        // The sender is in `self`, so this ends by being seen only.
        let _ = self.seen.subscribe().wait_for(|seen| *seen >= now).await;
        let notes = self.lock();
        let all_there = since >= notes.dropped_at && since >= notes.began_at;
        EventsSince {
            since,
            seq: now,
            dropped: if all_there { 0 } else { notes.dropped },
            lines: notes
                .lines
                .iter()
                .filter(|(seq, _)| (since + 1..=now).contains(seq))
                .map(|(_, line)| line.clone())
                .collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        lock(&self.notes)
    }
}

impl Notes {
    fn push(&mut self, seq: u64, line: String) {
        self.lines.push_back((seq, line));
        if self.lines.len() > KEPT
            && let Some((seq, _)) = self.lines.pop_front()
        {
            self.dropped_at = seq;
            self.dropped += 1;
        }
    }

    /// What is worth a line.
    fn line(&mut self, event: &Event) -> Option<String> {
        match &event.kind {
            EventKind::SessionStarted { session } => {
                Some(format!("{} started: {}", session.id, session.name))
            }
            EventKind::BreakpointSet { breakpoint } => {
                let label = breakpoint.label();
                let new = self
                    .breakpoints
                    .insert(breakpoint.id, label.clone())
                    .is_none();
                let what = if new { "set" } else { "changed" };
                Some(format!("breakpoint {what}: {label}"))
            }
            EventKind::BreakpointRemoved { breakpoint } => {
                let label = self.breakpoints.remove(breakpoint)?;
                Some(format!("breakpoint removed: {label}"))
            }
            EventKind::BreakpointAnswered {
                breakpoint,
                session,
                answer: Some(answer),
            } => {
                let label = self.breakpoints.get(breakpoint)?;
                let what = if answer.verified {
                    "verified"
                } else {
                    "pending"
                };
                let line = answer
                    .line
                    .map(|line| format!(" at line {line}"))
                    .unwrap_or_default();
                let why = answer
                    .message
                    .as_deref()
                    .map(|m| format!(" ({m})"))
                    .unwrap_or_default();
                let told = format!("{session} breakpoint {what}: {label}{line}{why}");
                let known = self.answered.insert((*session, *breakpoint), told.clone());
                (known.as_ref() != Some(&told)).then_some(told)
            }
            EventKind::Message {
                severity,
                text,
                hint,
                ..
            } if *severity >= Severity::Warning => {
                let hint = hint.as_ref().map(|hint| format!(" ({hint})"));
                Some(format!("message: {text}{}", hint.unwrap_or_default()))
            }
            EventKind::Session { session, change } => self.change(*session, change),
            _ => None,
        }
    }

    fn change(&mut self, session: SessionId, change: &Change) -> Option<String> {
        match change {
            Change::Stopped { stop } => {
                let thread = stop
                    .thread_id
                    .map(|t| format!(", thread {t}"))
                    .unwrap_or_default();
                let text = stop
                    .text
                    .as_deref()
                    .or(stop.description.as_deref())
                    .filter(|t| *t != stop.reason);
                let text = text.map(|t| format!(" ({t})")).unwrap_or_default();
                Some(format!("{session} stopped: {}{thread}{text}", stop.reason))
            }
            Change::Stack { stop, stack, .. } => {
                let frame = stack.frames.first()?;
                if self.placed.insert(session, *stop) == Some(*stop) {
                    return None;
                }
                Some(format!(
                    "{session} stands in {} at {}",
                    frame.name,
                    place(frame)
                ))
            }
            Change::OutputLost { bytes } => Some(format!("{session} lost {bytes} bytes of output")),
            Change::Output { chunks } => {
                let lost: u64 = chunks.iter().map(|c| c.lost_before).sum();
                (lost > 0).then(|| format!("{session} lost {lost} bytes of output"))
            }
            Change::Exited { exit_code } => Some(format!("{session} exited with code {exit_code}")),
            Change::Ended { why } => Some(format!("{session} ended: {why}")),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breakpoint::{Breakpoint, BreakpointAnswer, BreakpointSite};
    use crate::output::OutputChunk;
    use crate::state::{Session, Stack, Stop};
    use dap::types::StackFrame;

    const ONE: SessionId = SessionId(1);

    fn about(change: Change) -> EventKind {
        EventKind::Session {
            session: ONE,
            change,
        }
    }

    /// What happened in the life of a session, and the line for each of it.
    fn story() -> Vec<(EventKind, Option<&'static str>)> {
        let function = BreakpointSite::Function {
            name: "main".to_owned(),
        };
        let breakpoint = Breakpoint::new(BreakpointId(1), function);
        let session = Session {
            id: ONE,
            name: "a.py".to_owned(),
            ..Session::default()
        };
        let stop = Stop {
            id: StopId(7),
            reason: "exception".to_owned(),
            text: Some("no such shelf".to_owned()),
            thread_id: Some(3),
            ..Stop::default()
        };
        let stack = || Change::Stack {
            stop: StopId(7),
            thread_id: 3,
            stack: Stack {
                frames: vec![StackFrame {
                    name: "work".to_owned(),
                    line: 4,
                    ..StackFrame::default()
                }],
                ..Stack::default()
            },
        };
        let answer = |verified| EventKind::BreakpointAnswered {
            breakpoint: BreakpointId(1),
            session: ONE,
            answer: Some(BreakpointAnswer {
                verified,
                line: Some(9),
                message: (!verified).then(|| "no code".to_owned()),
                ..BreakpointAnswer::default()
            }),
        };
        let set = || EventKind::BreakpointSet {
            breakpoint: Box::new(breakpoint.clone()),
        };
        let message = |severity, hint: Option<&str>| EventKind::Message {
            session: None,
            severity,
            text: "look".to_owned(),
            hint: hint.map(str::to_owned),
        };
        let printed = |lost_before| Change::Output {
            chunks: Arc::new(vec![OutputChunk {
                lost_before,
                ..OutputChunk::default()
            }]),
        };
        vec![
            (set(), Some("breakpoint set: main()")),
            (set(), Some("breakpoint changed: main()")),
            (
                EventKind::SessionStarted {
                    session: Box::new(session),
                },
                Some("debug-1 started: a.py"),
            ),
            (
                answer(false),
                Some("debug-1 breakpoint pending: main() at line 9 (no code)"),
            ),
            (
                answer(true),
                Some("debug-1 breakpoint verified: main() at line 9"),
            ),
            (answer(true), None),
            (
                about(Change::Stopped {
                    stop: Box::new(stop),
                }),
                Some("debug-1 stopped: exception, thread 3 (no such shelf)"),
            ),
            (
                about(stack()),
                Some("debug-1 stands in work at <unknown>:4"),
            ),
            (about(stack()), None),
            (about(printed(0)), None),
            (about(printed(12)), Some("debug-1 lost 12 bytes of output")),
            (
                about(Change::OutputLost { bytes: 5 }),
                Some("debug-1 lost 5 bytes of output"),
            ),
            (message(Severity::Info, None), None),
            (message(Severity::Warning, None), Some("message: look")),
            (
                message(Severity::Warning, Some("there")),
                Some("message: look (there)"),
            ),
            (
                EventKind::BreakpointRemoved {
                    breakpoint: BreakpointId(1),
                },
                Some("breakpoint removed: main()"),
            ),
            (
                about(Change::Exited { exit_code: 7 }),
                Some("debug-1 exited with code 7"),
            ),
            (
                about(Change::Ended {
                    why: "The program ended.".to_owned(),
                }),
                Some("debug-1 ended: The program ended."),
            ),
            (about(Change::Gone), None),
        ]
    }

    #[test]
    fn what_matters_has_a_line() {
        let history = History::after(&State::default());
        let mut notes = history.lock();
        for (seq, (kind, expected)) in (1..).zip(story()) {
            let shown = format!("{kind:?}");
            assert_eq!(
                notes.line(&Event { seq, kind }).as_deref(),
                expected,
                "{shown}"
            );
        }
    }

    #[tokio::test]
    async fn who_comes_late_learns_what_is_no_longer_kept() {
        let history = History::after(&State::default());
        let last = KEPT as u64 + 10;
        for seq in 1..=last {
            history.lock().push(seq, format!("line {seq}"));
        }
        history.seen.send_replace(last);
        let all = history.since(0, last).await;
        assert_eq!((all.lines.len(), all.dropped, all.seq), (KEPT, 10, last));
        assert_eq!(all.lines.first().map(String::as_str), Some("line 11"));
        let some = history.since(last - 2, last - 1).await;
        assert_eq!(
            (some.lines.as_slice(), some.dropped),
            (["line 1009".to_owned()].as_slice(), 0)
        );
    }
}
