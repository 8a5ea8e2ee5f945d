//! What keys do to a profile's views.

use std::cmp::Reverse;

use diagnostics::profile::tree::{FunctionId, NodeId, Row, Tree};

use super::{
    ProfileDesk,
    flame::Part,
    model::{By, CallNeighbours, Side},
};
use crate::{prelude::*, widgets::text_view::expression};

impl ProfileDesk {
    /// The function that the selected row of the table is.
    pub(super) fn row_function(&self) -> Option<FunctionId> {
        let at = self.rows.get(self.table.selected()?)?;
        Some(self.tree()?.rows.get(*at)?.function)
    }

    /// The function that is meant: that of the selected node, row or call.
    pub(super) fn function(&self) -> Option<FunctionId> {
        match self.side {
            Side::Flame | Side::Icicle => self.tree()?.node(self.selected)?.function,
            Side::Table => self.row_function(),
            Side::Callers => self
                .edge_function()
                .or_else(|| self.around.as_ref().map(|around| around.function)),
        }
    }

    /// The function of the selected caller or callee.
    fn edge_function(&self) -> Option<FunctionId> {
        let around = self.around.as_ref()?;
        let (edges, list) = if self.on_callees {
            (&around.callees, &self.callees)
        } else {
            (&around.callers, &self.callers)
        };
        edges.get(list.selected()?)?.function
    }

    /// The node that is meant.
    pub(super) fn node(&self) -> Option<NodeId> {
        match self.side {
            Side::Flame | Side::Icicle => Some(self.selected),
            Side::Table | Side::Callers => self.tree()?.heaviest(self.function()?),
        }
    }

    /// Sorts the table anew; the selected function stays selected.
    pub(super) fn sort(&mut self) {
        let selected = self
            .table
            .selected()
            .and_then(|at| self.rows.get(at).copied());
        let Some(tree) = self.tree() else { return };
        let rows = &tree.rows;
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let row = |at: &usize| rows.get(*at);
        match self.by {
            By::Own => order.sort_by_key(|at| row(at).map(|r| Reverse(r.weight.own))),
            By::Total => order.sort_by_key(|at| row(at).map(|r| Reverse(r.weight.total))),
            By::Name => {
                let name = |at: &usize| Some(&*tree.function(row(at)?.function)?.name);
                // Looked up once, and not at each comparison.
                let mut named: Vec<(Option<&str>, usize)> =
                    order.iter().map(|at| (name(at), *at)).collect();
                named.sort_unstable();
                order = named.into_iter().map(|(_, at)| at).collect();
            }
            By::Change => {
                let change = |at: &usize| row(at).map_or(0.0, |r| change(tree, r).abs());
                order.sort_by(|a, b| change(b).total_cmp(&change(a)));
            }
        }
        self.rows = order;
        let at = selected.and_then(|row| self.rows.iter().position(|at| *at == row));
        self.table.select(at.or_else(|| self.table.selected()));
    }

    pub(super) fn sort_by_next(&mut self) {
        let is_compared = self.tree().is_some_and(|tree| tree.is_compared());
        self.by = match self.by {
            By::Own => By::Total,
            By::Total => By::Name,
            By::Name if is_compared => By::Change,
            By::Name | By::Change => By::Own,
        };
        self.sort();
    }

    /// The next view, or the one before.
    pub(super) fn turn(&mut self, by: isize) {
        self.go(beside(&Side::ALL, self.side, by));
    }

    /// Shows a side with the same function selected.
    pub(super) fn go(&mut self, side: Side) {
        let function = self.function();
        if side.is_graph() && !self.side.is_graph() {
            if let Some(node) = self.node() {
                self.select(node);
            }
        } else if side == Side::Table {
            self.select_row(function);
        }
        self.side = side;
        if side == Side::Callers {
            if let Some(function) = function.or_else(|| self.row_function()) {
                self.centre(function);
            }
        } else {
            self.reveal();
        }
    }

    fn select_row(&mut self, function: Option<FunctionId>) {
        let Some(tree) = self.tree() else { return };
        let mut rows = self.rows.iter();
        let at = rows.position(|at| tree.rows.get(*at).map(|row| row.function) == function);
        self.table.select(at.or_else(|| self.table.selected()));
    }

