//! All sessions as a tree, to choose the one to look at: the ended ones as well, narrowed by what is typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::debugger::{Command, Phase, SessionId, State};
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::tui::app::effect::Effect;
use crate::tui::app::msg::Msg;
use crate::tui::routes::debug::family::{self, Member};
use crate::tui::routes::debug::kit::picker::Picker;
use crate::tui::routes::debug::kit::{Cells, dialog, row};

/// The list.
#[derive(Debug, Default)]
pub struct Sessions {
    picker: Picker,
    members: Vec<Member>,
    /// What is matched: id, name, process, what it does.
    names: Vec<String>,
}

/// Opens it at the session in focus.
pub fn open(cx: &mut Cx<'_>) {
    let mut popup = Sessions::default();
    popup.list(cx.view.state);
    let focus = cx.view.state.focus;
    let at = popup.members.iter().position(|m| Some(m.id) == focus);
    popup.picker.step(at.unwrap_or_default() as isize);
    cx.emit(Effect::Open(Box::new(popup)));
}

impl Sessions {
    fn list(&mut self, state: &State) {
        self.members = family::in_order(state);
        let name = |member: &Member| {
            let session = state.session(member.id)?;
            let pid = session.pid.map_or_else(String::new, |pid| pid.to_string());
            let doing = family::doing(session);
            Some(format!("{} {pid} {doing}", family::title(session)))
        };
        self.names = self
            .members
            .iter()
            .map(|m| name(m).unwrap_or_default())
            .collect();
        self.narrow();
    }

    fn narrow(&mut self) {
        self.picker.narrow(self.names.iter().map(String::as_str));
    }

    fn selected(&self) -> Option<SessionId> {
        Some(self.members.get(self.picker.selected()?)?.id)
    }

    fn any(&self, _: &View<'_>) -> Enabled {
        self.selected()
            .map(|_| ())
            .ok_or("No session has these letters.")
    }

    fn lives(&self, view: &View<'_>) -> Enabled {
        let id = self.selected().ok_or("No session has these letters.")?;
        if view.state.live_roots().contains(&id)
            || view.state.session(id).is_some_and(|s| s.phase.is_live())
        {
            Ok(())
        } else {
            Err("It has ended.")
        }
    }

    fn choose(&mut self, cx: &mut Cx<'_>) {
        if let Some(session) = self.selected() {
            cx.emit(Effect::core(Command::Focus { session }));
            cx.emit(Effect::Close);
        }
    }

    fn end(&mut self, cx: &mut Cx<'_>) {
        if let session @ Some(_) = self.selected() {
            cx.emit(Effect::core(Command::Terminate { session }));
        }
    }
}

