//! The source pane: text of the file where the program is, or of any other, with breakpoints, positions and values.
//!
//! Which frame is selected is the core's; this pane follows it. Text comes from the core ([`document`]), colours from the
//! syntax worker. Drawing is in [`view`], what it reacts to in [`follow`].

pub mod document;
mod follow;
pub mod marks;
pub(super) mod page;
mod places;
pub mod search;
pub mod text;
mod typed;
mod view;

use dap::types::Source;
use debugger::{OUTDATED, hits::stopped_by};
use document::{Document, Documents, Key};
use search::{Prompt, Search};

use crate::{
    action::msg::Waker,
    routes::debug::{inline::Locals, prelude::*},
    widgets::syntax::SyntaxCache,
};

/// Who asks the core for texts.
const TAG: &str = "source.text";
/// Rows a turn of the wheel scrolls.
const WHEEL: isize = 3;

/// What the pane shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SourceContent {
    /// Nothing was opened.
    #[default]
    Nothing,
    /// The current document.
    Document,
    /// The selected frame, which has no source.
    Frame,
}

/// What is done to the document in view.
macro_rules! document {
    ($change:ident($how:expr)) => {
        |s, _| s.with(|d| d.$change($how))
    };
}

/// Where parts were drawn last.
#[derive(Clone, Copy, Debug, Default)]
struct Areas {
    gutter: Rect,
    text: Rect,
}

/// The source pane.
#[derive(Default)]
pub struct SourcePane {
    documents: Documents,
    colours: SyntaxCache,
    shown: SourceContent,
    locals: Locals,
    pub hide_values: bool,
    prompt: Prompt,
    areas: Areas,
    /// The variable that is meant at the stop's line, which does not name it.
    meant: Option<String>,
    /// The selected frame that was gone to, so that looking around is not disturbed.
    followed: Option<(SessionId, StopId, i64)>,
    /// The frame that was selected because the ones above it have no source.
    chosen: Option<(StopId, i64)>,
    /// What was searched for last.
    last_query: String,
    places: places::Places,
}

impl SourcePane {
    /// A pane whose colours ask for a frame through `waker` when they come.
    pub fn new(waker: Waker) -> Self {
        Self {
            colours: SyntaxCache::new(move || waker.wake()),
            ..Self::default()
        }
    }

    /// The document in view.
    fn document(&self) -> Option<&Document> {
        (self.shown == SourceContent::Document)
            .then(|| self.documents.current())
            .flatten()
    }

    fn document_mut(&mut self) -> Option<&mut Document> {
        if self.shown == SourceContent::Document {
            self.documents.current_mut()
        } else {
            None
        }
    }

    /// Brings a source into view, at a line (from 0) if one is given.
    fn open(
        &mut self,
        source: &Source,
        session: Option<SessionId>,
        line: Option<usize>,
        cx: &Cx,
    ) -> bool {
        let Some(key) = Key::of(source, session) else {
            return false;
        };
        if let Some((command, number)) = self.documents.show(key, source, session) {
            cx.emit(Effect::ask(TAG, number, command));
        }
        self.shown = SourceContent::Document;
        self.prompt = Prompt::None;
        if let (Some(line), Some(document)) = (line, self.documents.current_mut()) {
            document.go_to(line);
        }
        self.ask_places(cx);
        cx.redraw();
        true
    }

    /// The file in view and the cursor's line, from 1.
    pub fn cursor(&self) -> Option<(&Path, i64)> {
        let document = self.document()?;
        Some((document.path()?, document.line as i64 + 1))
    }

    /// The expression under the cursor, to inspect or to watch.
    pub fn expression(&self) -> Option<String> {
        let document = self.document()?;
        let meant = self.meant.as_deref().filter(|_| document.untouched);
        meant.or_else(|| document.expression()).map(str::to_owned)
    }

    /// The text of a line (from 1) of a file, if that was opened.
    pub fn line_of(&self, path: &str, line: i64) -> Option<String> {
        let line = usize::try_from(line).ok()?.checked_sub(1)?;
        self.documents.line_of(Path::new(path), line)
    }

