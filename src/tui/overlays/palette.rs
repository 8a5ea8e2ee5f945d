//! The palette: every action that is offered here, found by words of its title or a few letters of its name, with its keys and why
//! it is not possible now.

use debugger::Command;
use nucleo_matcher::{Config, pattern::CaseMatching};

use crate::{
    action::Row,
    kit::{
        cells::cut,
        fuzzy::{self, By},
        prelude::*,
    },
};

/// Where ids used before are kept with the project, newest last.
pub const MEMORY: &str = "palette";
/// What a number is for.
const TO_LINE: &str = "source.go-to-line";
/// Ids kept.
const RECENT: usize = 20;

/// The score of a synonym: less than a title's word, more than scattered letters.
const CALLED: u32 = 100;

/// The palette.
#[derive(Debug, Default)]
pub struct Palette {
    rows: Vec<Row>,
    recent: Vec<String>,
    query: Field,
    /// Numbers of the rows that fit, best first.
    found: Vec<usize>,
    list: ListState,
}

impl Palette {
    /// Offers `rows`; `recent` are ids used before, newest last.
    pub fn new(rows: Vec<Row>, recent: Vec<String>) -> Self {
        let mut once: Vec<Row> = Vec::with_capacity(rows.len());
        for row in rows {
            let is_new = |r: &Row| r.id != row.id && r.title != row.title;
            if row.id != "app.palette" && once.iter().all(is_new) {
                once.push(row);
            }
        }
        once.sort_by_key(|row| (row.enabled.is_err(), row.moves()));
        let mut palette = Self {
            rows: once,
            recent,
            ..Self::default()
        };
        palette.search();
        palette
    }

    fn search(&mut self) {
        let age = |row: &Row| {
            self.recent
                .iter()
                .rev()
                .position(|id| id == row.id)
                .unwrap_or(usize::MAX)
        };
        let (query, rows) = (self.query.text(), self.rows.iter());
        let word = query.trim().to_lowercase();
        let found = fuzzy::best(
            query,
            Config::DEFAULT,
            CaseMatching::Ignore,
            rows,
            |row, score| {
                // A fitting title is worth more than a fitting id; the surface of an id is not what is meant by letters.
                let (_, verb) = row.id.split_once('.').unwrap_or(("", row.id));
                let id = score(verb, By::Letters).max(score(row.id, By::Words));
                let best = score(row.title, By::Words).map(|s| s + 20).max(id);
                let text = || format!("{} {}", row.title.to_lowercase(), row.id);
                let called = super::is_called(&text(), &word).then_some(CALLED);
                Some((best.max(called)?, age(row)))
            },
        );
        let to_line = self.rows.iter().position(|row| row.id == TO_LINE);
        self.found = if let Some((at, _)) = to_line.zip(self.line()) {
            vec![at]
        } else if found.is_empty() {
            self.related()
        } else {
            found
        };
        self.list = ListState::default();
        self.list.home(self.found.len());
    }

    /// The rows with most of the words in some form, for a query that fits none as it is written.
    fn related(&self) -> Vec<usize> {
        let query = self.query.text().to_lowercase();
        let said = |row: &Row| {
            let text = format!("{} {}", row.title.to_lowercase(), row.id);
            let words = query.split_whitespace().filter(|word| word.len() > 2);
            words.filter(|word| super::mentions(&text, word)).count()
        };
        let said: Vec<usize> = self.rows.iter().map(said).collect();
        let most = said.iter().copied().max().filter(|most| *most > 0);
        let rows = said.iter().enumerate();
        rows.filter(|(_, count)| Some(**count) == most)
            .map(|(at, _)| at)
            .collect()
    }

    /// The line that a number means, as editors have it.
    fn line(&self) -> Option<i64> {
        let number = self.query.text().trim().parse().ok();
        number.filter(|line| *line > 0)
    }

    fn chosen(&self) -> Option<&Row> {
        self.rows.get(*self.found.get(self.list.selected()?)?)
    }

    fn run(&mut self, cx: &Cx) {
        let Some(id) = self.chosen().map(|row| row.id) else {
            return;
        };
        let mut recent = mem::take(&mut self.recent);
        recent.retain(|r| r != id);
        recent.push(id.to_owned());
        let old = recent.len().saturating_sub(RECENT);
        recent.drain(..old);
        cx.close();
        if let Some(line) = self.line().filter(|_| id == TO_LINE) {
            return cx.emit(Effect::show_source(
                dap::types::Source::default(),
                Some(line),
                None,
            ));
        }
        cx.core(Command::Remember {
            key: MEMORY.to_owned(),
            values: recent,
        });
        cx.invoke(id);
    }
}