    /// Puts a function between its callers and its callees.
    pub(super) fn centre(&mut self, function: FunctionId) {
        let Some(tree) = self.tree() else { return };
        let (callers, calls) = tree.around(function);
        self.callers.home(callers.len());
        self.callees.home(calls.len());
        self.on_callees = callers.iter().all(|edge| edge.function.is_none());
        self.around = Some(CallNeighbours {
            function,
            callers,
            callees: calls,
        });
    }

    /// Selects a node, and zooms out as far as it takes to see it.
    pub(super) fn select(&mut self, node: NodeId) {
        let Some(tree) = self.tree() else { return };
        if !tree.is_within(node, self.zoom) && !tree.is_within(self.zoom, node) {
            self.zoom = NodeId::ROOT;
        }
        self.selected = node;
        self.reveal();
    }

    /// Scrolls so that the selected node's row is in view.
    pub(super) fn reveal(&mut self) {
        let node = self.tree().and_then(|tree| tree.node(self.selected));
        let depth = node.map_or(0, |node| node.depth);
        let last = u32::from(self.height.max(1)) - 1;
        self.top = self.top.clamp(depth.saturating_sub(last), depth);
    }

    pub(super) fn enter(&mut self, _cx: &Cx) {
        match self.side {
            Side::Flame | Side::Icicle => {
                let node = self.tree().and_then(|tree| tree.node(self.selected));
                if node.is_some_and(|node| node.weight.total > 0) {
                    self.zoom = self.selected;
                }
            }
            Side::Table => {
                if let Some(node) = self.node() {
                    self.side = Side::Icicle;
                    self.select(node);
                }
            }
            Side::Callers => {
                if let Some(function) = self.edge_function() {
                    self.centre(function);
                }
            }
        }
    }

    fn deeper(&mut self, deeper: bool) {
        let Some(tree) = self.tree() else { return };
        let next = if deeper {
            tree.first_child(self.selected)
        } else {
            tree.node(self.selected).map(|node| node.parent)
        };
        let Some(next) = next else { return };
        // Above what fills the width, the same width is there.
        if !tree.is_within(next, self.zoom) && !tree.is_within(self.zoom, next) {
            self.zoom = NodeId::ROOT;
        }
        self.selected = next;
        self.reveal();
    }

    pub(super) fn sideways(&mut self, by: isize) {
        match self.side {
            Side::Flame | Side::Icicle => {
                // What fills the width has no neighbours in sight.
                let Some(tree) = self.tree() else { return };
                let is_inside =
                    self.selected != self.zoom && tree.is_within(self.selected, self.zoom);
                let next = if by > 0 {
                    tree.next_sibling(self.selected)
                } else {
                    tree.previous_sibling(self.selected)
                };
                self.selected = next.filter(|_| is_inside).unwrap_or(self.selected);
            }
            Side::Callers => self.on_callees = by > 0,
            Side::Table => self.table.scroll_sideways(by * 8),
        }
    }

    /// Looks for an expression; an empty one ends the search.
    pub(super) fn seek(&mut self, text: &str) {
        text.clone_into(&mut self.sought);
        self.seek_again();
    }

    pub(super) fn seek_again(&mut self) {
        self.matches = None;
        self.wrong = None;
        if self.sought.is_empty() {
            return;
        }
        match (expression(&self.sought), self.tree()) {
            (Ok(expression), Some(tree)) => self.matches = Some(tree.matches(&expression)),
            (Err(why), _) => self.wrong = Some(why),
            (Ok(_), None) => {}
        }
    }

    pub(super) fn seek_selected(&mut self) {
        let function = self.function().and_then(|id| self.tree()?.function(id));
        if let Some(name) = function.map(|function| regex::escape(&function.name)) {
            self.seek(&format!("^{name}$"));
        }
    }

    pub(super) fn go_to_match(&mut self, back: bool, _: &Cx) {
        let (Some(tree), Some(matches)) = (self.tree(), &self.matches) else {
            return;
        };
        if self.side == Side::Table {
            let len = self.rows.len();
            let from = self.table.selected().unwrap_or(0);
            let is_match = |at: &usize| {
                let row = self.rows.get(*at).and_then(|at| tree.rows.get(*at));
                row.is_some_and(|row| matches.has(row.function))
            };
            if let Some(at) = around(len, from, back).find(is_match) {
                self.table.select(Some(at));
            }
            return;
        }
        if let Some(node) = tree.next_match(self.selected, matches, back) {
            let function = tree.node(node).and_then(|node| node.function);
            self.select(node);
            if self.side == Side::Callers
                && let Some(function) = function
            {
                self.centre(function);
            }
        }
    }

