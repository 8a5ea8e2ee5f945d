//! Why the program hangs: who waits for whom, drawn where it is a circle, and all that runs in it by equal stacks.
//!
//! The lines are those of [`debugger::hang`], as every other front prints them; here one goes from a line to the frame that it is about.

use base::text::width::wrap_hanging;
use debugger::hang::{Hang, Line as Said, Tone};

use crate::{
    debug_prelude::*,
    kit::picking::{Picking, Source, Words, high},
};

/// What was asked, and what was seen.
#[derive(Debug, Default)]
pub struct HangAnswer {
    session: Option<SessionId>,
    /// The stop that frames' numbers are of.
    stop: Option<StopId>,
    hang: Hang,
    /// So many threads are looked at, and not as many as usual.
    threads: Option<usize>,
    /// Cells of a row that its lines were made for.
    cells: u16,
    asked: PendingAnswer,
}

/// Threads that are looked at when it is all of them.
const ALL: usize = 1 << 20;

/// Cells that the rest of a long line stands further right.
const INDENT: usize = 2;

/// The popup.
pub type HangPopup = Picking<HangAnswer>;

/// Shows it.
pub fn open(cx: &Cx) {
    let mut popup = Picking::new(HangAnswer {
        session: cx.view.state.focus,
        ..HangAnswer::default()
    });
    let asking = popup.source.asking(&cx.view);
    cx.open(popup);
    cx.emit(asking);
}

fn stop_in(session: Option<SessionId>, view: &View) -> Option<StopId> {
    let session = view.state.session(session?)?;
    session.current_stop().map(|stop| stop.id)
}

impl HangAnswer {
    fn asking(&mut self, view: &View) -> Effect {
        self.stop = stop_in(self.session, view);
        let (session, threads) = (self.session, self.threads);
        self.asked.asking((), Command::Hang { session, threads })
    }

    /// The lines, with sentences and lists of names over several rows where they do not fit; a circle stays as it is drawn.
    fn lines(&self) -> Vec<Said> {
        let cells = usize::from(self.cells);
        let mut lines = Vec::new();
        for line in self.hang.lines() {
            let is_drawn = match line.tone {
                Tone::Title | Tone::Bad | Tone::Group => false,
                Tone::Plain => line.at.is_some(),
                // On the lines of a circle it would tear.
                Tone::Wait => line.text.contains(['│', '└']),
                Tone::Own | Tone::Folded => true,
            };
            let own = line.text.len() - line.text.trim_start().len();
            let indent = INDENT.max(own);
            if is_drawn || cells <= indent || line.text.is_empty() {
                lines.push(line);
                continue;
            }
            for (row, range) in wrap_hanging(&line.text, cells, indent)
                .into_iter()
                .enumerate()
            {
                let indent = if row > 0 { indent } else { 0 };
                let text = line.text.get(range).unwrap_or_default().trim_end();
                lines.push(Said {
                    text: format!("{:indent$}{text}", ""),
                    ..line
                });
            }
        }
        lines
    }
}

impl HangPopup {
    /// To the thread's frame while the program stands where it was looked at, to the line in the source otherwise.
    fn go(&mut self, cx: &Cx) {
        let Some((at, frame)) = self.selected().and_then(|line| line.at) else {
            return;
        };
        let Some(waiter) = self.source.hang.waiters.get(at) else {
            return;
        };
        let frame = waiter.frames.get(frame);
        let session = Some(waiter.session);
        let stands = self.source.stop.is_some() && stop_in(session, &cx.view) == self.source.stop;
        let file = frame.and_then(|frame| Some((frame.path.clone()?, frame.line)));
        cx.emit(match (waiter.thread.filter(|_| stands), file) {
            (Some(thread), _) => Effect::core(Command::SelectFrame {
                session,
                thread,
                frame_id: frame.and_then(|frame| frame.id),
            }),
            (None, Some((path, line))) => Effect::show_file(path.as_ref(), Some(line)),
            (None, None) => Effect::info("The program runs on: pause it to look at this thread."),
        });
        cx.close();
    }
}

gates! { HangPopup, s, _;
    has_more: Some(s.source.hang.left_out).filter(|left| *left > 0), "All were looked at.";
    can_go: s.selected().and_then(|line| line.at), "This line is about no thread.";
}

impl Source for HangAnswer {
    type Entry = Said;

    table! { HangPopup: "Why it hangs", s, cx;
        "hang.go"   "go to the frame" ["enter"], Footer  if can_go => HangPopup::go;
        "hang.look" "look again"      ["ctrl-r"], Footer                      => cx.emit(s.source.asking(&cx.view));
        "hang.all"  "look at all" ["ctrl-t"], Footer if has_more => {
            s.source.threads = Some(ALL);
            cx.emit(s.source.asking(&cx.view));
        };
        "hang.copy" "copy all"        ["ctrl-y"], Footer                      => cx.copy(s.source.hang.text(), "why it hangs");
        pick "hang" "close" "close";
    }

    const WORDS: Words = Words {
        hint: "a thread, a function, a lock",
        asking: "Looking",
        nothing: "Nothing runs in the program.",
        unmatched: "No line has these letters.",
    };

