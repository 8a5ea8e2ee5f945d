//! How rows of values look: name, mark of change, value, type, in columns that line up.

use super::{Node, NodeKind, Row, Tree};
use crate::debug_prelude::*;
use debugger::previews::short_type;

/// Rows up to which the names of all are measured, so that columns stand still while scrolling.
const MEASURED: usize = 500;

/// Draws the rows in view.
pub fn draw(canvas: &Canvas, area: Rect, tree: &Tree, list: &mut ListState, hex: bool) {
    if !tree.rows.is_empty() && list.selected() != Some(tree.selected) {
        list.select(Some(tree.selected));
    }
    let names = name_column(tree, list, usize::from(area.width));
    let nothing = match &*tree.filter {
        "" => String::new(),
        filter => format!("No row that is open contains {filter:?}."),
    };
    let rows = list_of(canvas, tree.rows.len()).empty(&nothing);
    rows.rows(canvas, area, list, |row| {
        let Some(visible) = tree.rows.get(row.index) else {
            return Line::default();
        };
        match tree.node(visible) {
            Some(node) => line(
                tree,
                visible,
                node,
                usize::from(row.width),
                names,
                hex,
                canvas,
            ),
            None => Line::default(),
        }
    });
}

fn name_column(tree: &Tree, list: &ListState, room: usize) -> usize {
    let rows = if tree.rows.len() <= MEASURED {
        tree.rows.as_slice()
    } else {
        tree.rows.get(list.visible()).unwrap_or_default()
    };
    let widest = rows
        .iter()
        .filter_map(|row| {
            let node = tree
                .node(row)
                .filter(|n| n.is_value() && (n.lazy || !n.shown().is_empty()))?;
            Some(row.depth * 2 + 2 + measured(&node.name))
        })
        .max()
        .unwrap_or(0);
    widest.clamp(6, (room * 2 / 5).max(6))
}

/// The cells of a text; one of megabytes is not measured to its end.
fn measured(text: &str) -> usize {
    let near: String = text.chars().take(80).collect();
    width(&near)
}

/// One row, with names in a column of `names` cells.
pub fn line(
    tree: &Tree,
    row: &Row,
    node: &Node,
    room: usize,
    names: usize,
    hex: bool,
    view: &View,
) -> Line<'static> {
    let (theme, symbols) = (&view.theme, view.symbols);
    let quiet = row.stale || node.quiet;
    let tint = |style: Style| if quiet { theme.muted } else { style };
    let mut cells = Cells::new(room, view);
    let glyph = match (node.opens(), node.lazy) {
        (true, false) if tree.row_is_open(row) => symbols.expanded,
        (true, _) => symbols.collapsed,
        (false, _) => symbols.leaf,
    };
    let indent = (row.depth * 2).min(room / 2);
    match node.kind {
        NodeKind::Scope => {
            cells.muted(glyph).skip(1);
            if node.is_fresh() {
                let count = node.rows().iter().filter(|n| n.is_value()).count();
                let shown = |r: &&Row| r.depth == 1 && r.at.first() == row.at.first();
                let count = match &*tree.filter {
                    "" => count.to_string(),
                    _ => format!("{} of {count}", tree.rows.iter().filter(shown).count()),
                };
                cells.remark(&count);
            }
            cells.put(&node.name, tint(theme.title));
        }
        NodeKind::Range { .. } => {
            cells
                .skip(indent)
                .muted(glyph)
                .skip(1)
                .put(&node.name, tint(theme.number));
        }
        NodeKind::More { .. } => {
            cells.skip(indent).accent(symbols.more).skip(1);
            cells.accent(&node.value).muted("  Enter loads them");
        }
        NodeKind::Note => {
            cells.skip(indent + 2).muted(&node.value);
        }
        NodeKind::Trouble => {
            cells
                .skip(indent)
                .error(symbols.error)
                .skip(1)
                .error(&node.value);
        }
        NodeKind::Value => {
            cells.skip(indent).muted(glyph).skip(1);
            let name = names.saturating_sub(indent + 2).max(4);
            if node.shown().is_empty() && !node.lazy {
                // A group has no value to line up with.
                return cells.put(&node.name, tint(theme.name_text)).line();
            }
            let type_name = node.type_name.as_deref().filter(|_| room >= 48);
            let hexadecimal = hexadecimal(&node.value).filter(|_| hex);
            let value = match (&hexadecimal, &node.preview, type_name) {
                (Some(text), ..) => text,
                (_, None, Some(type_name)) => without_type(&node.value, type_name),
                _ => node.shown(),
            };
            // A long type has what name and value leave.
            let wanted = name.max(measured(&node.name));
            let free = room.saturating_sub(indent + 7 + wanted + measured(value));
            let most = free.max(room / 4);
            let short = type_name.map(|name| cut(&short_type(name), most, view));
            // A long name has what a short value leaves.
            let others = indent + 6 + measured(value) + short.as_deref().map_or(0, width);
            let spare = if node.lazy || node.failed {
                0
            } else {
                room.saturating_sub(others)
            };
            let name = name.max(spare.min(measured(&node.name)));
            cells.column(&node.name, name, tint(theme.name_text));
            let mark = if node.changed { symbols.changed } else { " " };
            cells.skip(1).column(mark, 1, theme.changed_value).skip(1);
            if let Some(short) = short {
                cells.remark(&short);
            }
            if node.failed {
                cells.error(symbols.error).skip(1).error(&node.value);
            } else if node.lazy {
                cells.muted(&node.value).skip(2).accent("Enter reads it");
            } else {
                let style = if node.changed && !quiet {
                    value_style(value, view).patch(theme.changed_value)
                } else {
                    tint(value_style(value, view))
                };
                cells.put(value, style);
            }
        }
    }
    cells.line()
}

