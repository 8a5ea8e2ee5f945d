//! What the adapter is busy with: the work that it tells of, and requests that wait for their answer; each can be given up, where
//! the adapter can be asked to.

use crate::debug_prelude::*;

/// Lists it as it is now.
pub fn open(cx: &Cx) {
    let Some(session) = cx.view.session() else {
        return;
    };
    let can_cancel = session.capabilities.supports_cancel_request;
    let (now, focus) = (SystemTime::now(), Some(session.id));
    let told = session.progress.iter().map(|work| {
        let done = work.percentage.filter(|done| done.is_finite());
        let done = done.map(|done| format!("{:.0} %", done.clamp(0.0, 100.0)));
        let more = joined(done.into_iter().chain(work.message.clone()), "  ");
        let cancel = Command::CancelProgress {
            session: focus,
            id: work.id.clone(),
        };
        choice(&work.title, more, cancel, can_cancel && work.cancellable)
    });
    let asked = session.pending.iter().map(|asked| {
        let more = format!("no answer for {}, request {}", asked.age(now), asked.seq);
        let cancel = Command::CancelRequest {
            session: focus,
            request: asked.seq,
        };
        choice(&asked.command, more, cancel, can_cancel)
    });
    cx.open(chooser::of(
        "Work of the adapter",
        told.chain(asked).collect(),
    ));
}

fn choice(name: &str, more: String, cancel: Command, can_cancel: bool) -> Choice {
    let mut choice = Choice::new(name, more, move || vec![Effect::core(cancel.clone())]);
    if can_cancel {
        "Enter gives it up".clone_into(&mut choice.end);
    } else {
        choice.then = None;
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};
    use dap::types::Capabilities;
    use debugger::state::{PendingRequest, Progress};

    fn opened(known: State) -> (Stage, Box<dyn Layer>) {
        let stage = Stage::new(known);
        let cx = stage.cx();
        open(&cx);
        let Some(Effect::Open(popup)) = cx.pop() else {
            panic!("nothing opened")
        };
        drop(cx);
        (stage, popup)
    }

    fn cancels() -> Arc<Capabilities> {
        Arc::new(Capabilities {
            supports_cancel_request: true,
            ..Capabilities::default()
        })
    }

    #[test]
    fn work_is_given_up_where_that_is_said() {
        let mut known = stopped_in_main(1, Vec::new());
        let session = known.sessions.first_mut().unwrap();
        session.capabilities = cancels();
        let work = |id: &str, percentage, cancellable| Progress {
            id: id.into(),
            title: format!("reading {id}"),
            percentage,
            cancellable,
            ..Progress::default()
        };
        session.progress = vec![
            work("symbols", Some(50.0), true),
            work("lines", None, false),
        ];
        let (mut stage, mut popup) = opened(known);
        let screen = stage.draw(popup.as_mut(), 100, 12).join("\n");
        assert!(
            screen.contains("reading symbols  50 %") && screen.contains("Enter gives it up"),
            "{screen}"
        );
        let cx = stage.cx();
        popup.invoke("chooser.accept", &cx);
        assert!(matches!(
            cx.pop(),
            Some(Effect::Core { command: Command::CancelProgress { id, .. }, .. }) if id == "symbols"
        ));
        popup.invoke("chooser.down", &cx);
        let refused = popup.invoke("chooser.accept", &cx);
        assert_eq!(refused, Some(Err("It can only be looked at.")));
        drop(cx);
        stage.survives(popup.as_mut());
    }

    #[test]
    fn a_request_without_an_answer_is_listed_with_its_age_and_given_up_by_its_number() {
        let mut known = stopped_in_main(1, Vec::new());
        let session = known.sessions.first_mut().unwrap();
        session.pending = vec![PendingRequest {
            seq: 17,
            command: "evaluate".into(),
            since: 0,
        }];
        let (stage, mut popup) = opened(known.clone());
        let screen = stage.draw(popup.as_mut(), 100, 12).join("\n");
        assert!(screen.contains("evaluate  no answer for "), "{screen}");
        let refused = popup.invoke("chooser.accept", &stage.cx());
        assert_eq!(refused, Some(Err("It can only be looked at.")));
        known.sessions.first_mut().unwrap().capabilities = cancels();
        let (stage, mut popup) = opened(known);
        let cx = stage.cx();
        popup.invoke("chooser.accept", &cx);
        assert!(matches!(
            cx.pop(),
            Some(Effect::Core {
                command: Command::CancelRequest { request: 17, .. },
                ..
            })
        ));
    }
}
