//! The one event loop, and all that it does from a key to the frame: signals, keys, the frame's deadline, everything else, in this order of
//! importance.
//!
//! It wakes, takes in what is ready (bounded), and draws once. With nothing changed there is no frame and no timer. What it
//! draws on and listens to is a [`Stage`]: the terminal, or a test's. A key finds its row on what is shown, and the row's handler its effects:
//! commands go to the core from here, the rest to [`Jobs`] and the stage. The core's events change our copy of the state.

use std::{io, rc::Rc};

use base::region;
use crossterm::event::{Event, KeyEventKind};
use dap::types::Variable;
use debugger::{Change, Command, ErrorKind, EventKind, Phase, Severity, core::Subscription, gate};
use tokio::sync::mpsc;

use super::{
    App, AppEvent, Exit,
    chrome::{ROOMY, WITH_KEYS, is_tiny},
    frame::{FrameClock, MIN_FRAME, MIN_URGED},
    global::{Global, IN_OVERLAYS, Modal},
    jobs::Jobs,
    operations, sharing,
};
use crate::{
    action::{
        Layer,
        effect::ExitMode,
        keymap::{self, Chord, KeyMatch},
    },
    kit::sheet::Sheet,
    overlays::{messages::Notice, quit, trust},
    prelude::*,
    term::{decode::Decoded, input::Input},
};

/// Keys and signals taken in before a frame may come between.
const MOST_INPUTS: usize = 64;
/// How long messages may be taken in before keys and frames get their turn.
const MESSAGE_SLICE: Duration = Duration::from_millis(6);
/// How long a program that a key lets go is shown as it stood, so that a step which is over at once is one frame.
const LET_GO: Duration = Duration::from_millis(30);
/// How long a program that a key let go may run before a further key says that it does: keys are repeated faster than long steps end.
const STEPPING: Duration = Duration::from_secs(1);
/// How long the variables of a stop wait for what they show, before they are drawn without.
const PREVIEWS: Duration = Duration::from_millis(5);
/// How long a prefix key waits before the box with its continuations appears.
const INFOBOX_AFTER: Duration = Duration::from_millis(300);
/// Effects that ask for effects end here: a row that invokes itself must not hang the screen.
const MOST_EFFECTS: usize = 1000;

/// Where the loop draws and listens.
pub trait Stage {
    /// The next signal or key, signals first. May be dropped at any time without losing one.
    fn next(&mut self) -> impl Future<Output = AppEvent>;
    /// The next one if there is one already.
    fn try_next(&mut self) -> Option<AppEvent>;
    /// Lends a frame to draw on.
    fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()>;
    /// Carries out what concerns the terminal; gives back what does not. What there is to say comes as a message.
    fn perform(&mut self, effect: Effect) -> impl Future<Output = (Option<Effect>, Option<Msg>)>;
}

/// Runs until the app wants to leave or the screen cannot be drawn on. `early` is done first; what comes of effects arrives in
/// `messages`.
pub async fn run(
    app: &mut App,
    stage: &mut impl Stage,
    jobs: &mut Jobs,
    messages: &mut mpsc::Receiver<Msg>,
    early: Vec<Effect>,
) -> io::Result<Exit> {
    carry_out(app, stage, jobs, early).await;
    let mut clock = FrameClock::default();
    loop {
        let now = time();
        let urgent = app.take_urgent();
        if app.take_dirty() {
            let pause = if urgent { MIN_URGED } else { MIN_FRAME };
            clock.request(app.held.map_or(now, |held| now.max(held)), pause);
        }
        if clock.is_due(now) {
            {
                let _region = region!("frame");
                stage.draw(|frame| app.draw(frame))?;
            }
            clock.drawn(time());
        }
        if let Some(exit) = app.exit() {
            return Ok(exit.clone());
        }
        let wake = [clock.due, app.deadline()].into_iter().flatten().min();
        let event = tokio::select! {
            biased;
            event = stage.next() => event,
            () = until(wake) => AppEvent::Deadline,
            Some(msg) = messages.recv() => AppEvent::Msg(msg),
        };
        take_in(app, stage, jobs, event).await;
        for _ in 0..MOST_INPUTS {
            let Some(event) = stage.try_next() else {
                break;
            };
            take_in(app, stage, jobs, event).await;
        }
        let began = time();
        while app.exit().is_none() && time() - began < MESSAGE_SLICE {
            let Ok(msg) = messages.try_recv() else {
                break;
            };
            take_in(app, stage, jobs, AppEvent::Msg(msg)).await;
        }
    }
}

