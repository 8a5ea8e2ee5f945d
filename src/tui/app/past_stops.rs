//! Looking back: the screen shows a session as it was at a stop of the past, while the session itself goes its own way.
//!
//! A [`Lens`] is a copy of the state with that one stop in it. All that draws and decides is given the lens instead of the
//! state, so that panes need to know nothing of it; what would ask the adapter about frames that are no more is answered here:
//! it was not recorded. What makes the program run goes through, and ends the look back when the program runs.

use std::rc::Rc;

use debugger::{
    Change, Command, Evaluated, Event, EventKind, Outcome, Output, OutputChunk, Phase, Session,
    SessionId, State, Stop, WatchValue,
    adapter_requests::is_of_a_stop,
    history::{SiblingSnapshot, StopSnapshot},
    state::FrameRef,
};

/// The state as it was at one stop of one session.
#[derive(Debug)]
pub struct Lens {
    state: Rc<State>,
    session: SessionId,
}

/// What becomes of a command while one looks back.
#[derive(Clone, Debug, PartialEq)]
pub enum Handling {
    /// To the core.
    On,
    /// It was about a frame of the past, which was selected.
    Selected,
    /// It was about a variable that was seen then.
    Shown(Evaluated),
    /// Nobody can say any more.
    Unknown,
}

impl Lens {
    /// What `now` was like at a stop of a session; `output` is all that had been printed, where `now` does not have it yet.
    pub fn new(
        now: &State,
        id: SessionId,
        seen: StopSnapshot,
        output: Option<&[OutputChunk]>,
        beside: &[SiblingSnapshot],
    ) -> Option<Self> {
        let mut state = now.clone();
        for other in beside {
            let session = state.sessions.iter_mut().find(|s| s.id == other.session);
            if let Some(session) = session {
                as_then(session, other);
            }
        }
        if !beside.is_empty() {
            state.focus = Some(id);
        }
        // How far the others had come with printing is not known.
        for other in state.sessions.iter_mut().filter(|s| s.id != id) {
            other.output = Output::default();
        }
        let session = state.sessions.iter_mut().find(|s| s.id == id)?;
        session.output = match output {
            Some(chunks) => {
                let mut printed = Output::default();
                printed.extend(chunks);
                printed
            }
            None => session.output.until(seen.output_at),
        };
        session.phase = Phase::Stopped;
        session.activity = None;
        session.threads = seen.threads;
        session.stop = Some(seen.stop);
        (session.exit_code, session.ended) = (None, None);
        let state = Rc::new(state);
        Some(Self { state, session: id })
    }

    /// What is shown.
    pub fn state(&self) -> &Rc<State> {
        &self.state
    }

    fn stop_mut(&mut self) -> Option<&mut Stop> {
        let session = Rc::make_mut(&mut self.state)
            .sessions
            .iter_mut()
            .find(|s| s.id == self.session);
        session?.stop.as_mut()
    }

    /// Takes in what happened elsewhere; false = what is looked back from has gone on, so that there is another present.
    pub fn follow(&mut self, event: &Event) -> bool {
        // All sessions of a recording go together.
        let goes_with = |id: SessionId| {
            let recorded = |id| self.state.session(id).is_some_and(|s| s.recorded);
            id == self.session || recorded(self.session) && recorded(id)
        };
        match &event.kind {
            EventKind::Session { session, change } if goes_with(*session) => !matches!(
                change,
                Change::Stopped { .. }
                    | Change::Phase {
                        phase: Phase::Running | Phase::Initializing,
                        ..
                    }
            ),
            EventKind::SessionCleared { session } if *session == self.session => false,
            EventKind::Focus {
                session: Some(session),
            } if *session != self.session && goes_with(*session) => false,
            EventKind::WatchSet { watch } => {
                Rc::make_mut(&mut self.state).apply(event);
                let unknown = WatchValue {
                    result: Outcome::Error("not recorded".to_owned()),
                    ..WatchValue::default()
                };
                let id = watch.id;
                if let Some(stop) = self.stop_mut() {
                    stop.watches.insert(id, unknown);
                }
                true
            }
            _ => {
                Rc::make_mut(&mut self.state).apply(event);
                true
            }
        }
    }

    /// Which way a command goes; a frame of the past is selected at once.
    pub fn direct(&mut self, command: &Command) -> Handling {
        let meant = match command.session() {
            Some(Some(session)) => session == self.session,
            Some(None) => self.state.focus == Some(self.session),
            None => false,
        };
        if !meant {
            return Handling::On;
        }
        match command {
            Command::SelectFrame {
                thread, frame_id, ..
            } => self.select(*thread, *frame_id),
            Command::Evaluate { expression, .. } => self
                .shown(expression)
                .map_or(Handling::Unknown, Handling::Shown),
            asked if is_of_a_stop(asked) => Handling::Unknown,
            _ => Handling::On,
        }
    }

    /// A variable of the selected frame, as it was.
    fn shown(&self, name: &str) -> Option<Evaluated> {
        let scopes = &self.state.session(self.session)?.current_scopes()?.scopes;
        let mut variables = scopes.iter().filter_map(|s| s.variables.as_ref()).flatten();
        let variable = variables.find(|variable| variable.name == name)?;
        Some(Evaluated {
            result: variable.value.clone(),
            type_name: variable.type_.clone(),
            preview: variable.preview.clone(),
            ..Evaluated::default()
        })
    }

