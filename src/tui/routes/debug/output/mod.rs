//! What the programs of a tree and their adapters printed. The lines are the state's; here is which of them are shown, where the view
//! is, and how one line looks.

mod line;
mod rows;

use base::text::{ansi, sanitise::TAB_WIDTH};
use debugger::{OutputLine, gate};

use self::line::{draw_line, dropped_line, end_line, find, mark_cut, near, say_whose};
use super::declared;
use crate::{debug_prelude::*, widgets::input::is_for_text};

/// Cells of a row that are not text: the category's letter and a blank.
const MARGIN: usize = 2;
/// What a row on the screen stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RowTarget {
    /// How much is no longer here.
    Dropped,
    /// A line by its number from its session's beginning, or the n-th part of a wrapped one.
    Line {
        session: SessionId,
        number: u64,
        part: usize,
    },
    /// How the session in focus ended.
    End,
}

/// One row on the screen.
#[derive(Clone, Debug)]
struct Row {
    place: RowTarget,
    /// The look that its line begins with.
    start: ansi::Style,
}

impl Row {
    fn of(place: RowTarget) -> Self {
        Self {
            place,
            start: ansi::Style::default(),
        }
    }
}

/// How much of a session there was to make rows of: bytes in all, and those that are not held any more.
type Printed = (SessionId, u64, u64);

/// Which lines are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineFilter {
    /// Everything but telemetry.
    #[default]
    All,
    /// What the program printed.
    Program,
    /// Its standard error.
    Errors,
    /// What the adapter says.
    Debugger,
}

impl LineFilter {
    fn next(self) -> Self {
        let all = [Self::All, Self::Program, Self::Errors, Self::Debugger];
        beside(&all, self, 1)
    }

    fn word(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Program => "program",
            Self::Errors => "errors",
            Self::Debugger => "debugger",
        }
    }

    fn takes(self, category: &str) -> bool {
        match self {
            Self::All => category != "telemetry",
            Self::Program => matches!(category, "stdout" | "stderr"),
            Self::Errors => category == "stderr",
            Self::Debugger => !matches!(category, "stdout" | "stderr" | "telemetry"),
        }
    }
}

/// What the rows were made of.
#[derive(Debug, Default, PartialEq)]
struct RowInputs {
    /// The root of the tree that is shown, or the one session.
    tree: SessionId,
    focused: SessionId,
    ended: bool,
    printed: Vec<Printed>,
    shown: LineFilter,
    /// Cells to wrap to; 0 = not wrapped.
    wrap: usize,
}

/// The pane.
#[derive(Debug, Default)]
pub struct OutputPane {
    list: ListState,
    made: RowInputs,
    rows: Vec<Row>,
    /// Only the session in focus is shown, and not its tree.
    alone: bool,
    /// Cells that say whose a line is.
    marks: usize,
    /// The letters before lines, and what they stand for.
    letters: BTreeSet<(&'static str, &'static str)>,
    /// Bytes that are not held any more.
    dropped: u64,
    /// Lines there were in all.
    begun: u64,
    /// Moved away from the end.
    paused: bool,
    /// Lines there were when it was paused.
    seen: u64,
    shown: LineFilter,
    wrap: bool,
    search: Option<Field>,
    /// What is searched was typed; keys go through the matches.
    browsing: bool,
    /// Rows that contain what is searched.
    hits: Vec<usize>,
    /// Cells for text when last drawn, and for what says whose it is.
    width: usize,
}

impl OutputPane {
    fn pause(&mut self) {
        if !self.paused {
            self.paused = true;
            self.seen = self.begun;
        }
    }