async fn take_in(app: &mut App, stage: &mut impl Stage, jobs: &mut Jobs, event: AppEvent) {
    let effects = app.update(event, time());
    carry_out(app, stage, jobs, effects).await;
}

async fn carry_out(
    app: &mut App,
    stage: &mut impl Stage,
    jobs: &mut Jobs,
    mut effects: Vec<Effect>,
) {
    while !effects.is_empty() {
        let mut more = Vec::new();
        for effect in effects {
            if let Effect::Core { command, tag } = effect {
                // Asked now and awaited elsewhere: commands reach the core in the order of the keys.
                let answer = jobs.core.request(command);
                jobs.spawn(async move {
                    let result = answer.await;
                    Some(Msg::Reply { tag, result })
                });
                continue;
            }
            let (rest, msg) = stage.perform(effect).await;
            if let Some(effect) = rest {
                jobs.start(effect);
            }
            if let Some(msg) = msg {
                more.extend(app.update(AppEvent::Msg(msg), time()));
            }
        }
        effects = more;
    }
}

/// Passes the core's events on, as many at a time as there are.
pub async fn forward(mut events: Subscription, messages: mpsc::Sender<Msg>) {
    while let Some(batch) = events.next().await {
        if messages.send(Msg::Events(batch.into())).await.is_err() {
            return;
        }
    }
    // Without a loop nobody is left to tell.
    let _ = messages.send(Msg::CoreEnded).await;
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

impl App {
    /// Takes in what happened; gives back what the app cannot do itself.
    pub fn update(&mut self, event: AppEvent, now: Instant) -> Vec<Effect> {
        let mut effects = match event {
            AppEvent::Input(input) => self.input(input, now),
            AppEvent::Signal(signal) => self.signal(signal),
            AppEvent::Msg(msg) => self.message(&msg),
            AppEvent::Deadline => {
                self.dirty |= self.pending.show_if_due(now);
                Vec::new()
            }
        };
        effects.extend(self.announce());
        self.grow_older(now);
        self.is_deaf(now, false);
        effects
    }

    fn input(&mut self, input: Input, now: Instant) -> Vec<Effect> {
        self.urgent = true;
        match input {
            Ok(Decoded::Event(event)) => match event {
                Event::Key(key) => self.key(key, now),
                Event::Mouse(event) => self.pointer(event),
                Event::Paste(text) => self.paste(&text),
                Event::Resize(..) => self.tell(&Msg::Relayout),
                Event::FocusGained | Event::FocusLost => Vec::new(),
            },
            Ok(Decoded::Answer(answer)) => {
                let mut effects = self.learn_background(&answer);
                effects.extend(self.tell(&Msg::Answer(answer)));
                effects
            }
            Err(why) => {
                // Without keys nobody can be asked.
                self.leave(129, ExitMode::End, Some(why));
                Vec::new()
            }
        }
    }

    fn key(&mut self, event: KeyEvent, now: Instant) -> Vec<Effect> {
        if event.kind == KeyEventKind::Release {
            // Only terminals with the kitty protocol and Windows report these.
            return Vec::new();
        }
        let leaves = event.code == KeyCode::Char('c') && event.modifiers == KeyModifiers::CONTROL;
        if self.is_deaf(now, true) && !leaves {
            return Vec::new();
        }
        self.dirty |= self.status.fade();
        if self.pending.chords.is_empty() {
            let (taken, effects) =
                self.with_top(|layer, cx| layer.text_wanted() && layer.text(event, cx));
            if taken {
                self.dirty = true;
                return self.absorb(effects);
            }
        }
        let Some(chord) = Chord::of(event) else {
            return Vec::new();
        };
        if !self.pending.chords.is_empty() && chord.is_escape() {
            self.pending.clear();
            self.dirty = true;
            return Vec::new();
        }
        self.pending.chords.push(chord);
        let rows = self.keymap.applied(self.rows());
        match keymap::find(&rows, &self.pending.chords) {
            KeyMatch::Action(id) => {
                self.pending.clear();
                let effects = self.invoke(id);
                self.absorb(effects)
            }
            KeyMatch::Prefix => {
                self.pending.due = Some(self.pending.due.unwrap_or(now + INFOBOX_AFTER));
                self.dirty = true;
                Vec::new()
            }
            KeyMatch::Nothing => {
                if self.pending.chords.len() > 1 {
                    let keys = keymap::pretty(&keymap::write(&self.pending.chords));
                    self.status.say(
                        Severity::Info,
                        &format!("No action has the keys {keys}."),
                        None,
                    );
                    self.dirty = true;
                }
                self.pending.clear();
                Vec::new()
            }
        }
    }

    /// Runs the action with this id wherever it is. What it asks for is not yet done.
    pub(super) fn invoke(&mut self, id: &str) -> Vec<Effect> {
        if let Some(effect) = operations::begin(id, &self.world.view(true)) {
            return vec![effect];
        }
        let title = self
            .rows()
            .into_iter()
            .find(|row| row.id == id)
            .map(|row| row.title);
        let (done, mut effects) = self.with_top(|layer, cx| layer.invoke(id, cx));
        let done = done.or_else(|| {
            let cx = Cx::new(self.world.view(true));
            let done = if self.overlays.is_empty() {
                Global.invoke(id, &cx)
            } else {
                Modal.invoke(id, &cx).or_else(|| {
                    IN_OVERLAYS
                        .contains(&id)
                        .then(|| Global.invoke(id, &cx))
                        .flatten()
                })
            };
            effects = cx.into_effects();
            done
        });
        self.dirty = true;
        match done {
            Some(Ok(())) => {}
            Some(Err(reason)) if self.goes_without_saying(reason) => {}
            Some(Err(reason)) => {
                // The rest of a title says what it does, and would leave no room for why it is not done.
                let what = title.unwrap_or(id);
                let what = what.split([':', ',']).next().unwrap_or(what);
                let (hint, what) = (self.where_one_stands(reason), format!("{what}: {reason}"));
                self.status.say(Severity::Info, &what, hint.as_deref());
            }
            None => self.status.say(
                Severity::Info,
                &format!("{id:?} is not an action of what is shown now."),
                None,
            ),
        }
        effects
    }

    /// Lets the layer that has the keyboard do something.
    pub(super) fn with_top<R: Default>(
        &mut self,
        work: impl FnOnce(&mut dyn Layer, &Cx) -> R,
    ) -> (R, Vec<Effect>) {
        let cx = Cx::new(self.world.view(true));
        let route = self.route;
        let top = self.overlays.last_mut().or_else(|| {
            self.routes
                .iter_mut()
                .find(|(id, _)| *id == route)
                .map(|(_, layer)| layer)
        });
        let result = top
            .map(|layer| work(layer.as_mut(), &cx))
            .unwrap_or_default();
        self.dirty |= cx.dirty.get();
        (result, cx.into_effects())
    }

    /// Does what concerns only the app, and gives back the rest.
    pub fn absorb(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let mut queue = VecDeque::from(effects);
        let mut rest = Vec::new();
        let mut done = 0;
        while let Some(effect) = queue.pop_front() {
            done += 1;
            if done > MOST_EFFECTS {
                self.status.say(
                    Severity::Error,
                    "An action asked for itself without end; it was stopped.",
                    None,
                );
                break;
            }
            let mut more = Vec::new();
            match effect {
                Effect::Go(route) => self.go(route),
                Effect::Open(layer) => self.open(layer),
                Effect::Close => {
                    self.overlays.pop();
                    self.dirty = true;
                }
                Effect::Invoke(id) => more = self.invoke(&id),
                Effect::Global(action) => more = self.grant(action),
                Effect::Core { command, tag } => {
                    if let Some(effects) = self.looking_back(&command, tag) {
                        rest.extend(effects);
                        continue;
                    }
                    if command.lets_go() {
                        let now = time();
                        self.held = self.held.or_else(|| Some(now + LET_GO));
                        if self.phase() == Some(Phase::Stopped) {
                            self.let_go = Some(now);
                        }
                    }
                    rest.push(Effect::Core { command, tag });
                }
                Effect::Look(at) => more = self.look_at(at),
                Effect::ShowSource {
                    source,
                    line,
                    column,
                } => {
                    self.go(RouteId::DEBUG);
                    rest.extend(self.tell(&Msg::ShowSource {
                        source,
                        line,
                        column,
                    }));
                }
                Effect::Notify {
                    severity,
                    text,
                    hint,
                } => {
                    self.status.say(severity, &text, hint.as_deref());
                    self.dirty = true;
                }
                Effect::Quit => {
                    let lives = self.world.state.live().next().is_some() && !self.host_ended;
                    more.push(if lives {
                        let goes_on_in = self.world.host.clone();
                        Effect::open(quit::QuitQuestion { goes_on_in })
                    } else {
                        Effect::QuitNow(ExitMode::End)
                    });
                }
                Effect::QuitNow(farewell) => self.leave(0, farewell, None),
                Effect::Work(mut work) => {
                    self.newest.begin(&mut work);
                    rest.push(Effect::Work(work));
                }
                Effect::EndWork(name) => {
                    self.newest.end(name);
                    rest.push(Effect::EndWork(name));
                }
                other => rest.push(other),
            }
            for effect in more.into_iter().rev() {
                queue.push_front(effect);
            }
        }
        rest
    }

    /// Of what runs and is not let go: how to come to another session that stands still.
    fn where_one_stands(&self, why: &str) -> Option<String> {
        let mut rows = self.keymap.applied(self.rows()).into_iter();
        let row = rows.find(|row| row.id == "debug.next-stopped" && why == gate::RUNNING)?;
        row.enabled.ok()?;
        let key = row.keys.iter().next().map(keymap::pretty)?;
        Some(format!("press {key} to go to the one that stands still"))
    }

    /// What the program does that is looked at.
    fn phase(&self) -> Option<Phase> {
        self.world.state.focused().map(|session| session.phase)
    }

    /// Whether nothing is said of a refusal: the program was let go just now, and stands again by now or is about to.
    fn goes_without_saying(&self, why: &str) -> bool {
        why == gate::RUNNING
            && matches!(self.phase(), Some(Phase::Running | Phase::Stopped))
            && self.let_go.is_some_and(|at| time() - at < STEPPING)
    }

    /// Whether the next frame is one that somebody waits for, or waits itself for what is about to come.
    fn pace(&mut self, event: &EventKind) {
        let change = match event {
            EventKind::Session { change, .. } => change,
            EventKind::Sharing { .. } => return self.urgent = true,
            _ => return,
        };
        let waits = match change {
            Change::Frame { scopes, .. } => {
                let mut own = scopes.scopes.iter().filter_map(|s| s.variables.as_deref());
                own.any(|variables| variables.iter().any(Variable::wants_preview))
            }
            Change::Previews { .. } => false,
            _ => return,
        };
        self.urgent = true;
        let soon = time() + PREVIEWS;
        self.held = waits.then(|| self.held.map_or(soon, |held| held.min(soon)));
    }

    pub(super) fn message(&mut self, msg: &Msg) -> Vec<Effect> {
        let mut then = None;
        match msg {
            Msg::Events(events) => {
                let joined = self.world.host.is_some();
                for event in events.iter() {
                    let news = sharing::news(&self.world.state.sharing, &event.kind, joined);
                    Rc::make_mut(&mut self.world.state).apply(event);
                    self.pace(&event.kind);
                    if let Some((severity, text, hint)) = news {
                        self.status.say(severity, &text, hint);
                    }
                    if let EventKind::Message {
                        severity,
                        text,
                        hint,
                        ..
                    } = &event.kind
                    {
                        self.status.say(*severity, text, hint.as_deref());
                    }
                }
                let is_said = |said: &Notice| said.text.ends_with(gate::RUNNING);
                if self.status.shown().is_some_and(is_said) && self.phase() != Some(Phase::Running)
                {
                    self.dirty |= self.status.fade();
                }
                self.keep_looking(events);
            }
            Msg::Reply {
                tag,
                result: Err(error),
            } if tag.0.is_empty() => {
                let severity = match error.kind {
                    ErrorKind::Cancelled => None,
                    _ if self.goes_without_saying(&error.what) => None,
                    ErrorKind::Usage
                    | ErrorKind::State
                    | ErrorKind::Capability
                    | ErrorKind::Stale => Some(Severity::Warning),
                    _ => Some(Severity::Error),
                };
                if let Some(severity) = severity {
                    self.status
                        .say(severity, &error.what, error.hint.as_deref());
                }
            }
            Msg::Notice {
                severity,
                text,
                hint,
            } => self.status.say(*severity, text, hint.as_deref()),
            Msg::Copied { text, sequence } => {
                self.status.say(Severity::Info, text, None);
                then = sequence.clone().map(Effect::WriteSequence);
            }
            Msg::Installed => then = Some(Effect::core(Command::Restart { session: None })),
            Msg::Text { title, text } => {
                let sheet = Sheet::new((*title).to_owned(), String::new(), sanitise_block(text));
                self.overlays.push(Box::new(sheet));
            }
            Msg::Untrusted(files) => {
                for file in files {
                    self.overlays.push(Box::new(trust::question(file)));
                }
            }
            Msg::CoreEnded => self.core_ended(),
            Msg::Progress(told) if self.newest.is_late(told) => return Vec::new(),
            Msg::Progress(told) => self.urgent |= self.newest.is_first(told),
            _ => {}
        }
        let mut effects = self.tell(msg);
        effects.extend(self.looked_back(msg));
        effects.extend(then);
        effects
    }

    /// Draws everything.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.held = None;
        let view = self.world.view(false);
        Canvas::on(frame, view, |canvas| self.draw_all(canvas));
    }

    fn draw_all(&mut self, canvas: &Canvas) {
        let area = canvas.screen();
        self.targets.clear();
        if area.is_empty() {
            return;
        }
        let tiny = is_tiny(area);
        let keys = !tiny || area.height >= WITH_KEYS;
        let body = if tiny {
            Rect {
                height: area.height - u16::from(keys),
                ..area
            }
        } else {
            Rect {
                y: area.y + 1,
                height: area.height - 2,
                ..area
            }
        };
        if !tiny {
            self.draw_header(canvas, area.row(0));
        }
        let focused = self.overlays.is_empty();
        let route = self.route;
        if let Some((_, layer)) = self.routes.iter_mut().find(|(id, _)| *id == route) {
            layer.draw(&canvas.with_focus(focused), body);
        }
        let last = self.overlays.len().saturating_sub(1);
        for (depth, layer) in self.overlays.iter_mut().enumerate() {
            layer.draw(&canvas.with_focus(depth == last), body);
        }
        self.draw_asked(canvas, body);
        if self.pending.shown {
            self.draw_infobox(canvas, body);
        }
        let bottom = area.height - 1;
        let said = self.status.shown().is_some();
        // With room for both, a message takes a line of the route until the next key; nothing moves for it.
        let above = said && area.height >= ROOMY;
        if said {
            self.draw_status(canvas, area.row(bottom - u16::from(above)));
        }
        if keys && (above || !said) {
            self.draw_footer(canvas, area.row(bottom));
        }
    }
}

#[cfg(test)]
mod tests;
