//! A screen of the desk: what all of them do alike, so that one says only what it has and what becomes of it.
//!
//! It is told when it is shown and when not, what the command line began it with and what its work found; what is typed goes
//! into its line while there is one; the mouse turns its tabs and moves what [`Scrolls`] says.

use super::{
    scroll::Scrolls,
    typing::{self, Typing},
};
use crate::action::{msg::WorkProgress, prelude::*};

/// What is drawn.
pub trait DrawRows {
    /// Draws it into `area`, which is a part of the buffer, of whatever size.
    fn draw(&mut self, canvas: &Canvas, area: Rect);
}

/// See the module.
pub trait Browser: DrawRows + Scrolls + Sized + 'static {
    /// Its title.
    const TITLE: &'static str;
    /// Its actions, most important first.
    const ACTIONS: &'static [Action<Self>];
    /// What the command line may begin it with.
    type Begin: 'static;

    /// It is shown from now on, or no longer.
    fn show(&mut self, _shown: bool, _cx: &Cx) {}

    /// It is begun by the command line.
    fn begin(&mut self, _begin: &Self::Begin, _cx: &Cx) {}

    /// Something else happened.
    fn happened(&mut self, _msg: &Msg, _cx: &Cx) {}

    /// The line in which something is typed.
    fn line(&self) -> Option<&Typing<Self>> {
        None
    }

    /// The same, to begin one, or to end it.
    fn line_mut(&mut self) -> Option<&mut Option<Typing<Self>>> {
        None
    }

    /// While a dialog of this screen takes all keys: those that mean something then.
    fn dialog(&self) -> Option<TypingKeys> {
        None
    }

    /// A key while there is a dialog; false = not one of its keys.
    fn dialog_key(&mut self, _key: KeyEvent, _cx: &Cx) -> bool {
        false
    }

    /// Leaves what is open, ends what goes on; false = there was nothing of that.
    fn leave(&mut self, _cx: &Cx) -> bool {
        false
    }

    /// Work told something.
    fn on_progress(&mut self, told: &WorkProgress, cx: &Cx) {
        told.call(self, cx);
    }

    /// Where the names of tabs were drawn, and which they are.
    fn tabs(&self) -> &[(Rect, usize)] {
        &[]
    }

    /// A tab was clicked.
    fn turned_to(&mut self, _tab: usize, _cx: &Cx) {}
}

impl<B: Browser> Surface for B {
    const TITLE: &str = <B as Browser>::TITLE;
    const ACTIONS: &[Action<Self>] = <B as Browser>::ACTIONS;

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let area = area.intersection(canvas.screen());
        DrawRows::draw(self, canvas, area);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        match msg {
            Msg::Shown => self.show(true, cx),
            Msg::Hidden => self.show(false, cx),
            Msg::Begin(begin) => {
                if let Some(begin) = begin.of::<B::Begin>() {
                    self.begin(begin, cx);
                }
            }
            Msg::Progress(told) => self.on_progress(told, cx),
            _ => self.happened(msg, cx),
        }
    }

    fn wants_text(&self) -> bool {
        self.line().is_some() || self.dialog().is_some()
    }

    fn typing_keys(&self) -> TypingKeys {
        let line = self.line().map(|typing| typing.line.keys);
        line.or_else(|| self.dialog()).unwrap_or_default()
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        cx.redraw();
        if self.line().is_some() {
            return typing::key(self, Self::line_mut, key, cx);
        }
        self.dialog_key(key, cx)
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        typing::paste(self, Self::line_mut, text, cx)
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        if self.wants_text() {
            return false;
        }
        let Some(tab) = tabs::clicked(self.tabs(), &event) else {
            return self.pointed(event, cx);
        };
        self.turned_to(tab, cx);
        cx.redraw();
        true
    }
}

/// Where a screen keeps the places of its tabs.
macro_rules! tabs_in {
    ($tabs:ident) => {
        fn tabs(&self) -> &[(Rect, usize)] {
            &self.$tabs
        }
    };
}
pub(crate) use tabs_in;
