//! The debug route as a picture in text, without an adapter: the same stop at several sizes and in several themes.
//!
//! Each size has a snapshot of its characters; a second one says in which style each cell is drawn, a letter for
//! each style. Themes change styles only, which is asserted.

use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::{Event as Input, KeyCode, KeyEvent};
use omp_debug::dap::types::{Scope, Source, StackFrame, Variable};
use omp_debug::debugger::ids::ApprovalId;
use omp_debug::debugger::output::OutputChunk;
use omp_debug::debugger::permission::{
    Actor, ActorKind, Approval, AuditEntry, Risk, SharingChange, Tier,
};
use omp_debug::debugger::state::{FrameRef, FrameScopes, ScopeVariables, Stack};
use omp_debug::debugger::{
    Breakpoint, BreakpointAnswer, BreakpointId, BreakpointSite, Change, Command, Event, EventKind,
    Phase, Reply, Session, SessionId, State, Stop, StopId, Thread,
};
use omp_debug::tui::action::effect::{Effect, RouteId};
use omp_debug::tui::action::keymap::Keymap;
use omp_debug::tui::action::msg::{Msg, Waker};
use omp_debug::tui::app::{App, AppEvent, World};
use omp_debug::tui::theme::{Symbols, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use tokio::sync::mpsc::{self, Receiver};

const CODE: &str = "\
\"\"\"A shop in Köln. 店\"\"\"

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

fn source() -> Source {
    Source {
        name: Some("shop.py".into()),
        path: Some("/project/shop.py".into()),
        ..Source::default()
    }
}

fn frame(id: i64, name: &str, line: i64) -> StackFrame {
    StackFrame {
        id,
        name: name.into(),
        line,
        source: Some(source()),
        ..StackFrame::default()
    }
}

fn variable(name: &str, value: &str, kind: &str, reference: i64) -> Variable {
    Variable {
        name: name.into(),
        value: value.into(),
        type_: Some(kind.into()),
        variables_reference: reference,
        evaluate_name: Some(name.into()),
        ..Variable::default()
    }
}

fn breakpoint(id: u64, line: i64) -> Breakpoint {
    let site = BreakpointSite::Source {
        path: "/project/shop.py".into(),
        line,
        column: None,
    };
    let mut breakpoint = Breakpoint::new(BreakpointId(id), site);
    let answer = BreakpointAnswer {
        verified: true,
        ..BreakpointAnswer::default()
    };
    breakpoint.answers.insert(SessionId(1), answer);
    breakpoint
}

fn of_session(change: Change) -> EventKind {
    EventKind::Session {
        session: SessionId(1),
        change,
    }
}

fn chunk(category: &str, text: &str) -> OutputChunk {
    OutputChunk {
        category: category.into(),
        text: text.into(),
        ..OutputChunk::default()
    }
}

/// A program that stands still in `checkout`, called from the module.
fn stopped() -> State {
    let session = Session {
        id: SessionId(1),
        name: "shop.py".into(),
        adapter: "debugpy".into(),
        pid: Some(4711),
        phase: Phase::Running,
        ..Session::default()
    };
    let threads = [(1, "MainThread"), (2, "worker")].map(|(id, name)| Thread {
        id,
        name: name.into(),
        stopped: id == 1,
    });
    let conditional = Breakpoint {
        condition: Some("total > 3".into()),
        ..breakpoint(2, 12)
    };
    let log_point = Breakpoint {
        log_message: Some("price of {item}".into()),
        ..breakpoint(3, 4)
    };
    let disabled = Breakpoint {
        enabled: false,
        ..breakpoint(4, 13)
    };
    let stop = StopId(1);
    let scopes = FrameScopes {
        scopes: vec![ScopeVariables {
            scope: Scope {
                name: "Locals".into(),
                variables_reference: 3,
                ..Scope::default()
            },
            variables: Some(vec![
                variable("cart", "[{'price': 3, 'count': 2}]", "list", 4),
                variable("discount", "5", "int", 0),
                variable("total", "6", "int", 0),
                variable("note", "'Köln 店 \u{1b}[31m'", "str", 0),
            ]),
            trouble: None,
        }],
        trouble: None,
    };
    let output = vec![
        chunk("console", "debugpy is ready\n"),
        chunk("stdout", "one item, \u{1b}[32mgreen\u{1b}[0m\n"),
        chunk("stderr", "a warning\n"),
    ];
    let kinds = vec![
        EventKind::SessionStarted {
            session: Box::new(session),
        },
        EventKind::Focus {
            session: Some(SessionId(1)),
        },
        EventKind::BreakpointSet {
            breakpoint: Box::new(breakpoint(1, 9)),
        },
        EventKind::BreakpointSet {
            breakpoint: Box::new(conditional),
        },
        EventKind::BreakpointSet {
            breakpoint: Box::new(log_point),
        },
        EventKind::BreakpointSet {
            breakpoint: Box::new(disabled),
        },
        of_session(Change::Threads {
            threads: threads.to_vec(),
        }),
        of_session(Change::Output {
            chunks: Arc::new(output),
        }),
        of_session(Change::Stopped {
            stop: Box::new(Stop {
                id: stop,
                thread_id: Some(1),
                reason: "breakpoint".into(),
                all_threads_stopped: true,
                ..Stop::default()
            }),
        }),
        of_session(Change::Stack {
            stop,
            thread_id: 1,
            stack: Stack {
                frames: vec![frame(11, "checkout", 9), frame(12, "<module>", 15)],
                total: None,
                complete: true,
            },
        }),
        of_session(Change::Selected {
            stop,
            frame: FrameRef {
                thread_id: 1,
                frame_id: 11,
            },
        }),
        of_session(Change::Frame {
            stop,
            frame_id: 11,
            scopes,
        }),
    ];
    let mut state = State::default();
    for (seq, kind) in (1..).zip(kinds) {
        state.apply(&Event { seq, kind });
    }
    state
}

/// The same program, which an agent drives that asks for something; another one watches.
fn shared() -> State {
    let agent = |name: &str, connection| Actor {
        kind: ActorKind::Agent,
        name: name.into(),
        connection,
    };
    let (claude, other) = (agent("claude-code 2.1", 1), agent("codex", 2));
    let set_by_agent = Breakpoint {
        by: Some(claude.clone()),
        ..breakpoint(5, 6)
    };
    let entry = |time_ms, action: &str, subject: &str, decision: &str| SharingChange::Audited {
        entry: Box::new(AuditEntry {
            time_ms,
            actor: claude.clone(),
            action: action.into(),
            tier: Tier::Control,
            subject: subject.into(),
            session: Some(SessionId(1)),
            decision: decision.into(),
            note: String::new(),
            hash: String::new(),
        }),
    };
    let approval = |id, action: &str, subject: &str| SharingChange::Asked {
        approval: Box::new(Approval {
            id: ApprovalId(id),
            actor: claude.clone(),
            session: Some(SessionId(1)),
            stop: Some(StopId(1)),
            action: action.into(),
            tier: Tier::Exec,
            risk: Risk::Critical,
            warning: "Critical risk. May run any code in the program.".into(),
            subject: subject.into(),
            subject_bytes: subject.len() as u64,
            place: "shop.py:9 checkout()".into(),
            editable: true,
            hash: String::new(),
            // Long ago, so that every picture says the same.
            expires_ms: 0,
        }),
    };
    let changes = [
        SharingChange::Joined {
            actor: claude.clone(),
        },
        SharingChange::Joined { actor: other },
        SharingChange::Driver {
            driver: Some(claude.clone()),
        },
        entry(1_764_000_000_000, "step_over", "", "allowed"),
        approval(1, "evaluate", "price_of(cart[0])\nprint('店')"),
        approval(2, "write_memory", "0x7ffe10: 01 02 -> 03 04"),
    ];
    let kinds = changes
        .into_iter()
        .map(|change| EventKind::Sharing { change });
    let breakpoint = Box::new(set_by_agent);
    let kinds = kinds.chain([EventKind::BreakpointSet { breakpoint }]);
    let mut state = stopped();
    for kind in kinds {
        let seq = state.seq + 1;
        state.apply(&Event { seq, kind });
    }
    state
}

/// The whole screen, and what wakes it.
struct Picture {
    app: App,
    wakes: Receiver<Msg>,
}

impl Picture {
    fn new(theme: Theme, symbols: &'static Symbols) -> Self {
        Self::of(stopped(), theme, symbols)
    }

    fn of(state: State, theme: Theme, symbols: &'static Symbols) -> Self {
        let world = World {
            lens: None,
            state: Rc::default(),
            theme: theme.into(),
            symbols,
            project: Path::new("/project").into(),
            omp: Arc::default(),
            artifact_root: Arc::default(),
            host: None,
        };
        let (sender, wakes) = mpsc::channel(8);
        let mut app = App::new(
            world,
            Keymap::default(),
            RouteId::DEBUG,
            true,
            &Waker::new(sender),
        );
        let mut effects = app.join(state);
        effects = app.absorb(effects);
        // What the core would answer: only the source's text.
        while let Some(effect) = effects.pop() {
            if let Effect::Core {
                command: Command::Source { .. },
                tag,
            } = effect
            {
                let result = Ok(Reply::Source {
                    content: CODE.into(),
                    mime_type: None,
                    note: None,
                });
                let reply = AppEvent::Msg(Msg::Reply { tag, result });
                effects.extend(app.update(reply, Instant::now()));
            }
        }
        Self { app, wakes }
    }

    fn draw(&mut self, width: u16, height: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| self.app.draw(frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// Drawn once the source has its colours.
    fn finished(theme: Theme, width: u16, height: u16) -> Buffer {
        Self::new(theme, &Symbols::UNICODE).coloured(width, height)
    }

    fn coloured(&mut self, width: u16, height: u16) -> Buffer {
        let early = text(&self.draw(width, height));
        assert!(early.contains("def checkout"), "no source in\n{early}");
        let woken = self.wakes.blocking_recv();
        assert!(
            matches!(woken, Some(Msg::Ready)),
            "nobody coloured the source"
        );
        self.draw(width, height)
    }

    fn press(&mut self, code: KeyCode) {
        let key = Ok(Input::Key(KeyEvent::from(code)).into());
        let effects = self.app.update(AppEvent::Input(key), Instant::now());
        assert!(effects.is_empty(), "{code:?} asks for something");
    }
}

fn text(buffer: &Buffer) -> String {
    let rows = buffer.content().chunks(usize::from(buffer.area.width));
    let rows = rows.map(|row| {
        let row: String = row.iter().map(Cell::symbol).collect();
        row.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

/// A letter for each cell, `.` for a plain one, and what the letters mean.
fn styles(buffer: &Buffer) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut known: Vec<String> = Vec::new();
    let mut out = String::new();
    for row in buffer.content().chunks(usize::from(buffer.area.width)) {
        let row: String = row
            .iter()
            .map(|cell| {
                let style = format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
                if style == "Reset on Reset NONE" {
                    return '.';
                }
                let at = known.iter().position(|k| *k == style).unwrap_or_else(|| {
                    known.push(style);
                    known.len() - 1
                });
                char::from(LETTERS[at])
            })
            .collect();
        out.push_str(row.trim_end_matches('.'));
        out.push('\n');
    }
    for (letter, style) in LETTERS.iter().zip(&known) {
        let _ = write!(out, "\n{}  {style}", char::from(*letter));
    }
    out
}

#[test]
fn wide() {
    let buffer = Picture::finished(Theme::dark(), 200, 50);
    insta::assert_snapshot!("wide_text", text(&buffer));
    insta::assert_snapshot!("wide_styles", styles(&buffer));
}

#[test]
fn normal() {
    let buffer = Picture::finished(Theme::dark(), 80, 24);
    insta::assert_snapshot!("normal_text", text(&buffer));
    insta::assert_snapshot!("normal_styles", styles(&buffer));
}

#[test]
fn tiny() {
    let mut picture = Picture::new(Theme::dark(), &Symbols::UNICODE);
    let buffer = picture.draw(39, 9);
    insta::assert_snapshot!("tiny_text", text(&buffer));
    insta::assert_snapshot!("tiny_styles", styles(&buffer));
}

#[test]
fn light() {
    let dark = text(&Picture::finished(Theme::dark(), 80, 24));
    let buffer = Picture::finished(Theme::light(), 80, 24);
    assert_eq!(text(&buffer), dark);
    insta::assert_snapshot!("light_styles", styles(&buffer));
}

/// What `NO_COLOR` asks for: not one colour, and what matters is still told apart.
#[test]
fn without_colours() {
    let buffer = Picture::finished(Theme::mono(), 80, 24);
    let styles = styles(&buffer);
    for colour in [
        "Rgb", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "Gray", "Indexed",
    ] {
        assert!(!styles.contains(colour), "{colour} in\n{styles}");
    }
    insta::assert_snapshot!("mono_styles", styles);
}

/// A terminal without Unicode gets ASCII, in the program's own glyphs at least.
#[test]
fn without_unicode() {
    let mut picture = Picture::new(Theme::mono(), &Symbols::ASCII);
    let buffer = picture.draw(80, 24);
    insta::assert_snapshot!("ascii_text", text(&buffer));
}

/// Others at the same core are seen in the header, at what they set and asked, and nowhere else.
#[test]
fn shared_with_agents() {
    let mut picture = Picture::of(shared(), Theme::dark(), &Symbols::UNICODE);
    insta::assert_snapshot!("shared_text", text(&picture.coloured(160, 40)));
    let buffer = picture.draw(80, 24);
    insta::assert_snapshot!("shared_normal_text", text(&buffer));
    insta::assert_snapshot!("shared_normal_styles", styles(&buffer));
    insta::assert_snapshot!("shared_tiny_text", text(&picture.draw(39, 9)));
}

/// The card that answers, over the same.
#[test]
fn an_approval() {
    let mut picture = Picture::of(shared(), Theme::mono(), &Symbols::ASCII);
    picture.press(KeyCode::F(3));
    let buffer = picture.draw(80, 24);
    insta::assert_snapshot!("approval_text", text(&buffer));
    insta::assert_snapshot!("approval_styles", styles(&buffer));
    insta::assert_snapshot!("approval_tiny_text", text(&picture.draw(39, 9)));
}
