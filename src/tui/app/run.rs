//! The one event loop: signals, keys, the frame's deadline, everything else, in this order of importance.
//!
//! It wakes, takes in what is ready (bounded), and draws once. With nothing changed there is no frame and no timer. What it
//! draws on and listens to is a [`Stage`]: the terminal, or a test's.

use std::io;

use base::region;
use tokio::sync::mpsc;

use super::{
    App, AppEvent, Exit,
    frame::{FrameClock, MIN_FRAME, MIN_URGED},
};
use crate::prelude::*;

/// Keys and signals taken in before a frame may come between.
const MOST_INPUTS: usize = 64;
/// How long messages may be taken in before keys and frames get their turn.
const MESSAGE_SLICE: Duration = Duration::from_millis(6);

/// Where the loop draws and listens.
pub trait Stage {
    /// The next signal or key, signals first. May be dropped at any time without losing one.
    fn next(&mut self) -> impl Future<Output = AppEvent>;
    /// The next one if there is one already.
    fn try_next(&mut self) -> Option<AppEvent>;
    /// Draws a frame.
    fn draw(&mut self, app: &mut App) -> io::Result<()>;
    /// Carries out what concerns the terminal; gives back what does not. What there is to say comes as a message.
    fn perform(&mut self, effect: Effect) -> impl Future<Output = (Option<Effect>, Option<Msg>)>;
}

/// Runs until the app wants to leave or the screen cannot be drawn on. `start` carries out effects elsewhere; what comes of
/// them arrives in `messages`.
pub async fn run(
    app: &mut App,
    stage: &mut impl Stage,
    messages: &mut mpsc::Receiver<Msg>,
    start: &mut impl FnMut(Effect),
) -> io::Result<Exit> {
    let mut clock = FrameClock::default();
    loop {
        let now = time();
        let urgent = app.take_urgent();
        if app.take_dirty() {
            clock.request(now, if urgent { MIN_URGED } else { MIN_FRAME });
        }
        if clock.is_due(now) {
            {
                let _region = region!("frame");
                stage.draw(app)?;
            }
            clock.drawn(time());
        }
        if let Some(exit) = app.exit() {
            return Ok(exit.clone());
        }
        let wake = [clock.due(), app.deadline()].into_iter().flatten().min();
        let happening = tokio::select! {
            biased;
            happening = stage.next() => happening,
            () = until(wake) => AppEvent::Deadline,
            Some(msg) = messages.recv() => AppEvent::Msg(msg),
        };
        take_in(app, stage, happening, start).await;
        for _ in 0..MOST_INPUTS {
            let Some(happening) = stage.try_next() else {
                break;
            };
            take_in(app, stage, happening, start).await;
        }
        let began = time();
        while app.exit().is_none() && time() - began < MESSAGE_SLICE {
            let Ok(msg) = messages.try_recv() else {
                break;
            };
            take_in(app, stage, AppEvent::Msg(msg), start).await;
        }
    }
}

async fn take_in(
    app: &mut App,
    stage: &mut impl Stage,
    happening: AppEvent,
    start: &mut impl FnMut(Effect),
) {
    let mut effects = app.update(happening, time());
    while !effects.is_empty() {
        let mut more = Vec::new();
        for effect in effects {
            let (rest, msg) = stage.perform(effect).await;
            if let Some(effect) = rest {
                start(effect);
            }
            if let Some(msg) = msg {
                more.extend(app.update(AppEvent::Msg(msg), time()));
            }
        }
        effects = more;
    }
}

/// The runtime's clock, which tests can stop.
fn time() -> Instant {
    tokio::time::Instant::now().into_std()
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::{app, key, line_event};
    use crate::term::signals::Signal;
    use crossterm::event::KeyCode;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use std::collections::VecDeque;
    use std::sync::Arc;

    struct TestStage {
        terminal: Terminal<TestBackend>,
        inputs: mpsc::UnboundedReceiver<AppEvent>,
        early: VecDeque<AppEvent>,
        frames: usize,
        performed: Vec<&'static str>,
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
            if let Some(happening) = self.early.pop_front() {
                return happening;
            }
            match self.inputs.recv().await {
                Some(happening) => happening,
                None => std::future::pending().await,
            }
        }

        fn try_next(&mut self) -> Option<AppEvent> {
            self.inputs.try_recv().ok()
        }

        fn draw(&mut self, app: &mut App) -> io::Result<()> {
            self.frames += 1;
            self.terminal
                .draw(|frame| app.draw(frame))
                .map(|_| ())
                .map_err(io::Error::other)
        }

        async fn perform(&mut self, effect: Effect) -> (Option<Effect>, Option<Msg>) {
            match effect {
                Effect::Suspend => {
                    self.performed.push("suspend");
                    (None, None)
                }
                other => (Some(other), None),
            }
        }
    }

    /// Real time, because a stopped clock would advance itself whenever everybody waits.
    #[tokio::test]
    async fn a_flood_is_drawn_at_frame_rate_and_a_key_gets_through() {
        let (mut stage, keys) = TestStage::new();
        let (tx, mut messages) = mpsc::channel(64);
        let mut app = app();
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
            let exit = run(&mut app, &mut stage, &mut messages, &mut |_| ()).await;
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
        let (_tx, mut messages) = mpsc::channel(1);
        let mut app = app();
        let hour = Duration::from_hours(1);
        let mut start = |_| ();
        let idle = tokio::time::timeout(hour, run(&mut app, &mut stage, &mut messages, &mut start));
        assert!(idle.await.is_err(), "the loop ended by itself");
        assert_eq!(stage.frames, 1);
        assert_eq!(app.deadline(), None);
        // A key without a meaning changes nothing either.
        keys.send(key(KeyCode::F(12))).unwrap();
        let idle = tokio::time::timeout(hour, run(&mut app, &mut stage, &mut messages, &mut start));
        assert!(idle.await.is_err());
        assert_eq!(stage.frames, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn signals_end_the_loop_with_their_code_and_ctrl_z_reaches_the_stage() {
        let (mut stage, keys) = TestStage::new();
        let (_tx, mut messages) = mpsc::channel(1);
        let mut app = app();
        keys.send(AppEvent::Signal(Signal::Suspend)).unwrap();
        keys.send(AppEvent::Signal(Signal::Terminate)).unwrap();
        let exit = run(&mut app, &mut stage, &mut messages, &mut |_| ())
            .await
            .unwrap();
        assert_eq!(exit.code, 143);
        assert_eq!(stage.performed, ["suspend"]);
    }
}
