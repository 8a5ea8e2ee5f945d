//! Our frame when all of it changes: the debug workspace at stop after stop, each with another place in the source, other frames,
//! other values, other output. Told by events as the core tells them; only drawing is timed.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use color_eyre::eyre::{Result, ensure};
use omp_debug::dap::types::{Scope, Source, StackFrame, Variable};
use omp_debug::debugger::state::{FrameRef, FrameScopes, ScopeVariables, Stack};
use omp_debug::debugger::{
    Change, Command, Event, EventKind, OutputChunk, Phase, Reply, Session, SessionId, Stop, StopId,
    Thread,
};
use omp_debug::tui::action::effect::{Effect, RouteId};
use omp_debug::tui::action::keymap::Keymap;
use omp_debug::tui::action::msg::{Msg, Waker};
use omp_debug::tui::app::{App, AppEvent, World};
use omp_debug::tui::theme::{Symbols, Theme};
use ratatui::Terminal;

use super::paper::Paper;

const SESSION: SessionId = SessionId(1);
const THREAD: i64 = 1;
/// Enough for every pane.
const PANE: usize = 60;

/// Microseconds for one frame, of each of `count` frames.
pub fn frames(terminal: &mut Terminal<Paper>, lines: &[String], count: usize) -> Result<Vec<f64>> {
    let world = World {
        lens: None,
        state: Rc::default(),
        theme: Theme::dark().into(),
        symbols: &Symbols::UNICODE,
        project: Path::new("/project").into(),
        omp: Arc::default(),
        artifact_root: Arc::default(),
        host: None,
    };
    let app = App::new(
        world,
        Keymap::default(),
        RouteId::DEBUG,
        true,
        &Waker::default(),
    );
    let mut screen = Screen {
        app,
        lines,
        events: 0,
        sources: 0,
    };
    screen.start();
    let mut times = Vec::with_capacity(count);
    for number in 0..count {
        screen.stop(number);
        let began = Instant::now();
        terminal.draw(|frame| screen.app.draw(frame))?;
        times.push(began.elapsed().as_secs_f64() * 1e6);
    }
    ensure!(
        screen.sources > 0,
        "the workspace never asked for the source it shows"
    );
    Ok(times)
}

struct Screen<'a> {
    app: App,
    lines: &'a [String],
    events: u64,
    /// How often a source was asked for.
    sources: usize,
}

impl Screen<'_> {
    fn tell(&mut self, kinds: impl IntoIterator<Item = EventKind>) {
        let mut events = Vec::new();
        for kind in kinds {
            self.events += 1;
            events.push(Event {
                seq: self.events,
                kind,
            });
        }
        self.message(Msg::Events(Arc::new(events)));
    }

    fn message(&mut self, msg: Msg) {
        let effects = self.app.update(AppEvent::Msg(msg), Instant::now());
        for effect in effects {
            if let Effect::Core {
                command: Command::Source { .. },
                tag,
            } = effect
            {
                self.sources += 1;
                let content = self.lines.join("\n");
                let result = Ok(Reply::Source {
                    content,
                    mime_type: None,
                    note: None,
                });
                self.message(Msg::Reply { tag, result });
            }
        }
    }

    /// A line of text that is another one in every frame and row.
    fn line(&self, number: usize, row: usize) -> &str {
        let index = (number * 61 + row * 7) % self.lines.len().max(1);
        self.lines.get(index).map_or("", String::as_str)
    }

    fn start(&mut self) {
        let session = Session {
            id: SESSION,
            name: "work".to_owned(),
            adapter: "bench".to_owned(),
            phase: Phase::Running,
            ..Session::default()
        };
        let thread = Thread {
            id: THREAD,
            name: "main".to_owned(),
            stopped: false,
        };
        self.tell([
            EventKind::SessionStarted {
                session: Box::new(session),
            },
            EventKind::Focus {
                session: Some(SESSION),
            },
            change(Change::Threads {
                threads: vec![thread],
            }),
        ]);
    }

    fn stop(&mut self, number: usize) {
        let stop = StopId(number as u64 + 1);
        let source = Source {
            path: Some("/project/work.txt".to_owned()),
            ..Source::default()
        };
        let frame = |row: usize| StackFrame {
            id: (number * PANE + row) as i64 + 1,
            name: self
                .line(number, row)
                .get(30..60)
                .unwrap_or_default()
                .to_owned(),
            line: ((number * 61 + row) % self.lines.len().max(1)) as i64 + 1,
            source: Some(source.clone()),
            ..StackFrame::default()
        };
        let variable = |row: usize| Variable {
            name: format!("value{}", (number * 61 + row) % 1000),
            value: self.line(number, row).to_owned(),
            type_: Some("text".to_owned()),
            ..Variable::default()
        };
        let frames: Vec<_> = (0..PANE).map(frame).collect();
        let frame_id = frames.first().map_or(0, |frame| frame.id);
        let locals = ScopeVariables {
            scope: Scope {
                name: "Locals".to_owned(),
                variables_reference: 1,
                ..Scope::default()
            },
            variables: Some((0..PANE).map(variable).collect()),
            trouble: None,
        };
        let printed = (0..PANE).map(|row| OutputChunk {
            category: "stdout".to_owned(),
            text: format!("{}\n", self.line(number, row)),
            ..OutputChunk::default()
        });
        let chunks = Arc::new(printed.collect());
        let begun = Stop {
            id: stop,
            thread_id: Some(THREAD),
            reason: "step".to_owned(),
            all_threads_stopped: true,
            ..Stop::default()
        };
        self.tell([
            change(Change::Output { chunks }),
            change(Change::Stopped {
                stop: Box::new(begun),
            }),
            change(Change::Stack {
                stop,
                thread_id: THREAD,
                stack: Stack {
                    frames,
                    total: None,
                    complete: true,
                },
            }),
            change(Change::Selected {
                stop,
                frame: FrameRef {
                    thread_id: THREAD,
                    frame_id,
                },
            }),
            change(Change::Frame {
                stop,
                frame_id,
                scopes: FrameScopes {
                    scopes: vec![locals],
                    trouble: None,
                },
            }),
        ]);
    }
}

fn change(change: Change) -> EventKind {
    EventKind::Session {
        session: SESSION,
        change,
    }
}
