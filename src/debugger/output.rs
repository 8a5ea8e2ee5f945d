//! What the debuggee and its adapter printed: the exact last [`Output::DEFAULT_BOUND`] bytes, in lines, each with its category.
//!
//! Everything older is dropped from the front and counted; the whole of it is in the spill file that `core/` writes.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::dap::types::Source;

/// One piece of output as it came; pieces need not be whole lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputChunk {
    /// DAP category: `console`, `important`, `stdout`, `stderr`, `telemetry`, or an adapter's own word.
    pub category: String,
    /// The text, newlines included.
    pub text: String,
    /// `start`, `startCollapsed`, `end`: nesting of output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Structured output: a reference for `variables`, valid while stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables_reference: Option<i64>,
    /// Where in the source it was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<Source>>,
    /// Line in `source`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// Bytes of output before this chunk that this listener was too slow for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_before: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// One line of output, without its newline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputLine {
    /// DAP category.
    pub category: String,
    /// The text as the program wrote it (control bytes and all: sanitise before showing).
    pub text: String,
    /// Whether its newline was seen; an unfinished last line may still grow.
    pub ended: bool,
    /// Nesting depth from `group`.
    pub depth: u16,
    /// Where in the source it was printed: path and line.
    pub origin: Option<(PathBuf, i64)>,
    /// Structured output, valid while stopped.
    pub variables_reference: Option<i64>,
}

impl OutputLine {
    fn cost(&self) -> usize {
        self.text.len() + usize::from(self.ended)
    }
}

/// The ring of the last lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    lines: VecDeque<OutputLine>,
    bytes: usize,
    bound: usize,
    depth: u16,
    /// Bytes seen in all.
    pub total_bytes: u64,
    /// Lines begun in all.
    pub total_lines: u64,
    /// Bytes dropped from the front.
    pub dropped_bytes: u64,
    /// Lines that are gone or cut at their front.
    pub dropped_lines: u64,
    /// The file that has everything, once something was printed.
    pub spill: Option<PathBuf>,
}

impl Default for Output {
    fn default() -> Self {
        Self::with_bound(Self::DEFAULT_BOUND)
    }
}

impl Output {
    /// Bytes kept (omp's ring: 131,072).
    pub const DEFAULT_BOUND: usize = 128 * 1024;

    /// A ring of `bound` bytes.
    pub fn with_bound(bound: usize) -> Self {
        Self {
            lines: VecDeque::new(),
            bytes: 0,
            bound,
            depth: 0,
            total_bytes: 0,
            total_lines: 0,
            dropped_bytes: 0,
            dropped_lines: 0,
            spill: None,
        }
    }

    /// The lines held, oldest first.
    pub fn lines(&self) -> &VecDeque<OutputLine> {
        &self.lines
    }

    /// Bytes held now, newlines included.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The text held, exactly as printed.
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(self.bytes);
        for line in &self.lines {
            out.push_str(&line.text);
            if line.ended {
                out.push('\n');
            }
        }
        out
    }

    /// Takes in one chunk and drops what no longer fits.
    pub fn push(&mut self, chunk: &OutputChunk) {
        self.lose(chunk.lost_before);
        self.total_bytes += chunk.text.len() as u64;
        if chunk.group.as_deref() == Some("end") {
            self.depth = self.depth.saturating_sub(1);
        }
        let mut rest = chunk.text.as_str();
        while !rest.is_empty() {
            let (piece, ended, next) = match rest.split_once('\n') {
                Some((piece, next)) => (piece, true, next),
                None => (rest, false, ""),
            };
            self.append(piece, ended, chunk);
            rest = next;
        }
        if matches!(chunk.group.as_deref(), Some("start" | "startCollapsed")) {
            self.depth = self.depth.saturating_add(1);
        }
        self.trim();
    }

    /// Counts bytes that never came here because the listener was too slow.
    pub fn lose(&mut self, bytes: u64) {
        self.total_bytes += bytes;
        self.dropped_bytes += bytes;
    }

    fn append(&mut self, piece: &str, ended: bool, chunk: &OutputChunk) {
        self.bytes += piece.len() + usize::from(ended);
        if let Some(last) = self.lines.back_mut()
            && !last.ended
            && last.category == chunk.category
        {
            last.text.push_str(piece);
            last.ended = ended;
            return;
        }
        self.total_lines += 1;
        self.lines.push_back(OutputLine {
            category: chunk.category.clone(),
            text: piece.to_owned(),
            ended,
            depth: self.depth,
            origin: chunk
                .source
                .as_ref()
                .and_then(|s| s.path.clone())
                .zip(chunk.line)
                .map(|(path, line)| (PathBuf::from(path), line)),
            variables_reference: chunk.variables_reference,
        });
    }

    fn trim(&mut self) {
        while self.bytes > self.bound {
            let over = self.bytes - self.bound;
            let Some(first) = self.lines.front_mut() else {
                return;
            };
            if first.cost() <= over {
                let cost = first.cost();
                self.lines.pop_front();
                self.bytes -= cost;
                self.dropped_bytes += cost as u64;
                self.dropped_lines += 1;
            } else {
                // A line longer than what may stay: keep its tail, cut at a character's border.
                let mut cut = over;
                while !first.text.is_char_boundary(cut) {
                    cut += 1;
                }
                first.text.drain(..cut);
                self.bytes -= cut;
                self.dropped_bytes += cut as u64;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunk(category: &str, text: &str) -> OutputChunk {
        OutputChunk {
            category: category.into(),
            text: text.into(),
            ..OutputChunk::default()
        }
    }

    #[test]
    fn pieces_of_a_line_are_joined_and_categories_kept_apart() {
        let mut out = Output::default();
        out.push(&chunk("stdout", "acc"));
        out.push(&chunk("stdout", " 100\nnext"));
        out.push(&chunk("stderr", "oops\n"));
        let seen: Vec<_> = out
            .lines()
            .iter()
            .map(|l| (l.category.as_str(), l.text.as_str(), l.ended))
            .collect();
        assert_eq!(
            seen,
            [
                ("stdout", "acc 100", true),
                ("stdout", "next", false),
                ("stderr", "oops", true)
            ]
        );
    }

    proptest! {
        #[test]
        fn the_tail_is_exact_and_everything_dropped_is_counted(pieces in prop::collection::vec("[a-zé€\n]{0,20}", 0..60), bound in 1usize..200) {
            let mut out = Output::with_bound(bound);
            let mut all = String::new();
            for piece in &pieces {
                out.push(&chunk("stdout", piece));
                all.push_str(piece);
            }
            prop_assert!(out.bytes() <= bound);
            let text = out.text();
            prop_assert_eq!(text.len(), out.bytes());
            prop_assert!(all.ends_with(&text));
            prop_assert_eq!(out.dropped_bytes as usize + text.len(), all.len());
            // Never more than one character short of the bound when something was dropped.
            prop_assert!(out.dropped_bytes == 0 || text.len() + 4 > bound);
        }
    }
}
