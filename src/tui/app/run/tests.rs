//! The loop with a stage of its own.

use crossterm::event::KeyCode;
use debugger::{
    DebuggerError, Granularity, Reply, Session, SessionId, StepKind,
    adapters::Context,
    core::{Core, CoreConfig},
    ids::StopId,
    state::FrameScopes,
};
use ratatui::{Terminal, backend::TestBackend};

use super::*;
use crate::{
    action::msg::Tag,
    app::tests::{app, key, line_event, live, session_event},
    term::{
        clipboard::{self, Clipboard},
        signals::Signal,
    },
};

struct TestStage {
    terminal: Terminal<TestBackend>,
    inputs: mpsc::UnboundedReceiver<AppEvent>,
    early: VecDeque<AppEvent>,
    frames: usize,
    performed: Vec<&'static str>,
}

/// Jobs of a core of their own.
fn jobs(messages: &mpsc::Sender<Msg>) -> Jobs {
    let context = Context::new("/nonexistent".into(), BTreeMap::new());
    let core = Core::start(CoreConfig::new(context.clone()));
    let clipboard = Clipboard::new(clipboard::CopyPlace::default(), "/nonexistent".into());
    Jobs::new(core, messages.clone(), clipboard, context)
}

impl TestStage {
    fn new() -> (Self, mpsc::UnboundedSender<AppEvent>) {
        let (tx, inputs) = mpsc::unbounded_channel();
        let terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let stage = Self {
            terminal,
            inputs,
            early: VecDeque::new(),
            frames: 0,
            performed: Vec::new(),
        };
        (stage, tx)
    }
}

impl Stage for TestStage {
    async fn next(&mut self) -> AppEvent {
        if let Some(event) = self.early.pop_front() {
            return event;
        }
        match self.inputs.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    fn try_next(&mut self) -> Option<AppEvent> {
        self.inputs.try_recv().ok()
    }

    fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.frames += 1;
        self.terminal
            .draw(draw)
            .map(|_| ())
            .map_err(io::Error::other)
    }

    async fn perform(&mut self, effect: Effect) -> (Option<Effect>, Option<Msg>) {
        if matches!(effect, Effect::Suspend) {
            self.performed.push("suspend");
        }
        (None, None)
    }
}

