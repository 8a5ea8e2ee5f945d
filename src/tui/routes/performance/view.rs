//! Draws a profile: tabs, the strip of samples, the side that is shown, more about what is selected.

use base::text::width::pad_start;
use diagnostics::profile::{
    tree::{Edge, FunctionId, NodeId, Tree},
    words,
};

use super::{
    ProfileDesk,
    flame::{self, Block, Part},
    model::{By, Side},
    navigation::{change, node_change},
};
use crate::prelude::*;

/// From this height on there is room for a frame, tabs and detail.
const FRAMED: u16 = 10;
/// From this height on there is room for the strip.
const WITH_STRIP: u16 = 18;
/// Rows of detail.
const DETAIL: u16 = 3;

impl DrawRows for ProfileDesk {
    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        self.hits.clear();
        self.tabs.clear();
        self.strip = None;
        self.notes = Rect::default();
        if self.shown.is_none() {
            let lines: &[&str] = if self.is_building {
                &["Merging stacks…"]
            } else {
                &["There is no profile"]
            };
            return empty(canvas, area, lines);
        }
        let inner = self.draw_frame(canvas, area);
        match self.side {
            Side::Icicle | Side::Flame => self.draw_graph(canvas, inner),
            Side::Table => self.draw_table(canvas, inner),
            Side::Callers => self.draw_callers(canvas, inner),
        }
    }
}

impl ProfileDesk {
    /// Draws all around the side that is shown; gives the room for it.
    fn draw_frame(&mut self, canvas: &Canvas, area: Rect) -> Rect {
        if area.height < FRAMED {
            return area;
        }
        let Some(shown) = &self.shown else {
            return area;
        };
        let badge = words::weight(shown.tree.total(), shown.tree.unit);
        let title = match &*shown.profile.name {
            "" => "Profile",
            name => name,
        };
        let inner = panel(canvas, area, title, &badge, &self.state());
        let names = Side::ALL.map(Side::name);
        let row = inner.row(0);
        self.tabs = canvas.tabs(row, &names, self.side as usize);
        let used: u16 = self.tabs.iter().map(|(area, _)| area.width + 1).sum();
        let right = self.facts().join(" · ");
        let room = row.after(used + 2);
        let cells = (width(&right) as u16).min(room.width);
        let text = cut(&right, usize::from(cells), canvas);
        canvas.text(room.last(cells), &text, canvas.theme.muted);
        let mut top = 1;
        top += self.draw_notes(canvas, inner.below(top));
        if area.height >= WITH_STRIP {
            top += self.draw_strip(canvas, inner.row(top));
        }
        self.draw_detail(canvas, room::bottom(inner, DETAIL));
        let above = room::top(inner, inner.height.saturating_sub(DETAIL));
        above.below(top)
    }

    /// What goes on.
    fn state(&self) -> String {
        let frozen = match self.waiting {
            Some(_) => "frozen, newer samples wait",
            None => "frozen",
        };
        let parts = [
            self.busy.as_deref(),
            self.is_building.then_some("merging…"),
            self.is_frozen.then_some(frozen),
        ];
        joined(parts.into_iter().flatten(), ", ")
    }

    fn draw_strip(&mut self, canvas: &Canvas, area: Rect) -> u16 {
        let Some(timeline) = self.timeline() else {
            return 0;
        };
        let (from, to) = timeline.span;
        let label = words::time(to - from);
        let cells = width(&label) as u16 + 1;
        if area.width < cells * 3 {
            return 0;
        }
        let bars = area.first(area.width - cells);
        let columns = timeline.columns(usize::from(bars.width));
        let most = columns.iter().copied().max().unwrap_or(1).max(1);
        let between = self.options.between;
        for (at, weight) in columns.iter().enumerate() {
            let Ok(x) = u16::try_from(at) else { break };
            let eighths = (u128::from(*weight) * 8).div_ceil(u128::from(most)) as usize;
            let sign = eighths
                .checked_sub(1)
                .and_then(|at| canvas.symbols.bars.get(at))
                .copied()
                .unwrap_or(" ");
            let time = timeline.time_of(at, columns.len());
            let is_shown = between.is_none_or(|(from, to)| (from..to).contains(&time));
            let style = if is_shown {
                canvas.theme.accent
            } else {
                canvas.theme.muted
            };
            canvas.glyph(bars.x + x, bars.y, sign, style);
        }
        let place = area.last(cells.saturating_sub(1));
        canvas.text(place, &label, canvas.theme.muted);
        self.strip = Some(bars);
        1
    }