/// A value whose debugger (Delve does) writes its type before it, where the type stands at the row's end. `Fraction(1, 2)` stays: that is how
/// Python makes one.
fn without_type<'v>(value: &'v str, type_name: &str) -> &'v str {
    let rest = value.strip_prefix(type_name);
    rest.and_then(|rest| rest.strip_prefix(' '))
        .unwrap_or(value)
}

/// The style of a value, from how it is written: every language writes text in quotes and numbers in digits.
pub fn value_style(value: &str, view: &View) -> Style {
    let mut characters = value
        .trim_start_matches(['b', 'r', 'u', 'f', 'L', '&'])
        .chars();
    match characters.next() {
        Some('"' | '\'' | '`') => view.theme.string,
        Some(c) if c.is_ascii_digit() => view.theme.number,
        Some('-' | '+' | '.') if characters.next().is_some_and(|c| c.is_ascii_digit()) => {
            view.theme.number
        }
        _ => match value {
            "true" | "false" | "True" | "False" | "None" | "nil" | "null" | "NULL" | "nullptr"
            | "undefined" | "NaN" => view.theme.keyword,
            _ => view.theme.text,
        },
    }
}

/// A whole number in hexadecimal; `None` for anything else. Done here, as few adapters can.
pub fn hexadecimal(value: &str) -> Option<String> {
    let number: i128 = value.trim().parse().ok()?;
    let sign = if number < 0 { "-" } else { "" };
    Some(format!("{sign}0x{:x}", number.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::{hexadecimal, without_type};

    #[test]
    fn a_type_is_left_out_where_it_is_one_and_something_follows() {
        for (value, of, rest) in [
            (
                "[]int len: 2, cap: 2, [3,1]",
                "[]int",
                "len: 2, cap: 2, [3,1]",
            ),
            ("*main.Node nil", "*main.Node", "nil"),
            ("Fraction(1, 2)", "Fraction", "Fraction(1, 2)"),
            ("integer", "int", "integer"),
            ("int", "int", "int"),
            ("main.one", "func(int) int", "main.one"),
        ] {
            assert_eq!(without_type(value, of), rest);
        }
    }

    #[test]
    fn only_whole_numbers_are_shown_in_hexadecimal() {
        assert_eq!(hexadecimal("255").as_deref(), Some("0xff"));
        assert_eq!(hexadecimal("-1").as_deref(), Some("-0x1"));
        for text in ["1.5", "'1'", "0x10", "", "ff"] {
            assert_eq!(hexadecimal(text), None, "{text}");
        }
    }
}
