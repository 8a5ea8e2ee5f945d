//! The terminal of the debuggee: what it shows, and what is typed into it.
//!
//! While the program lives every key goes to it, Ctrl-C and Tab as well, except the one that leaves the pane and those that
//! scroll. What comes from the program reaches the screen as cells only ([`emulator`]).

mod emulator;
#[cfg(test)]
mod tests;

use self::emulator::Emulator;
use crate::{action::msg::Waker, debug_prelude::*, term::encode::encode, widgets::panel::Panel};

/// Why keys do nothing here, and what to do.
const NO_TERMINAL: &str =
    "There is no terminal to type into: F4 starts a program in one; 1 to 7 are the other panes.";

/// The pane.
#[derive(Default)]
pub struct TerminalPane {
    waker: Waker,
    /// Whose terminal is shown.
    session: Option<SessionId>,
    emulator: Option<Emulator>,
    /// Keys go to a program.
    open: bool,
    /// It stands still, and reads none of them until it goes on.
    stopped: bool,
    /// Rows and columns there are for a terminal, when last drawn.
    room: (u16, u16),
    /// The size that the core was told, and for which session.
    told: (Option<SessionId>, (u16, u16)),
}

impl TerminalPane {
    /// A pane that asks for a frame through `waker` when its size changed.
    pub fn new(waker: Waker) -> Self {
        Self {
            waker,
            ..Self::default()
        }
    }

    /// The place that the pane has, or would have.
    pub fn make_room(&mut self, area: Rect) {
        let inner = Panel::inner(area);
        let room = (inner.height, inner.width);
        if room.0 > 0 && room.1 > 0 && self.room != room {
            self.room = room;
            if self.open {
                // What is drawn cannot tell anyone; the message that follows can.
                self.waker.wake();
            }
        }
    }

    /// Takes in what is new of the session's terminal.
    fn sync(&mut self, view: &View) -> Vec<(u64, String)> {
        let found = view.state.focus.and_then(|id| view.state.terminal_of(id));
        let Some((session, terminal)) = found else {
            (self.session, self.emulator, self.open) = (None, None, false);
            self.stopped = false;
            return Vec::new();
        };
        if self.session != Some(session) {
            self.session = Some(session);
            self.emulator = None;
        }
        let live = view.state.session(session);
        self.open = live.is_some_and(|session| session.phase.is_live());
        self.stopped = live.is_some_and(|session| session.phase == Phase::Stopped);
        self.emulator
            .get_or_insert_with(|| Emulator::new(terminal.rows, terminal.columns))
            .feed(terminal)
    }

    /// Tells the core how large the terminal is now.
    fn tell_size(&mut self, session: Option<SessionId>, cx: &Cx) {
        let (rows, columns) = self.room;
        if rows == 0 || self.told == (session, self.room) {
            return;
        }
        self.told = (session, self.room);
        cx.core(Command::ResizeTerminal {
            session,
            rows,
            columns,
        });
    }

    fn type_text(&mut self, text: String, cx: &Cx) {
        if let Some(emulator) = &mut self.emulator {
            // Whoever types looks at the prompt.
            emulator.scroll_to_end();
        }
        // The program knows the size that is seen before it knows what is typed.
        self.tell_size(self.session, cx);
        cx.core(Command::WriteStdin {
            session: self.session,
            text,
        });
    }

    fn page(&mut self, pages: isize) {
        let rows = isize::try_from(self.room.0).unwrap_or(1).max(2) - 1;
        self.scroll(pages * rows);
    }

    fn scroll(&mut self, by: isize) {
        if let Some(emulator) = &mut self.emulator {
            emulator.scroll(by);
        }
    }

    fn copy(&mut self, cx: &Cx) {
        if let Some(emulator) = &self.emulator {
            let text = emulator.text();
            let what = "the terminal's screen".to_owned();
            cx.copy(text, what);
        }
    }

    fn remark(&self, view: &View) -> String {
        let scrolled = self.emulator.as_ref().map_or(0, Emulator::scrolled);
        if scrolled > 0 {
            return amount::count(scrolled as u64, "line back", "lines back");
        }
        match (self.open, view.focused) {
            (true, true) => "Ctrl-] leaves".to_owned(),
            (true, false) => "8 types to the program".to_owned(),
            (false, _) => "ended".to_owned(),
        }
    }
}

/// The key that leaves; where terminals have no sign of its own for it, they write it as a digit.
fn leaves(key: KeyEvent) -> bool {
    key.modifiers == KeyModifiers::CONTROL && matches!(key.code, KeyCode::Char(']' | '5'))
}

/// Keys that scroll, also while a program reads the others.
fn scrolls(key: KeyEvent) -> bool {
    key.modifiers == KeyModifiers::SHIFT && matches!(key.code, KeyCode::PageUp | KeyCode::PageDown)
}

gates! { TerminalPane, s, _;
    is_shown: s.emulator.as_ref(), "The program has no terminal here.";
}

