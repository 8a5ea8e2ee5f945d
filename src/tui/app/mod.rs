//! The app: routes, overlays, focus, status. [`App::update`] turns what happened into changes and effects; it never waits
//! and does no I/O.
//!
//! [`run`] is the event loop, from a key to the frame; [`jobs`] does the work beside it. [`screens`] makes the routes, `layers` are those
//! and what lies over them, [`chrome`] draws header and footer. `operations` are in the palette beside the actions of what is shown.

pub mod chrome;
pub mod editor;
pub mod frame;
pub mod global;
pub mod jobs;
mod layers;
mod look_back;
mod operations;
mod past_stops;
mod pending;
pub mod run;
pub mod screens;
pub mod sharing;
pub mod status;
mod world;

use debugger::{Session, Severity, State, ids::ApprovalId};

use self::{pending::Pending, status::Status};
use super::{
    action::{Layer, effect::ExitMode, keymap::Keymap, msg::Waker, work},
    term::{
        capabilities::{self, Capabilities},
        decode::Answer,
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
    pub mode: ExitMode,
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
    /// Until when the next frame waits for what is about to come.
    held: Option<Instant>,
    /// When a key last let a standing program go.
    let_go: Option<Instant>,
    /// What the terminal can do, until it says what its background is.
    looks: Option<Capabilities>,
    /// The core that was joined is gone: what is shown is what was last known.
    host_ended: bool,
    exit: Option<Exit>,
}

/// How often an age is drawn anew.
const SECOND: Duration = Duration::from_secs(1);

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
            held: None,
            let_go: None,
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
            mode: farewell,
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
}

#[cfg(test)]
mod tests;
