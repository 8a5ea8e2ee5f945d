//! One open source: its text, where the cursor is and what of it is in view; and the set of those that are open.
//!
//! No drawing and no asking here: [`Documents::want`] says what to ask the core for, [`Documents::receive`] takes the answer.

use std::{ops::Range, path::Component};

use dap::types::Source;
use debugger::{OUTDATED, UNBUILT};

use super::{
    search::Search,
    text::{
        SourceText, column_of, expression_at, first_value, next_offset, next_word, offset_at,
        previous_offset, word_at,
    },
};
use crate::{debug_prelude::*, widgets::syntax::FileVersion};

/// How many sources stay open; the one not looked at for longest goes first.
const MOST_OPEN: usize = 32;

/// What a source is known by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A file.
    Path(PathBuf),
    /// Something only the adapter of that session has.
    Reference(SessionId, i64),
}

impl Default for Key {
    fn default() -> Self {
        Self::Path(PathBuf::new())
    }
}

impl Key {
    /// The key of a source as an adapter tells of it; `None` when there is nothing that could be shown.
    pub fn of(source: &Source, session: Option<SessionId>) -> Option<Self> {
        let path = source.path.as_deref().map(Path::new);
        match (
            path.filter(|p| p.is_absolute()),
            source.reference(),
            session,
        ) {
            (Some(path), ..) => Some(Self::Path(clean(path))),
            (None, Some(reference), Some(session)) => Some(Self::Reference(session, reference)),
            _ => None,
        }
    }
}

/// A path without `.` and `..`, so that two spellings of one file compare equal. Links are not followed: that needs the disk.
pub fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// What there is of a text.
#[derive(Debug, Default, PartialEq)]
pub enum Content {
    /// Asked for.
    #[default]
    Loading,
    /// Cannot be had.
    Failed(DebuggerError),
    Ready(Arc<SourceText>),
}

/// How to bring the cursor's line into view at the next draw.
#[derive(Clone, Copy, Debug)]
enum Reveal {
    /// As little scrolling as possible.
    Least,
    /// With room around it, unless it is comfortably in view already.
    Comfortable,
}

/// One open source.
#[derive(Debug, Default)]
pub struct Document {
    /// What it is known by.
    pub key: Key,
    /// As the adapter (or the user) named it.
    pub source: Source,
    /// The session it was first shown for.
    pub session: Option<SessionId>,
    /// Its text.
    pub content: Content,
    /// Counts up with every new text of any source.
    version: u64,
    /// Something a reader should know.
    pub note: Option<String>,
    /// What is being searched for.
    pub search: Option<Search>,
    /// The cursor's line, from 0.
    pub line: usize,
    /// The cursor's byte in its line.
    pub offset: usize,
    /// First line in view.
    pub top: usize,
    /// First column in view.
    pub left: usize,
    goal: usize,
    /// Where in the line the cursor is to go once the text is here: UTF-16 units from 0, as adapters count.
    column: Option<usize>,
    reveal: Option<Reveal>,
    /// The cursor is where the program stopped, and nobody has moved it since.
    pub untouched: bool,
    stale: bool,
    /// When the file was changed last, as far as that was looked at.
    pub modified: Option<SystemTime>,
    used: u64,
}

