//! Where the time of a session went, so far: its phases, and how long the adapter took to answer what.

use crate::{debug_prelude::*, kit::sheet::Sheet};

const OWNER: &str = "spent";

/// Asks where it went; the answer opens a sheet.
pub fn ask(cx: &Cx) {
    let session = cx.view.state.focus;
    cx.ask(OWNER, Command::Spent { session });
}

/// Whether there is a session to ask about.
pub fn enabled(view: &View) -> Enabled {
    view.session()
        .or_why("There is no session: no time went anywhere.")
}

/// What the core says to that.
pub fn told(msg: &Msg, cx: &Cx) {
    let Msg::Reply {
        tag: Tag(OWNER, _),
        result,
    } = msg
    else {
        return;
    };
    match result {
        Ok(Reply::Spent { spent }) => {
            let session = cx.view.session();
            let name = session.map_or_else(String::new, |session| clean(&session.name));
            let text = spent.lines().join("\n");
            cx.open(Sheet::new("Where the time went".to_owned(), name, text));
        }
        Ok(_) => {}
        Err(error) => cx.warn(error.what.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};
    use debugger::timings::{RequestTiming, Timings};
    use debugger::{ErrorKind, State};

    fn answer(result: CoreAnswer) -> Msg {
        let tag = Tag(OWNER, 1);
        Msg::Reply { tag, result }
    }

    #[test]
    fn the_table_is_asked_for_shown_and_copied() {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let cx = stage.cx();
        ask(&cx);
        let focus = stage.view().state.focus;
        let asked = cx.pop();
        assert!(matches!(
            asked,
            Some(Effect::Core { command: Command::Spent { session }, .. }) if session == focus
        ));
        let spent = Timings {
            starting_us: 250_000,
            running_us: 1_500_000,
            stopped_us: 750_000,
            requests: vec![RequestTiming {
                command: "stackTrace".to_owned(),
                count: 12,
                total_us: 120_000,
                longest_us: 30_100,
            }],
        };
        told(&answer(Ok(Reply::Spent { spent })), &cx);
        let Some(Effect::Open(mut sheet)) = cx.pop() else {
            panic!("nothing opened")
        };
        drop(cx);
        insta::assert_snapshot!(stage.draw(sheet.as_mut(), 84, 14).join("\n"), @r"

        ╭─ Where the time went ────────────────────────────────────────────────── demo.py ─╮
        │ Session                            time       part                               │
        │ starting                       250.0 ms     10.0 %                               │
        │ the program running              1.50 s     60.0 %                               │
        │ stopped                        750.0 ms     30.0 %                               │
        │ together                         2.50 s                                          │
        │                                                                                  │
        │ Answers of the adapter            count   together       each    longest         │
        │ stackTrace                           12   120.0 ms    10.0 ms    30.1 ms         │
        │ Answers overlap with each other and with the times above.                        │
        ╰──────────────────────────────────────────────────────────────────────────────────╯
        ");
        let cx = stage.cx();
        sheet.invoke("message.copy", &cx);
        let Some(Effect::Copy { text, .. }) = cx.pop() else {
            panic!("nothing copied")
        };
        assert!(text.contains("the program running"), "{text}");
    }

    #[test]
    fn why_there_is_no_table_is_said() {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let cx = stage.cx();
        let error = DebuggerError::new(ErrorKind::State, "No active debug session.");
        told(&answer(Err(error)), &cx);
        let said = cx.pop();
        assert!(
            matches!(&said, Some(Effect::Notify { text, .. }) if text == "No active debug session.")
        );
        let stage = Stage::new(State::default());
        assert!(enabled(&stage.view()).is_err());
    }
}