    /// The selected line, and whose it is.
    fn line<'a>(&self, view: &'a View) -> Option<(&'a Session, &'a OutputLine)> {
        line_of(&view.state, &self.rows.get(self.list.selected()?)?.place)
    }

    fn copy_line(&mut self, cx: &Cx) {
        if let Some((_, line)) = self.line(&cx.view) {
            cx.copy(plain(line), "1 line of output");
        }
    }

    fn copy_all(&mut self, cx: &Cx) {
        let places = self.rows.iter().map(|row| &row.place);
        let lines: Vec<_> = places
            .filter(|place| matches!(place, RowTarget::Line { part: 0, .. }))
            .filter_map(|place| Some(plain(line_of(&cx.view.state, place)?.1)))
            .collect();
        cx.copy(
            lines.join("\n"),
            amount::count(lines.len() as u64, "line of output", "lines of output"),
        );
    }

    fn show_origin(&mut self, cx: &Cx) {
        let Some((session, line)) = self.line(&cx.view) else {
            return;
        };
        if let Some((source, at)) = line.held.as_deref() {
            return cx.emit(Effect::show_source(source.clone(), Some(*at), line.column));
        }
        match (&line.origin, line.location) {
            (Some((path, at)), _) => cx.emit(Effect::show_place(path, Some(*at), line.column)),
            (None, Some(reference)) => cx.emit(declared::ask(session.id, None, reference)),
            _ => {}
        }
    }

    /// The file with all that the session of the selected line printed, or else the one in focus.
    fn spill(&self, view: &View) -> Option<PathBuf> {
        let selected = self.line(view).map(|(session, _)| session);
        selected.or_else(|| view.session())?.output.spill.clone()
    }

    fn needle(&self) -> Option<&str> {
        needle(self.search.as_ref())
    }

    fn find_hits(&mut self, state: &State) {
        self.hits.clear();
        let Some(needle) = self.needle().map(str::to_owned) else {
            return;
        };
        for (at, Row { place, .. }) in self.rows.iter().enumerate() {
            // Of a wrapped line the first part stands for all.
            if let RowTarget::Line { part: 0, .. } = place
                && line_of(state, place).is_some_and(|(_, l)| find(near(l), &needle).is_some())
            {
                self.hits.push(at);
            }
        }
    }

    /// To the next line with what is searched, or the one before.
    fn jump(&mut self, forward: bool) {
        let at = self.list.selected().unwrap_or(0);
        let mut hits = self.hits.iter();
        let next = if forward {
            hits.find(|h| **h > at).or_else(|| self.hits.first())
        } else {
            hits.rfind(|h| **h < at).or_else(|| self.hits.last())
        };
        if let Some(next) = next.copied() {
            self.pause();
            self.list.select(Some(next));
        }
    }

    fn end_search(&mut self) {
        self.search = None;
        self.browsing = false;
        self.hits.clear();
    }

    fn draw_search(&mut self, canvas: &Canvas, foot: Rect) {
        let at = self
            .hits
            .iter()
            .position(|hit| Some(*hit) == self.list.selected());
        let found = match (self.hits.len(), at) {
            _ if self.needle().is_none() => String::new(),
            (0, _) if self.dropped > 0 => {
                let held = debugger::output::Output::DEFAULT_BOUND >> 10;
                format!("not in the last {held} KiB: Esc o opens all of it")
            }
            (0, _) => "not found".into(),
            (all, Some(at)) => format!("{} of {all}", at + 1),
            (all, None) => counted(all, "line"),
        };
        if let Some(field) = &mut self.search {
            let used = canvas.text(foot, "/", canvas.theme.accent);
            field.draw_finding(canvas, foot.after(used), !self.browsing, "", &found);
        }
    }

    fn remark(&self, sessions: &[&Session]) -> String {
        let letters = self.letters.iter().filter(|(_, what)| !what.is_empty());
        let mut parts: Vec<_> = letters
            .map(|(letter, what)| format!("{letter} {what}"))
            .collect();
        match (sessions, rows::programs(sessions)) {
            ([only], _) if self.alone => parts.push(format!("{} alone", only.id)),
            (_, count @ 2..) => parts.push(format!("{count} sessions")),
            _ => {}
        }
        if !self.shown.word().is_empty() {
            parts.push(format!("only {}", self.shown.word()));
        }
        if self.paused {
            parts.push(match self.begun.saturating_sub(self.seen) {
                0 => "paused, End follows".to_owned(),
                new => format!("{new} new, End follows"),
            });
        }
        parts.join(", ")
    }
}

