//! Draws more about what is selected, and the search.

use diagnostics::profile::{
    tree::{self, NodeId, Tree},
    words,
};

use super::{ProfileDesk, navigation::node_change, view::tone};
use crate::prelude::*;

impl ProfileDesk {
    /// More about what is selected, and what is searched for.
    pub(super) fn draw_detail(&mut self, canvas: &Canvas, area: Rect) {
        let theme = &canvas.theme;
        let Some(tree) = self.tree().cloned() else {
            return;
        };
        let mut first = canvas.cells_at(area);
        let mut second = canvas.cells_at(area);
        first.skip(1);
        second.skip(1);
        if let Some(function) = self.function().and_then(|id| tree.function(id)) {
            let line = self.node().and_then(|id| tree.node(id)?.line());
            let place = tree::place(
                function.file.as_deref(),
                line.or(function.line),
                function.module.as_deref(),
            );
            first.put(&function.name, theme.name_text).skip(2);
            first.muted(&place);
            if function.file.is_some()
                && let Some(module) = &function.module
            {
                first.skip(2).muted(module);
            }
        } else {
            first.put("all", theme.name_text);
        }
        let in_graph = self.side.is_graph();
        let total = tree.total();
        let say = |weight: u64| {
            let part = words::percent(weight, total);
            format!("{} {part}", words::weight(weight, tree.unit))
        };
        if in_graph {
            if let Some(node) = tree.node(self.selected) {
                let caller = tree
                    .node(node.parent)
                    .map_or(total, |node| node.weight.total);
                second.text(&format!("total {}", say(node.weight.total)));
                if self.selected != NodeId::ROOT {
                    let of_caller = words::percent(node.weight.total, caller);
                    second.text(&format!(", {of_caller} of its caller"));
                    second.text(&format!("; own {}", say(node.weight.own)));
                }
                let calls = counted(node.children, "function");
                second.muted(&format!("; calls {calls}"));
                if tree.is_compared() {
                    let grew = node_change(&tree, self.selected);
                    second.put(&format!("; {grew:+.1}"), tone(grew, canvas));
                }
            }
        } else if let Some(row) = self
            .function()
            .and_then(|id| tree.rows.iter().find(|row| row.function == id))
        {
            second.text(&format!("own {}", say(row.weight.own)));
            second.text(&format!("; total {}", say(row.weight.total)));
            if tree.is_compared() {
                let before = words::percent(row.base.own, tree.base_total());
                second.muted(&format!("; own before {before}"));
            }
        }
        first.draw(canvas, area.row(0));
        second.draw(canvas, area.row(1));
        self.draw_search(canvas, area.row(2), &tree);
    }

    fn draw_search(&mut self, canvas: &Canvas, area: Rect, tree: &Tree) {
        let theme = &canvas.theme;
        let found = match (&self.matches, &self.wrong) {
            (_, Some(wrong)) => wrong.clone(),
            (Some(matches), None) if matches.nodes == 0 => "no match".to_owned(),
            (Some(matches), None) => format!(
                "{}, {} of all",
                amount::count(matches.nodes as u64, "match", "matches"),
                words::percent(matches.total, tree.total())
            ),
            (None, None) => String::new(),
        };
        let style = if self.wrong.is_some() {
            theme.error
        } else {
            theme.muted
        };
        if let Some(line) = &mut self.line {
            line.draw(canvas, area, &found);
            canvas.style(area.last(width(&found) as u16), style);
        } else if !self.sought.is_empty() {
            let mut line = canvas.cells_at(area);
            line.skip(1)
                .accent(&format!("/{}/", self.sought))
                .skip(2)
                .put(&found, style);
            line.draw(canvas, area);
        }
    }
}
