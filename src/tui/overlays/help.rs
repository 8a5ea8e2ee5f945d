//! Help: what every key does here and now, from the same rows that do it. Typing narrows it down.

use crate::{
    action::{Row, keymap},
    prelude::*,
};

/// Rows that belong together.
#[derive(Clone, Debug, Default)]
pub struct HelpSection {
    /// Their surface.
    pub title: String,
    /// With the keys in force.
    pub rows: Vec<Row>,
}

/// Splits the rows of a layer by the surfaces they come from, which their ids name; the layer's own title is `title`. What moves a
/// cursor comes last: it is what one guesses.
pub fn split(title: &str, rows: Vec<Row>, sections: &mut Vec<HelpSection>) {
    let (moving, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(Row::moves);
    for row in others.into_iter().chain(moving) {
        let surface = match row.id.split_once('.') {
            _ if row.moves() => "moving",
            Some((surface, _)) => surface,
            None => title,
        };
        match sections
            .iter_mut()
            .find(|s| s.title.eq_ignore_ascii_case(surface))
        {
            Some(section) => section.rows.push(row),
            None => sections.push(HelpSection {
                title: keymap::capital(surface),
                rows: vec![row],
            }),
        }
    }
}

/// One line of the page.
enum Entry<'a> {
    Blank,
    Title(&'a str),
    Row(&'a Row),
}

/// The help overlay.
#[derive(Debug, Default)]
pub struct Help {
    sections: Vec<HelpSection>,
    filter: Field,
    list: ListState,
    /// Lines of the last frame.
    len: usize,
}

impl Help {
    /// Help on `sections`, the most particular first.
    pub fn new(sections: Vec<HelpSection>) -> Self {
        Self {
            sections,
            ..Self::default()
        }
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let words: Vec<String> = self
            .filter
            .text()
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let fits = |row: &Row| {
            let keys: Vec<String> = row
                .keys
                .iter()
                .map(|k| keymap::pretty(k).to_lowercase())
                .collect();
            words.iter().all(|word| {
                super::mentions(&row.title.to_lowercase(), word)
                    || row.id.contains(word)
                    || keys.iter().any(|k| k.contains(word))
            })
        };
        let mut entries = Vec::new();
        for section in &self.sections {
            let rows: Vec<&Row> = section.rows.iter().filter(|row| fits(row)).collect();
            if rows.is_empty() {
                continue;
            }
            if !entries.is_empty() {
                entries.push(Entry::Blank);
            }
            entries.push(Entry::Title(&section.title));
            entries.extend(rows.into_iter().map(Entry::Row));
        }
        entries
    }
}

impl Scrolls for Help {
    fn scrolled(&mut self) -> Scrolled<'_> {
        Scrolled::Rows(&mut self.list, self.len)
    }

    fn walk(&mut self, step: Step, _cx: &Cx) {
        let by = step.rows(self.list.visible().len());
        self.list.scroll_by(by, self.len);
    }

    fn click(&mut self, _at: (u16, u16), _cx: &Cx) -> bool {
        false
    }
}

impl Surface for Help {
    table! { "Help", _s, cx;
        // In the place of the key that opens it.
        "help.close" "close" ["f1"] => cx.close();
        found "help";
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, _cx: &Cx) -> bool {
        let taken = super::typed(&mut self.filter, key);
        if taken {
            self.list = ListState::default();
        }
        taken
    }

    rolls!();

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let look = canvas.look();
        let words = (
            Self::TITLE,
            "Esc closes",
            "type to search actions, keys and names",
        );
        let rows = super::search_page(canvas, area, words, &mut self.filter);
        let mut list = mem::take(&mut self.list);
        let entries = self.entries();
        let key_cells = entries
            .iter()
            .filter_map(|e| match e {
                Entry::Row(row) => Some(width(&super::keys_of(row, usize::MAX))),
                _ => None,
            })
            .max()
            .unwrap_or(0)
            .min(usize::from(rows.width) / 3);
        List::new(look, entries.len())
            .empty(super::NOTHING)
            .rows(canvas, rows, &mut list, |row| {
                match entries.get(row.index) {
                    Some(Entry::Title(title)) => Line::styled(*title, look.theme.title_focused),
                    Some(Entry::Row(action)) => {
                        let (style, why) = super::standing(action, look);
                        let keys = super::keys_of(action, usize::MAX);
                        let mut cells = Cells::new(row.width, canvas);
                        cells.column(&keys, key_cells, look.theme.key_hint_key);
                        cells.skip(2).put(action.title, style).muted(&why).line()
                    }
                    Some(Entry::Blank) | None => Line::default(),
                }
            });
        self.len = entries.len();
        self.list = list;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Keys;

    #[test]
    fn rows_are_grouped_by_surface_and_narrowed_by_words() {
        let row = |id, title, keys| Row {
            id,
            title,
            keys: Keys::Table(keys),
            show: Show::Footer,
            enabled: Ok(()),
        };
        let mut sections = Vec::new();
        split(
            "Debug",
            vec![
                row("scopes.up", "up", &["up", "k"]),
                row("scopes.copy", "copy", &["y"]),
                row("debug.step-over", "step over", &["f10"]),
                row("debug.step-in", "step in", &["f11"]),
            ],
            &mut sections,
        );
        let titles: Vec<_> = sections.iter().map(|s| s.title.as_str()).collect();
        assert_eq!(titles, ["Scopes", "Debug", "Moving"]);
        let mut help = Help::new(sections);
        assert_eq!(help.entries().len(), 9);
        help.filter.set("STEP ov");
        assert_eq!(help.entries().len(), 2);
        help.filter.set("f10 nonsense");
        assert_eq!(help.entries().len(), 0);
    }

    #[test]
    fn a_reason_has_the_room_there_is_and_ends_in_a_mark() {
        let why = "The program's standard input is not ours: start it with --console pty, or give it a file.";
        let row = Row {
            id: "debug.send-input",
            title: "type a line to the program",
            keys: Keys::Table(&["ctrl-t"]),
            show: Show::HelpOnly,
            enabled: Err(why),
        };
        let mut sections = Vec::new();
        split("Debug", vec![row], &mut sections);
        let mut help = Help::new(sections);
        let stage = crate::kit::test::Stage::new(debugger::State::default());
        let mut drawn = |width| stage.draw(&mut help, width, 24).join("\n");
        assert!(drawn(160).contains(why));
        let narrow = drawn(80);
        assert!(narrow.contains("input is n…"), "{narrow}");
    }
}