/// A line without its colours.
fn plain(line: &OutputLine) -> String {
    ansi::parse(&line.text, ansi::Style::default(), TAB_WIDTH).plain()
}

/// What is searched, where something was typed.
fn needle(search: Option<&Field>) -> Option<&str> {
    search.map(Field::text).filter(|text| !text.is_empty())
}

/// The line of a row, and whose it is.
fn line_of<'a>(state: &'a State, place: &RowTarget) -> Option<(&'a Session, &'a OutputLine)> {
    let RowTarget::Line {
        session, number, ..
    } = place
    else {
        return None;
    };
    let session = state.session(*session)?;
    Some((session, session.output.line(*number)?))
}

gates! { OutputPane, s, _;
    has_lines: !s.rows.is_empty(), "Nothing was printed yet.";
}
gates! { OutputPane, s, view;
    on_line: s.line(view), "Select a line first.";
    has_others: s.alone || s.whose(&view.state).len() > 1, "No other session of this tree printed anything.";
    has_file: s.spill(view), "There is no file of the output yet.";
}

fn has_origin(s: &OutputPane, view: &View) -> Enabled {
    let line = s.line(view);
    if line.is_some_and(|(_, l)| l.origin.is_some()) {
        return Ok(());
    }
    // A text that the adapter has is asked for, as a place is that it tells on request alone.
    let (session, line) = line
        .filter(|(_, l)| l.held.is_some() || l.location.is_some())
        .ok_or("The adapter did not say where this line was printed.")?;
    if line.held.is_some() && view.state.focus != Some(session.id) {
        return Err("Go to the line's own session first: its adapter has the text.");
    }
    gate::allow_of(session, gate::Action::Source).map_err(|no| no.what)
}

impl Scrolls for OutputPane {
    fn walk(&mut self, step: Step, _: &Cx) {
        if step.is_back() {
            self.pause();
        }
        Scrolled::Rows(&mut self.list, self.rows.len()).walk(step);
        if step != Step::Pages(-1) && self.list.selected() == self.rows.len().checked_sub(1) {
            self.paused = false;
        }
    }
}

