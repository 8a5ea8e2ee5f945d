//! Values as a flat, lazily loaded tree: scopes, watches, an inspected expression and results in the prompt share it.
//!
//! What is open is remembered by the path of names, so it survives a step: after each stop whatever is open is asked for
//! again, and the old rows stay visible, muted, until the new ones come. [`paging`] decides what to ask for; asking and
//! drawing are the panes' ([`Tree::take_asks`], [`view`]).

pub(super) mod changes;
mod graft;
pub mod node;
pub mod paging;
pub mod panel;
mod place;
pub mod view;

#[cfg(test)]
mod tests;

use changes::Changes;
use debugger::{Page, VariablesFilter, previews::PREVIEWED_AT_STOP};
use graft::{find, graft, inherit, unfold, wait};

use crate::debug_prelude::*;

pub use node::{Children, Declared, Node, NodeKind};
use paging::Step;
use place::way;
pub use place::{Path, ValuePlace};

/// Marks the questions of all that shows values: their numbers tell them apart.
pub const OWNER: &str = "values";
/// Rows above and below the selected one whose values are looked into.
const AROUND: usize = 40;

/// A request for rows, to be sent under its ticket.
#[derive(Debug, PartialEq)]
pub struct Ask {
    /// Comes back with the answer.
    pub ticket: u64,
    /// What to send.
    pub command: Command,
}

/// One visible row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Positions from the root to the node.
    at: Vec<usize>,
    /// Steps from the root.
    pub depth: usize,
    /// Not yet of this stop.
    pub stale: bool,
}

/// The tree.
#[derive(Debug, Default)]
pub struct Tree {
    pub place: ValuePlace,
    pub roots: Vec<Node>,
    opened: HashSet<Path>,
    closed: HashSet<Path>,
    pending: HashMap<u64, (Path, Step)>,
    asks: Vec<Ask>,
    /// References of what was asked for what it shows in one line.
    looked: HashSet<i64>,
    changes: Changes,
    pub rows: Vec<Row>,
    pub selected: usize,
    /// Path of the selected row, so that it stays selected when rows come and go.
    kept: Path,
    pub filter: String,
}

impl Tree {
    /// Replaces the roots: values of `place`. What is open is asked for again; at a new stop values are compared anew.
    pub fn set_roots(&mut self, place: ValuePlace, mut roots: Vec<Node>) {
        node::make_unique(&mut roots);
        if place.session != self.place.session {
            // What another session's variables were says nothing about this one's.
            self.changes = Changes::default();
        } else if place.stop != self.place.stop {
            self.changes.stopped();
        }
        let same_frame = place.session == self.place.session && place.frame == self.place.frame;
        let old = mem::take(&mut self.roots);
        if same_frame {
            inherit(&mut roots, old);
        }
        self.pending.clear();
        self.asks.clear();
        self.looked.clear();
        self.place = place;
        self.settle(&mut roots, &mut Path::new());
        self.roots = roots;
        self.rebuild();
    }

    /// Forgets everything but what is open.
    pub fn clear(&mut self) {
        self.set_roots(ValuePlace::default(), Vec::new());
    }

    /// What is to be asked for since the last call.
    pub fn take_asks(&mut self) -> Vec<Ask> {
        self.ask_for_previews();
        mem::take(&mut self.asks)
    }

    /// Asks what the rows around the selected one show, where their values do not say it. The first variables of a frame and the
    /// values of expressions come with it.
    fn ask_for_previews(&mut self) {
        let first = self.selected.saturating_sub(AROUND);
        let rows = self.rows.iter().skip(first).take(2 * AROUND);
        let wanted: Vec<Variable> = rows
            .filter(|row| row.depth > 0 && !row.stale && !self.comes_with_the_frame(row))
            .filter_map(|row| self.node(row).filter(|n| n.wants_preview()))
            .filter(|node| !self.looked.contains(&node.reference))
            .map(|node| Variable {
                name: node.name.clone(),
                value: node.value.clone(),
                type_: node.type_name.clone(),
                variables_reference: node.reference,
                indexed_variables: node.indexed,
                ..Variable::default()
            })
            .collect();
        if wanted.is_empty() {
            return;
        }
        self.looked
            .extend(wanted.iter().map(|v| v.variables_reference));
        let ticket = ticket();
        self.pending.insert(ticket, (Path::new(), Step::Previews));
        self.asks.push(Ask {
            ticket,
            command: Command::Previews {
                session: Some(self.place.session),
                stop: self.place.stop,
                variables: wanted,
            },
        });
    }