    pub(super) fn freeze(&mut self, cx: &Cx) {
        self.is_frozen = !self.is_frozen;
        if !self.is_frozen
            && let Some((profile, base)) = self.waiting.take()
        {
            self.show(profile, base, cx);
        }
    }
}

impl Scrolls for ProfileDesk {
    fn scrolled(&mut self) -> Scrolled<'_> {
        match (self.side, &self.around) {
            (Side::Table, _) => Scrolled::Rows(&mut self.table, self.rows.len()),
            (Side::Callers, Some(around)) if self.on_callees => {
                Scrolled::Rows(&mut self.callees, around.callees.len())
            }
            (Side::Callers, Some(around)) => {
                Scrolled::Rows(&mut self.callers, around.callers.len())
            }
            _ => Scrolled::Nothing,
        }
    }

    /// In a graph, the last is at the end of the heaviest stack.
    fn walk(&mut self, step: Step, _cx: &Cx) {
        if !self.side.is_graph() {
            return self.scrolled().walk(step);
        }
        if let Step::Rows(by) | Step::Pages(by) = step {
            let is_page = matches!(step, Step::Pages(_));
            let levels = if is_page { self.height.max(2) - 1 } else { 1 };
            for _ in 0..levels {
                self.deeper((by > 0) == (self.side == Side::Icicle));
            }
            return;
        }
        let last = step == Step::Last;
        let Some(tree) = self.tree() else { return };
        let mut here = if last { self.selected } else { self.zoom };
        while let Some(next) = last.then(|| tree.first_child(here)).flatten() {
            here = next;
        }
        self.selected = here;
        self.reveal();
    }

    fn roll(&mut self, _at: (u16, u16), by: isize, _cx: &Cx) {
        match (self.side, &self.around) {
            (Side::Flame | Side::Icicle, _) => {
                let by = if self.side == Side::Flame { -by } else { by };
                let most = self.tree().map_or(0, |tree| tree.depth);
                self.top = self.top.saturating_add_signed(by as i32).min(most);
            }
            (Side::Callers, Some(around)) => {
                self.callers.scroll_by(by, around.callers.len());
                self.callees.scroll_by(by, around.callees.len());
            }
            _ => self.scrolled().scroll_by(by),
        }
    }

    fn click(&mut self, at: (u16, u16), cx: &Cx) -> bool {
        let place = Position::from(at);
        if self.notes.contains(place) {
            self.show_notes(cx);
            return true;
        }
        if let Some(strip) = self.strip.filter(|strip| strip.contains(place)) {
            self.around_time(at.0 - strip.x, strip.width, cx);
            return true;
        }
        let again = match self.side {
            Side::Flame | Side::Icicle => {
                let Some(block) = tabs::at(&self.hits, at) else {
                    return false;
                };
                let node = match block.part {
                    Part::Node(node) => node,
                    Part::Rest { parent, .. } => parent,
                };
                if self.selected == node {
                    self.zoom = node;
                }
                self.selected = node;
                return true;
            }
            side => {
                let was_on_callees = self.on_callees;
                let clicked = [was_on_callees, !was_on_callees]
                    .into_iter()
                    .find_map(|callees| {
                        self.on_callees = callees;
                        let Scrolled::Rows(list, _) = self.scrolled() else {
                            return None;
                        };
                        let row = list.row_at(at.0, at.1)?;
                        let again = list.selected() == Some(row);
                        list.select(Some(row));
                        Some(again && (side == Side::Table || callees == was_on_callees))
                    });
                let Some(again) = clicked else {
                    self.on_callees = was_on_callees;
                    return false;
                };
                again
            }
        };
        if again {
            self.enter(cx);
        }
        true
    }
}

/// By how much a function's own weight grew.
pub fn change(tree: &Tree, row: &Row) -> f64 {
    tree.change(row.weight.own, row.base.own)
}

/// The same of a node, with what it calls.
pub fn node_change(tree: &Tree, node: NodeId) -> f64 {
    let weight = tree.node(node).map_or(0, |node| node.weight.total);
    tree.change(weight, tree.base(node).total)
}
