//! A screen of the desk: what all of them do alike, so that one says only what it has and what becomes of it.
//!
//! It is told when it is shown and when not, what the command line began it with and what its work found; what is typed goes to
//! it while it says that something is; the mouse turns its tabs and moves what [`Scrolls`] says.

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::{buffer::Buffer, layout::Rect};

use super::{field::Field, scroll::Scrolls};
use crate::{
    action::{Action, Cx, Surface, TypingKeys, View},
    app::{effect::RouteId, msg::Msg},
    widgets::tabs,
};

/// What is drawn.
pub trait Drawn {
    /// Draws it into `area`, which is a part of the buffer, of whatever size.
    fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>);
}

/// See the module.
pub trait Browser: Drawn + Scrolls + Sized + 'static {
    /// Its title.
    const TITLE: &'static str;
    /// Which route it is.
    const ROUTE: RouteId;
    /// Its actions, most important first.
    const ACTIONS: &'static [Action<Self>];
    /// What the command line may begin it with.
    type Begin: 'static;

    /// It is shown from now on, or no longer.
    fn show(&mut self, _shown: bool, _cx: &mut Cx<'_>) {}

    /// It is begun by the command line.
    fn begin(&mut self, _begin: &Self::Begin, _cx: &mut Cx<'_>) {}

    /// Something else happened.
    fn happened(&mut self, _msg: &Msg, _cx: &mut Cx<'_>) {}

    /// While something is typed: the keys that mean something then.
    fn typing(&self) -> Option<TypingKeys> {
        None
    }

    /// A key while something is typed; false = not one of its keys.
    fn typed(&mut self, _key: KeyEvent, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// Where something is typed.
    fn field(&mut self) -> Option<&mut Field> {
        None
    }

    /// Takes pasted text; false = nothing is typed.
    fn pasted(&mut self, text: &str) -> bool {
        self.field().map(|field| field.paste(text)).is_some()
    }

    /// A mouse event while something is typed; false = not ours.
    fn pointed_typing(&mut self, _event: MouseEvent, _cx: &mut Cx<'_>) -> bool {
        false
    }

    /// What stands in the field is another text.
    fn changed(&mut self, _cx: &mut Cx<'_>) {}

    /// Where the names of tabs were drawn, and which they are.
    fn tabs(&self) -> &[(Rect, usize)] {
        &[]
    }

    /// A tab was clicked.
    fn turned_to(&mut self, _tab: usize, _cx: &mut Cx<'_>) {}
}

impl<B: Browser> Surface for B {
    const TITLE: &'static str = <B as Browser>::TITLE;
    const ACTIONS: &'static [Action<Self>] = <B as Browser>::ACTIONS;

    fn fill(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let area = area.intersection(buf.area);
        Drawn::draw(self, buf, area, view);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Shown(route) if *route == B::ROUTE => self.show(true, cx),
            Msg::Hidden(route) if *route == B::ROUTE => self.show(false, cx),
            Msg::Begin(begin) => {
                if let Some(begin) = begin.of::<B::Begin>() {
                    self.begin(begin, cx);
                }
            }
            Msg::Told(told) => told.call(self, cx),
            _ => self.happened(msg, cx),
        }
    }

    fn wants_text(&self) -> bool {
        self.typing().is_some()
    }

    fn typing_keys(&self) -> TypingKeys {
        self.typing().unwrap_or_default()
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        cx.redraw();
        self.typed(key, cx)
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        let taken = self.pasted(text);
        if taken {
            self.changed(cx);
            cx.redraw();
        }
        taken
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        if self.wants_text() {
            return self.pointed_typing(event, cx);
        }
        let Some(tab) = tabs::clicked(self.tabs(), &event) else {
            return self.pointed(event, cx);
        };
        self.turned_to(tab, cx);
        cx.redraw();
        true
    }
}
