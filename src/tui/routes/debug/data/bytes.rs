//! Bytes of a value: their place, hexadecimal, text.

use base::text::hex;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use debugger::data::{Content, Query};

use super::Shows;
use crate::debug_prelude::*;

/// Bytes of a row, and of what is asked for together.
const ROW: u64 = 16;
const PAGE: u64 = 4096;
/// Pages that are kept.
const KEPT: usize = 64;

/// Bytes.
#[derive(Default)]
pub struct Dump {
    pages: BTreeMap<u64, Vec<u8>>,
    total: Option<u64>,
    list: ListState,
}

impl Dump {
    fn len(&self) -> usize {
        usize::try_from(self.total.unwrap_or(0).div_ceil(ROW)).unwrap_or(usize::MAX)
    }
}

impl Shows for Dump {
    fn wants(&mut self) -> Option<Query> {
        let sight = self.list.visible();
        let row = self.list.selected().unwrap_or(0);
        let rows = [sight.start, sight.end.saturating_sub(1), row];
        let places = rows.map(|row| row as u64 * ROW / PAGE);
        let inside = |page: &u64| self.total.is_none_or(|total| *page * PAGE < total);
        let page = places
            .into_iter()
            .find(|page| inside(page) && !self.pages.contains_key(page))?;
        Some(Query {
            rows: (page * PAGE, (page + 1) * PAGE),
            ..Query::default()
        })
    }

    fn take(&mut self, asked: &Query, content: &Content) {
        let Content::Bytes(piece) = content else {
            return;
        };
        self.total = Some(piece.total);
        if self.pages.len() > KEPT {
            self.pages.clear();
        }
        let bytes = STANDARD.decode(&piece.data).unwrap_or_default();
        self.pages.insert(asked.rows.0 / PAGE, bytes);
        self.list.begin();
    }

    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let len = self.len();
        list_of(canvas, len).cells(canvas, area, &mut self.list, |at, line| {
            let first = at as u64 * ROW;
            line.put(&format!("{first:08x}  "), canvas.theme.line_number);
            let from = (first % PAGE) as usize;
            let page = self
                .pages
                .get(&(first / PAGE))
                .map(Vec::as_slice)
                .unwrap_or_default();
            let bytes = page
                .get(from..(from + ROW as usize).min(page.len()))
                .unwrap_or_default();
            line.column(
                &hex::digits(bytes),
                ROW as usize * 3 + 1,
                canvas.theme.number,
            );
            line.text(&hex::signs(bytes));
        });
    }

    fn scrolled(&mut self) -> Scrolled<'_> {
        let len = self.len();
        Scrolled::Rows(&mut self.list, len)
    }
}