impl Document {
    /// The file, when it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.key {
            Key::Path(path) => Some(path),
            Key::Reference(..) => None,
        }
    }

    /// Whether the text is newer than the program's, so that lines are not those that the debugger counts.
    pub fn is_newer(&self) -> bool {
        let note = self.note.as_deref().unwrap_or_default();
        [OUTDATED, UNBUILT].iter().any(|newer| note.contains(newer))
    }

    /// Its name for titles: the path relative to the project, or what the adapter calls it.
    pub fn title(&self, project: &Path) -> String {
        match &self.key {
            Key::Path(path) => path
                .strip_prefix(project)
                .unwrap_or(path)
                .display()
                .to_string(),
            Key::Reference(_, reference) => (self.source.name.clone())
                .or_else(|| self.source.path.clone())
                .unwrap_or_else(|| format!("source {reference}")),
        }
    }

    /// Names this very text for whoever keeps something about it.
    pub fn version(&self) -> FileVersion {
        let name = match &self.key {
            Key::Path(path) => path.to_string_lossy().into(),
            Key::Reference(session, reference) => {
                let Source { name, path, .. } = &self.source;
                let name = name.as_ref().or(path.as_ref()).map_or("", String::as_str);
                format!("{session}/{reference}/{name}").into()
            }
        };
        FileVersion {
            name,
            version: self.version,
        }
    }

    /// The text, once it is here.
    pub fn text(&self) -> Option<&Arc<SourceText>> {
        match &self.content {
            Content::Ready(text) => Some(text),
            Content::Loading | Content::Failed(_) => None,
        }
    }

    /// The cursor's line as text.
    pub fn line_text(&self) -> &str {
        self.text().map_or("", |t| t.line(self.line))
    }

    fn last(&self) -> usize {
        self.text()
            .map_or(usize::MAX, |t| t.len().saturating_sub(1))
    }

    /// Puts the cursor on a line (from 0) with room around it; beyond the end means the last one.
    pub fn go_to(&mut self, line: usize) {
        self.line = line.min(self.last());
        let text = self.line_text();
        self.offset = text.len() - text.trim_start().len();
        self.goal = column_of(self.line_text(), self.offset);
        self.left = 0;
        self.column = None;
        self.untouched = true;
        self.reveal = Some(Reveal::Comfortable);
    }

    /// Puts an untouched cursor on a name of its line.
    pub fn point_at(&mut self, offset: usize) {
        self.offset = offset;
        self.goal = column_of(self.line_text(), offset);
    }

    /// Puts the cursor on a column of its line, in UTF-16 units from 0, as soon as the text is here.
    pub fn go_to_column(&mut self, column: usize) {
        self.column = Some(column);
        self.settle_column();
    }

    fn settle_column(&mut self) {
        if let Some((text, column)) = self.text().cloned().zip(self.column) {
            self.column = None;
            self.untouched = false;
            let line = text.line(self.line);
            let mut units = 0;
            let before = line.chars().take_while(|c| {
                let is_before = units < column;
                units += c.len_utf16();
                is_before
            });
            self.offset = before.map(char::len_utf8).sum();
            self.goal = column_of(line, self.offset);
        }
    }

    /// Moves the cursor up (negative) or down.
    pub fn move_lines(&mut self, by: isize) {
        self.line = self.line.saturating_add_signed(by).min(self.last());
        self.offset = offset_at(self.line_text(), self.goal);
        self.untouched = false;
        self.reveal = Some(Reveal::Least);
    }

    fn set_offset(&mut self, offset: Option<usize>) {
        if let Some(offset) = offset {
            self.offset = offset;
            self.goal = column_of(self.line_text(), offset);
        }
        self.untouched = false;
        self.reveal = Some(Reveal::Least);
    }

    /// One character to the left or right.
    pub fn move_character(&mut self, forward: bool) {
        let line = self.line_text();
        self.set_offset(if forward {
            next_offset(line, self.offset)
        } else {
            previous_offset(line, self.offset)
        });
    }

    /// To the next name, or the one before, also on other lines.
    pub fn move_word(&mut self, forward: bool) {
        if let Some(offset) = next_word(self.line_text(), self.offset, forward) {
            return self.set_offset(Some(offset));
        }
        let Some(text) = self.text().cloned() else {
            return;
        };
        let lines: Box<dyn Iterator<Item = usize>> = if forward {
            Box::new(self.line + 1..text.len())
        } else {
            Box::new((0..self.line).rev())
        };
        for line in lines {
            let content = text.line(line);
            let found = if forward {
                word_at(content, 0)
                    .map(|_| 0)
                    .or_else(|| next_word(content, 0, true))
            } else {
                next_word(content, content.len(), false)
            };
            if found.is_some() {
                self.line = line;
                return self.set_offset(found);
            }
        }
    }

    /// To the line's beginning or end.
    pub fn move_to_edge(&mut self, end: bool) {
        let line = self.line_text();
        let indented = line.len() - line.trim_start().len();
        self.set_offset(Some(match end {
            true => line.len(),
            false if self.offset == indented => 0,
            false => indented,
        }));
    }

    /// To a byte of the whole text: a search match.
    pub fn move_to_byte(&mut self, at: usize) {
        if let Some(text) = self.text() {
            (self.line, self.offset) = text.position(at);
            self.goal = column_of(self.line_text(), self.offset);
            self.untouched = false;
            self.reveal = Some(Reveal::Comfortable);
        }
    }

    /// To a cell of the view: rows and columns from its upper left corner.
    pub fn move_to_cell(&mut self, row: usize, column: usize) {
        self.line = (self.top + row).min(self.last());
        self.set_offset(Some(offset_at(self.line_text(), self.left + column)));
    }

    /// The cursor's byte in the whole text.
    pub fn byte(&self) -> usize {
        self.text().map_or(0, |t| t.offset(self.line, self.offset))
    }

    /// The name under the cursor, in bytes of its line.
    pub fn word(&self) -> Option<Range<usize>> {
        word_at(self.line_text(), self.offset)
    }

    /// The expression under the cursor; where nobody put it on one, that of the line's first name that can have a value.
    pub fn expression(&self) -> Option<&str> {
        let line = self.line_text();
        let indent = line.len() - line.trim_start().len();
        let offset = if self.offset < indent || self.untouched {
            first_value(line, self.offset).unwrap_or(self.offset)
        } else {
            self.offset
        };
        line.get(expression_at(line, offset)?)
    }

    /// Scrolls the view and takes the cursor along where it would leave it.
    pub fn scroll(&mut self, by: isize, height: usize) {
        let most = self.last().saturating_sub(height.saturating_sub(1));
        self.top = self.top.saturating_add_signed(by).min(most);
        let line = self.line.clamp(
            self.top,
            (self.top + height.saturating_sub(1)).max(self.top),
        );
        if line != self.line {
            self.line = line.min(self.last());
            self.offset = offset_at(self.line_text(), self.goal);
            self.untouched = false;
        }
        self.reveal = None;
    }

    /// Scrolls sideways.
    pub fn scroll_sideways(&mut self, by: isize) {
        self.left = self.left.saturating_add_signed(by);
        self.reveal = None;
    }

    /// Settles what is in view, now that its size is known.
    pub fn settle(&mut self, height: usize, width: usize) {
        let Some(text) = self.text().cloned() else {
            return;
        };
        let last = text.len().saturating_sub(1);
        self.line = self.line.min(last);
        if !text.line(self.line).is_char_boundary(self.offset) {
            self.offset = text.line(self.line).len();
        }
        let (Some(reveal), false) = (self.reveal, height == 0 || width == 0) else {
            self.top = self.top.min(last);
            return;
        };
        self.reveal = None;
        let margin = match reveal {
            Reveal::Least => 0,
            Reveal::Comfortable => (height / 6).min(4),
        };
        let (first, end) = (self.top, self.top + height);
        let visible = self.line >= first && self.line < end;
        let comfortable = visible
            && (self.line >= first + margin || first == 0)
            && (self.line + margin < end || last < end);
        if !comfortable {
            self.top = match reveal {
                // A little above the middle: what happens next is below.
                Reveal::Comfortable => self.line.saturating_sub(height * 2 / 5),
                Reveal::Least if self.line < first => self.line,
                Reveal::Least => self.line + 1 - height,
            };
        }
        // No more emptiness below the end than there has to be.
        self.top = self.top.min((last + 1).saturating_sub(height));
        let column = column_of(text.line(self.line), self.offset);
        if self.untouched {
            // Where the line begins says more than a name far to the right.
        } else if column < self.left {
            self.left = column.saturating_sub(width / 4);
        } else if column >= self.left + width {
            self.left = column + 1 - width * 3 / 4;
        }
    }
}

