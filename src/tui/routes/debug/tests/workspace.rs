//! A route with the state it is told of, and a program to show in it.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};

use super::super::*;
use crate::action::Layer;
use crate::routes::debug::kit::test::{Stage, variable};
use dap::types::{Scope, Source, StackFrame};
use debugger::state::{FrameRef, FrameScopes, ScopeVariables, Stack};
use debugger::{
    Breakpoint, BreakpointAnswer, BreakpointId, BreakpointSite, DebuggerError, ErrorKind, Phase,
    Reply, Session, SessionId, StopId, Thread,
};
use debugger::{State, Stop};

pub const CODE: &str = "\
\"\"\"A shop.\"\"\"

def price_of(item):
    return item[\"price\"] * item[\"count\"]

def checkout(cart, discount):
    total = 0
    for item in cart:
        total += price_of(item)
    # no discount below ten
    if total > 10:
        total = total - discount
    return total

print(checkout([{\"price\": 3, \"count\": 2}], 5))
";

/// A route with the state it is told of.
pub struct Workspace {
    pub(super) stage: Stage,
    pub(super) route: DebugRoute,
    seq: u64,
}

pub fn frame(id: i64, name: &str, path: Option<&str>, line: i64) -> StackFrame {
    StackFrame {
        id,
        name: name.into(),
        line,
        source: path.map(|path| Source {
            path: Some(path.into()),
            ..Source::default()
        }),
        ..StackFrame::default()
    }
}

impl Workspace {
    pub(super) fn new() -> Self {
        Self {
            stage: Stage::new(State::default()),
            route: DebugRoute::default(),
            seq: 0,
        }
    }

    /// Applies events, tells the route, and answers what it asks of the core as long as it asks for sources.
    pub(super) fn tell(&mut self, kinds: Vec<EventKind>) -> Vec<Command> {
        let events: Vec<Event> = kinds
            .into_iter()
            .map(|kind| {
                self.seq += 1;
                Event {
                    seq: self.seq,
                    kind,
                }
            })
            .collect();
        for event in &events {
            self.stage.state.apply(event);
        }
        self.message(&Msg::Events(Arc::new(events)))
    }

    pub(super) fn message(&mut self, msg: &Msg) -> Vec<Command> {
        let cx = self.stage.cx();
        self.route.message(msg, &cx);
        let effects = cx.effects.take();
        self.answer(effects)
    }

    pub(super) fn answer(&mut self, effects: Vec<Effect>) -> Vec<Command> {
        let mut commands = Vec::new();
        for effect in effects {
            let Effect::Core { command, tag } = effect else {
                continue;
            };
            if let Command::Source { source, .. } = &command {
                let result = Self::read(source);
                commands.extend(self.message(&Msg::Reply { tag, result }));
            } else {
                commands.push(command);
            }
        }
        commands
    }

    pub(super) fn read(source: &Source) -> CoreAnswer {
        match source.path.as_deref() {
            Some("/project/shop.py") => Ok(Reply::Source {
                content: CODE.into(),
                mime_type: None,
                note: None,
            }),
            Some("/project/big.c") => Ok(Reply::Source {
                content: "int x;\t/* ä世 */\n".repeat(5_000) + &"y".repeat(1 << 20),
                mime_type: None,
                note: Some("The file changed after the program started.".into()),
            }),
            path => Err(DebuggerError::new(
                ErrorKind::Usage,
                format!("{path:?} cannot be read."),
            )),
        }
    }

    /// Runs an action by id.
    pub(super) fn invoke(&mut self, id: &str) -> Vec<Command> {
        let cx = self.stage.cx();
        let done = self.route.invoke(id, &cx);
        assert_eq!(done, Some(Ok(())), "{id}");
        let effects = cx.effects.take();
        self.answer(effects)
    }

    pub(super) fn why_not(&self, id: &str) -> &'static str {
        let row = self
            .route
            .rows(&self.stage.view())
            .into_iter()
            .find(|r| r.id == id)
            .unwrap();
        row.enabled.unwrap_err()
    }

    pub(super) fn key(&mut self, code: KeyCode) -> bool {
        let cx = self.stage.cx();
        self.route.text_wanted()
            && self
                .route
                .text(KeyEvent::new(code, KeyModifiers::NONE), &cx)
    }

    pub(super) fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> Vec<Command> {
        let event = MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        };
        let cx = self.stage.cx();
        self.route.mouse(event, &cx);
        let effects = cx.effects.take();
        self.answer(effects)
    }

    pub(super) fn screen(&mut self, width: u16, height: u16) -> Vec<String> {
        self.stage.draw(&mut self.route, width, height)
    }

    pub(super) fn start(&mut self) {
        let session = Session {
            id: SessionId(1),
            name: "shop.py".into(),
            adapter: "debugpy".into(),
            target: "/project/shop.py".into(),
            pid: Some(4711),
            phase: Phase::Running,
            ..Session::default()
        };
        let thread = |id, name: &str| Thread {
            id,
            name: name.into(),
            stopped: false,
        };
        self.tell(vec![
            EventKind::SessionStarted {
                session: Box::new(session),
            },
            EventKind::Focus {
                session: Some(SessionId(1)),
            },
            change(Change::Threads {
                threads: vec![thread(1, "MainThread"), thread(2, "worker")],
            }),
        ]);
    }

    /// A stop at the top of `frames`.
    pub(super) fn stop(&mut self, id: u64, frames: Vec<StackFrame>) -> Vec<Command> {
        let top = frames[0].id;
        let stop = Stop {
            id: StopId(id),
            thread_id: Some(1),
            reason: "breakpoint".into(),
            all_threads_stopped: true,
            hit_breakpoint_ids: vec![70],
            ..Stop::default()
        };
        let frame = FrameRef {
            thread_id: 1,
            frame_id: top,
        };
        let stop_id = StopId(id);
        let variables = vec![
            variable("cart", "[{'price': 3, 'count': 2}]", 4),
            variable("discount", "5", 0),
            variable("total", &format!("{}", id * 6), 0),
        ];
        let scope = ScopeVariables {
            scope: Scope {
                name: "Locals".into(),
                variables_reference: 3,
                ..Scope::default()
            },
            variables: Some(variables),
            trouble: None,
        };
        let scopes = FrameScopes {
            scopes: vec![scope],
            trouble: None,
        };
        let stack = Stack {
            frames,
            total: None,
            complete: true,
        };
        self.tell(vec![
            change(Change::Stopped {
                stop: Box::new(stop),
            }),
            change(Change::Stack {
                stop: stop_id,
                thread_id: 1,
                stack,
            }),
            change(Change::Selected {
                stop: stop_id,
                frame,
            }),
            change(Change::Frame {
                stop: stop_id,
                frame_id: top,
                scopes,
            }),
        ])
    }

    pub(super) fn stopped_in_shop() -> Self {
        let mut workspace = Self::new();
        workspace.start();
        workspace.tell(vec![EventKind::BreakpointSet {
            breakpoint: Box::new(breakpoint(1, 9, None)),
        }]);
        workspace.tell(vec![EventKind::BreakpointSet {
            breakpoint: Box::new(breakpoint(2, 12, Some("total > 3"))),
        }]);
        workspace.stop(
            1,
            vec![
                frame(11, "checkout", Some("/project/shop.py"), 9),
                frame(12, "<module>", Some("/project/shop.py"), 15),
            ],
        );
        workspace
    }
}

pub fn change(change: Change) -> EventKind {
    EventKind::Session {
        session: SessionId(1),
        change,
    }
}

pub fn breakpoint(id: u64, line: i64, condition: Option<&str>) -> Breakpoint {
    let site = BreakpointSite::Source {
        path: "/project/shop.py".into(),
        line,
        column: None,
    };
    let mut breakpoint = Breakpoint::new(BreakpointId(id), site);
    breakpoint.condition = condition.map(str::to_owned);
    let answer = BreakpointAnswer {
        adapter_id: Some(69 + id as i64),
        verified: true,
        ..BreakpointAnswer::default()
    };
    breakpoint.answers.insert(SessionId(1), answer);
    breakpoint
}

pub fn line_with<'a>(screen: &'a [String], text: &str) -> &'a str {
    screen
        .iter()
        .find(|l| l.contains(text))
        .unwrap_or_else(|| panic!("no {text:?} in\n{}", screen.join("\n")))
}