    /// The breakpoint at the cursor's line, or the one that has no line (a function's) and stopped the program there.
    pub fn breakpoint<'a>(&self, view: &'a View) -> Option<&'a Breakpoint> {
        let document = self.document()?;
        if let Some(found) = marks::at_line(document, &view.state, document.line) {
            return view.state.breakpoints.iter().find(|b| b.id == found.id);
        }
        let marks = marks::Marks::of(document, &view.state);
        let session = view
            .session()
            .filter(|_| marks.current == Some(document.line))?;
        stopped_by(session, session.current_stop()?, &view.state).filter(|b| !b.temporary)
    }

    /// Sets a breakpoint at the cursor's line, or removes the one that is there.
    pub fn toggle_breakpoint(&mut self, cx: &Cx) {
        if let Some(line) = self.document().map(|d| d.line) {
            self.toggle_at(line, cx);
        }
    }

    fn toggle_at(&self, line: usize, cx: &Cx) {
        let Some(document) = self.document() else {
            return;
        };
        let command = match (
            marks::at_line(document, &cx.view.state, line),
            document.path(),
        ) {
            (Some(breakpoint), _) => Command::RemoveBreakpoint { id: breakpoint.id },
            (None, Some(path)) => {
                Command::SetBreakpoint(BreakpointSpec::line(path, line as i64 + 1))
            }
            (None, None) => {
                let name = document.title(&cx.view.project);
                return cx.warn(format!("{name:?} is no file, and a breakpoint needs one."));
            }
        };
        cx.core(command);
    }

    /// Whether the cursor is at a line of a file where a breakpoint can be.
    pub fn at_file_line(&self) -> Enabled {
        match self.cursor() {
            Some(_) => Ok(()),
            None if self.document().is_some() => {
                Err("This source is no file: the adapter made it.")
            }
            None => Err("No source is open: press o to open a file."),
        }
    }

    fn with(&mut self, change: impl FnOnce(&mut Document)) {
        if let Some(document) = self.document_mut() {
            change(document);
        }
    }

    fn turn_page(&mut self, by: isize) {
        let page = (self.areas.text.height as isize - 1).max(1);
        self.with(|d| {
            d.scroll(by * page, page as usize + 1);
            d.move_lines(by * page);
        });
    }

    fn cycle_file(&mut self, back: bool, cx: &Cx) {
        if let Some((source, session)) = self.documents.neighbour(!back) {
            self.open(&source, session, None, cx);
        }
    }

    fn reload(&mut self, cx: &Cx) {
        if let Some((command, number)) = self.documents.want() {
            cx.emit(Effect::ask(TAG, number, command));
        }
    }

    fn copy_place(&mut self, cx: &Cx) {
        if let Some((path, line)) = self.cursor() {
            let text = format!("{}:{line}", path.display());
            let text = clean(&text);
            cx.copy(text.clone(), text);
        }
    }

    /// Whether the program was made of an older text than the one in view.
    pub fn is_outdated(&self) -> bool {
        let note = self.document().and_then(|d| d.note.as_deref());
        note.is_some_and(|note| note.contains(OUTDATED))
    }

    /// Looks whether the file in view is another than the one that was read.
    fn check_age(&self, cx: &Cx) {
        let Some(path) = self.document().and_then(Document::path) else {
            return;
        };
        let path = path.to_path_buf();
        cx.emit(Effect::work("source.age", move |teller| {
            let modified = std::fs::metadata(&path).and_then(|about| about.modified());
            let modified = modified.ok();
            teller.call(move |pane: &mut Self, cx| {
                let document = pane.document_mut().filter(|d| d.path() == Some(&path));
                let was = document.map(|d| mem::replace(&mut d.modified, modified));
                // What is gone is asked for again, to be said.
                if was.is_some_and(|was| was != modified || modified.is_none()) {
                    pane.reload(cx);
                }
            });
        }));
    }
}

gates! { SourcePane, s, _;
    has_text: s.document().and_then(Document::text), "No source is open: press o to open a file.";
    has_expression: s.expression(), "There is no name under the cursor.";
}

