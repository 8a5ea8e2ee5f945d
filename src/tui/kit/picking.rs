//! A popup that is a list to pick from: narrowed by what is typed, moved in by keys and wheel, taken by Enter or by a second
//! click.
//!
//! Leaves to its [`Source`]: what is listed, how a row looks, and what becomes of it. A list inside of a route has no table
//! of its own and uses [`Picker`] alone.

use super::{
    cells::{Cells, cut_line},
    picker::Picker,
    room::dialog,
    rows::OrWhy,
    scroll::{Scrolled, Scrolls},
};
use crate::action::{
    keymap::{self, Chord},
    prelude::*,
};

/// What stands where no entries do.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// While nothing is typed: what can be.
    pub hint: &'static str,
    /// While the entries are being asked for.
    pub asking: &'static str,
    /// When there are no entries.
    pub nothing: &'static str,
    /// When no entry has the letters that were typed.
    pub unmatched: &'static str,
}

/// What a list is made of.
pub trait Source: Sized + 'static {
    /// One thing that can be picked.
    type Entry;
    /// Title of its table of actions.
    const TITLE: &'static str;
    /// Its actions, with the line `pick`; a second click does the first of them.
    const ACTIONS: &'static [Action<Picking<Self>>];

    /// What stands above the list.
    fn title(&self) -> &'static str {
        Self::TITLE
    }

    /// See [`Words`].
    const WORDS: Words;

    /// The same, where they are not known before.
    fn words(&self) -> Words {
        Self::WORDS
    }

    /// What typing narrows by.
    fn name<'e>(&self, entry: &'e Self::Entry) -> Cow<'e, str>;

    /// Whether it is only there while something is typed.
    fn is_hidden(&self, _: &Self::Entry) -> bool {
        false
    }

    /// Cells wide and high, of content; `entries` are none while they are asked for.
    fn size(&self, entries: Option<usize>, area: Rect) -> (u16, u16);

    /// Draws an entry into one line; `narrowed` = something is typed.
    fn row(&self, entry: &Self::Entry, narrowed: bool, cells: &mut Cells);

    /// How many entries of all are in the list.
    fn count(&self, left: usize, all: usize) -> String {
        match all {
            0 => String::new(),
            _ => format!("{left} of {all}"),
        }
    }

    /// What is said instead of [`Words`] when no entry is left: the text means something by itself.
    fn instead(&self, _query: &str) -> Option<String> {
        None
    }

    /// What stands below the list.
    fn foot(&self, _view: &View) -> Option<(&str, Style)> {
        None
    }

    /// The text was changed.
    fn typed(&mut self) {}

    /// Rows will be so wide: for entries that are longer than that.
    fn fit(_: &mut Picking<Self>, _cells: u16) {}

    /// Something happened.
    fn on_msg(list: &mut Picking<Self>, msg: &Msg, cx: &Cx) {
        if let Msg::Progress(told) = msg {
            told.call(list, cx);
        }
    }
}

/// The popup.
pub struct Picking<S: Source> {
    /// What it is made of.
    pub source: S,
    picker: Picker,
    entries: Option<Vec<S::Entry>>,
    trouble: Option<String>,
}

impl<S: Source> Picking<S> {
    /// A list whose entries are being asked for.
    pub fn new(source: S) -> Self {
        Self {
            source,
            picker: Picker::default(),
            entries: None,
            trouble: None,
        }
    }

    /// What is typed.
    pub fn query(&self) -> &str {
        self.picker.query()
    }

    /// All entries, as far as they are known.
    pub fn entries(&self) -> &[S::Entry] {
        self.entries.as_deref().unwrap_or_default()
    }

    /// The selected entry.
    pub fn selected(&self) -> Option<&S::Entry> {
        self.entries().get(self.picker.selected()?)
    }

    /// These are the entries.
    pub fn show(&mut self, entries: Vec<S::Entry>) {
        self.entries = Some(entries);
        self.narrow();
    }

    /// These are the entries now: what was selected stays so, where there is the same still.
    pub fn show_again(
        &mut self,
        entries: Vec<S::Entry>,
        same: impl Fn(&S::Entry, &S::Entry) -> bool,
    ) {
        let kept = match (self.picker.selected(), self.entries.take()) {
            (Some(at), Some(old)) => old.into_iter().nth(at),
            _ => None,
        };
        self.show(entries);
        if let Some(kept) = kept {
            self.select(|entry| same(&kept, entry));
        }
    }

