//! Why the program hangs: who waits for whom, drawn where it is a circle, and all that runs in it by equal stacks.
//!
//! The lines are those of [`debugger::hang`], as every other front prints them; here one goes from a line to the frame that it is about.

use dap::types::Source;
use debugger::hang::{Hang, Line as Said, Tone};

use crate::routes::debug::{kit::prelude::*, variables::ticket};

const OWNER: &str = "hang";

/// The popup.
#[derive(Debug, Default)]
pub struct HangPopup {
    session: Option<SessionId>,
    /// The stop that frames' numbers are of.
    stop: Option<StopId>,
    list: ListState,
    hang: Hang,
    lines: Vec<Said>,
    trouble: Option<String>,
    asked: Option<u64>,
}

/// Shows it.
pub fn open(cx: &mut Cx<'_>) {
    let mut popup = HangPopup {
        session: cx.view.state.focus,
        ..HangPopup::default()
    };
    popup.ask(cx);
    // In this order: the answer is for one that is open.
    let asking = cx.effects.pop();
    cx.emit(Effect::Open(Box::new(popup)));
    cx.effects.extend(asking);
}

fn stop_of(session: Option<SessionId>, view: &View<'_>) -> Option<StopId> {
    let session = view.state.session(session?)?;
    session.current_stop().map(|stop| stop.id)
}

impl HangPopup {
    fn ask(&mut self, cx: &mut Cx<'_>) {
        let ticket = ticket();
        self.asked = Some(ticket);
        self.stop = stop_of(self.session, &cx.view);
        let (session, threads) = (self.session, None);
        cx.emit(Effect::ask(
            OWNER,
            ticket,
            Command::Hang { session, threads },
        ));
    }

    fn answered(&mut self, result: &Result<Reply, DebuggerError>, cx: &mut Cx<'_>) {
        self.asked = None;
        self.trouble = None;
        match result {
            Ok(Reply::Hang { hang }) => {
                self.hang = (**hang).clone();
                self.lines = hang.lines();
                self.list
                    .select(self.lines.iter().position(|line| line.at.is_some()));
            }
            Ok(_) => {}
            Err(error) => self.trouble = Some(error.what.clone()),
        }
        cx.redraw();
    }

    fn selected(&self) -> Option<(usize, usize)> {
        self.lines.get(self.list.selected()?)?.at
    }

    fn can_go(&self, _: &View<'_>) -> Enabled {
        self.selected()
            .map(|_| ())
            .or_why("This line is about no thread.")
    }

    /// To the thread's frame while the program stands where it was looked at, to the line in the source otherwise.
    fn go(&mut self, cx: &mut Cx<'_>) {
        let Some((at, frame)) = self.selected() else {
            return;
        };
        let Some(waiter) = self.hang.waiters.get(at) else {
            return;
        };
        let frame = waiter.frames.get(frame);
        let stop = stop_of(Some(waiter.session), &cx.view);
        match (waiter.thread, frame) {
            (Some(thread), frame) if stop.is_some() && stop == self.stop => {
                cx.emit(Effect::core(Command::SelectFrame {
                    session: Some(waiter.session),
                    thread,
                    frame_id: frame.and_then(|frame| frame.id),
                }));
            }
            (_, Some(frame)) if frame.path.is_some() => cx.emit(Effect::ShowSource {
                source: Box::new(Source {
                    path: frame.path.clone(),
                    ..Source::default()
                }),
                line: Some(frame.line),
                column: None,
            }),
            _ => {
                cx.emit(Effect::info(
                    "The program runs on: pause it to look at this thread.",
                ));
                return;
            }
        }
        cx.emit(Effect::Close);
    }

    fn copy(&mut self, cx: &mut Cx<'_>) {
        cx.emit(Effect::Copy {
            text: self.hang.text(),
            what: "why it hangs".to_owned(),
        });
    }
}

impl Walks for HangPopup {
    fn walk(&mut self, step: Step, _: &mut Cx<'_>) {
        step.within(&mut self.list, self.lines.len());
    }
}

