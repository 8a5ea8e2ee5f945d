//! One table row is an action: everything the program knows about it stands there once, and footer, help, palette, key
//! reference, key bindings and mouse targets are all made from the rows.
//!
//! Routes, panes and overlays are all [`Surface`]s; [`Layer`] is their object-safe face, written once.
//!
//! | file | what is in it |
//! |---|---|
//! | [`view`], [`canvas`] | what a surface may look at, and what it draws into |
//! | [`effect`], [`work`] | what it asks for: of the loop, and beside it |
//! | [`msg`] | what it is told |
//! | [`prelude`] | what files above this folder import as a whole |
//! | [`keymap`], [`docs`] | keys as text, the user's own; the key reference |
//!
//! What becomes of effects is `app/`'s.

pub mod canvas;
pub mod docs;
pub mod effect;
pub mod keymap;
pub mod msg;
pub mod prelude;
pub mod view;
pub mod work;

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
    time::Instant,
};

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::{layout::Rect, text::Line};

use self::{canvas::Canvas, effect::Effect, msg::Msg, view::View};

/// What a handler works with. Handlers never await and never do I/O: they change their surface and emit effects.
pub struct Cx {
    /// What can be looked at.
    pub view: View,
    /// What is to be done.
    pub effects: RefCell<Vec<Effect>>,
    /// Whether a new frame is needed.
    pub dirty: Cell<bool>,
}

impl Cx {
    /// A context without effects.
    pub fn new(view: View) -> Self {
        Self {
            view,
            effects: RefCell::default(),
            dirty: Cell::default(),
        }
    }

    /// Asks for something to be done (and for a new frame).
    pub fn emit(&self, effect: Effect) {
        self.extend([effect]);
        self.redraw();
    }

    /// Asks for things to be done; without a new frame.
    pub fn extend(&self, effects: impl IntoIterator<Item = Effect>) {
        // Those that come ask for others only once they are here.
        let effects: Vec<Effect> = effects.into_iter().collect();
        self.effects.borrow_mut().extend(effects);
    }

    /// What was asked for.
    pub fn into_effects(self) -> Vec<Effect> {
        self.effects.into_inner()
    }

    /// Asks for a new frame.
    pub fn redraw(&self) {
        self.dirty.set(true);
    }
}

/// Where an action is offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// In the footer always, where there is little room as well, and under this shorter name.
    Bar(&'static str),
    /// In the footer, too. Rows come in order of importance.
    Footer,
    /// In help and palette only.
    HelpOnly,
}

/// Whether an action makes sense now; the reason is shown in palette and status line.
pub type Enabled = Result<(), &'static str>;

/// One row of a surface's table.
pub struct Action<S: ?Sized + 'static> {
    /// `route.verb-object`, the name in key bindings.
    pub id: &'static str,
    /// A verb phrase: `step over`.
    pub title: &'static str,
    /// Keys in the keymap's notation: `f10`, `shift-f11`, `ctrl-p`, `n`, `g g`. The first is the one shown.
    pub keys: &'static [&'static str],
    /// Where it is offered.
    pub show: Show,
    /// Whether it makes sense now.
    pub enabled: fn(&S, &View) -> Enabled,
    pub run: fn(&mut S, &Cx),
}

impl<S: ?Sized> Action<S> {
    fn row(&self, show: Show, enabled: Enabled) -> Row {
        Row {
            id: self.id,
            title: self.title,
            keys: Keys::Table(self.keys),
            show,
            enabled,
        }
    }
}

/// For `enabled`: always.
pub fn always<S: ?Sized>(_: &S, _: &View) -> Enabled {
    Ok(())
}

/// The keys of a row: the table's own, or what the user bound instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Those of [`Action::keys`].
    Table(&'static [&'static str]),
    /// Those of the configuration file; an empty list unbinds.
    User(Arc<[String]>),
}

impl Keys {
    /// All of them, the one to show first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let (table, user): (&[&str], &[String]) = match self {
            Self::Table(keys) => (keys, &[]),
            Self::User(keys) => (&[], keys),
        };
        table.iter().copied().chain(user.iter().map(String::as_str))
    }

    /// The one to show.
    pub fn first(&self) -> Option<&str> {
        self.iter().next()
    }
}

/// A row without its surface's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// See [`Action::id`].
    pub id: &'static str,
    /// See [`Action::title`].
    pub title: &'static str,
    /// The keys in force.
    pub keys: Keys,
    /// See [`Action::show`].
    pub show: Show,
    /// See [`Action::enabled`].
    pub enabled: Enabled,
}

impl Row {
    /// Whether it moves something: a key for moving is its first.
    pub fn moves(&self) -> bool {
        self.keys.first().is_some_and(keymap::moves)
    }
}

/// Keys that mean something while text is typed, and what.
pub type TypingKeys = &'static [(&'static str, &'static str)];

/// The table of one surface as data that needs no surface: for the key reference, and for checking bindings.
#[derive(Clone, Debug)]
pub struct Section {
    /// See [`Surface::TITLE`].
    pub title: &'static str,
    /// Its rows; `enabled` means nothing here.
    pub rows: Vec<Row>,
}

impl Section {
    /// The table of `S`.
    pub fn of<S: Surface>() -> Self {
        Self {
            title: S::TITLE,
            rows: S::ACTIONS
                .iter()
                .map(|action| action.row(action.show, Ok(())))
                .collect(),
        }
    }
}