    /// The entries could not be had, for this reason.
    pub fn fail(&mut self, why: String) {
        self.trouble = Some(why);
    }

    /// Selects the first entry that is meant, if it is in the list.
    pub fn select(&mut self, is_meant: impl FnMut(&S::Entry) -> bool) {
        if let Some(at) = self.entries().iter().position(is_meant) {
            self.picker.select(at);
        }
    }

    fn narrow(&mut self) {
        let entries = self.entries.as_deref().unwrap_or_default();
        let source = &self.source;
        self.picker.narrow(entries.iter().map(|e| source.name(e)));
        if self.picker.query().is_empty() {
            let is_there = |at: usize| entries.get(at).is_some_and(|e| !source.is_hidden(e));
            self.picker.retain(is_there);
        }
    }

    fn edited(&mut self, cx: &Cx) {
        self.source.typed();
        self.narrow();
        cx.redraw();
    }

    fn none(&self) -> Cow<'_, str> {
        let words = self.source.words();
        if let Some(instead) = self.source.instead(self.query()) {
            return instead.into();
        }
        match (&self.trouble, &self.entries) {
            (Some(trouble), _) => trouble.as_str().into(),
            (None, None) => words.asking.into(),
            (None, Some(all)) if all.is_empty() => words.nothing.into(),
            (None, Some(_)) => words.unmatched.into(),
        }
    }
}

impl<S: Source> Scrolls for Picking<S> {
    fn scrolled(&mut self) -> Scrolled<'_> {
        self.picker.scrolled()
    }
}

impl<S: Source> Surface for Picking<S> {
    const TITLE: &str = S::TITLE;
    const ACTIONS: &[Action<Self>] = S::ACTIONS;

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let all = self.entries.as_ref().map(Vec::len);
        let right = all.map_or_else(String::new, |all| self.source.count(self.picker.len(), all));
        let size = self.source.size(all, area);
        let inner = dialog(canvas, area, size, self.source.title(), &right);
        // The last cell is the scroll bar's.
        S::fit(self, inner.width.saturating_sub(1));
        let mut list = inner;
        if let Some((text, style)) = self.source.foot(canvas)
            && inner.height > 2
        {
            list.height -= 1;
            cut_line(canvas, inner.row(inner.height - 1), text, style);
        }
        let none = self.none().into_owned();
        let narrowed = !self.query().is_empty();
        let hint = self.source.words().hint;
        let entries = self.entries.as_deref().unwrap_or_default();
        let source = &self.source;
        self.picker.draw(canvas, list, hint, &none, |at, room| {
            let mut cells = Cells::new(room, canvas);
            if let Some(entry) = entries.get(at) {
                source.row(entry, narrowed, &mut cells);
            }
            cells.line()
        });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        S::on_msg(self, msg, cx);
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        let mine = !is_of_table(S::ACTIONS, key) && self.picker.key(key);
        if mine {
            self.edited(cx);
        }
        mine
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        self.picker.paste(text);
        self.edited(cx);
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let answer = self.picker.mouse(event, cx);
        if answer == Some(true)
            && let Some(first) = S::ACTIONS.first()
            && (first.enabled)(self, &cx.view).is_ok()
        {
            (first.run)(self, cx);
        }
        answer.is_some()
    }
}

/// For `enabled` of what is done with an entry.
pub fn selected<S: Source>(list: &Picking<S>, _: &View) -> Enabled {
    list.selected().or_why("Nothing is selected.")
}

/// Whether a key has a row in the table: such as Ctrl with a letter, which means something to a text field as well.
fn is_of_table<S>(rows: &[Action<S>], key: KeyEvent) -> bool {
    let Some(pressed) = Chord::of(key) else {
        return false;
    };
    let mut keys = rows.iter().flat_map(|row| row.keys);
    keys.any(|text| keymap::parse(text).is_ok_and(|chords| chords == [pressed]))
}

/// Three quarters of the screen, and no more than `most` cells.
pub fn wide(area: Rect, most: u16) -> u16 {
    area.width.saturating_mul(3).div_euclid(4).clamp(40, most)
}

/// Two thirds of the screen, and no more than 30 rows.
pub fn high(area: Rect) -> u16 {
    area.height.saturating_mul(2).div_euclid(3).clamp(6, 30)
}

/// As high as the line to type in, the entries and a free row are; from `least` rows to [`high`].
pub fn fitting(entries: usize, least: u16, area: Rect) -> u16 {
    let wished = u16::try_from(entries).unwrap_or(u16::MAX);
    wished.saturating_add(2).clamp(least, high(area))
}
