//! What becomes of a live session when we leave.

use debugger::{Session, session_tree::is_launcher, state::StartKind};

use crate::{
    action::effect::ExitMode,
    kit::{confirm::question, prelude::*},
};

/// Asked by `q` while a session is live.
#[derive(Debug, Default)]
pub struct QuitQuestion {
    /// The process that has the sessions, when that is another one: they are none of our business.
    pub goes_on_in: Option<String>,
}

impl Surface for QuitQuestion {
    table! { "Quit", s, cx;
        "quit.end" "quit" ["enter" "e" "y"], Footer => cx.emit(Effect::QuitNow(ExitMode::End));
        "quit.detach" "leave it running and quit" ["d"], Footer if |s, view| {
            if s.goes_on_in.is_some() {
                Err("the session goes on in any case")
            } else if leaves_something(view) {
                Ok(())
            } else {
                Err("nothing was started here that its adapter could leave running")
            }
        } => cx.emit(Effect::QuitNow(ExitMode::Detach));
        "quit.stay" "stay" ["esc" "s" "n"], Footer => cx.close();
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        // The session may end while the question stands: then nobody has to be asked.
        if matches!(msg, Msg::Events(_)) && cx.view.state.live().next().is_none() {
            cx.emit(Effect::QuitNow(ExitMode::End));
        }
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        if let Some(host) = &self.goes_on_in {
            let lines = [format!("The session goes on in {host}.")];
            let keys = [("Enter", "leave"), ("Esc", "stay")];
            return question(canvas, area, "Quit?", &lines, &keys);
        }
        let programs = || {
            let live = canvas.state.live();
            live.filter(|session| !is_launcher(&canvas.state, session))
        };
        let mut lines: Vec<String> = programs()
            .take(6)
            .map(|s| {
                let then = match s.kind {
                    StartKind::Attach => "It goes on without us.",
                    StartKind::Launch if can_be_left(s) => "It ends unless it is left running.",
                    StartKind::Launch => "It ends with the session.",
                };
                let is = || format!(" is {}", s.phase.word());
                let state = s
                    .activity
                    .as_ref()
                    .map_or_else(is, |doing| format!(": {doing}"));
                format!("{}{state}. {then}", sanitise(&s.name))
            })
            .collect();
        let more = programs().count().saturating_sub(lines.len());
        if more > 0 {
            lines.push(format!("And {more} more."));
        }
        let ends = programs().any(|s| s.kind == StartKind::Launch);
        let end = if ends {
            "end it and quit"
        } else {
            "detach and quit"
        };
        let keys = [("Enter", end), ("d", "leave it running"), ("Esc", "stay")];
        let keys: Vec<_> = keys
            .into_iter()
            .filter(|(key, _)| *key != "d" || leaves_something(canvas))
            .collect();
        question(canvas, area, "Quit?", &lines, &keys);
    }
}

fn can_be_left(session: &Session) -> bool {
    session.kind == StartKind::Launch && !session.ends_with_session
}

/// Whether there is a choice: what was attached to is let go of in any case.
fn leaves_something(view: &View) -> bool {
    view.state.live().any(can_be_left)
}