impl Surface for Sessions {
    const TITLE: &'static str = "Sessions";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "sessions-list.choose",
            "look at it",
            &["enter"],
            Show::Footer,
            Self::any,
            Self::choose,
        ),
        row(
            "sessions-list.end",
            "end it and those below",
            &["ctrl-x"],
            Show::Footer,
            Self::lives,
            Self::end,
        ),
        row(
            "sessions-list.close",
            "close",
            &["esc"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::Close),
        ),
        row(
            "sessions-list.up",
            "up",
            &["up", "ctrl-p"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(-1),
        ),
        row(
            "sessions-list.down",
            "down",
            &["down", "ctrl-n"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(1),
        ),
        row(
            "sessions-list.page-up",
            "page up",
            &["pageup"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(-1),
        ),
        row(
            "sessions-list.page-down",
            "page down",
            &["pagedown"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(1),
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let rows = (self.members.len() as u16).saturating_add(2);
        let high = rows.clamp(6, (area.height * 2 / 3).max(6));
        let right = format!("{} of {}", self.picker.len(), self.members.len());
        let buf = frame.buffer_mut();
        let inner = dialog(buf, area, (76, high), Self::TITLE, &right, view);
        let (members, typed) = (&self.members, !self.picker.query().is_empty());
        let none = if members.is_empty() {
            "No program was started yet."
        } else {
            "No session has these letters."
        };
        let hint = "name, process, or what it does";
        self.picker.draw(buf, inner, hint, none, view, |at, room| {
            let mut cells = Cells::new(room, view);
            let member = members.get(at);
            let known = member.and_then(|m| Some((m, view.state.session(m.id)?)));
            let Some((member, session)) = known else {
                return cells.line();
            };
            let doing = family::doing(session);
            cells.right(&doing, family::style_of(session, view.theme));
            // What is narrowed is a list and no tree.
            let depth = if typed { 0 } else { usize::from(member.depth) };
            cells.skip((depth * 2).min(room / 3));
            let style = match (view.state.focus == Some(member.id), session.phase) {
                (true, _) => view.theme.title_focused,
                (false, Phase::Terminated) => view.theme.muted,
                (false, _) => view.theme.text,
            };
            cells.put(&family::title(session), style);
            if let Some(pid) = session.pid {
                cells.put(&format!("  pid {pid}"), view.theme.muted);
            }
            cells.line()
        });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        if let Msg::Events(_) = msg {
            let kept = self.selected();
            self.list(cx.view.state);
            let found = (0..self.picker.len()).find(|_| {
                let there = self.selected() == kept;
                if !there {
                    self.picker.step(1);
                }
                there
            });
            if found.is_none() {
                self.narrow();
            }
            cx.redraw();
        }
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let tables = key.modifiers.contains(KeyModifiers::CONTROL)
            && matches!(key.code, KeyCode::Char('x' | 'p' | 'n'));
        let mine = !tables && self.picker.key(key);
        if mine {
            self.narrow();
            cx.redraw();
        }
        mine
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        self.picker.paste(text);
        self.narrow();
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        let answer = self.picker.mouse(event, cx);
        if answer == Some(true) {
            self.choose(cx);
        }
        answer.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debugger::Session;
    use crate::tui::action::Layer;
    use crate::tui::routes::debug::kit::test::{Stage, events};

    fn stage() -> Stage {
        let session = |id, parent: Option<u64>, name: &str, phase| Session {
            id: SessionId(id),
            parent: parent.map(SessionId),
            name: name.into(),
            phase,
            ..Session::default()
        };
        let mut ended = session(3, Some(2), "grandchild", Phase::Terminated);
        ended.exit_code = Some(3);
        Stage::new(State {
            sessions: vec![
                session(1, None, "tree.py", Phase::Running),
                session(2, Some(1), "Subprocess 42", Phase::Stopped),
                ended,
            ],
            focus: Some(SessionId(2)),
            ..State::default()
        })
    }

    fn opened(stage: &Stage) -> Box<dyn Layer> {
        let mut cx = stage.cx();
        open(&mut cx);
        match cx.effects.pop() {
            Some(Effect::Open(popup)) => popup,
            _ => panic!("nothing was opened"),
        }
    }

    #[test]
    fn the_tree_is_shown_and_one_is_chosen() {
        let mut stage = stage();
        let mut popup = opened(&stage);
        let screen = stage.draw(popup.as_mut(), 100, 24);
        let row = |text: &str| {
            let found = screen.iter().find(|line| line.contains(text));
            found.unwrap_or_else(|| panic!("{text} is not in\n{}", screen.join("\n")))
        };
        let column = |text: &str| row(text).find("debug-").unwrap();
        assert_eq!(column("Subprocess 42"), column("tree.py") + 2);
        assert_eq!(column("grandchild"), column("tree.py") + 4);
        assert!(row("grandchild").contains("ended: exit code 3"));
        let mut cx = stage.cx();
        popup.invoke("sessions-list.up", &mut cx);
        popup.message(&events(), &mut cx);
        popup.invoke("sessions-list.choose", &mut cx);
        let chosen = cx.effects.iter().any(|effect| {
            matches!(
                effect,
                Effect::Core {
                    command: Command::Focus {
                        session: SessionId(1)
                    },
                    ..
                }
            )
        });
        assert!(chosen, "the one above the focused one stays selected");
        drop(cx);
        stage.survives(popup.as_mut());
    }

    #[test]
    fn what_has_ended_is_not_ended_again() {
        let stage = stage();
        let mut popup = opened(&stage);
        let mut cx = stage.cx();
        popup.invoke("sessions-list.end", &mut cx);
        assert!(matches!(
            cx.effects.as_slice(),
            [Effect::Core {
                command: Command::Terminate {
                    session: Some(SessionId(2))
                },
                ..
            }]
        ));
        popup.invoke("sessions-list.down", &mut cx);
        let refused = popup.invoke("sessions-list.end", &mut cx);
        assert_eq!(refused, Some(Err("It has ended.")));
    }
}
