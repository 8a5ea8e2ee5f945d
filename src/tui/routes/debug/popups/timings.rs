//! Where the time of the session in focus went: starting, the program running, stopped, and how long the adapter's answers took.
//!
//! The table is [`debugger::timings::Timings::lines`], the one that the REPL prints. It is asked for anew with whatever happens, and by a key.

use crate::{debug_prelude::*, kit::sheet};

/// Cells of the table.
const WIDE: u16 = 74;

/// The popup.
#[derive(Debug, Default)]
pub struct SpentPopup {
    session: Option<SessionId>,
    shown: TextView,
    asked: PendingAnswer,
    is_old: bool,
}

/// Shows it.
pub fn open(cx: &Cx) {
    let mut popup = SpentPopup {
        session: cx.view.state.focus,
        ..SpentPopup::default()
    };
    let session = popup.session;
    let asking = popup.asked.asking((), Command::Spent { session });
    // In this order: the answer is for one that is open.
    cx.open(popup);
    cx.emit(asking);
}

/// Whether there is a session that took time, and why not.
pub fn enabled(view: &View) -> Enabled {
    view.session()
        .or_why("There is no session: no time went anywhere.")
}

impl SpentPopup {
    fn ask(&mut self, cx: &Cx) {
        self.is_old = self.asked.is_open();
        if !self.is_old {
            let session = self.session;
            self.asked.ask((), Command::Spent { session }, cx);
        }
    }

    fn answered(&mut self, result: &CoreAnswer, cx: &Cx) {
        match result {
            Ok(Reply::Spent { spent }) => self.shown.set_text(&spent.lines().join("\n")),
            Ok(_) => {}
            Err(error) => self.shown.set_text(&error.what),
        }
        cx.redraw();
        if self.is_old {
            self.ask(cx);
        }
    }
}

impl Scrolls for SpentPopup {
    moves!(text shown);
}

impl Surface for SpentPopup {
    table! { "Where the time went", s, cx;
        "spent.look" "look again"     ["r"], Footer => Self::ask;
        "spent.copy" "copy the table" ["y"], Footer => cx.copy(s.shown.text(), "where the time went");
        scroll "spent";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let session = self.session.and_then(|id| canvas.state.session(id));
        let name = session.map_or_else(String::new, |session| clean(&session.name));
        sheet::draw(canvas, area, WIDE, (Self::TITLE, &name), &mut self.shown);
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        match (self.asked.answer(msg), msg) {
            (Some(((), result)), _) => self.answered(result, cx),
            (None, Msg::Events(_)) => self.ask(cx),
            _ => {}
        }
    }

    rolls!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::{Stage, events, stopped_in_main};
    use debugger::timings::{RequestTiming, Timings};
    use debugger::{ErrorKind, State};

    fn asked(effects: &[Effect]) -> Option<(Option<SessionId>, u64)> {
        effects.iter().find_map(|effect| match effect {
            Effect::Core {
                command: Command::Spent { session },
                tag: Tag(_, ticket),
            } => Some((*session, *ticket)),
            _ => None,
        })
    }

    fn answer(ticket: u64, result: CoreAnswer) -> Msg {
        let tag = Tag("asked", ticket);
        Msg::Reply { tag, result }
    }

    #[test]
    fn the_table_is_shown_kept_current_and_copied() {
        let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
        let mut popup = SpentPopup {
            session: stage.view().state.focus,
            ..SpentPopup::default()
        };
        let cx = stage.cx();
        popup.ask(&cx);
        let (session, ticket) = asked(&cx.effects.borrow()).unwrap();
        assert_eq!(session, stage.view().state.focus);
        // What happens meanwhile is asked for when the answer is there, once.
        let cx = stage.cx();
        Surface::on_msg(&mut popup, &events(), &cx);
        Surface::on_msg(&mut popup, &events(), &cx);
        assert_eq!(asked(&cx.effects.borrow()), None);
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
        let msg = answer(ticket, Ok(Reply::Spent { spent }));
        Surface::on_msg(&mut popup, &msg, &cx);
        let (_, again) = asked(&cx.effects.borrow()).unwrap();
        assert_ne!(again, ticket);
        drop(cx);
        insta::assert_snapshot!(stage.draw(&mut popup, 84, 14).join("\n"), @r"

        ╭─ Where the time went ──────────────────────────────────────────── demo.py ─╮
        │ Session                            time       part                         │
        │ starting                       250.0 ms     10.0 %                         │
        │ the program running              1.50 s     60.0 %                         │
        │ stopped                        750.0 ms     30.0 %                         │
        │ together                         2.50 s                                    │
        │                                                                            │
        │ Answers of the adapter            count   together       each    longest   │
        │ stackTrace                           12   120.0 ms    10.0 ms    30.1 ms   │
        │ Answers overlap with each other and with the times above.                  │
        ╰────────────────────────────────────────────────────────────────────────────╯
        ");
        let cx = stage.cx();
        popup.invoke("spent.copy", &cx);
        let Some(Effect::Copy { text, .. }) = cx.pop() else {
            panic!("nothing copied")
        };
        assert!(text.contains("the program running"), "{text}");
        drop(cx);
        stage.survives(&mut popup);
    }

    #[test]
    fn why_there_is_no_table_is_said() {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let mut popup = SpentPopup::default();
        let cx = stage.cx();
        popup.ask(&cx);
        let (_, ticket) = asked(&cx.effects.borrow()).unwrap();
        let error = DebuggerError::new(ErrorKind::State, "No active debug session.");
        Surface::on_msg(&mut popup, &answer(ticket, Err(error)), &cx);
        drop(cx);
        let screen = stage.draw(&mut popup, 84, 14).join("\n");
        assert!(screen.contains("No active debug session."), "{screen}");
        let stage = Stage::new(State::default());
        assert!(enabled(&stage.view()).is_err());
    }
}