impl Surface for HangPopup {
    const TITLE: &'static str = "Why it hangs";
    const ACTIONS: &'static [Action<Self>] = rows! {
        "hang.go"    "go to the frame" ["enter"], Footer if Self::can_go => Self::go;
        "hang.look"  "look again"      ["r"], Footer                     => Self::ask;
        "hang.copy"  "copy all"        ["y"], Footer                     => Self::copy;
        "hang.close" "close"           ["esc"], Footer                   => |_, cx| cx.emit(Effect::Close);
        list "hang" "up" "down" "first line" "last line";
    };

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let rows = u16::try_from(self.lines.len()).unwrap_or(u16::MAX);
        let high = rows.clamp(4, (area.height * 4 / 5).max(4));
        let wide = (area.width * 9 / 10).min(110);
        let badge = self.asked.map_or("", |_| "looking");
        let buf = frame.buffer_mut();
        let inner = dialog(buf, area, (wide, high), Self::TITLE, badge, view);
        let said = self
            .trouble
            .as_deref()
            .or_else(|| self.lines.is_empty().then_some("Looking"));
        if let Some(said) = said {
            empty(buf, inner, &[said], view);
            return;
        }
        List::new(look(view), self.lines.len()).draw(buf, inner, &mut self.list, |row| {
            let Some(line) = self.lines.get(row.index) else {
                return Line::default();
            };
            let theme = view.theme;
            let style = match line.tone {
                Tone::Title => theme.title_focused,
                Tone::Bad => theme.error,
                Tone::Group => theme.accent,
                Tone::Wait => theme.warning,
                Tone::Own => theme.text,
                Tone::Plain => theme.muted,
            };
            let mut cells = Cells::new(row.width, view);
            cells.put(&line.text, style);
            cells.line()
        });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        if let Msg::Reply {
            tag: Tag(OWNER, ticket),
            result,
        } = msg
            && self.asked == Some(*ticket)
        {
            self.answered(result, cx);
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        Mouse::on(&mut self.list, self.lines.len(), event, cx).taken()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};
    use debugger::hang::{Deadlock, Frame, Wait, Waiter};

    fn waiter(thread: i64, name: &str, waits_for: i64) -> Waiter {
        Waiter {
            key: thread.to_string(),
            kind: "thread".to_owned(),
            name: name.to_owned(),
            session: SessionId(1),
            thread: Some(thread),
            frames: vec![Frame {
                name: format!("{name}_work"),
                path: Some("/work/bank.cpp".to_owned()),
                line: 10 + thread,
                own: true,
                id: Some(100 + thread),
            }],
            wait: Some(Wait {
                what: "the mutex 0x55".to_owned(),
                holders: vec![waits_for.to_string()],
                how: "its owner field".to_owned(),
                certain: true,
                ..Wait::default()
            }),
            ..Waiter::default()
        }
    }

    #[test]
    fn a_circle_is_drawn_and_a_line_leads_to_its_frame() {
        let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
        let mut cx = stage.cx();
        open(&mut cx);
        let mut effects = cx.effects.into_iter();
        let Some(Effect::Open(mut popup)) = effects.next() else {
            panic!("nothing was opened")
        };
        let Some(Effect::Core { tag, .. }) = effects.next() else {
            panic!("nothing was asked")
        };
        let hang = Hang {
            program: "bank (pid 7)".to_owned(),
            waiters: vec![waiter(1, "sale", 2), waiter(2, "report", 1)],
            groups: vec![vec![0], vec![1]],
            deadlocks: vec![Deadlock {
                cycle: vec!["1".to_owned(), "2".to_owned()],
                behind: Vec::new(),
                certain: true,
            }],
            ..Hang::default()
        };
        let result = Ok(Reply::Hang {
            hang: Box::new(hang),
        });
        let mut cx = stage.cx();
        popup.message(&Msg::Reply { tag, result }, &mut cx);
        drop(cx);
        insta::assert_snapshot!(stage.draw(popup.as_mut(), 80, 20).join("\n"), @r"

        ╭─ Why it hangs ───────────────────────────────────────────────────────────╮
        │ bank (pid 7): 2 threads at 2 stacks. 1 deadlock.                         │
        │                                                                          │
        │ DEADLOCK: 2 wait for each other.                                         │
        │   ┌▶ sale  sale_work  bank.cpp:11                                        │
        │   │    waits for the mutex 0x55: report (its owner field)                │
        │   │  report  report_work  bank.cpp:12                                    │
        │   └─   waits for the mutex 0x55: sale (its owner field)                  │
        │                                                                          │
        │ 1 thread: sale                                                           │
        │   waits for the mutex 0x55: report (its owner field)                     │
        │     sale_work  bank.cpp:11                                               │
        │                                                                          │
        │ 1 thread: report                                                         │
        │   waits for the mutex 0x55: sale (its owner field)                       │
        │     report_work  bank.cpp:12                                             │
        ╰──────────────────────────────────────────────────────────────────────────╯
        ");
        let mut cx = stage.cx();
        popup.invoke("hang.go", &mut cx);
        let went = cx.effects.iter().any(|effect| {
            matches!(
                effect,
                Effect::Core {
                    command: Command::SelectFrame {
                        thread: 1,
                        frame_id: Some(101),
                        ..
                    },
                    ..
                }
            )
        });
        assert!(went, "{:?}", cx.effects.len());
        drop(cx);
        stage.survives(popup.as_mut());
    }
}
