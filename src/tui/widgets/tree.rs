//! A tree as flat rows: lazy, of any depth, keyed by names.
//!
//! Each refresh lists the rows again through [`Rows`], asking at every branch whether it is open, so closed branches cost
//! nothing. What is open and what is selected is remembered as a path of names and survives the refresh, a new stop, and rows
//! that are gone for a while. Leaves to others: loading children, and what a row says.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
};

use super::list::{List, ListState, RowContext};
use crate::theme::Look;

/// Columns per level.
const INDENT: usize = 2;
/// Levels that are indented; deeper ones (a linked list) stay there, or the text would leave the screen.
const MAX_INDENTED: usize = 24;

/// Names from the root to a row. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TreePath(Arc<[Arc<str>]>);

impl TreePath {
    /// A path of names.
    pub fn new<S: Into<Arc<str>>>(names: impl IntoIterator<Item = S>) -> Self {
        Self(names.into_iter().map(Into::into).collect())
    }

    /// The names, root first.
    pub fn names(&self) -> &[Arc<str>] {
        &self.0
    }

    /// The path of the row above in the tree; `None` for a root.
    pub fn parent(&self) -> Option<Self> {
        match self.0.split_last() {
            Some((_, above)) if !above.is_empty() => Some(Self(above.into())),
            _ => None,
        }
    }
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Has no children.
    Leaf,
    /// Has children, in sight or not.
    Branch {
        /// Whether they are in sight.
        open: bool,
    },
    /// Stands for children that are not loaded.
    More,
}

/// One row in sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow<T> {
    pub path: TreePath,
    /// Levels above it.
    pub depth: usize,
    pub kind: Kind,
    /// What the caller knows of it.
    pub payload: T,
}

/// What a key did to the tree, so that the caller can load what is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Nothing, or only the selection moved.
    None,
    /// The branch is open now: list the rows again.
    Opened(TreePath),
    /// The branch is closed now: list the rows again.
    Closed(TreePath),
    /// More children of this row's parent are wanted.
    More(TreePath),
}

/// Rows in sight, what is open, what is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeState<T> {
    rows: Vec<TreeRow<T>>,
    open: HashSet<TreePath>,
    selected: Option<TreePath>,
    /// Scroll position and hit test.
    pub list: ListState,
}

impl<T> Default for TreeState<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            open: HashSet::new(),
            selected: None,
            list: ListState::default(),
        }
    }
}