impl Surface for TerminalPane {
    table! { "The program's terminal", s, cx;
        "tty.leave"     "leave the terminal"    ["ctrl-]" "ctrl-5"], Footer       => cx.invoke("debug.focus-source");
        "tty.page-up"   "scroll back"           ["shift-pageup" "pageup"], Footer if is_shown => s.page(-1);
        "tty.page-down" "scroll forward"        ["shift-pagedown" "pagedown"]     if is_shown => s.page(1);
        "tty.up"        "one line back"         ["up" "k"]                        if is_shown => s.scroll(-1);
        "tty.down"      "one line forward"      ["down" "j"]                      if is_shown => s.scroll(1);
        "tty.end"       "to its end"            ["end" "G"]                       if is_shown => {
            if let Some(emulator) = &mut s.emulator {
                emulator.scroll_to_end();
            }
        };
        "tty.copy"      "copy what is in sight" ["y"], Footer                     if is_shown => Self::copy;
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let right = match self.emulator {
            Some(_) => self.remark(canvas),
            None => String::new(),
        };
        let inner = panel(canvas, area, Pane::Terminal.name(), "", &right);
        let Some(emulator) = &self.emulator else {
            let lines: &[&str] = match canvas.session() {
                Some(session) if session.phase.is_live() => &[
                    "The program has no terminal here",
                    "F4 starts one with its console in a terminal",
                ],
                _ => &["No terminal yet", "F4 starts a program in one"],
            };
            return empty(canvas, inner, lines);
        };
        let first = emulator.draw(&mut canvas.cells(), inner, &canvas.theme);
        if let Some((row, column)) = emulator.cursor().filter(|_| canvas.focused && self.open) {
            let at = Position::new(
                inner.x.saturating_add(column),
                inner.y.saturating_add(row.saturating_sub(first)),
            );
            if inner.contains(at) {
                canvas.set_cursor(at);
            }
        }
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        match msg {
            Msg::Events(events) => {
                let begins = events
                    .iter()
                    .any(|event| matches!(event.kind, EventKind::SessionStarted { .. }));
                if begins {
                    // The terminal that is made for it has its size from the beginning.
                    self.tell_size(None, cx);
                }
                let answers = self.sync(&cx.view);
                for ((at, text), session) in
                    answers.into_iter().zip(std::iter::repeat(self.session))
                {
                    if let Some(session) = session {
                        cx.core(Command::AnswerTerminal { session, at, text });
                    }
                }
            }
            Msg::Ready | Msg::Relayout | Msg::Edited => {}
            _ => return,
        }
        if let Some(session) = self.session.filter(|_| self.open) {
            self.tell_size(Some(session), cx);
        }
    }

    // Without a terminal too: what is typed for a program that reads nothing must not become commands.
    fn wants_text(&self) -> bool {
        self.open || self.emulator.is_none()
    }

    fn takes_every_key(&self) -> bool {
        self.open && !self.stopped
    }

    fn typing_keys(&self) -> TypingKeys {
        if !self.open {
            return &[("F4", "start in a terminal"), ("1", "to the source")];
        }
        if self.stopped {
            return &[
                ("F5", "continue"),
                ("F10", "over"),
                ("F11", "in"),
                ("Ctrl-]", "leave"),
                ("others", "to the program"),
            ];
        }
        &[
            ("Ctrl-]", "leave the terminal"),
            ("Shift-PgUp", "scroll back"),
            ("others", "to the program"),
        ]
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        if !self.open {
            let changed = key
                .modifiers
                .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
            let dead = matches!(key.code, KeyCode::Char(c) if !changed && !c.is_ascii_digit());
            if dead {
                cx.info(NO_TERMINAL);
            }
            return dead;
        }
        // At a stop function keys are how one goes on.
        let steers = self.stopped && matches!(key.code, KeyCode::F(_));
        if steers || leaves(key) || scrolls(key) {
            return false;
        }
        let application = self
            .emulator
            .as_ref()
            .is_some_and(Emulator::application_cursor);
        if let Some(text) = encode(key, application) {
            self.type_text(text, cx);
        }
        // Also what sends nothing: no key means something else here.
        true
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        if !self.open {
            return false;
        }
        // Pasted text is no keys: what could end the brackets around it, or be a key, is left out.
        let text: String = text
            .replace("\r\n", "\r")
            .chars()
            .map(|c| if c == '\n' { '\r' } else { c })
            .filter(|c| !c.is_control() || matches!(c, '\r' | '\t'))
            .collect();
        let marked = self
            .emulator
            .as_ref()
            .is_some_and(Emulator::bracketed_paste);
        let text = if marked {
            format!("\x1b[200~{text}\x1b[201~")
        } else {
            text
        };
        self.type_text(text, cx);
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let Some(by) = wheel(&event) else {
            return false;
        };
        self.scroll(by);
        cx.redraw();
        true
    }
}