    fn select(&mut self, thread_id: i64, frame_id: Option<i64>) -> Handling {
        let Some(stop) = self.stop_mut() else {
            return Handling::Unknown;
        };
        let frames = stop.stacks.get(&thread_id).map(|stack| &stack.frames);
        let frames = frames.map(Vec::as_slice).unwrap_or_default();
        let wanted = frames
            .iter()
            .find(|frame| frame_id.is_none_or(|id| id == frame.id));
        let Some(frame_id) = wanted.map(|frame| frame.id) else {
            return Handling::Unknown;
        };
        stop.selected = Some(FrameRef {
            thread_id,
            frame_id,
        });
        let unseen = || debugger::state::FrameScopes {
            trouble: Some("not recorded: this frame was not looked into at that stop".to_owned()),
            ..Default::default()
        };
        stop.frames.entry(frame_id).or_insert_with(unseen);
        Handling::Selected
    }
}

/// Makes another session of a recording what it was then.
fn as_then(session: &mut Session, then: &SiblingSnapshot) {
    (session.phase, session.activity) = (then.phase, None);
    session.exit_code = then.exit_code;
    session.ended = session
        .ended
        .take()
        .filter(|_| then.phase == Phase::Terminated);
    if let Some(seen) = then.seen.as_deref() {
        session.threads.clone_from(&seen.threads);
        session.stop = Some(seen.stop.clone());
    } else {
        for thread in &mut session.threads {
            thread.stopped = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::debug::kit::test::{stopped_in_main, variable};
    use debugger::state::Past;
    use debugger::{OutputChunk, Watch, WatchId};

    fn lens() -> Lens {
        let mut now = stopped_in_main(7, vec![variable("n", "2", 0)]);
        let chunk = |text: &str| OutputChunk {
            category: "stdout".into(),
            text: text.into(),
            ..OutputChunk::default()
        };
        now.sessions[0].output.push(&chunk("first\nsecond\n"));
        now.sessions[0].phase = Phase::Terminated;
        now.sessions[0].exit_code = Some(0);
        let mut then = stopped_in_main(3, vec![variable("n", "1", 0)]);
        let mut stop = then.sessions.remove(0).stop.unwrap();
        stop.past = Some(Past {
            number: 3,
            of: 7,
            ended: false,
        });
        let seen = StopSnapshot {
            number: 3,
            stop,
            output_at: 8,
            ..StopSnapshot::default()
        };
        Lens::new(&now, SessionId(1), seen, None, &[]).unwrap()
    }

    fn event(change: Change) -> Event {
        Event {
            seq: 1,
            kind: EventKind::Session {
                session: SessionId(1),
                change,
            },
        }
    }

    #[test]
    fn a_session_is_shown_as_it_was() {
        let lens = lens();
        let session = &lens.state().sessions[0];
        assert_eq!((session.phase, session.exit_code), (Phase::Stopped, None));
        assert_eq!(session.current_stop().unwrap().id.0, 3);
        assert_eq!(session.output.text(), "first\nse");
    }

    #[test]
    fn what_was_not_asked_then_cannot_be_asked_now() {
        let mut lens = lens();
        let mut evaluate = |expression: &str| {
            lens.direct(&Command::Evaluate {
                session: None,
                frame_id: None,
                expression: expression.into(),
                context: "repl".into(),
            })
        };
        assert_eq!(evaluate("n + 1"), Handling::Unknown);
        assert!(matches!(evaluate("n"), Handling::Shown(value) if value.result == "1"));
        let data = Command::Data {
            session: None,
            frame_id: None,
            expression: "n".into(),
            query: debugger::data::Query::default(),
        };
        assert_eq!(
            lens.direct(&data),
            Handling::Unknown,
            "it would be the present one"
        );
        // Another session is not looked back at.
        let elsewhere = Command::StackTrace {
            session: Some(SessionId(2)),
            thread: None,
            levels: 1,
        };
        assert_eq!(lens.direct(&elsewhere), Handling::On);
        let go_on = Command::Continue {
            session: None,
            thread: None,
        };
        assert_eq!(lens.direct(&go_on), Handling::On);
        let select = |frame_id| Command::SelectFrame {
            session: None,
            thread: 1,
            frame_id: Some(frame_id),
        };
        assert_eq!(lens.direct(&select(99)), Handling::Unknown);
        assert_eq!(lens.direct(&select(1)), Handling::Selected);
    }

    #[test]
    fn it_ends_when_the_program_goes_on_and_not_before() {
        let mut lens = lens();
        let printed = Change::Output {
            chunks: std::sync::Arc::new(vec![OutputChunk {
                text: "later".into(),
                ..OutputChunk::default()
            }]),
        };
        assert!(lens.follow(&event(printed)));
        assert_eq!(lens.state().sessions[0].output.text(), "first\nse");
        let watch = Event {
            seq: 2,
            kind: EventKind::WatchSet {
                watch: Watch {
                    id: WatchId(4),
                    expression: "n".into(),
                    aside: None,
                },
            },
        };
        assert!(lens.follow(&watch));
        let stop = lens.state().sessions[0].stop.as_ref().unwrap();
        assert!(
            matches!(&stop.watches[&WatchId(4)].result, Outcome::Error(why) if why == "not recorded")
        );
        let stopped = Change::Stopped {
            stop: Box::default(),
        };
        assert!(!lens.follow(&event(stopped)));
    }
}