    fn comes_with_the_frame(&self, row: &Row) -> bool {
        let scope = row.at.first().and_then(|at| self.roots.get(*at));
        row.depth == 1
            && scope.is_some_and(|node| node.kind == NodeKind::Scope)
            && row.at.last().is_some_and(|at| *at < PREVIEWED_AT_STOP)
    }

    /// Shows what values are in one line, by their references.
    pub fn show_previews(&mut self, previews: &HashMap<i64, String>) {
        let mut roots = mem::take(&mut self.roots);
        self.show_in(&mut roots, &mut Path::new(), previews);
        self.roots = roots;
        self.rebuild();
    }

    fn show_in(&mut self, nodes: &mut [Node], path: &mut Path, previews: &HashMap<i64, String>) {
        for node in nodes {
            path.push(node.key.clone());
            // Those without parts have no reference of their own, and need nobody to look into them.
            if node.reference > 0
                && node.preview.is_some()
                && let Some(preview) = previews.get(&node.reference)
            {
                node.preview = Some(preview.clone());
                self.changes.compare_previews(&self.place, path, node);
            }
            self.show_in(node.rows_mut(), path, previews);
            path.pop();
        }
    }

    /// Whether an answer under this ticket is waited for.
    pub fn awaits(&self, ticket: u64) -> bool {
        self.pending.contains_key(&ticket)
    }

    /// The node of a row.
    pub fn node(&self, row: &Row) -> Option<&Node> {
        let (first, rest) = row.at.split_first()?;
        rest.iter()
            .try_fold(self.roots.get(*first)?, |node, i| node.rows().get(*i))
    }

    /// The path of a row.
    pub fn path(&self, row: &Row) -> Path {
        let mut path = Path::new();
        let mut level = self.roots.as_slice();
        for i in &row.at {
            let Some(node) = level.get(*i) else { break };
            path.push(node.key.clone());
            level = node.rows();
        }
        path
    }

    /// The selected node.
    pub fn selected_node(&self) -> Option<&Node> {
        self.node(self.rows.get(self.selected)?)
    }

    /// Position of the root that the selected row is under.
    pub fn selected_root(&self) -> Option<usize> {
        self.rows.get(self.selected)?.at.first().copied()
    }

    /// The expression of the selected row: the adapter's; else for locals their name, and for their parts the way from them.
    pub fn selected_expression(&self) -> Option<String> {
        let row = self.rows.get(self.selected)?;
        self.node(row).filter(|n| n.is_value())?;
        let (mut level, mut of): (_, Option<(Option<String>, Option<&str>)>) = (&*self.roots, None);
        for (depth, i) in row.at.iter().enumerate() {
            let node = level.get(*i)?;
            level = node.rows();
            if !node.is_value() {
                continue;
            }
            // LLDB writes the way to an element past what holds it.
            let given = node.evaluate_name.clone().filter(|e| !e.contains("->["));
            let expression = given.or_else(|| match of.take() {
                None => (depth <= 1)
                    .then(|| node.name.clone())
                    .filter(|n| !n.is_empty()),
                Some((holder, of_type)) => way(&holder?, of_type, &node.name),
            });
            of = Some((expression, node.type_name.as_deref()));
        }
        of?.0
    }

    /// Selects a row; beyond the end the last one.
    pub fn select(&mut self, index: usize) {
        self.selected = index.min(self.rows.len().saturating_sub(1));
        self.kept = self
            .rows
            .get(self.selected)
            .map(|r| self.path(r))
            .unwrap_or_default();
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        self.select(self.selected.saturating_add_signed(by));
    }

    /// Whether a node at a path is shown open.
    fn is_open(&self, node: &Node, path: &Path) -> bool {
        node.opens()
            && !node.lazy
            && if node.open_at_first {
                !self.closed.contains(path)
            } else {
                self.opened.contains(path)
            }
    }

    /// Whether the row's node is shown open.
    pub fn row_is_open(&self, row: &Row) -> bool {
        self.node(row)
            .is_some_and(|n| self.is_open(n, &self.path(row)))
    }

