//! What a row says of a session: its name, and what it does. In which order sessions stand is [`debugger::session_tree`]'s.

use debugger::{exit, state::stop_word};

use crate::{debug_prelude::*, theme::Theme};

pub use debugger::session_tree::{Member, in_order, is_launcher, of_interest, path};

/// What a session does, in a word or two.
pub fn doing(session: &Session) -> String {
    match (session.phase, &session.activity) {
        (Phase::Terminated, _) if session.start_failed => "not started".to_owned(),
        (Phase::Terminated, _) => match session.exit_code {
            Some(code) => format!("ended: {}", exit::words(code)),
            None => "ended".to_owned(),
        },
        (Phase::Stopped, None) => {
            let stop = session.stop.as_ref();
            stop.map_or("stopped", |s| stop_word(&s.reason)).to_owned()
        }
        (_, Some(activity)) => activity.clone(),
        (phase, None) => phase.word().to_owned(),
    }
}

/// The colour of [`doing`].
pub fn style_of(session: &Session, theme: &Theme) -> Style {
    match (session.phase, session.exit_code) {
        (Phase::Stopped, _) => theme.warning,
        (Phase::Running, _) => theme.success,
        (Phase::Terminated, _) if session.start_failed => theme.error,
        (Phase::Terminated, Some(code)) if code != 0 => theme.error,
        (Phase::Terminated, _) => theme.muted,
        _ => theme.info,
    }
}

/// `debug-2 Subprocess 4711`, with what is not debugged of its children.
pub fn title(session: &Session) -> String {
    let more = match session.children_passed_over {
        0 => String::new(),
        n => format!(" (+{n} not debugged)"),
    };
    format!("{} {}{more}", session.id, session.name)
}