/// A route, a pane or an overlay.
pub trait Surface: Sized + 'static {
    /// Its title.
    const TITLE: &'static str;
    /// Its actions, most important first.
    const ACTIONS: &'static [Action<Self>];

    /// Draws it into `area`, of whatever size.
    fn fill(&mut self, _canvas: &Canvas, _area: Rect) {}

    /// What stands beside the program's name in the header line while this is the route; sanitised.
    fn header(&self, _view: &View) -> Option<Line<'static>> {
        None
    }

    /// Where an action is offered now, and what the footer calls it, where that is another than its table says.
    fn shown_now(&self, _id: &str, _view: &View) -> Option<Show> {
        None
    }

    /// Something happened: core events were applied, a reply came, a job is done.
    fn on_msg(&mut self, _msg: &Msg, _cx: &Cx) {}

    /// While true, plain characters go to [`Surface::on_text`] before any table is asked.
    fn wants_text(&self) -> bool {
        false
    }

    /// What the footer shows while [`Surface::wants_text`]: keys as a person reads them, and what they do then.
    fn typing_keys(&self) -> TypingKeys {
        &[("Enter", "done"), ("Esc", "leave")]
    }

    /// Whether no key means anything else while [`Surface::wants_text`], function keys neither.
    fn takes_every_key(&self) -> bool {
        false
    }

    /// A key while text is wanted; false = not mine, look it up.
    fn on_text(&mut self, _key: KeyEvent, _cx: &Cx) -> bool {
        false
    }

    /// Pasted text; false = not mine.
    fn on_paste(&mut self, _text: &str, _cx: &Cx) -> bool {
        false
    }

    /// A mouse event inside the area last drawn; false = not mine.
    fn on_mouse(&mut self, _event: MouseEvent, _cx: &Cx) -> bool {
        false
    }

    /// Until when it takes no key, asked while it is on top; `typed` says that a key has just come.
    fn deaf_until(&mut self, _now: Instant, _typed: bool) -> Option<Instant> {
        None
    }

    /// Rows of what it contains (the focused pane), offered before its own.
    fn inner(&self) -> Option<&dyn Layer> {
        None
    }

    /// The same, to hand keys to.
    fn inner_mut(&mut self) -> Option<&mut dyn Layer> {
        None
    }
}

/// Object-safe face of every surface.
pub trait Layer {
    /// Its title.
    fn title(&self) -> &'static str;
    /// See [`Surface::header`].
    fn header_line(&self, view: &View) -> Option<Line<'static>>;
    /// Its rows: those of what it contains first.
    fn rows(&self, view: &View) -> Vec<Row>;
    /// Runs the action with this id, if it is here and enabled. `Some(Err)` = here, but not now.
    fn invoke(&mut self, id: &str, cx: &Cx) -> Option<Enabled>;
    /// See [`Surface::on_msg`].
    fn message(&mut self, msg: &Msg, cx: &Cx);
    /// See [`Surface::wants_text`].
    fn text_wanted(&self) -> bool;
    /// See [`Surface::typing_keys`]: of what takes the text.
    fn typing(&self) -> TypingKeys;
    /// See [`Surface::takes_every_key`]: of what takes the text.
    fn every_key_taken(&self) -> bool;
    /// See [`Surface::on_text`].
    fn text(&mut self, key: KeyEvent, cx: &Cx) -> bool;
    /// See [`Surface::on_paste`].
    fn paste(&mut self, text: &str, cx: &Cx) -> bool;
    /// See [`Surface::on_mouse`].
    fn mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool;
    /// See [`Surface::deaf_until`].
    fn deaf(&mut self, now: Instant, typed: bool) -> Option<Instant>;
    /// See [`Surface::fill`].
    fn draw(&mut self, canvas: &Canvas, area: Rect);
}

impl<S: Surface> Layer for S {
    fn title(&self) -> &'static str {
        S::TITLE
    }

    fn header_line(&self, view: &View) -> Option<Line<'static>> {
        self.header(view)
    }

    fn rows(&self, view: &View) -> Vec<Row> {
        let mut rows = self.inner().map(|i| i.rows(view)).unwrap_or_default();
        rows.extend(S::ACTIONS.iter().map(|a| {
            let show = self.shown_now(a.id, view).unwrap_or(a.show);
            a.row(show, (a.enabled)(self, view))
        }));
        rows
    }

    fn invoke(&mut self, id: &str, cx: &Cx) -> Option<Enabled> {
        if let Some(done) = self.inner_mut().and_then(|i| i.invoke(id, cx)) {
            return Some(done);
        }
        let action = S::ACTIONS.iter().find(|a| a.id == id)?;
        let enabled = (action.enabled)(self, &cx.view);
        if enabled.is_ok() {
            (action.run)(self, cx);
            cx.redraw();
        }
        Some(enabled)
    }

    fn message(&mut self, msg: &Msg, cx: &Cx) {
        self.on_msg(msg, cx);
    }

    fn text_wanted(&self) -> bool {
        self.inner().is_some_and(Layer::text_wanted) || self.wants_text()
    }

    fn typing(&self) -> TypingKeys {
        match self.inner().filter(|inner| inner.text_wanted()) {
            Some(inner) => inner.typing(),
            None => self.typing_keys(),
        }
    }

    fn every_key_taken(&self) -> bool {
        match self.inner().filter(|inner| inner.text_wanted()) {
            Some(inner) => inner.every_key_taken(),
            None => self.wants_text() && self.takes_every_key(),
        }
    }

    fn text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        self.inner_mut()
            .is_some_and(|i| i.text_wanted() && i.text(key, cx))
            || (self.wants_text() && self.on_text(key, cx))
    }

    fn paste(&mut self, text: &str, cx: &Cx) -> bool {
        self.inner_mut().is_some_and(|i| i.paste(text, cx)) || self.on_paste(text, cx)
    }

    fn mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        self.on_mouse(event, cx)
    }

    fn deaf(&mut self, now: Instant, typed: bool) -> Option<Instant> {
        self.deaf_until(now, typed)
    }

    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        self.fill(canvas, area);
    }
}
