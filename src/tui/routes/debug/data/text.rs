//! A text: wrapped or not, searched, and what is folded in it unfolded.

use debugger::data::{Content, Query};

use super::{Act, Shows, unfold::unfolded};
use crate::debug_prelude::*;

/// Characters, as the program counts them, that are asked for together, and the most that are kept.
pub const PIECE: u64 = 100_000;
const MOST: u64 = 4_000_000;

/// A text that is read piece by piece.
#[derive(Default)]
pub struct Reader {
    text: String,
    view: TextView,
    /// How many characters are known, and how many there are.
    known: u64,
    total: Option<u64>,
    wraps: bool,
    /// What is folded in it, worked out when it changes and not when it is drawn.
    inside: Option<String>,
    unfolded: bool,
    sought: String,
    /// Why what was searched for is not.
    trouble: Option<String>,
    /// More is wanted: the end of what is known was asked for.
    more: bool,
    /// What came last was nothing new: it is not asked for again.
    stuck: bool,
}

impl Reader {
    fn show(&mut self) {
        let inside = self.inside.as_deref().filter(|_| self.unfolded);
        self.view.set_text(inside.unwrap_or(&self.text));
        self.view.set_wrap(!self.wraps);
        self.search();
    }

    fn search(&mut self) {
        self.trouble = self.view.search(&self.sought, false).err();
    }
}

impl Shows for Reader {
    fn wants(&mut self) -> Option<Query> {
        let more = !self.stuck && self.total.is_none_or(|total| self.known < total.min(MOST));
        // What came with the question how it looks best is a few lines at most.
        let wanted = mem::take(&mut self.more) || self.known < PIECE || !self.sought.is_empty();
        (more && wanted).then(|| Query {
            rows: (self.known, self.known + PIECE),
            ..Query::default()
        })
    }

    fn take(&mut self, _: &Query, content: &Content) {
        let Content::Text(piece) = content else {
            return;
        };
        self.total = Some(piece.total);
        self.stuck = !piece.follows(self.known);
        if !self.stuck {
            self.text.push_str(&piece.data);
            self.known = piece.end();
            self.inside = unfolded(&self.text);
            self.show();
        }
    }

    fn draw(&mut self, canvas: &Canvas, area: Rect) {
        let (rest, foot) = over_last(area);
        self.view.show(canvas, rest);
        let mut cells = canvas.cells_at(foot);
        let total = self.total.unwrap_or(0);
        let known = if self.known < total {
            format!("{} of ", thousands(self.known))
        } else {
            String::new()
        };
        cells.muted(&format!("{known}{}", counted(total, "character")));
        if !self.unfolded && self.inside.is_some() {
            cells.muted("   u unfolds what is in it");
        }
        let status = self
            .trouble
            .clone()
            .unwrap_or_else(|| self.view.search_status());
        cells.right(&status, canvas.theme.accent);
        cells.draw(canvas, foot);
    }

    moves!(text view);

    fn walk(&mut self, step: Step) {
        self.scrolled().walk(step);
        self.more = matches!(step, Step::Last | Step::Pages(1));
    }

    fn sideways(&mut self, by: isize) {
        self.view.scroll_sideways(by * 8);
    }

    fn can(&self, act: Act) -> bool {
        match act {
            Act::Other => true,
            Act::Unfold => self.inside.is_some(),
            Act::Match(_) => !self.sought.is_empty(),
            _ => false,
        }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Other => {
                self.wraps = !self.wraps;
                self.view.set_wrap(!self.wraps);
            }
            Act::Unfold => {
                self.unfolded = !self.unfolded;
                self.show();
            }
            Act::Match(next) => self.view.next_match(if next { 1 } else { -1 }),
            _ => {}
        }
    }

    fn narrow(&mut self, text: &str) {
        text.clone_into(&mut self.sought);
        self.search();
    }

    fn narrowed(&self) -> Option<&str> {
        Some(&self.sought)
    }

    fn saved(&self) -> Option<(&'static str, Vec<u8>)> {
        let is_whole = self.total.is_some_and(|total| self.known >= total);
        is_whole.then(|| ("txt", self.text.clone().into_bytes()))
    }
}
