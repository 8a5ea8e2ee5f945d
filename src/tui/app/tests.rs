//! Keys in, screen and effects out.

use std::rc::Rc;

use std::sync::Arc;

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use debugger::{
    Command, ErrorKind, Phase, Session, SessionId,
    event::{Change, Event, EventKind},
    output::OutputChunk,
};
use proptest::prelude::*;
use ratatui::{Terminal, backend::TestBackend};

use super::*;

/// An app that shows home.
pub fn app() -> App {
    let world = World {
        lens: None,
        state: Rc::default(),
        theme: Theme::dark().into(),
        symbols: &Symbols::UNICODE,
        project: Path::new("/home/ada/shop").into(),
        omp: Arc::default(),
        artifact_root: Arc::default(),
        host: None,
    };
    App::new(
        world,
        Keymap::default(),
        RouteId::HOME,
        true,
        &Waker::default(),
    )
}

/// A key without modifiers.
pub fn key(code: KeyCode) -> AppEvent {
    AppEvent::Input(Ok(
        Input::Key(KeyEvent::new(code, KeyModifiers::NONE)).into()
    ))
}

/// A line of output of session 1.
pub fn line_event(seq: u64, text: &str) -> Event {
    let chunk = OutputChunk {
        category: "stdout".into(),
        text: format!("{text}\n"),
        ..OutputChunk::default()
    };
    let chunks = Arc::new(vec![chunk]);
    session_event(seq, Change::Output { chunks })
}

/// Something about session 1.
pub fn session_event(seq: u64, change: Change) -> Event {
    let session = SessionId(1);
    let kind = EventKind::Session { session, change };
    Event { seq, kind }
}

fn press(app: &mut App, code: KeyCode) -> Vec<Effect> {
    app.update(key(code), Instant::now())
}

fn type_in(app: &mut App, text: &str) {
    for c in text.chars() {
        press(app, KeyCode::Char(c));
    }
}

/// What it shows.
pub fn screen(app: &mut App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    let buffer = terminal.backend().buffer();
    (0..height)
        .map(|y| {
            let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
            row.trim_end().to_owned()
        })
        .collect::<Vec<_>>()
        .join("\n")
}

pub fn live(app: &mut App) {
    let session = Session {
        id: SessionId(1),
        name: "shop.py".into(),
        phase: Phase::Running,
        ..Session::default()
    };
    let events = [
        EventKind::SessionStarted {
            session: Box::new(session),
        },
        EventKind::Focus {
            session: Some(SessionId(1)),
        },
    ];
    let events = events
        .into_iter()
        .enumerate()
        .map(|(n, kind)| Event {
            seq: n as u64 + 1,
            kind,
        })
        .collect::<Vec<_>>();
    app.update(AppEvent::Msg(Msg::Events(Arc::new(events))), Instant::now());
}

#[test]
fn home_says_what_can_be_begun_and_footer_how() {
    let mut app = app();
    let wide = screen(&mut app, 200, 50);
    for text in [
        "omp-debug",
        "Open a program",
        "Attach",
        "Take the tour",
        "The first minute",
        "/home/ada/shop",
        "? help",
    ] {
        assert!(wide.contains(text), "{text} is missing in\n{wide}");
    }
    let normal = screen(&mut app, 80, 24);
    assert!(
        normal.contains("Open a program") && normal.contains("? help"),
        "{normal}"
    );
    assert!(!normal.contains("The first minute"), "{normal}");
    let tiny = screen(&mut app, 39, 9);
    assert!(tiny.contains("Open a program"), "{tiny}");
    assert!(tiny.contains("? help"), "{tiny}");
}

#[test]
fn help_is_found_searched_and_closed() {
    let mut app = app();
    press(&mut app, KeyCode::Char('?'));
    let shown = screen(&mut app, 100, 40);
    assert!(
        shown.contains("Everywhere") && shown.contains("message history"),
        "{shown}"
    );
    type_in(&mut app, "mess");
    let shown = screen(&mut app, 100, 40);
    assert!(
        shown.contains("message history") && !shown.contains("take the tour  "),
        "{shown}"
    );
    press(&mut app, KeyCode::Esc);
    assert!(!screen(&mut app, 100, 40).contains("message history"));
}

