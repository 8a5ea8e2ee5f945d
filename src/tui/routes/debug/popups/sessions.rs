//! All sessions as a tree, to choose the one to look at: the ended ones as well, narrowed by what is typed.

use crate::{
    debug_prelude::*,
    kit::picking::{Picking, Source, Words, fitting, selected},
};

/// The sessions there are.
#[derive(Debug, Default)]
pub struct Tree;

/// One of them.
#[derive(Debug)]
pub struct Member {
    id: SessionId,
    depth: u16,
    /// What is matched: id, name, process, what it does.
    name: String,
}

/// The list.
pub type Sessions = Picking<Tree>;

/// Opens it at the session in focus.
pub fn open(cx: &Cx) {
    let state = &cx.view.state;
    let mut popup = Picking::new(Tree);
    popup.show(members(state));
    popup.select(|member| Some(member.id) == state.focus);
    cx.open(popup);
}

fn members(state: &State) -> Vec<Member> {
    let name = |id| {
        let session = state.session(id)?;
        let pid = session.pid.map_or_else(String::new, |pid| pid.to_string());
        let doing = session_row::doing(session);
        Some(format!("{} {pid} {doing}", session_row::title(session)))
    };
    let members = session_row::in_order(state)
        .into_iter()
        .map(|member| Member {
            id: member.id,
            depth: member.depth,
            name: name(member.id).unwrap_or_default(),
        });
    members.collect()
}

impl Sessions {
    fn lives(&self, view: &View) -> Enabled {
        let id = self.selected().ok_or("Nothing is selected.")?.id;
        (view.state.live_roots().contains(&id)
            || view.state.session(id).is_some_and(|s| s.phase.is_live()))
        .or_why("It has ended.")
    }

    fn choose(&mut self, cx: &Cx) {
        if let Some(session) = self.selected().map(|member| member.id) {
            cx.core(Command::Focus { session });
            cx.close();
        }
    }

    fn end(&mut self, cx: &Cx) {
        if let session @ Some(_) = self.selected().map(|member| member.id) {
            cx.core(Command::Terminate { session });
        }
    }
}

impl Source for Tree {
    type Entry = Member;

    table! { Sessions: "Sessions";
        "sessions-list.choose" "look at it"             ["enter"], Footer  if selected => Sessions::choose;
        "sessions-list.end"    "end it and those below" ["ctrl-x"], Footer if Sessions::lives => Sessions::end;
        pick "sessions-list" "close" "close";
    }

    const WORDS: Words = Words {
        hint: "name, process, or what it does",
        asking: "",
        nothing: "No program was started yet.",
        unmatched: "No session has these letters.",
    };

    fn name<'e>(&self, member: &'e Member) -> Cow<'e, str> {
        member.name.as_str().into()
    }

    fn size(&self, entries: Option<usize>, area: Rect) -> (u16, u16) {
        (76, fitting(entries.unwrap_or(0), 6, area))
    }

    fn row(&self, member: &Member, narrowed: bool, cells: &mut Cells) {
        let view = cells.view.clone();
        let Some(session) = view.state.session(member.id) else {
            return;
        };
        let room = cells.room();
        let doing = session_row::doing(session);
        cells.right(&doing, session_row::style_of(session, &view.theme));
        // What is narrowed is a list and no tree.
        if !narrowed {
            cells.skip((usize::from(member.depth) * 2).min(room / 3));
        }
        let style = match (view.state.focus == Some(member.id), session.phase) {
            (true, _) => view.theme.title_focused,
            (false, Phase::Terminated) => view.theme.muted,
            (false, _) => view.theme.text,
        };
        cells.put(&session_row::title(session), style);
        if let Some(pid) = session.pid {
            cells.muted(&format!("  pid {pid}"));
        }
    }

    fn on_msg(list: &mut Sessions, msg: &Msg, cx: &Cx) {
        if let Msg::Events(_) = msg {
            list.show_again(members(&cx.view.state), |old, new| old.id == new.id);
            cx.redraw();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::kit::test::{Stage, events};
    use debugger::Session;

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
        let cx = stage.cx();
        open(&cx);
        match cx.pop() {
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
        let cx = stage.cx();
        popup.invoke("sessions-list.up", &cx);
        popup.message(&events(), &cx);
        popup.invoke("sessions-list.choose", &cx);
        let chosen = cx.effects.borrow().iter().any(|effect| {
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
        let cx = stage.cx();
        popup.invoke("sessions-list.end", &cx);
        assert!(matches!(
            cx.effects.borrow().as_slice(),
            [Effect::Core {
                command: Command::Terminate {
                    session: Some(SessionId(2))
                },
                ..
            }]
        ));
        popup.invoke("sessions-list.down", &cx);
        let refused = popup.invoke("sessions-list.end", &cx);
        assert_eq!(refused, Some(Err("It has ended.")));
    }
}
