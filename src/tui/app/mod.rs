//! The app: routes, overlays, focus, status. [`App::update`] turns what happened into changes and effects; it never waits
//! and does no I/O.
//!
//! [`screens`] makes the routes, [`dispatch`] finds what a key or a click means, [`chrome`] draws header and footer, [`run`] is the
//! event loop and [`jobs`] carries effects out. `operations` are in the palette beside the actions of what is shown.

pub mod chrome;
pub mod dispatch;
pub mod editor;
pub mod frame;
pub mod global;
pub mod jobs;
mod look_back;
mod operations;
mod past_stops;
mod pending;
pub mod run;
pub mod screens;
pub mod sharing;
pub mod status;
mod world;

use std::rc::Rc;

use crossterm::event::Event;
use debugger::{
    Change, Command, ErrorKind, EventKind, Phase, Session, Severity, State, ids::ApprovalId,
};

use self::{global::Global, pending::Pending, status::Status};
use super::{
    action::{
        Layer, Row,
        effect::{ExitMode, GlobalAction},
        keymap::Keymap,
        msg::Waker,
        work,
    },
    kit::sheet::Sheet,
    overlays::{help, messages, palette, quit, trust},
    term::{
        capabilities::{self, Capabilities},
        decode::{Answer, Decoded},
        input::Input,
        signals::Signal,
    },
    theme::{Symbols, Theme},
};
use crate::prelude::*;

pub use self::past_stops::Lens;
pub use self::world::World;

/// What the loop tells the app.
pub enum AppEvent {
    /// A key, the mouse, pasted text, a new size.
    Input(Input),
    Signal(Signal),
    /// Everything else.
    Msg(Msg),
    /// The time of [`App::deadline`] has come.
    Deadline,
}

/// Why and how the loop ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    pub code: u8,
    /// What becomes of live sessions.
    pub farewell: ExitMode,
    /// What a person should read once the terminal is theirs again.
    pub trouble: Option<String>,
}

/// The screen's whole state.
pub struct App {
    world: World,
    routes: Vec<(RouteId, Box<dyn Layer>)>,
    route: RouteId,
    /// The route that surfaces were told is shown.
    told: Option<RouteId>,
    before: Vec<RouteId>,
    overlays: Vec<Box<dyn Layer>>,
    newest: work::Newest,
    keymap: Keymap,
    status: Status,
    pending: Pending,
    /// When an age that is shown has to be drawn anew.
    aging: Option<Instant>,
    /// The newest of what an agent asks that a person has looked at.
    put_aside: Option<ApprovalId>,
    /// Until when the overlay on top takes no key.
    deaf: Option<Instant>,
    mouse: bool,
    /// Rectangles of the last frame that stand for actions, and the area the route got.
    targets: Vec<(Rect, &'static str)>,
    dirty: bool,
    /// What changed is what somebody waits for.
    urgent: bool,
    /// What the terminal can do, until it says what its background is.
    looks: Option<Capabilities>,
    /// The core that was joined is gone: what is shown is what was last known.
    host_ended: bool,
    exit: Option<Exit>,
}

/// How often an age is drawn anew.
const SECOND: Duration = Duration::from_secs(1);
/// Effects that ask for effects end here: a row that invokes itself must not hang the screen.
const MOST_EFFECTS: usize = 1000;

impl App {
    /// An app that shows `route`.
    pub fn new(world: World, keymap: Keymap, route: RouteId, mouse: bool, waker: &Waker) -> Self {
        Self {
            world,
            routes: screens::all(waker),
            route,
            told: None,
            before: Vec::new(),
            overlays: Vec::new(),
            newest: work::Newest::default(),
            keymap,
            status: Status::default(),
            pending: Pending::default(),
            aging: None,
            put_aside: None,
            deaf: None,
            mouse,
            targets: Vec::new(),
            dirty: true,
            urgent: false,
            looks: None,
            host_ended: false,
            exit: None,
        }
    }

    /// Takes in the state as of when the core's events begin.
    pub fn join(&mut self, state: State) -> Vec<Effect> {
        self.world.state = state.into();
        let mut effects = self.tell(&Msg::Events(Arc::default()));
        effects.extend(self.announce());
        effects
    }

    /// What the core knows, as far as told.
    pub fn state(&self) -> &State {
        &self.world.state
    }

    /// The route shown.
    pub fn route(&self) -> RouteId {
        self.route
    }

    /// Whether something changed since this was last asked.
    pub fn take_dirty(&mut self) -> bool {
        mem::take(&mut self.dirty)
    }

    /// Whether somebody waits for what changed since this was last asked: a key was pressed, or a stop's locals came, with
    /// which a step is over.
    pub fn take_urgent(&mut self) -> bool {
        mem::take(&mut self.urgent)
    }

    /// Set once the loop is to end.
    pub fn exit(&self) -> Option<&Exit> {
        self.exit.as_ref()
    }

