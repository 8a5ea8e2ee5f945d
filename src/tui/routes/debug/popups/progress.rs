//! What the adapter is busy with: a bar for each piece of work that it tells of, the requests that it has not answered for long, and
//! a way to have each of them given up.

use debugger::state::{PendingRequest, Progress};

use crate::debug_prelude::*;

/// Cells of a bar.
const BAR: usize = 20;

/// The popup.
#[derive(Debug, Default)]
pub struct ProgressPopup {
    list: ListState,
}

/// Shows it.
pub fn open(cx: &Cx) {
    cx.open(ProgressPopup::default());
}

/// What the popup lists.
#[derive(Clone, Copy)]
enum Work<'a> {
    Told(&'a Progress),
    Asked(&'a PendingRequest),
}

fn works<'a>(view: &'a View) -> Vec<Work<'a>> {
    let of = |session: &'a Session| {
        let asked = session.pending.iter().map(Work::Asked);
        session.progress.iter().map(Work::Told).chain(asked)
    };
    view.session().into_iter().flat_map(of).collect()
}

/// Whether some work can be given up; the reason why not.
fn can_give_up(work: Work<'_>, session: &Session) -> Enabled {
    match work {
        Work::Told(work) if !work.cancellable => {
            Err("The adapter says that this cannot be given up.")
        }
        _ if session.capabilities.supports_cancel_request => Ok(()),
        Work::Told(_) => Err("This adapter cannot be asked to give up work."),
        Work::Asked(_) => Err(
            "This adapter cannot be asked to give up a request: wait for it, or end the session.",
        ),
    }
}

impl ProgressPopup {
    fn selected<'a>(&self, view: &'a View) -> Option<Work<'a>> {
        works(view).get(self.list.selected().unwrap_or(0)).copied()
    }

    fn can_cancel(&self, view: &View) -> Enabled {
        match (self.selected(view), view.session()) {
            (Some(work), Some(session)) => can_give_up(work, session),
            _ => Err("The adapter is busy with nothing."),
        }
    }

    fn cancel(&mut self, cx: &Cx) {
        let session = cx.view.state.focus;
        match self.selected(&cx.view) {
            Some(Work::Told(work)) => {
                let id = work.id.clone();
                cx.core(Command::CancelProgress { session, id });
            }
            Some(Work::Asked(asked)) => {
                let request = asked.seq;
                cx.core(Command::CancelRequest { session, request });
            }
            None => {}
        }
    }
}

impl Scrolls for ProgressPopup {
    fn walk(&mut self, step: Step, cx: &Cx) {
        Scrolled::Rows(&mut self.list, works(&cx.view).len()).walk(step);
    }
}

fn draw_told(work: &Progress, cells: &mut Cells) {
    let view = cells.view.clone();
    if let Some(percentage) = work.percentage.filter(|p| p.is_finite()) {
        cells.right(
            &format!("{:3.0} %", percentage.clamp(0.0, 100.0)),
            view.theme.number,
        );
        cells
            .bar(percentage.clamp(0.0, 100.0) as u64, 100, BAR)
            .skip(1);
    } else {
        cells
            .column(view.symbols.more, BAR, view.theme.muted)
            .skip(1);
    }
    cells.text(&work.title);
    if let Some(message) = work.message.as_deref().filter(|m| !m.is_empty()) {
        cells.skip(2).muted(message);
    }
}

impl Surface for ProgressPopup {
    table! { "Work of the adapter", s, cx;
        "progress.cancel" "have it given up" ["x"], Footer           if Self::can_cancel => Self::cancel;
        "progress.close"  "close"            ["esc" "enter"], Footer => cx.close();
        walk "progress" "up" "down";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let (works, now) = (works(canvas), SystemTime::now());
        let high = (works.len() as u16).clamp(2, 12);
        let inner = dialog(canvas, area, (80, high), Self::TITLE, "");
        if works.is_empty() {
            return empty(canvas, inner, &["It is done", "Esc closes this"]);
        }
        self.list.begin();
        let list = List::new(canvas.look(), works.len());
        list.lines(canvas, inner, &mut self.list, |row, cells| {
            let Some((work, session)) = works.get(row.index).zip(canvas.session()) else {
                return;
            };
            match work {
                Work::Told(work) => draw_told(work, cells),
                Work::Asked(asked) => {
                    let age = asked.age(now);
                    cells
                        .column(
                            &format!("no answer for {age}"),
                            BAR + 4,
                            canvas.theme.warning,
                        )
                        .text(&asked.command);
                    cells.muted(&format!("  request {}", asked.seq));
                }
            }
            if can_give_up(*work, session).is_ok() {
                cells.muted("  x gives it up");
            }
        });
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        Mouse::on(&mut self.list, works(&cx.view).len(), event, cx).taken()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Layer;
    use crate::routes::debug::kit::test::{Stage, stopped_in_main};
    use dap::types::Capabilities;
    use std::sync::Arc;

    #[test]
    fn work_has_a_bar_and_can_be_given_up_where_that_is_said() {
        let mut known = stopped_in_main(1, Vec::new());
        let session = known.sessions.first_mut().unwrap();
        session.capabilities = Arc::new(Capabilities {
            supports_cancel_request: true,
            ..Capabilities::default()
        });
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
        let mut stage = Stage::new(known);
        let mut popup = ProgressPopup::default();
        let screen = stage.draw(&mut popup, 100, 12).join("\n");
        assert!(screen.contains("██████████──────────"), "{screen}");
        assert!(
            screen.contains("reading symbols") && screen.contains("50 %"),
            "{screen}"
        );
        let cx = stage.cx();
        popup.invoke("progress.cancel", &cx);
        assert!(matches!(
            cx.pop(),
            Some(Effect::Core { command: Command::CancelProgress { id, .. }, .. }) if id == "symbols"
        ));
        popup.invoke("progress.down", &cx);
        assert_eq!(
            popup.invoke("progress.cancel", &cx),
            Some(Err("The adapter says that this cannot be given up."))
        );
        drop(cx);
        stage.survives(&mut popup);
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
        let stage = Stage::new(known.clone());
        let mut popup = ProgressPopup::default();
        let screen = stage.draw(&mut popup, 100, 12).join("\n");
        assert!(screen.contains("no answer for "), "{screen}");
        assert!(screen.contains("evaluate  request 17"), "{screen}");
        let refused = popup.invoke("progress.cancel", &stage.cx());
        let why =
            "This adapter cannot be asked to give up a request: wait for it, or end the session.";
        assert_eq!(refused, Some(Err(why)));
        let session = known.sessions.first_mut().unwrap();
        session.capabilities = Arc::new(Capabilities {
            supports_cancel_request: true,
            ..Capabilities::default()
        });
        let mut stage = Stage::new(known);
        let cx = stage.cx();
        popup.invoke("progress.cancel", &cx);
        assert!(matches!(
            cx.pop(),
            Some(Effect::Core {
                command: Command::CancelRequest { request: 17, .. },
                ..
            })
        ));
        drop(cx);
        stage.survives(&mut popup);
    }
}
