//! A line that was typed, what came of it, and how one row of that looks.

use base::text::{ansi, sanitise::TAB_WIDTH};
use debugger::Evaluated;

use super::{
    super::variables::{
        Node, Place, Tree,
        view::{line as tree_line, value_style},
    },
    At, Part, ReplPane,
};
use crate::routes::debug::kit::prelude::*;

/// Bytes of a result that are shown; the whole of it can be copied.
const SHOWN: usize = 64 * 1024;

/// What came of a line.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing yet.
    Pending,
    /// A plain value.
    Text(String),
    /// A value that opens.
    Tree(Box<Tree>),
    /// Why there is none.
    Failed(String),
}

/// A line and what came of it.
#[derive(Debug)]
pub struct Exchange {
    pub ticket: u64,
    pub input: String,
    pub outcome: Outcome,
    /// All that was said, where the outcome is only the part worth a line.
    pub details: Option<String>,
}

/// The lines of a result that are shown.
pub fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let shown = text.get(..text.floor_char_boundary(SHOWN));
    shown.unwrap_or_default().lines()
}

pub fn outcome(value: &Evaluated, place: Place) -> Outcome {
    if value.variables_reference <= 0 {
        return Outcome::Text(value.shown().to_owned());
    }
    let mut tree = Tree::default();
    let mut node = Node::evaluated("", value);
    node.name = value
        .type_name
        .clone()
        .filter(|t| !t.is_empty())
        .unwrap_or_else(|| "result".into());
    node.type_name = None;
    node.key = "result".into();
    tree.set_roots(place, vec![node]);
    Outcome::Tree(Box::new(tree))
}

impl ReplPane {
    pub(super) fn draw_row(&self, place: At, room: usize, view: &View<'_>) -> Line<'static> {
        let mut cells = Cells::new(room, view);
        let Some(e) = self.exchanges.get(place.exchange) else {
            return Line::default();
        };
        match (place.part, &e.outcome) {
            (Part::Input(at), _) => {
                let mark = if at == 0 { view.symbols.prompt } else { " " };
                cells.accent(mark).skip(1);
                cells.put(
                    e.input.lines().nth(at).unwrap_or_default(),
                    view.theme.input,
                );
            }
            (Part::Outcome(_), Outcome::Pending) => {
                cells.skip(2).muted("evaluating…");
            }
            (Part::Outcome(at), Outcome::Failed(text)) => {
                let mark = if at == 0 { view.symbols.error } else { " " };
                cells.error(mark).skip(1);
                cells.error(lines_of(text).nth(at).unwrap_or_default());
            }
            (Part::Outcome(at), Outcome::Text(text)) => {
                let mut line = Line::from(vec![Span::raw("  ")]);
                let parsed = ansi::parse(
                    lines_of(text).nth(at).unwrap_or_default(),
                    ansi::Style::default(),
                    TAB_WIDTH,
                );
                let base = value_style(text, view);
                for run in parsed.runs {
                    line.push_span(Span::styled(
                        run.text.into_owned(),
                        base.patch(view.theme.program_style(run.style)),
                    ));
                }
                return line;
            }
            (Part::Outcome(at), Outcome::Tree(tree)) => {
                if let Some(row) = tree.rows().get(at)
                    && let Some(node) = tree.node(row)
                {
                    return tree_line(tree, row, node, room, 24.min(room / 2), false, view);
                }
            }
        }
        cells.line()
    }
}