    fn draw_graph(&mut self, canvas: &Canvas, area: Rect) {
        if area.height != self.height {
            self.height = area.height;
            self.top = 0;
            self.reveal();
        }
        let Some(tree) = self.tree().cloned() else {
            return;
        };
        if tree.total() == 0 || area.is_empty() {
            let mut lines = vec!["Nothing was measured here"];
            if tree.debuggers > 0 {
                lines.push("b shows the debugger's own threads");
            }
            lines.push("t chooses a thread, = all of the time");
            return empty(canvas, area, &lines);
        }
        let depths = self.top..self.top.saturating_add(u32::from(area.height));
        let blocks = flame::blocks(&tree, self.zoom, area.width, depths);
        let selected_is_seen = blocks
            .iter()
            .any(|block| block.part == Part::Node(self.selected));
        let caller = tree.node(self.selected).map(|node| node.parent);
        for block in blocks {
            let Ok(row) = u16::try_from(block.depth - self.top) else {
                continue;
            };
            let y = match self.side {
                Side::Flame => area.height.checked_sub(row + 1),
                _ => (row < area.height).then_some(row),
            };
            let Some(y) = y else { continue };
            let place = Rect {
                x: area.x + block.x,
                y: area.y + y,
                width: block.width,
                height: 1,
            };
            let is_selected = match block.part {
                Part::Node(id) => id == self.selected,
                // What is selected is in here, too thin to be seen.
                Part::Rest { parent, .. } => {
                    !selected_is_seen && Some(parent) == caller && self.selected != NodeId::ROOT
                }
            };
            self.draw_block(canvas, place, &block, is_selected, &tree);
            self.hits.push((place, block));
        }
    }

    fn draw_block(
        &self,
        canvas: &Canvas,
        place: Rect,
        block: &Block,
        is_selected: bool,
        tree: &Tree,
    ) {
        let theme = &canvas.theme;
        let (text, style) = match block.part {
            Part::Rest { count, .. } => {
                let text = format!("{count} more");
                (text, theme.muted)
            }
            Part::Node(id) => {
                let Some(node) = tree.node(id) else { return };
                let function = node.function.and_then(|id| tree.function(id));
                let name = function.map_or("all", |function| &*function.name);
                let part = words::percent(node.weight.total, tree.total());
                let style = if node
                    .function
                    .is_some_and(|function| self.is_match(function))
                {
                    theme.search_match
                } else if tree.is_compared() {
                    match node_change(tree, id) {
                        grew if grew >= 0.5 => theme.error.add_modifier(Modifier::REVERSED),
                        grew if grew <= -0.5 => theme.success.add_modifier(Modifier::REVERSED),
                        _ => theme.selected_frame_line,
                    }
                } else {
                    let colour = node.function.zip(self.shown.as_ref());
                    let colour = colour.and_then(|(id, s)| s.colours.get(id.0 as usize));
                    colour.map_or(theme.selected_frame_line, |colour| {
                        theme.flame(usize::from(*colour))
                    })
                };
                let style = if tree.is_within(self.zoom, id) && id != self.zoom {
                    style.add_modifier(Modifier::DIM)
                } else {
                    style
                };
                (format!("{name} {part}"), style)
            }
        };
        let style = if is_selected { theme.selection } else { style };
        for x in place.left()..place.right() {
            canvas.glyph(x, place.y, " ", style);
        }
        if matches!(block.part, Part::Rest { .. }) {
            canvas.glyph(place.x, place.y, canvas.symbols.more, style);
        } else if block.x > 0 {
            let rule = theme.border.patch(style);
            canvas.glyph(place.x, place.y, canvas.symbols.vertical, rule);
        }
        let room = place.after(1);
        if room.width > 1 {
            let text = cut(&text, usize::from(room.width), canvas);
            canvas.text(room, &text, style);
        }
    }

    fn is_match(&self, function: FunctionId) -> bool {
        let matches = self.matches.as_ref();
        matches.is_some_and(|matches| matches.has(function))
    }