impl<T> TreeState<T> {
    /// Lists all rows again.
    pub fn refresh(&mut self, list: impl FnOnce(&mut Rows<'_, T>)) {
        let mut rows = Rows {
            open: &self.open,
            listed: Vec::new(),
            path: Vec::new(),
            seen: vec![HashMap::new()],
        };
        list(&mut rows);
        self.rows = rows.listed;
        let at = self.selected.as_ref().and_then(|path| self.position(path));
        // A row that is gone leaves the selection where it was on the screen, and comes back under its name. Without that the
        // cursor would jump to the top at every step out of a scope.
        self.list.select(
            at.or_else(|| self.list.selected())
                .map(|row| row.min(self.rows.len().saturating_sub(1))),
        );
        if self.selected.is_none() && !self.rows.is_empty() {
            self.select_row(self.list.selected().unwrap_or(0));
        }
    }

    /// The rows in sight.
    pub fn rows(&self) -> &[TreeRow<T>] {
        &self.rows
    }

    /// The selected row.
    pub fn selected(&self) -> Option<&TreeRow<T>> {
        self.rows.get(self.list.selected()?)
    }

    /// Whether a branch is open, in sight or not.
    pub fn is_open(&self, path: &TreePath) -> bool {
        self.open.contains(path)
    }

    /// Opens or closes a branch by path; list the rows again afterwards.
    pub fn set_open(&mut self, path: &TreePath, open: bool) {
        if open {
            self.open.insert(path.clone());
        } else {
            self.open.remove(path);
        }
    }

    /// Closes everything; list the rows again afterwards.
    pub fn close_all(&mut self) {
        self.open.clear();
    }

    /// Selects the row with that path, if it is in sight.
    pub fn select(&mut self, path: &TreePath) -> bool {
        let found = self.position(path);
        if let Some(row) = found {
            self.select_row(row);
        }
        found.is_some()
    }

    /// Selects a row by its number.
    pub fn select_row(&mut self, row: usize) {
        let row = row.min(self.rows.len().saturating_sub(1));
        self.list.select((!self.rows.is_empty()).then_some(row));
        self.note_selection();
    }

    /// Moves the selection by rows.
    pub fn move_by(&mut self, rows: isize) {
        self.list.move_by(rows, self.rows.len());
        self.note_selection();
    }

    /// Moves the selection by pages.
    pub fn page_by(&mut self, pages: isize) {
        self.list.page_by(pages, self.rows.len());
        self.note_selection();
    }

    /// Selects the first row.
    pub fn home(&mut self) {
        self.select_row(0);
    }

    /// Selects the last row.
    pub fn end(&mut self) {
        self.select_row(usize::MAX);
    }

    /// Opens or closes the selected branch, or asks for more.
    pub fn toggle(&mut self) -> Change {
        let Some(row) = self.selected() else {
            return Change::None;
        };
        let path = row.path.clone();
        match row.kind {
            Kind::Leaf => Change::None,
            Kind::More => Change::More(path),
            Kind::Branch { .. } => {
                let open = !self.open.contains(&path);
                self.set_open(&path, open);
                if open {
                    Change::Opened(path)
                } else {
                    Change::Closed(path)
                }
            }
        }
    }

    /// To the right: opens the selected branch; in an open one goes to its first child.
    pub fn right(&mut self) -> Change {
        match self.selected().map(|row| row.kind) {
            Some(Kind::Branch { open: false } | Kind::More) => self.toggle(),
            Some(Kind::Branch { open: true }) => {
                let depth = self.selected().map_or(0, |row| row.depth);
                let below = self.list.selected().map_or(0, |row| row + 1);
                if self.rows.get(below).is_some_and(|row| row.depth > depth) {
                    self.select_row(below);
                }
                Change::None
            }
            Some(Kind::Leaf) | None => Change::None,
        }
    }

    /// To the left: closes the selected branch; elsewhere goes to the parent.
    pub fn left(&mut self) -> Change {
        if let Some(Kind::Branch { open: true }) = self.selected().map(|row| row.kind) {
            return self.toggle();
        }
        if let Some(parent) = self.selected().and_then(|row| row.path.parent()) {
            self.select(&parent);
        }
        Change::None
    }

    /// Draws the rows in view. `build` says what stands behind the indent and the arrow.
    pub fn draw<'r>(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        look: Look<'_>,
        focused: bool,
        empty: &str,
        mut build: impl FnMut(&TreeRow<T>, RowContext) -> Line<'r>,
    ) {
        let rows = &self.rows;
        List::new(look, rows.len())
            .focused(focused)
            .empty(empty)
            .draw(buffer, area, &mut self.list, |mut context| {
                let Some(row) = rows.get(context.index) else {
                    return Line::default();
                };
                let indent = row.depth.min(MAX_INDENTED) * INDENT;
                let arrow = match row.kind {
                    Kind::Leaf => look.symbols.leaf,
                    Kind::Branch { open: true } => look.symbols.expanded,
                    Kind::Branch { open: false } => look.symbols.collapsed,
                    Kind::More => look.symbols.more,
                };
                context.width = context
                    .width
                    .saturating_sub(u16::try_from(indent).unwrap_or(u16::MAX).saturating_add(2));
                let mut line = build(row, context);
                line.spans.insert(
                    0,
                    Span::styled(format!("{:indent$}{arrow} ", ""), look.theme.muted),
                );
                line
            });
    }

    fn position(&self, path: &TreePath) -> Option<usize> {
        self.rows.iter().position(|row| row.path == *path)
    }

    fn note_selection(&mut self) {
        if let Some(row) = self.selected() {
            self.selected = Some(row.path.clone());
        }
    }
}

/// Takes the rows of a refresh, in the order of the screen.
#[derive(Debug)]
pub struct Rows<'a, T> {
    open: &'a HashSet<TreePath>,
    listed: Vec<TreeRow<T>>,
    path: Vec<Arc<str>>,
    /// How often each name was used among the siblings of each level: two variables of one name are two rows.
    seen: Vec<HashMap<Arc<str>, usize>>,
}

impl<T> Rows<'_, T> {
    /// A row without children.
    pub fn leaf(&mut self, name: &str, payload: T) {
        let path = self.path_of(name);
        self.push(path, Kind::Leaf, payload);
    }

    /// A row with children; `children` lists them and is called only when the branch is open.
    pub fn branch(&mut self, name: &str, payload: T, children: impl FnOnce(&mut Self)) {
        let path = self.path_of(name);
        let open = self.open.contains(&path);
        self.push(path.clone(), Kind::Branch { open }, payload);
        if !open {
            return;
        }
        let outer = std::mem::replace(&mut self.path, path.0.to_vec());
        self.seen.push(HashMap::new());
        children(self);
        self.seen.pop();
        self.path = outer;
    }

    /// A row that stands for children which are not loaded; `name` tells it from other such rows.
    pub fn more(&mut self, name: &str, payload: T) {
        let path = self.path_of(name);
        self.push(path, Kind::More, payload);
    }

    fn push(&mut self, path: TreePath, kind: Kind, payload: T) {
        self.listed.push(TreeRow {
            depth: self.path.len(),
            path,
            kind,
            payload,
        });
    }

    fn path_of(&mut self, name: &str) -> TreePath {
        let mut name: Arc<str> = name.into();
        if let Some(seen) = self.seen.last_mut() {
            let count = seen.entry(Arc::clone(&name)).or_insert(0);
            *count += 1;
            if *count > 1 {
                name = format!("{name}\0{count}").into();
            }
        }
        TreePath(self.path.iter().cloned().chain([name]).collect())
    }
}