impl Scrolls for Palette {
    moves!(list, found.len());

    fn clicked(&mut self, _again: bool, cx: &Cx) {
        self.run(cx);
    }
}

impl Surface for Palette {
    table! { "Actions";
        "palette.run" "run" ["enter"], Footer if |s, _| s.chosen().or_why("nothing fits") => Self::run;
        found "palette";
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, _cx: &Cx) -> bool {
        let taken = super::typed(&mut self.query, key);
        if taken {
            self.search();
        }
        taken
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        self.query.paste(text);
        self.search();
        cx.redraw();
        true
    }

    rolls!();

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let look = canvas.look();
        let count = format!("{} of {}", self.found.len(), self.rows.len());
        let words = (Self::TITLE, &*count, "type some letters of what you want");
        let rows = super::search_page(canvas, area, words, &mut self.query);
        let (all, found) = (&self.rows, &self.found);
        List::new(look, found.len()).empty(super::NOTHING).rows(
            canvas,
            rows,
            &mut self.list,
            |row| {
                found
                    .get(row.index)
                    .and_then(|index| all.get(*index))
                    .map_or_else(Line::default, |action| {
                        line(action, usize::from(row.width), canvas)
                    })
            },
        );
    }
}

/// Title, why not, id, keys at the right; what does not fit is left out from the middle.
fn line<'r>(row: &'r Row, room: usize, view: &View) -> Line<'r> {
    let look = view.look();
    let keys = super::keys_of(row, 2);
    let (style, why) = super::standing(row, look);
    let title = cut(row.title, room.saturating_sub(width(&keys) + 1), view);
    let mut left = room.saturating_sub(width(&title) + width(&keys) + 1);
    let mut spans = vec![Span::styled(title, style)];
    let id = format!("  {}", row.id);
    for (text, style) in [(why, look.theme.muted), (id, look.theme.muted)] {
        let cells = width(&text);
        if cells <= left {
            left -= cells;
            spans.push(Span::styled(text, style));
        }
    }
    spans.push(Span::raw(" ".repeat(left + 1)));
    spans.push(Span::styled(keys, look.theme.key_hint_key));
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Keys;

    fn rows() -> Vec<Row> {
        [
            ("debug.step-over", "step over"),
            ("debug.step-out", "step out"),
            ("debug.continue", "continue"),
            ("app.quit", "quit"),
            ("debug.continue", "continue"),
        ]
        .map(|(id, title)| Row {
            id,
            title,
            keys: Keys::Table(&[]),
            show: Show::Footer,
            enabled: Ok(()),
        })
        .to_vec()
    }

    fn ids(palette: &Palette) -> Vec<&str> {
        palette.found.iter().map(|i| palette.rows[*i].id).collect()
    }

    #[test]
    fn recent_ones_come_first_and_letters_find() {
        let mut palette = Palette::new(
            rows(),
            vec!["debug.continue".into(), "app.quit".into(), "gone".into()],
        );
        assert_eq!(
            ids(&palette),
            [
                "app.quit",
                "debug.continue",
                "debug.step-over",
                "debug.step-out"
            ]
        );
        palette.query.set("stou");
        palette.search();
        assert_eq!(ids(&palette), ["debug.step-out"]);
        assert_eq!(palette.line(), None);
        palette.query.set("42");
        palette.search();
        assert_eq!((palette.line(), ids(&palette)), (Some(42), vec![]));
        palette.rows[1].id = TO_LINE;
        palette.search();
        assert_eq!(ids(&palette), [TO_LINE]);
        palette.query.set("zzz");
        palette.search();
        assert_eq!(palette.chosen(), None);
    }

    #[test]
    fn a_title_is_found_by_its_words_and_what_is_not_possible_comes_last() {
        let mut rows = rows();
        rows[0].enabled = Err("nothing is debugged");
        rows[1].title = "reads everything that a user is shown";
        rows.push(Row {
            id: "app.leave",
            title: "run to cursor",
            ..rows[3].clone()
        });
        let mut palette = Palette::new(rows, Vec::new());
        assert_eq!(
            ids(&palette),
            [
                "debug.step-out",
                "debug.continue",
                "app.quit",
                "app.leave",
                "debug.step-over"
            ]
        );
        for (query, found) in [
            ("reset", None),
            ("user shown", Some("debug.step-out")),
            ("app.q", Some("app.quit")),
            ("kill it now", None),
            ("stepping out", Some("debug.step-out")),
            ("until", Some("app.leave")),
        ] {
            palette.query.set(query);
            palette.search();
            assert_eq!(palette.chosen().map(|row| row.id), found, "{query}");
        }
    }
}
