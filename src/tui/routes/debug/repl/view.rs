//! How one row of an exchange looks.

use base::text::{ansi, sanitise::TAB_WIDTH};

use super::{
    At, Part, ReplPane,
    exchange::{Outcome, lines_of},
};
use crate::routes::debug::{
    prelude::*,
    variables::view::{line as tree_line, value_style},
};

impl ReplPane {
    pub(super) fn draw_row(&self, place: At, room: usize, view: &View) -> Line<'static> {
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
                if let Some(row) = tree.rows.get(at)
                    && let Some(node) = tree.node(row)
                {
                    return tree_line(tree, row, node, room, 24.min(room / 2), false, view);
                }
            }
        }
        cells.line()
    }
}
