//! How instructions look: a sign for breakpoints, an arrow for where the program is, address, bytes, instruction; above them
//! their function and the line of source they belong to.

use super::{
    DisassemblyPane, Row, able, breakpoint_at,
    model::{Instruction, digits},
};
use crate::{debug_prelude::*, routes::debug::breakpoints::mark_of};

/// From this width on, there is room for the bytes.
const WITH_BYTES: u16 = 84;
/// Cells of the bytes shown of one instruction.
const BYTES: usize = 8 * 3 - 1;

impl DisassemblyPane {
    pub(super) fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let (stopped, word) = standing(canvas, !self.rows.is_empty());
        let symbol = self.selected().and_then(|i| i.told.symbol.as_deref());
        let remark = if word.is_empty() {
            symbol.unwrap_or_default()
        } else {
            word
        };
        let mut inner = panel(canvas, area, Self::TITLE, "", remark);
        if let Some(asking) = &mut self.asking {
            inner = asking.draw(canvas, inner);
        }
        if self.rows.is_empty() {
            let trouble = self.trouble.clone().unwrap_or_default();
            let idle = not_stopped(canvas, "No instructions yet", "F6 pauses it");
            let lines: [&str; 2] = match (able(canvas), idle) {
                (Err(lack), _) => [lack, "another adapter may"],
                (Ok(()), Some(idle)) => idle,
                (Ok(()), None) if !trouble.is_empty() => {
                    [trouble.as_str(), "g goes to another address"]
                }
                (Ok(()), None) => ["disassembling…", ""],
            };
            // The list learns how much there is room for: the first instructions are to stand in the middle.
            List::new(canvas.look(), 0).rows(canvas, inner, &mut self.list, |_| Line::default());
            return empty(canvas, inner, &lines);
        }
        let all = &self.listing.instructions;
        let digits = all.last().map_or(8, |i| digits(i.address));
        let here = self.here.filter(|_| stopped).map(|h| h.address);
        let with_bytes = area.width >= WITH_BYTES;
        let (rows, texts, id) = (&self.rows, &self.texts, self.session);
        list_of(canvas, rows.len()).lines(canvas, inner, &mut self.list, |row, cells| {
            let of = |at: &usize| all.get(*at);
            match rows.get(row.index) {
                Some(Row::Symbol(at)) => {
                    let name = of(at).and_then(|i| i.told.symbol.as_deref());
                    cells
                        .put(name.unwrap_or_default(), canvas.theme.function)
                        .muted(":");
                }
                Some(Row::Line(at)) => {
                    if let Some((path, line)) = of(at).and_then(Instruction::source_line) {
                        let name = last_part(path);
                        cells.skip(2).muted(&format!("{name}:{line}"));
                        if let Some(text) = texts.get(&(path.to_owned(), line)) {
                            cells.skip(2).put(text, canvas.theme.comment);
                        }
                    }
                }
                Some(Row::Instruction(at)) => {
                    if let Some(instruction) = of(at) {
                        // The selected row has looks of its own.
                        let is_here = here == Some(instruction.address);
                        let plain = row.selected && canvas.focused;
                        let breakpoint = breakpoint_at(&canvas.state, id, instruction.address);
                        let mark = breakpoint
                            .map_or((" ", Style::new()), |b| mark_of(b).look(canvas.look()));
                        let wide = (digits, with_bytes);
                        draw(instruction, (is_here, plain), mark, wide, cells);
                    }
                }
                None => {}
            }
        });
        if !stopped {
            canvas.style(inner, canvas.theme.muted);
        }
    }
}

fn draw(
    instruction: &Instruction,
    (is_here, plain): (bool, bool),
    mark: (&'static str, Style),
    (digits, with_bytes): (usize, bool),
    cells: &mut Cells,
) {
    let (theme, symbols) = (cells.view.theme.clone(), cells.view.symbols);
    let behind = |style: Style| match (plain, is_here) {
        (true, _) => theme.text,
        (false, true) => style.patch(theme.current_line),
        (false, false) => style,
    };
    let (arrow, arrow_style) = if is_here {
        (symbols.arrow, theme.arrow)
    } else {
        (" ", theme.text)
    };
    cells
        .put(mark.0, mark.1)
        .put(arrow, arrow_style)
        .skip(1)
        .put(
            &format!("{:0digits$x}", instruction.address),
            behind(theme.line_number),
        )
        .put("  ", behind(theme.text));
    if with_bytes {
        let bytes = spaced(
            instruction
                .told
                .instruction_bytes
                .as_deref()
                .unwrap_or_default(),
        );
        cells
            .column(&bytes, BYTES, behind(theme.muted))
            .put("  ", behind(theme.text));
    }
    let text = instruction.told.instruction.trim();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (name, operands) = text.split_at(end);
    let gap = 7_usize.saturating_sub(name.chars().count()).max(1);
    cells
        .put(name, behind(theme.keyword))
        .put(&" ".repeat(gap), behind(theme.text))
        .put(
            &operands.trim_start().replace('\t', " "),
            behind(theme.text),
        );
    let rest = cells.room();
    if is_here && !plain && rest > 0 {
        cells.column("", rest, theme.current_line);
    }
}

/// Bytes in pairs of digits, however the adapter wrote them.
fn spaced(bytes: &str) -> String {
    let digits: Vec<char> = bytes.chars().filter(char::is_ascii_hexdigit).collect();
    let pairs = digits.chunks(2).map(String::from_iter);
    joined(pairs, " ")
}