impl Surface for OutputPane {
    table! { "Output", s, cx;
           "output.search"      "search"                        ["/"], Footer       if has_lines => {
               s.search = Some(Field::default());
               s.browsing = false;
           };
           "output.filter"      "which lines"                   ["v"], Footer       => s.shown = s.shown.next();
           "output.alone"       "one session or its whole tree" ["a"], Footer       if has_others => s.alone = !s.alone;
           "output.wrap"        "wrap long lines"               ["l"], Footer       => {
               s.wrap = !s.wrap;
               s.list.scroll_sideways(isize::MIN);
           };
           "output.follow"      "follow"                        ["end" "G"], Footer => {
    s.paused = false;
    s.list.end(s.rows.len());
    };
           "output.copy-line"   "copy line"                     ["y"], Footer       if on_line => Self::copy_line;
           "output.copy-all"    "copy all lines held"           ["Y"]               if has_lines => Self::copy_all;
           "output.open-file"   "all output in the editor"      ["o"], Footer       if has_file => {
    if let Some(path) = s.spill(&cx.view) { cx.emit(Effect::Edit { path, line: 1 }); }
    };
           "output.show-origin" "show where it was printed"     ["enter"]           if has_origin => Self::show_origin;
           walk "output" "up" "down";
           "output.first"       "first line"                    ["home" "g"]        => {
               s.pause();
               s.list.home(s.rows.len());
           };
           "output.left"        "scroll left"                   ["left" "h"]        => s.list.scroll_sideways(-8);
           "output.right"       "scroll right"                  ["right"]           => {
               if !s.wrap {
                   s.list.scroll_sideways(8);
               }
           };
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let Some(session) = canvas.session() else {
            let inner = panel(canvas, area, Self::TITLE, "", "");
            return empty(canvas, inner, &["No output yet", "F5 starts a program"]);
        };
        // The scroll bar takes one cell.
        self.width = usize::from(area.width).saturating_sub(MARGIN + 3);
        self.sync(&canvas.state);
        let sessions = self.whose(&canvas.state);
        let right = self.remark(&sessions);
        let lines: u64 = sessions.iter().map(|s| s.output.total_lines).sum();
        let badge = badge(lines);
        let inner = panel(canvas, area, Self::TITLE, &badge, &right);
        if self.rows.is_empty() {
            let is_child = session.parent.is_some();
            let what: &[&str] = match lines {
                0 if self.alone && is_child => &[
                    "Nothing came from this session alone",
                    "What a child writes to its parent's output is the parent's: a shows all",
                ],
                0 => &["Nothing was printed yet"],
                _ => &["No such lines: v shows others"],
            };
            return empty(canvas, inner, what);
        }
        let mut rows = inner;
        if self.search.is_some() && inner.height > 1 {
            let (above, foot) = over_last(inner);
            rows = above;
            self.draw_search(canvas, foot);
        }
        let (places, marks_of, wrapped) = (&self.rows, self.marks, self.made.wrap);
        let needle = needle(self.search.as_ref());
        let marks: Vec<_> = self
            .hits
            .iter()
            .map(|h| (*h, canvas.theme.search_match))
            .collect();
        let left = self.list.left();
        list_of(canvas, places.len())
            .marks(&marks)
            .rows(canvas, rows, &mut self.list, |row| {
                let room = usize::from(row.width);
                let Some(Row { place, start }) = places.get(row.index) else {
                    return Line::default();
                };
                match place {
                    RowTarget::Line { part, .. } => {
                        let Some((whose, line)) = line_of(&canvas.state, place) else {
                            return Line::default();
                        };
                        let mut line = draw_line(line, *start, *part, wrapped, needle, canvas);
                        say_whose(&mut line, whose.id, *part, marks_of, canvas);
                        mark_cut(line, room, left, canvas)
                    }
                    RowTarget::Dropped => dropped_line(self.dropped, &sessions, room, canvas),
                    RowTarget::End => end_line(session, room, canvas),
                }
            });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        let Msg::Events(events) = msg else {
            return;
        };
        let is_run = |e: &Event| matches!(&e.kind, EventKind::SessionStarted { session } if session.parent.is_none());
        if events.iter().any(is_run) {
            // What a new run prints is looked at from its beginning.
            self.paused = false;
        }
        self.sync(&cx.view.state);
    }

    fn wants_text(&self) -> bool {
        self.search.is_some()
    }

    fn typing_keys(&self) -> TypingKeys {
        if self.browsing {
            BROWSING_KEYS
        } else {
            SEARCHING_KEYS
        }
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        let Some(field) = &mut self.search else {
            return false;
        };
        cx.redraw();
        if self.browsing {
            let Some(forward) = through_matches(key) else {
                self.end_search();
                return key.code == KeyCode::Esc;
            };
            self.jump(forward);
            return true;
        }
        match key.code {
            KeyCode::Esc => self.end_search(),
            KeyCode::Enter if field.text().is_empty() => self.end_search(),
            KeyCode::Enter => self.browsing = true,
            KeyCode::Down => self.jump(true),
            KeyCode::Up => self.jump(false),
            _ if field.key(key) => {
                self.find_hits(&cx.view.state);
                // The newest line is what people look for.
                if let Some(last) = self.hits.last().copied() {
                    self.pause();
                    self.list.select(Some(last));
                }
            }
            _ => return is_for_text(key),
        }
        true
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        let Some(field) = &mut self.search else {
            return false;
        };
        if self.browsing {
            return false;
        }
        field.paste(text);
        self.find_hits(&cx.view.state);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let did = Mouse::on(&mut self.list, self.rows.len(), event, cx);
        match did {
            Mouse::Scrolled(1..) if self.list.visible().end >= self.rows.len() => {
                self.paused = false;
            }
            Mouse::Ignored | Mouse::Scrolled(1..) => {}
            _ => self.pause(),
        }
        did.taken()
    }
}

#[cfg(test)]
mod tests;