impl Surface for SourcePane {
    table! { "Source", s, cx;
        "source.search"         "search"                            ["/"]            if has_text => s.search();
        "source.inspect-word"   "inspect the name under the cursor" ["enter"]        if has_expression => cx.invoke("debug.inspect");
        "source.go-to-line"     "go to a line"                      ["g"]            if has_text => {
            s.prompt = Prompt::Goto(
                Field::default(),
                s.document().map_or(0, |d| d.line),
            );
        };
        "source.go-to-end"      "go to the last line"               ["G" "ctrl-end"] if has_text => document!(go_to(usize::MAX));
        "source.go-to-start"    "go to the first line"              ["ctrl-home"]    if has_text => document!(go_to(0));
        "source.go-to-position" "go to where the program is"        ["."]            => Self::go_to_position;
        "source.move-up"        "line up"                           ["up" "k"]       if has_text => document!(move_lines(-1));
        "source.move-down"      "line down"                         ["down" "j"]     if has_text => document!(move_lines(1));
        "source.move-left"      "character to the left"             ["left" "h"]     if has_text => document!(move_character(false));
        "source.move-right"     "character to the right"            ["right" "l"]    if has_text => document!(move_character(true));
        "source.previous-word"  "previous name"                     ["alt-left"]     if has_text => document!(move_word(false));
        "source.next-word"      "next name"                         ["alt-right"]    if has_text => document!(move_word(true));
        "source.page-up"        "page up"                           ["pageup"]       if has_text  => s.turn_page(-1);
        "source.page-down"      "page down"                         ["pagedown"]     if has_text  => s.turn_page(1);
        "source.line-start"     "beginning of the line"             ["home"]         if has_text => document!(move_to_edge(false));
        "source.line-end"       "end of the line"                   ["end"]          if has_text => document!(move_to_edge(true));
        jumps "source" "file" "open file" ["]"] ["["] => cycle_file;
        "source.copy-line"      "copy the line"                     ["y"]            if has_text => {
            if let Some(document) = s.document() {
                cx.copy(document.line_text(), format!("line {}", document.line + 1));
            }
        };
        "source.copy-place"     "copy file and line"                ["Y"]            if |s, _| s.at_file_line() => Self::copy_place;
        "source.reload"         "read the file again"               ["r"]            if has_text => Self::reload;
    }

    draws!();

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        self.react(msg, cx);
    }

    fn wants_text(&self) -> bool {
        self.prompt.is_open()
    }

    fn typing_keys(&self) -> TypingKeys {
        match self.prompt {
            Prompt::Browse(_) => BROWSING_KEYS,
            Prompt::Goto(..) => &[("Enter", "stay"), ("Esc", "back")],
            Prompt::Search(..) | Prompt::None => SEARCHING_KEYS,
        }
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        cx.redraw();
        match mem::take(&mut self.prompt) {
            Prompt::None => return false,
            Prompt::Search(input, from) => self.search_key(input, from, key),
            Prompt::Goto(input, from) => self.goto_key(input, from, key),
            Prompt::Browse(input) => {
                let Some(forward) = through_matches(key) else {
                    self.with(|d| d.search = None);
                    return key.code == KeyCode::Esc;
                };
                self.step_match(forward);
                self.prompt = Prompt::Browse(input);
            }
        }
        true
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        let Prompt::Search(input, from) = &mut self.prompt else {
            return false;
        };
        input.paste(text.lines().next().unwrap_or_default());
        let (query, from) = (input.text().to_owned(), *from);
        self.search_now(&query, from);
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let at = Position::new(event.column, event.row);
        let (gutter, text) = (self.areas.gutter, self.areas.text);
        let height = usize::from(text.height);
        match event.kind {
            MouseEventKind::ScrollUp => self.with(|d| d.scroll(-WHEEL, height)),
            MouseEventKind::ScrollDown => self.with(|d| d.scroll(WHEEL, height)),
            MouseEventKind::ScrollLeft => self.with(|d| d.scroll_sideways(-WHEEL)),
            MouseEventKind::ScrollRight => self.with(|d| d.scroll_sideways(WHEEL)),
            CLICK if gutter.contains(at) => {
                let row = usize::from(at.y - gutter.y);
                let line = self
                    .document()
                    .map(|d| (d.top + row, d.text().map_or(0, |t| t.len())));
                if let Some((line, _)) = line.filter(|(line, lines)| line < lines) {
                    self.toggle_at(line, cx);
                }
            }
            CLICK if text.contains(at) => {
                self.with(|d| {
                    d.move_to_cell(usize::from(at.y - text.y), usize::from(at.x - text.x));
                });
            }
            _ => return false,
        }
        cx.redraw();
        true
    }
}