    /// Opens the selected row, or loads what it stands for. On an open row: goes to its first child. False = nothing to do.
    pub fn expand(&mut self) -> bool {
        let Some(row) = self.rows.get(self.selected).cloned() else {
            return false;
        };
        let path = self.path(&row);
        let Some(node) = self.node(&row) else {
            return false;
        };
        if row.stale && !self.is_open(node, &path) {
            // Its reference is of an older stop: asked for when the new rows are here.
            self.closed.remove(&path);
            self.opened.insert(path);
            self.rebuild();
            return true;
        }
        if node.lazy {
            let reference = node.reference;
            self.ask(path, Step::Lazy, reference, None);
            return true;
        }
        if let NodeKind::More { page } = node.kind {
            let holder = path
                .get(..path.len().saturating_sub(1))
                .unwrap_or_default()
                .to_vec();
            let Some(reference) = find(&mut self.roots, &holder).map(|n| n.reference) else {
                return false;
            };
            let step = page.map_or(Step::Whole, |p| Step::Rest {
                start: p.start,
                count: p.count,
            });
            self.ask(holder, step, reference, page);
            return true;
        }
        if !node.opens() {
            return false;
        }
        if self.is_open(node, &path) {
            let moved = self
                .rows
                .get(self.selected + 1)
                .is_some_and(|next| next.depth > row.depth);
            self.step(isize::from(moved));
            return moved;
        }
        self.open(path);
        true
    }

    /// Opens the node at a path.
    pub fn open(&mut self, path: Path) {
        self.closed.remove(&path);
        self.opened.insert(path.clone());
        let mut roots = mem::take(&mut self.roots);
        if let Some(node) = find(&mut roots, &path) {
            if node.rows().iter().any(|n| n.kind == NodeKind::Trouble) {
                // Opening again is how people try again.
                node.children = Children::default();
            }
            let mut at = path;
            at.pop();
            self.settle_one(node, &mut at);
        }
        self.roots = roots;
        self.rebuild();
    }

    /// Closes the selected row, or goes to the one that holds it.
    pub fn collapse(&mut self) {
        let Some(row) = self.rows.get(self.selected).cloned() else {
            return;
        };
        let path = self.path(&row);
        if self.node(&row).is_some_and(|n| self.is_open(n, &path)) {
            self.opened.remove(&path);
            self.closed.insert(path);
            self.rebuild();
        } else if let Some(parent) = self
            .rows
            .iter()
            .take(self.selected)
            .rposition(|r| r.depth < row.depth)
        {
            self.select(parent);
        }
    }

    /// Opens or closes, as Enter and a click do.
    pub fn toggle(&mut self) -> bool {
        match self.rows.get(self.selected) {
            Some(row) if self.row_is_open(row) => {
                self.collapse();
                true
            }
            Some(_) => self.expand(),
            None => false,
        }
    }

    /// Shows only rows that contain `filter` in name or value, what holds them, and what they hold where they are open. The first of
    /// them becomes the selected one, unless one of them is.
    pub fn set_filter(&mut self, filter: &str) {
        filter.clone_into(&mut self.filter);
        self.rebuild();
        let needle = filter.to_lowercase();
        let hit = |row: &Row| self.node(row).is_some_and(|n| contains(n, &needle));
        if needle.is_empty() || self.rows.get(self.selected).is_some_and(hit) {
            return;
        }
        if let Some(first) = self.rows.iter().position(hit) {
            self.select(first);
        }
    }

    /// Sends what is to be asked for since the last call.
    pub fn flush(&mut self, cx: &Cx) {
        for ask in self.take_asks() {
            cx.emit(Effect::ask(OWNER, ask.ticket, ask.command));
        }
    }

    /// Takes in the core's answer, and sends what is to be asked for then.
    pub fn take(&mut self, ticket: u64, result: &CoreAnswer, cx: &Cx) {
        let rows = match result {
            Ok(Reply::Variables { variables }) => Ok(variables.clone()),
            Ok(_) => Err("The answer was not a list of variables.".to_owned()),
            Err(e) => Err(e.what.clone()),
        };
        self.answer(ticket, rows);
        self.flush(cx);
    }

    /// Takes in an answer.
    pub fn answer(&mut self, ticket: u64, result: Result<Vec<Variable>, String>) {
        let Some((path, step)) = self.pending.remove(&ticket) else {
            return;
        };
        if step == Step::Previews {
            let known = result.unwrap_or_default().into_iter();
            let previews = known.filter_map(|v| Some((v.variables_reference, v.preview?)));
            return self.show_previews(&previews.collect());
        }
        let mut roots = mem::take(&mut self.roots);
        graft(&mut roots, &path, &step, result);
        self.settle(&mut roots, &mut Path::new());
        self.roots = roots;
        self.rebuild();
    }

    /// Asks for whatever is open and not loaded, and compares values with those of the stop before.
    fn settle(&mut self, nodes: &mut [Node], path: &mut Path) {
        for node in nodes {
            self.settle_one(node, path);
        }
    }