    /// When [`AppEvent::Deadline`] is wanted; `None` = no timer at all.
    pub fn deadline(&self) -> Option<Instant> {
        [self.pending.deadline(), self.aging, self.deaf]
            .into_iter()
            .flatten()
            .min()
    }

    /// Changes the theme and glyphs (the terminal told its background only after the first frame).
    pub fn set_looks(&mut self, theme: Theme, symbols: &'static Symbols) -> Vec<Effect> {
        self.world.theme = theme.into();
        self.world.symbols = symbols;
        self.tell(&Msg::Relayout)
    }

    /// The terminal was asked for its background, and looked like this until then.
    pub fn await_background(&mut self, looks: Capabilities) {
        self.looks = Some(looks);
    }

    /// The first answer decides; later ones are for whoever asked.
    fn learn_background(&mut self, answer: &Answer) -> Vec<Effect> {
        let Some(background) = capabilities::background_in(answer) else {
            return Vec::new();
        };
        match self.looks.take() {
            Some(looks) if looks.background != background => {
                let looks = Capabilities {
                    background,
                    ..looks
                };
                let symbols = self.world.symbols;
                self.set_looks(Theme::choose(None, &looks), symbols)
            }
            _ => Vec::new(),
        }
    }

    /// Takes in what happened; gives back what the app cannot do itself.
    pub fn update(&mut self, happening: AppEvent, now: Instant) -> Vec<Effect> {
        let mut effects = match happening {
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

    /// The age of a request that is not answered is shown, and the time left to answer an agent: they change by the second, while there
    /// is one.
    fn grow_older(&mut self, now: Instant) {
        let state = &self.world.state;
        let answered = |session: &Session| session.pending.is_empty();
        if state.focused().is_none_or(answered) && state.sharing.approvals.is_empty() {
            self.aging = None;
            return;
        }
        let due = self.aging.is_none_or(|due| due <= now);
        if due {
            self.dirty = true;
            self.aging = Some(now + SECOND);
        }
    }

    /// Tells the routes which of them is shown, once that changed: what is not shown costs nothing.
    fn announce(&mut self) -> Vec<Effect> {
        if self.told == Some(self.route) {
            return Vec::new();
        }
        let dirty = self.dirty;
        let before = self.told.replace(self.route);
        let left = before.map(|route| self.tell_route(route, &Msg::Hidden));
        let mut effects = left.unwrap_or_default();
        effects.extend(self.tell_route(self.route, &Msg::Shown));
        // A route that has nothing to do about it looks as before.
        self.dirty = dirty || !effects.is_empty();
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

    fn signal(&mut self, signal: Signal) -> Vec<Effect> {
        match signal {
            Signal::Suspend => vec![Effect::Suspend],
            Signal::Continue => {
                self.dirty = true;
                vec![Effect::Repaint]
            }
            other => {
                if let Some(code) = other.exit_code() {
                    self.leave(code, ExitMode::End, None);
                }
                Vec::new()
            }
        }
    }

    fn leave(&mut self, code: u8, farewell: ExitMode, trouble: Option<String>) {
        self.exit.get_or_insert(Exit {
            code,
            farewell,
            trouble,
        });
    }

    /// Without a core of our own there is nothing to do any more; of one that we joined, there is still something to see.
    fn core_ended(&mut self) {
        let Some(host) = &self.world.host else {
            let trouble = "the debugger core has ended".to_owned();
            return self.leave(4, ExitMode::End, Some(trouble));
        };
        self.host_ended = true;
        let text =
            format!("The debugger in {host} has ended; this is the last that was seen of it.");
        self.status.say(Severity::Warning, &text, Some("q leaves"));
    }

    fn message(&mut self, msg: &Msg) -> Vec<Effect> {
        let mut then = None;
        match msg {
            Msg::Events(events) => {
                let joined = self.world.host.is_some();
                for event in events.iter() {
                    let news = sharing::news(&self.world.state.sharing, &event.kind, joined);
                    Rc::make_mut(&mut self.world.state).apply(event);
                    self.urgent |= matches!(
                        event.kind,
                        EventKind::Session {
                            change: Change::Frame { .. },
                            ..
                        } | EventKind::Sharing { .. }
                    );
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
                self.keep_looking(events);
            }
            Msg::Reply {
                tag,
                result: Err(error),
            } if tag.0.is_empty() => {
                let severity = match error.kind {
                    ErrorKind::Cancelled => None,
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
            Msg::Told(told) if self.newest.is_late(told) => return Vec::new(),
            Msg::Told(told) => self.urgent |= self.newest.is_first(told),
            _ => {}
        }
        let mut effects = self.tell(msg);
        effects.extend(self.looked_back(msg));
        effects.extend(then);
        effects
    }

    /// Passes a message to every layer.
    fn tell(&mut self, msg: &Msg) -> Vec<Effect> {
        self.dirty = true;
        let cx = Cx::new(self.world.view(false));
        let layers = self.routes.iter_mut().map(|(_, layer)| layer);
        for layer in layers.chain(&mut self.overlays) {
            layer.message(msg, &cx);
        }
        let effects = cx.into_effects();
        self.absorb(effects)
    }

    /// Passes a message to one route.
    fn tell_route(&mut self, route: RouteId, msg: &Msg) -> Vec<Effect> {
        let cx = Cx::new(self.world.view(false));
        let told = self.routes.iter_mut().find(|(id, _)| *id == route);
        if let Some((_, layer)) = told {
            layer.message(msg, &cx);
        }
        let effects = cx.into_effects();
        self.absorb(effects)
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
                Effect::Core { command, tag } => self.command(command, tag, &mut rest),
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

    fn go(&mut self, route: RouteId) {
        if route != self.route {
            self.before.retain(|r| *r != route);
            self.before.push(self.route);
            self.route = route;
        }
        self.overlays.clear();
        self.pending.clear();
        self.dirty = true;
    }

    fn open(&mut self, layer: Box<dyn Layer>) {
        self.overlays.push(layer);
        self.pending.clear();
        self.dirty = true;
    }

    /// Carries out what a row of the app's own wants.
    fn grant(&mut self, wish: GlobalAction) -> Vec<Effect> {
        match wish {
            GlobalAction::Help => {
                let sections = self.sections();
                vec![Effect::Open(Box::new(help::Help::new(sections)))]
            }
            GlobalAction::Palette => {
                let mut rows = self.keymap.applied(self.route_rows());
                rows.extend(operations::rows(&self.world.view(true)));
                let recent = self
                    .world
                    .state
                    .memory
                    .get(palette::MEMORY)
                    .cloned()
                    .unwrap_or_default();
                vec![Effect::Open(Box::new(palette::Palette::new(rows, recent)))]
            }
            GlobalAction::Messages => vec![Effect::Open(Box::new(messages::Messages::new(
                self.status.history(),
            )))],
            GlobalAction::Mouse => {
                self.mouse = !self.mouse;
                let text = if self.mouse {
                    "The mouse clicks and scrolls here. Hold Shift while dragging to select text."
                } else {
                    "The mouse belongs to the terminal: drag to select text."
                };
                self.status.say(Severity::Info, text, None);
                vec![Effect::Mouse(self.mouse)]
            }
            // A program at hand is not left behind by a slip of the key that closes popups; `app.home` does it on purpose.
            GlobalAction::Back
                if self.route == RouteId::DEBUG && self.world.state.live().next().is_some() =>
            {
                Vec::new()
            }
            GlobalAction::Back => {
                if let Some(route) = self.before.pop() {
                    let here = self.route;
                    self.route = route;
                    // One back from there leads here again, so that a slip costs one key.
                    if !self.before.contains(&here) {
                        self.before.push(here);
                    }
                } else if self.route != RouteId::HOME {
                    self.go(RouteId::HOME);
                }
                self.dirty = true;
                Vec::new()
            }
            GlobalAction::Interrupt => {
                let running = self
                    .world
                    .state
                    .focused()
                    .is_some_and(|s| s.phase == Phase::Running);
                if running {
                    vec![Effect::core(Command::Pause {
                        session: None,
                        thread: None,
                        momentary: false,
                    })]
                } else {
                    vec![Effect::info(
                        "Nothing runs that could be paused. Press q to quit.",
                    )]
                }
            }
        }
    }

    /// The rows of the route and of the app, most particular first, without the user's keys.
    fn route_rows(&self) -> Vec<Row> {
        let view = self.world.view(true);
        let mut rows = self
            .shown()
            .map(|layer| layer.rows(&view))
            .unwrap_or_default();
        rows.extend(Global.rows(&view));
        rows
    }

    /// The route shown.
    fn shown(&self) -> Option<&dyn Layer> {
        self.routes
            .iter()
            .find(|(id, _)| *id == self.route)
            .map(|(_, layer)| layer.as_ref())
    }

    /// Help's sections: what has the keyboard first, then the app's rows.
    fn sections(&self) -> Vec<help::HelpSection> {
        let view = self.world.view(true);
        let mut sections = Vec::new();
        let top = self
            .overlays
            .last()
            .map(AsRef::as_ref)
            .or_else(|| self.shown());
        if let Some(top) = top {
            help::split(
                top.title(),
                self.keymap.applied(top.rows(&view)),
                &mut sections,
            );
        }
        let own = if self.overlays.is_empty() {
            Global.rows(&view)
        } else {
            Self::modal_rows(&view)
        };
        sections.push(help::HelpSection {
            title: "Everywhere".to_owned(),
            rows: self.keymap.applied(own),
        });
        sections
    }
}

#[cfg(test)]
mod tests;