    fn name<'e>(&self, line: &'e Said) -> Cow<'e, str> {
        line.text.as_str().into()
    }

    fn is_hidden(&self, line: &Said) -> bool {
        line.tone == Tone::Folded
    }

    fn size(&self, _: Option<usize>, area: Rect) -> (u16, u16) {
        ((area.width * 9 / 10).min(110), high(area))
    }

    fn count(&self, _: usize, _: usize) -> String {
        String::new()
    }

    fn row(&self, line: &Said, _: bool, cells: &mut Cells) {
        let theme = cells.view.theme.clone();
        let style = match line.tone {
            Tone::Title => theme.title_focused,
            Tone::Bad => theme.error,
            Tone::Group => theme.accent,
            Tone::Wait => theme.warning,
            Tone::Own => theme.text,
            Tone::Folded | Tone::Plain => theme.muted,
        };
        cells.put(&line.text, style);
    }

    fn fit(list: &mut HangPopup, cells: u16) {
        if mem::replace(&mut list.source.cells, cells) != cells && !list.entries().is_empty() {
            list.show_again(list.source.lines(), |a, b| a == b);
        }
    }

    fn on_msg(list: &mut HangPopup, msg: &Msg, cx: &Cx) {
        let Some(((), result)) = list.source.asked.answer(msg) else {
            return;
        };
        match result {
            Ok(Reply::Hang { hang }) => {
                list.source.hang = (**hang).clone();
                list.show(list.source.lines());
                list.select(|line| line.at.is_some());
            }
            Err(error) => list.fail(error.what.clone()),
            Ok(_) => {}
        }
        cx.redraw();
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

    /// The popup, with what was seen.
    fn shown(stage: &Stage, hang: Hang) -> Box<dyn crate::action::Layer> {
        let cx = stage.cx();
        open(&cx);
        let mut effects = cx.effects.take().into_iter();
        let Some(Effect::Open(mut popup)) = effects.next() else {
            panic!("nothing was opened")
        };
        let Some(Effect::Core { tag, .. }) = effects.next() else {
            panic!("nothing was asked")
        };
        let hang = Box::new(hang);
        popup.message(
            &Msg::Reply {
                tag,
                result: Ok(Reply::Hang { hang }),
            },
            &cx,
        );
        popup
    }

    #[test]
    fn whoever_is_folded_away_is_found_by_name() {
        let stage = Stage::new(stopped_in_main(1, Vec::new()));
        let sleeper = |n| Waiter {
            name: format!("sleep-{n}"),
            wait: None,
            ..waiter(n, "sleeper", 0)
        };
        let hang = Hang {
            program: "many".to_owned(),
            waiters: (0..20).map(sleeper).collect(),
            groups: vec![(0..20).collect()],
            left_out: 3,
            ..Hang::default()
        };
        let mut popup = shown(&stage, hang);
        let screen = stage.draw(popup.as_mut(), 100, 24).join("\n");
        assert!(
            screen.contains("sleep-5 and 14 more") && !screen.contains("sleep-17"),
            "{screen}"
        );
        let cx = stage.cx();
        for c in "sleep-17".chars() {
            popup.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &cx);
        }
        drop(cx);
        let screen = stage.draw(popup.as_mut(), 100, 24).join("\n");
        assert!(
            screen.contains("  sleep-17  sleeper_work  bank.cpp:27"),
            "{screen}"
        );
        let cx = stage.cx();
        popup.invoke("hang.all", &cx);
        let asks = cx.effects.borrow().iter().any(|effect| {
            matches!(
                effect,
                Effect::Core {
                    command: Command::Hang {
                        threads: Some(ALL),
                        ..
                    },
                    ..
                }
            )
        });
        assert!(asks, "{:?}", cx.effects.borrow().len());
    }

    #[test]
    fn a_circle_is_drawn_and_a_line_leads_to_its_frame() {
        let mut stage = Stage::new(stopped_in_main(1, Vec::new()));
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
        let mut popup = shown(&stage, hang);
        insta::assert_snapshot!(stage.draw(popup.as_mut(), 80, 20).join("\n"), @r"

        ╭─ Why it hangs ───────────────────────────────────────────────────────────╮
        │ › a thread, a function, a lock                                           │
        │ bank (pid 7): 2 threads at 2 stacks. 1 deadlock.                       ┃ │
        │                                                                        ┃ │
        │ DEADLOCK: 2 wait for each other.                                       ┃ │
        │   ┌▶ sale  sale_work  bank.cpp:11                                      ┃ │
        │   │    waits for the mutex 0x55: report (its owner field)              ┃ │
        │   │  report  report_work  bank.cpp:12                                  ┃ │
        │   └─   waits for the mutex 0x55: sale (its owner field)                ┃ │
        │                                                                        ┃ │
        │ 1 thread: sale                                                         ┃ │
        │   waits for the mutex 0x55: report (its owner field)                   │ │
        │     sale_work  bank.cpp:11                                             │ │
        │                                                                        │ │
        ╰──────────────────────────────────────────────────────────────────────────╯
        ");
        // What does not fit goes on in the next row, and the line is the same one still.
        let narrow = stage.draw(popup.as_mut(), 40, 20).join("\n");
        let has_all = ["bank (pid 7)", "1 deadlock.", "wait for each", " other."];
        assert!(has_all.iter().all(|part| narrow.contains(part)), "{narrow}");
        let cx = stage.cx();
        popup.invoke("hang.go", &cx);
        let went = cx.effects.borrow().iter().any(|effect| {
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
        assert!(went, "{:?}", cx.effects.borrow().len());
        drop(cx);
        stage.survives(popup.as_mut());
    }
}