    fn settle_one(&mut self, node: &mut Node, path: &mut Path) {
        path.push(node.key.clone());
        self.changes.compare(&self.place, path, node);
        if self.is_open(node, path) {
            if matches!(node.children, Children::Unloaded(_)) {
                self.load(node, path);
            }
            if let Children::Loaded(rows) = &mut node.children {
                let mut rows = mem::take(rows);
                self.changes.hold(&self.place, path);
                self.settle(&mut rows, path);
                node.children = Children::Loaded(rows);
            }
        }
        path.pop();
    }

    /// Asks for the children of a node, or makes ranges of them.
    fn load(&mut self, node: &mut Node, path: &Path) {
        let reference = node.reference;
        if let NodeKind::Range { start, count } = node.kind {
            if count > paging::PAGE {
                unfold(node, start, count);
            } else {
                wait(node);
                let page = Page {
                    filter: VariablesFilter::Indexed,
                    start,
                    count,
                };
                self.ask(
                    path.clone(),
                    Step::Range { start, count },
                    reference,
                    Some(page),
                );
            }
            return;
        }
        if reference <= 0 {
            node.children = Children::Loaded(vec![Node::note("nothing here")]);
            return;
        }
        let elements = node.indexed.unwrap_or(0);
        if elements <= paging::PAGE {
            // Few elements, or none announced. `namedVariables: 0` beside a reference means "unknown" with some adapters,
            // so everything is asked for without a filter.
            wait(node);
            return self.ask(path.clone(), Step::Whole, reference, None);
        }
        unfold(node, 0, elements);
        if let Some(count) = node.named.filter(|n| *n > 0) {
            let page = Page {
                filter: VariablesFilter::Named,
                start: 0,
                count,
            };
            self.ask(path.clone(), Step::Named, reference, Some(page));
        }
    }

    fn ask(&mut self, path: Path, step: Step, reference: i64, page: Option<Page>) {
        if self.pending.values().any(|(p, s)| *p == path && *s == step) {
            return;
        }
        let ticket = ticket();
        self.pending.insert(ticket, (path, step));
        self.asks.push(Ask {
            ticket,
            command: Command::Variables {
                session: Some(self.place.session),
                stop: self.place.stop,
                reference,
                page,
            },
        });
    }

    /// Makes the visible rows, and keeps the selection on its path.
    fn rebuild(&mut self) {
        let needle = self.filter.to_lowercase();
        let mut rows = Vec::new();
        self.visit(
            &self.roots,
            &mut Vec::new(),
            &mut Path::new(),
            false,
            &needle,
            &mut rows,
        );
        self.rows = rows;
        let kept = mem::take(&mut self.kept);
        if let Some(index) = self.rows.iter().position(|r| self.path_is(r, &kept)) {
            self.selected = index;
        }
        self.select(self.selected);
    }

    fn path_is(&self, row: &Row, path: &Path) -> bool {
        let mut level = self.roots.as_slice();
        row.at.len() == path.len()
            && row.at.iter().zip(path).all(|(i, step)| {
                let node = level.get(*i);
                level = node.map(Node::rows).unwrap_or_default();
                node.is_some_and(|n| n.key == *step)
            })
    }

    /// Collects the rows of one level and what is open below; true = some of them matched the filter.
    fn visit(
        &self,
        nodes: &[Node],
        at: &mut Vec<usize>,
        path: &mut Path,
        stale: bool,
        needle: &str,
        rows: &mut Vec<Row>,
    ) -> bool {
        let mut any = false;
        for (index, node) in nodes.iter().enumerate() {
            at.push(index);
            path.push(node.key.clone());
            let place = rows.len();
            rows.push(Row {
                at: at.clone(),
                depth: at.len() - 1,
                stale,
            });
            let mut matched = needle.is_empty() || contains(node, needle);
            let is_open = self.is_open(node, path);
            if is_open || (!needle.is_empty() && node.is_fresh()) {
                let stale = stale || !node.is_fresh();
                // What was found and is open shows all of its parts.
                let below = if matched && is_open { "" } else { needle };
                matched |= self.visit(node.rows(), at, path, stale, below, rows);
            }
            if !matched {
                rows.truncate(place);
            }
            any |= matched;
            path.pop();
            at.pop();
        }
        any
    }
}

/// Whether a value's name or text contains what is looked for, in small letters.
fn contains(node: &Node, needle: &str) -> bool {
    node.is_value()
        && (node.name.to_lowercase().contains(needle)
            || node.shown().to_lowercase().contains(needle))
}