#[test]
fn the_palette_runs_what_was_found_and_remembers_it() {
    let mut app = app();
    press(&mut app, KeyCode::Char(':'));
    type_in(&mut app, "quit");
    assert!(screen(&mut app, 80, 24).contains("app.quit"));
    let effects = press(&mut app, KeyCode::Enter);
    assert!(
        matches!(&effects[..], [Effect::Core { command: Command::Remember { key, values }, .. }] if key == "palette" && values == &["app.quit"])
    );
    assert_eq!(app.exit().map(|e| e.code), Some(0));
}

#[test]
fn quitting_asks_only_while_a_session_is_live() {
    let mut app = app();
    live(&mut app);
    press(&mut app, KeyCode::Char('q'));
    let shown = screen(&mut app, 80, 24);
    assert!(
        shown.contains("shop.py is running") && shown.contains("d leave it running"),
        "{shown}"
    );
    press(&mut app, KeyCode::Esc);
    assert_eq!(app.exit(), None);
    press(&mut app, KeyCode::Char('q'));
    press(&mut app, KeyCode::Char('d'));
    assert_eq!(app.exit().map(|e| e.mode), Some(ExitMode::Detach));
}

#[test]
fn errors_nobody_claims_are_said_and_kept() {
    let mut app = app();
    let error = debugger::DebuggerError::new(ErrorKind::Adapter, "debugpy is \u{1b}[31mgone.")
        .hint("start again");
    let msg = Msg::Reply {
        tag: crate::action::msg::Tag("", 0),
        result: Err(error),
    };
    app.update(AppEvent::Msg(msg), Instant::now());
    let shown = screen(&mut app, 100, 24);
    assert!(
        shown.contains("gone.")
            && shown.contains("start again")
            && shown.contains("M all messages"),
        "{shown}"
    );
    press(&mut app, KeyCode::Char('M'));
    assert!(screen(&mut app, 100, 24).contains("1 message"));
    press(&mut app, KeyCode::Char('q'));
    assert_eq!(app.exit(), None, "q closes a popup first");
}

#[test]
fn ctrl_c_pauses_a_running_program_and_never_quits() {
    let mut app = app();
    let ctrl_c = || {
        let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        AppEvent::Input(Ok(Input::Key(key).into()))
    };
    assert!(app.update(ctrl_c(), Instant::now()).is_empty());
    live(&mut app);
    let effects = app.update(ctrl_c(), Instant::now());
    assert!(matches!(
        &effects[..],
        [Effect::Core {
            command: Command::Pause { .. },
            ..
        }]
    ));
    assert_eq!(app.exit(), None);
}

#[test]
fn a_click_on_a_hint_is_its_key() {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut app = app();
    let shown = screen(&mut app, 120, 30);
    let footer = shown.lines().last().unwrap();
    let column = footer.split("? help").next().unwrap().chars().count() as u16;
    let click = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row: 29,
        modifiers: KeyModifiers::NONE,
    };
    app.update(
        AppEvent::Input(Ok(Input::Mouse(click).into())),
        Instant::now(),
    );
    let shown = screen(&mut app, 120, 30);
    assert!(shown.contains("Help"));
    let footer = shown.lines().last().unwrap();
    assert!(!footer.contains("F1"), "one is there: {footer}");
}