    fn draw_table(&mut self, canvas: &Canvas, area: Rect) {
        let Some(tree) = self.tree().cloned() else {
            return;
        };
        let mut list = mem::take(&mut self.table);
        let mut head = canvas.cells_at(area);
        let style = |by: By| {
            if self.by == by {
                canvas.theme.title_focused
            } else {
                canvas.theme.muted
            }
        };
        head.skip(1);
        for (text, cells, by) in columns(&tree) {
            head.put(&pad_start(text, cells), style(by)).skip(2);
        }
        head.put("Function", style(By::Name));
        head.draw(canvas, area.row(0));
        let rows = area.below(1);
        list_of(canvas, self.rows.len())
            .empty("Nothing was measured here")
            .each(canvas, rows, &mut list, &self.rows, |at, line| {
                let found = tree.rows.get(*at);
                let found = found.and_then(|row| Some((row, tree.function(row.function)?)));
                let Some((found, function)) = found else {
                    return;
                };
                let theme = &canvas.theme;
                line.skip(1);
                for weight in [found.weight.own, found.weight.total] {
                    let part = words::percent(weight, tree.total());
                    line.text(&pad_start(&part, 7)).skip(2);
                    let weight = words::brief(weight, tree.unit);
                    line.muted(&pad_start(&weight, 9)).skip(2);
                }
                if tree.is_compared() {
                    let grew = change(&tree, found);
                    line.put(&pad_start(&format!("{grew:+.1}"), 7), tone(grew, canvas))
                        .skip(2);
                }
                let style = if self.is_match(found.function) {
                    theme.search_match
                } else {
                    theme.text
                };
                let place = function.place();
                let cells = if place.is_empty() {
                    line.room()
                } else {
                    line.room() * 3 / 5
                };
                line.column(&function.name, cells, style).skip(2);
                line.muted(&place);
            });
        self.table = list;
    }

    fn draw_callers(&mut self, canvas: &Canvas, area: Rect) {
        let (Some(tree), Some(around)) = (self.tree().cloned(), &self.around) else {
            return empty(
                canvas,
                area,
                &["Select a function in the table first", "Tab leads there"],
            );
        };
        let name = tree
            .function(around.function)
            .map_or_else(String::new, |function| function.name.to_string());
        let left = area.width / 2;
        let (first, second) = (area.first(left), area.after(left));
        let sides = [
            ("Called by", &around.callers, first, false),
            ("Calls", &around.callees, second, true),
        ];
        let mut lists = [mem::take(&mut self.callers), mem::take(&mut self.callees)];
        for ((title, edges, area, callees), list) in sides.into_iter().zip(&mut lists) {
            let is_here = canvas.focused && self.on_callees == callees;
            let canvas = &canvas.with_focus(is_here);
            let count = counted(edges.len(), "function");
            let right = if callees { name.as_str() } else { "" };
            let inner = if area.height < 4 {
                area
            } else {
                panel(canvas, area, title, &count, right)
            };
            draw_edges(canvas, inner, edges, list, &tree);
        }
        [self.callers, self.callees] = lists;
    }
}

/// Heads of the table's numbers.
fn columns(tree: &Tree) -> Vec<(&'static str, usize, By)> {
    let mut columns = vec![
        ("Own", 7, By::Own),
        ("", 9, By::Own),
        ("Total", 7, By::Total),
        ("", 9, By::Total),
    ];
    if tree.is_compared() {
        columns.push(("Change", 7, By::Change));
    }
    columns
}

/// What a change looks like.
pub fn tone(grew: f64, view: &View) -> Style {
    if grew >= 0.05 {
        view.theme.error
    } else if grew <= -0.05 {
        view.theme.success
    } else {
        view.theme.muted
    }
}

fn draw_edges(canvas: &Canvas, area: Rect, edges: &[Edge], list: &mut ListState, tree: &Tree) {
    list_of(canvas, edges.len()).empty("Nothing").lively().each(
        canvas,
        area,
        list,
        edges,
        |edge, line| {
            let function = edge.function.and_then(|id| tree.function(id));
            let name = function.map_or("(nobody: it is the outermost)", |f| &*f.name);
            line.skip(1);
            line.text(&pad_start(&words::percent(edge.total, tree.total()), 7));
            let weight = words::brief(edge.total, tree.unit);
            line.skip(2).muted(&pad_start(&weight, 9));
            line.skip(2).text(name).skip(2);
            if let Some(function) = function {
                line.muted(&function.place());
            }
        },
    );
}
