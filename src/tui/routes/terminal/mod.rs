//! Terminal: what this terminal says of itself when it is asked, what we do because of it, and a page to look at.
//!
//! The questions are in [`crate::term::probe`]; they are asked when the route is opened. [`view`] draws the answers, [`page`] the
//! test page, [`sequences`] has what a frame cannot hold.

mod page;
mod samples;
mod sequences;
mod view;

use self::page::Places;
use crate::{
    prelude::*,
    term::{
        pictures,
        probe::{Findings, Pictures, Row, Surroundings},
    },
};

const LOOK: &str = "terminal.look";
const WAIT: &str = "terminal.wait";
/// How long answers may take; later ones are still taken in.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line of the list.
#[derive(Debug)]
enum Line {
    Heading(&'static str),
    Row(Row),
}

/// The route.
#[derive(Debug, Default)]
pub struct TerminalRoute {
    around: Option<Surroundings>,
    findings: Findings,
    lines: Vec<Line>,
    list: ListState,
    /// Why nothing was asked.
    unasked: Option<&'static str>,
    shown: bool,
    /// Whether the test page is shown.
    testing: bool,
    /// Whether there is something on the terminal that no frame knows of.
    painted: bool,
    /// Where the last frame left room for it.
    places: Places,
    tabs: Vec<(Rect, usize)>,
}

gates! { TerminalRoute, s;
    has_rows: !s.lines.is_empty(), "The terminal is just being asked.";
    on_page: s.testing, "This is for the test page: t shows it.";
}

impl TerminalRoute {
    /// Looks around, and then asks.
    fn look(cx: &Cx) {
        cx.work(LOOK, |teller| {
            let around = Surroundings::of(&teller.context().env);
            teller.call(|s: &mut Self, cx| s.ask(around, cx));
        });
    }

    fn ask(&mut self, around: Surroundings, cx: &Cx) {
        self.findings = Findings::default();
        match around.questions() {
            Ok(questions) => {
                self.unasked = None;
                cx.emit(Effect::WriteSequence(questions));
                cx.work(WAIT, |teller| {
                    std::thread::sleep(PATIENCE);
                    teller.call(|s: &mut Self, cx| {
                        s.findings.give_up();
                        s.lay();
                        cx.emit(Effect::Repaint);
                    });
                });
            }
            Err(why) => {
                self.unasked = Some(why);
                self.findings.give_up();
            }
        }
        self.around = Some(around);
        self.lay();
        if self.list.selected().is_none() {
            self.list.select(Some(0));
        }
    }

    fn lay(&mut self) {
        let Some(around) = &self.around else {
            return;
        };
        self.lines.clear();
        for (title, rows) in self.findings.rows(around) {
            self.lines.push(Line::Heading(title));
            self.lines.extend(rows.into_iter().map(Line::Row));
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let text = match line {
                Line::Heading(title) => format!("\n{title}\n{}\n", "━".repeat(18)),
                Line::Row(row) => line_text(row) + "\n",
            };
            out.push_str(&text);
        }
        out.trim_start().to_owned()
    }

    fn copy(&mut self, cx: &Cx) {
        let at = self.list.selected().unwrap_or(0);
        if let Some(Line::Row(row)) = self.lines.get(at) {
            cx.copy(line_text(row), row.what.clone());
        } else {
            self.copy_all(cx);
        }
    }

    fn copy_all(&mut self, cx: &Cx) {
        cx.copy(self.text(), "terminal");
    }

    fn turn(&mut self, testing: bool, cx: &Cx) {
        if self.testing != testing {
            self.wipe(cx);
            self.testing = testing;
        }
    }

    /// Paints what a frame cannot hold into the room that the last frame left for it.
    fn paint(&mut self, cx: &Cx) {
        let Some(around) = &self.around else {
            return;
        };
        let mut out = String::new();
        let mut put = |place: Option<(u16, u16)>, what: &str| {
            if let Some((column, row)) = place {
                out.push_str(&sequences::at(column, row, what));
            }
        };
        put(self.places.link, sequences::link());
        put(self.places.underlines, &sequences::underlines());
        put(self.places.large, sequences::large());
        if let Some(how) = self.findings.pictures(around) {
            put(self.places.picture, &sequences::picture(how));
        }
        self.painted |= !out.is_empty();
        cx.emit(Effect::WriteSequence(out));
    }

    /// Takes away what was painted.
    fn wipe(&mut self, cx: &Cx) {
        if mem::take(&mut self.painted) {
            let around = self.around.clone().unwrap_or_default();
            if self.findings.pictures(&around) == Some(Pictures::Kitty) {
                cx.emit(Effect::WriteSequence(pictures::FORGET.to_owned()));
            }
            cx.emit(Effect::Repaint);
        }
    }

    fn notify(&mut self, cx: &Cx) {
        let around = self.around.clone().unwrap_or_default();
        if around
            .set("PI_NOTIFICATIONS")
            .is_some_and(|value| value == "off")
        {
            return cx.warn("PI_NOTIFICATIONS is off: no notification was sent.");
        }
        let sequence = sequences::notification(around.detected());
        cx.emit(Effect::WriteSequence(sequence.to_owned()));
        let how = if sequence.starts_with('\x07') {
            "a bell"
        } else {
            "a notification"
        };
        cx.info(format!("{how} was sent. Did you notice it?"));
    }
}

fn line_text(row: &Row) -> String {
    if row.used.is_empty() {
        format!("{}: {}", row.what, row.answer)
    } else {
        format!("{}: {} ({})", row.what, row.answer, row.used)
    }
}

impl Scrolls for TerminalRoute {
    moves!(list, lines.len());
}

impl Browser for TerminalRoute {
    table! { "Terminal", s, cx;
        "terminal.page" "test page or answers" ["t" "tab" "shift-tab"], Bar("test page") => s.turn(!s.testing, cx);
        "terminal.paint" "paint links and pictures" ["p" "space"], Footer if on_page => Self::paint;
        "terminal.notify" "send a notification" ["n"], Footer if on_page => Self::notify;
        "terminal.copy" "copy this" ["y" "ctrl-c"], Footer if has_rows => Self::copy;
        "terminal.copy-all" "copy all" ["Y"], Footer if has_rows => Self::copy_all;
        "terminal.ask" "ask again" ["r"], Footer => Self::look(cx);
        lines "terminal" "up" "down";
        ends "terminal" "first line" "last line";
        "terminal.back" "to the answers, then back" ["esc"] => {
            if s.testing {
                s.turn(false, cx);
            } else {
                cx.back();
            }
        };
    }

    type Begin = ();

    fn show(&mut self, shown: bool, cx: &Cx) {
        self.shown = shown;
        if shown {
            Self::look(cx);
        } else {
            self.wipe(cx);
            cx.end_work(LOOK);
            cx.end_work(WAIT);
        }
    }

    fn happened(&mut self, msg: &Msg, cx: &Cx) {
        match msg {
            Msg::Answer(answer) if self.shown => {
                let before = self.findings.is_complete();
                self.findings.take(answer);
                if self.findings.is_complete() && !before {
                    cx.end_work(WAIT);
                    // What does not understand a question may have printed it.
                    cx.emit(Effect::Repaint);
                }
                self.lay();
                cx.redraw();
            }
            Msg::Relayout | Msg::Edited if self.shown => self.painted = false,
            _ => {}
        }
    }

    tabs_in!(tabs);

    fn turned_to(&mut self, tab: usize, cx: &Cx) {
        self.turn(tab == 1, cx);
    }
}

#[cfg(test)]
mod tests;