/// Real time, because a stopped clock would advance itself whenever everybody waits.
#[tokio::test]
async fn a_flood_is_drawn_at_frame_rate_and_a_key_gets_through() {
    let (mut stage, keys) = TestStage::new();
    let (tx, mut messages) = mpsc::channel(64);
    let (mut app, mut jobs) = (app(), jobs(&tx));
    let flood = async move {
        let began = time();
        let mut seq = 0;
        while time() - began < Duration::from_millis(500) {
            let events = (0..10)
                .map(|_| {
                    seq += 1;
                    line_event(seq, "abcdefghijklmnop")
                })
                .collect();
            tx.send(Msg::Events(Arc::new(events))).await.unwrap();
        }
        keys.send(key(KeyCode::Char('q'))).unwrap();
        let pressed = time();
        // The flood goes on until the loop has ended.
        while tx
            .send(Msg::Events(Arc::new(vec![line_event(seq, "more")])))
            .await
            .is_ok()
        {}
        (began, pressed)
    };
    let looping = async {
        let exit = run(&mut app, &mut stage, &mut jobs, &mut messages, Vec::new()).await;
        drop(messages);
        (exit, time())
    };
    let ((began, pressed), (exit, left)) = tokio::join!(flood, looping);
    assert_eq!(exit.unwrap().code, 0);
    let busy = left - began;
    let most = busy.as_secs_f64() * 60.0 + 2.0;
    assert!(
        stage.frames as f64 <= most,
        "{} frames in {busy:?}",
        stage.frames
    );
    assert!(stage.frames > 5, "{} frames in {busy:?}", stage.frames);
    assert!(
        left - pressed < Duration::from_millis(200),
        "{:?}",
        left - pressed
    );
    assert!(app.state().seq > 100);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_drawn_while_nothing_changes() {
    let (mut stage, keys) = TestStage::new();
    let (tx, mut messages) = mpsc::channel(1);
    let (mut app, mut jobs) = (app(), jobs(&tx));
    let hour = Duration::from_hours(1);
    let running = run(&mut app, &mut stage, &mut jobs, &mut messages, Vec::new());
    let idle = tokio::time::timeout(hour, running);
    assert!(idle.await.is_err(), "the loop ended by itself");
    assert_eq!(stage.frames, 1);
    assert_eq!(app.deadline(), None);
    // A key without a meaning changes nothing either.
    keys.send(key(KeyCode::F(12))).unwrap();
    let running = run(&mut app, &mut stage, &mut jobs, &mut messages, Vec::new());
    let idle = tokio::time::timeout(hour, running);
    assert!(idle.await.is_err());
    assert_eq!(stage.frames, 1);
}

#[tokio::test(start_paused = true)]
async fn signals_end_the_loop_with_their_code_and_ctrl_z_reaches_the_stage() {
    let (mut stage, keys) = TestStage::new();
    let (tx, mut messages) = mpsc::channel(1);
    let (mut app, mut jobs) = (app(), jobs(&tx));
    keys.send(AppEvent::Signal(Signal::Suspend)).unwrap();
    keys.send(AppEvent::Signal(Signal::Terminate)).unwrap();
    let exit = run(&mut app, &mut stage, &mut jobs, &mut messages, Vec::new())
        .await
        .unwrap();
    assert_eq!(exit.code, 143);
    assert_eq!(stage.performed, ["suspend"]);
}

#[tokio::test]
async fn commands_are_asked_in_order_and_answers_carry_their_tag() {
    let (mut stage, _keys) = TestStage::new();
    let (tx, mut messages) = mpsc::channel(8);
    let (mut app, mut jobs) = (app(), jobs(&tx));
    let watch = |n: u64| Effect::Core {
        command: Command::AddWatch {
            expression: n.to_string(),
        },
        tag: Tag("watches", n),
    };
    carry_out(&mut app, &mut stage, &mut jobs, (0..3).map(watch).collect()).await;
    for _ in 0..3 {
        let Some(Msg::Reply { tag, result }) = messages.recv().await else {
            panic!("no reply")
        };
        assert_eq!((tag.0, result), ("watches", Ok(Reply::Done)));
    }
    let (seen, _) = jobs.core.subscribe().await.unwrap();
    let watches = seen.watches.iter().map(|watch| watch.expression.as_str());
    assert_eq!(watches.collect::<Vec<_>>(), ["0", "1", "2"]);
}

fn step() -> Effect {
    Effect::core(Command::Step {
        session: None,
        thread: None,
        kind: StepKind::Over,
        granularity: Granularity::Line,
    })
}

/// How many frames there are `after` a step was asked for and `events` came of it.
async fn frames_of_a_step(events: Vec<debugger::Event>, after: Duration) -> usize {
    let (mut stage, _keys) = TestStage::new();
    let (tx, mut messages) = mpsc::channel(8);
    let (mut app, mut jobs) = (app(), jobs(&tx));
    app.absorb(vec![step()]);
    tx.send(Msg::Events(Arc::new(events))).await.unwrap();
    let running = run(&mut app, &mut stage, &mut jobs, &mut messages, Vec::new());
    let _ = tokio::time::timeout(after, running).await;
    stage.frames
}

#[tokio::test(start_paused = true)]
async fn a_step_that_is_over_at_once_is_one_frame() {
    let line = || line_event(1, "printed on the way");
    let soon = Duration::from_millis(1);
    let before = LET_GO.saturating_sub(soon);
    assert_eq!(frames_of_a_step(vec![line()], before).await, 0);
    assert_eq!(frames_of_a_step(vec![line()], LET_GO + soon).await, 1);
    let over = Change::Frame {
        stop: StopId(1),
        frame_id: 1,
        scopes: FrameScopes::default(),
    };
    let over = session_event(2, over);
    assert_eq!(frames_of_a_step(vec![line(), over], soon).await, 1);
}

#[test]
fn of_a_program_that_runs_it_is_said_where_another_stands() {
    let mut app = app();
    app.go(RouteId::DEBUG);
    live(&mut app);
    let hint = |app: &mut App| {
        app.invoke("debug.continue");
        app.status.shown().and_then(|said| said.hint.clone())
    };
    assert_eq!(hint(&mut app), None);
    let session = Session {
        id: SessionId(2),
        phase: Phase::Stopped,
        ..Session::default()
    };
    let kind = EventKind::SessionStarted {
        session: Box::new(session),
    };
    let told = AppEvent::Msg(Msg::Events(Arc::new(vec![debugger::Event {
        seq: 3,
        kind,
    }])));
    app.update(told, time());
    let hint = hint(&mut app);
    assert_eq!(
        hint.as_deref(),
        Some("press , to go to the one that stands still")
    );
}

/// Whether a step is refused aloud, by the core or before it, `after` one that let the program go, when it is in `phase` by then.
async fn said_of_a_second_step(by_core: bool, after: Duration, phase: Phase) -> (App, bool) {
    let mut app = app();
    app.go(RouteId::DEBUG);
    live(&mut app);
    let told = |phase| {
        let change = match phase {
            Phase::Stopped => Change::Stopped {
                stop: Box::default(),
            },
            phase => Change::Phase {
                phase,
                activity: None,
            },
        };
        AppEvent::Msg(Msg::Events(Arc::new(vec![session_event(2, change)])))
    };
    app.update(told(Phase::Stopped), time());
    app.absorb(vec![step()]);
    app.update(told(Phase::Running), time());
    tokio::time::advance(after).await;
    app.update(told(phase), time());
    if by_core {
        let refused = Msg::Reply {
            tag: Tag("", 0),
            result: Err(DebuggerError::state(gate::RUNNING)),
        };
        app.update(AppEvent::Msg(refused), time());
    } else {
        app.invoke("debug.step-over");
    }
    let said = app.status.shown().is_some();
    app.update(told(Phase::Stopped), time());
    (app, said)
}

#[tokio::test(start_paused = true)]
async fn a_repeated_step_is_refused_aloud_only_while_the_program_runs_on() {
    let soon = Duration::from_millis(100);
    for (after, phase, aloud) in [
        (soon, Phase::Running, false),
        (soon, Phase::Stopped, false),
        (soon, Phase::Terminated, true),
        (STEPPING, Phase::Running, true),
    ] {
        for by_core in [true, false] {
            let (app, said) = said_of_a_second_step(by_core, after, phase).await;
            assert_eq!(said, aloud, "{by_core} {after:?} {phase:?}");
            let is_kept = app.status.shown().is_some();
            assert!(!is_kept || phase != Phase::Running, "it stands again");
        }
    }
}