/// What to ask the core for, and the number that the answer must carry.
pub type Want = (Command, u64);

/// The open sources.
#[derive(Debug, Default)]
pub struct Documents {
    open: Vec<Document>,
    current: Option<Key>,
    asked: Vec<(u64, Key)>,
    clock: u64,
}

impl Documents {
    /// The one in view.
    pub fn current(&self) -> Option<&Document> {
        self.get(self.current.as_ref()?)
    }

    /// The one in view, to change it.
    pub fn current_mut(&mut self) -> Option<&mut Document> {
        let key = self.current.as_ref()?;
        self.open.iter_mut().find(|d| d.key == *key)
    }

    /// One of them.
    pub fn get(&self, key: &Key) -> Option<&Document> {
        self.open.iter().find(|d| d.key == *key)
    }

    /// The text of a line (from 0) of a file that is open, without what is far to the right.
    pub fn line_of(&self, path: &Path, line: usize) -> Option<String> {
        const NEAR: usize = 200;
        let text = self.get(&Key::Path(clean(path)))?.text()?;
        Some(text.line(line).trim().chars().take(NEAR).collect())
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// Whether the core has said that this source cannot be had.
    pub fn is_missing(&self, key: &Key) -> bool {
        let document = self.get(key);
        document.is_some_and(|d| matches!(d.content, Content::Failed(_)))
    }

    /// Brings a source into view; says what to ask for when its text is not here or may be old.
    pub fn show(&mut self, key: Key, source: &Source, session: Option<SessionId>) -> Option<Want> {
        self.clock += 1;
        let clock = self.clock;
        if self.get(&key).is_none() {
            self.open.push(Document {
                key: key.clone(),
                source: source.clone(),
                session,
                ..Document::default()
            });
            self.forget_one(&key);
        }
        self.current = Some(key);
        let document = self.current_mut()?;
        document.used = clock;
        let fresh = document.version == 0 && document.content == Content::Loading;
        (fresh || document.stale).then(|| self.want()).flatten()
    }

    /// What to ask for to have the text of the one in view anew.
    pub fn want(&mut self) -> Option<Want> {
        let document = self.current_mut()?;
        document.stale = false;
        let (key, session, source) = (
            document.key.clone(),
            document.session,
            document.source.clone(),
        );
        self.clock += 1;
        let clock = self.clock;
        self.asked.retain(|(_, k)| *k != key);
        self.asked.push((clock, key));
        let source = Box::new(source);
        Some((Command::Source { session, source }, clock))
    }

    /// Takes an answer; false when it is not (or no longer) waited for.
    pub fn receive(&mut self, number: u64, result: &CoreAnswer) -> bool {
        let Some(at) = self.asked.iter().position(|(n, _)| *n == number) else {
            return false;
        };
        let (_, key) = self.asked.swap_remove(at);
        let Some(document) = self.open.iter_mut().find(|d| d.key == key) else {
            return false;
        };
        match result {
            Ok(Reply::Source { content, note, .. }) => {
                document.note.clone_from(note);
                if document.text().is_some_and(|t| *t.content == **content) {
                    return true;
                }
                document.version = number;
                document.content = Content::Ready(Arc::new(SourceText::new(content)));
                document.settle_column();
                if let Some(search) = document.search.take() {
                    document.search = Some(Search::new(&search.query, content, document.byte()));
                }
            }
            // What was read before is better than nothing: it is what the program was made from.
            Err(error) if document.text().is_some() => {
                document.note = Some(format!("{} This is the text as it was before.", error.what));
            }
            Err(error) => document.content = Content::Failed(error.clone()),
            Ok(_) => return false,
        }
        true
    }

    /// Texts may have changed (a program was started again): ask anew when next shown.
    pub fn doubt_all(&mut self) {
        for document in &mut self.open {
            document.stale = true;
            if matches!(document.content, Content::Failed(_)) {
                document.content = Content::Loading;
            }
        }
    }

    /// The open source after the one in view, or before it, in the order they were opened.
    pub fn neighbour(&self, forward: bool) -> Option<(Source, Option<SessionId>)> {
        let at = self
            .open
            .iter()
            .position(|d| Some(&d.key) == self.current.as_ref())?;
        let n = self.open.len();
        let next = self.open.get((at + if forward { 1 } else { n - 1 }) % n)?;
        (n > 1).then(|| (next.source.clone(), next.session))
    }

    fn forget_one(&mut self, but: &Key) {
        if self.open.len() > MOST_OPEN
            && let Some(oldest) = self
                .open
                .iter()
                .filter(|d| d.key != *but)
                .map(|d| d.used)
                .min()
        {
            self.open.retain(|d| d.used != oldest || d.key == *but);
        }
    }
}

#[cfg(test)]
mod tests;