#[test]
fn no_table_gives_a_key_to_two_actions_and_every_key_can_be_read() {
    for section in crate::sections() {
        assert_eq!(
            crate::action::keymap::clashes(&section.rows),
            Vec::new(),
            "{}",
            section.title
        );
        for row in &section.rows {
            assert!(row.id.contains('.') && !row.title.is_empty(), "{row:?}");
            for key in row.keys.iter() {
                crate::action::keymap::parse(key).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_size_is_drawn(width in 0u16..60, height in 0u16..30, overlay in 0usize..5) {
        let mut app = app();
        live(&mut app);
        if let Some(key) = ['?', ':', 'M', 'q'].get(overlay) {
            press(&mut app, KeyCode::Char(*key));
        }
        screen(&mut app, width, height);
        app.update(AppEvent::Msg(Msg::Notice { severity: Severity::Error, text: "trouble".into(), hint: Some("help".into()) }), Instant::now());
        screen(&mut app, width, height);
    }
}

/// The loop's clock decides, so that what was typed ahead of a question is none of its answers.
#[test]
fn a_question_takes_no_key_until_nobody_has_typed_for_a_moment() {
    let mut app = app();
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let file = debugger::adapters::trust::Untrusted {
        path: "/project/dap.json".into(),
        sha256: String::new(),
        commands: Vec::new(),
    };
    let files = vec![file.clone(), file];
    app.update(AppEvent::Msg(Msg::Untrusted(files)), start);
    let trusts = |effects: &[Effect]| effects.iter().any(|e| matches!(e, Effect::Trust(_)));
    // A word that was begun before, and each of its letters puts the moment off.
    for (n, code) in [KeyCode::Right, KeyCode::Enter, KeyCode::Char('y')]
        .into_iter()
        .enumerate()
    {
        let effects = app.update(key(code), at(400 * n as u64));
        assert!(!trusts(&effects));
    }
    assert!(screen(&mut app, 90, 30).contains("One moment"));
    assert_eq!(app.deadline(), Some(at(1400)));
    app.update(AppEvent::Deadline, at(1400));
    let shown = screen(&mut app, 90, 30);
    assert!(
        shown.contains("▸ No, leave it") && shown.contains("Enter answers"),
        "{shown}"
    );
    // The word's letters and a bare Enter are a no.
    app.update(key(KeyCode::Char('y')), at(1500));
    assert!(!trusts(&app.update(key(KeyCode::Enter), at(1600))));
    // The second question has a moment of its own: Enter that was pressed twice answers one.
    assert!(!trusts(&app.update(key(KeyCode::Enter), at(1700))));
    app.update(AppEvent::Deadline, at(2300));
    app.update(key(KeyCode::Right), at(2400));
    assert!(trusts(&app.update(key(KeyCode::Enter), at(2500))));
}

#[test]
fn a_route_that_is_left_ends_its_work() {
    let mut app = app();
    let names = |effects: Vec<Effect>| -> Vec<(&'static str, bool)> {
        let name = |effect| match effect {
            Effect::Work(work) => Some((work.name, true)),
            Effect::EndWork(name) => Some((name, false)),
            _ => None,
        };
        effects.into_iter().filter_map(name).collect()
    };
    let first = names(app.update(AppEvent::Msg(Msg::Ready), Instant::now()));
    assert_eq!(first, [], "only the route that is shown is told so");
    let shown = names(press(&mut app, KeyCode::Char('y')));
    assert!(shown.contains(&("system.look", true)), "{shown:?}");
    let is_ours = |(name, _): &(&str, _)| name.starts_with("system.");
    assert!(shown.iter().all(is_ours), "{shown:?}");
    let left = names(press(&mut app, KeyCode::Char('H')));
    assert!(left.contains(&("system.look", false)), "{left:?}");
}

/// A view that outlives its key or frame would have the whole state copied at the next event.
#[test]
fn nobody_keeps_a_view_of_the_state() {
    let mut app = app();
    live(&mut app);
    for code in "d:?M".chars().map(KeyCode::Char).chain([KeyCode::F(1)]) {
        let effects = press(&mut app, code);
        app.absorb(effects);
        screen(&mut app, 120, 30);
        assert_eq!(Rc::strong_count(&app.world.state), 1, "{code:?}");
        press(&mut app, KeyCode::Esc);
    }
}
