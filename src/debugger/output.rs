//! What the debuggee and its adapter printed: the exact last [`Output::DEFAULT_BOUND`] bytes, in lines, each with its category.
//!
//! Everything older is dropped from the front and counted; the whole of it is in the spill file that `core/` writes.

use serde_with_macros::skip_serializing_none;

use crate::prelude::*;

/// One piece of output as it came; pieces need not be whole lines.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputChunk {
    /// DAP category: `console`, `important`, `stdout`, `stderr`, `telemetry`, or an adapter's own word.
    pub category: String,
    /// The text, newlines included.
    pub text: String,
    /// `start`, `startCollapsed`, `end`: nesting of output.
    pub group: Option<String>,
    /// Structured output: a reference for `variables`, valid while stopped.
    pub variables_reference: Option<i64>,
    /// Where in the source it was printed.
    pub source: Option<Box<Source>>,
    /// Line in `source`.
    pub line: Option<i64>,
    /// Column in `line`, from 1.
    pub column: Option<i64>,
    /// Reference of the place where it was printed, which the adapter tells on request alone.
    pub location: Option<i64>,
    /// The same as a terminal of ours got it, line ends and escape sequences included.
    pub terminal: Option<String>,
    /// Bytes of output before this chunk that this listener was too slow for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_before: u64,
}

impl OutputChunk {
    /// Bytes that it takes while it waits.
    pub fn weight(&self) -> usize {
        self.text.len() + self.terminal.as_ref().map_or(0, String::len)
    }
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
    /// The same where the text is the adapter's to give and no file has it: the source, and the line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Box<(Source, i64)>>,
    /// Column in the origin's line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// Reference of that place, where the adapter tells it on request alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<i64>,
    /// Structured output, valid while stopped.
    pub variables_reference: Option<i64>,
    /// Which came first, among the lines of all sessions: [`Output::order`] when it was begun.
    #[serde(default)]
    pub order: u64,
}

impl OutputLine {
    /// Bytes it takes, its newline included.
    pub fn cost(&self) -> usize {
        self.text.len() + usize::from(self.ended)
    }
}

/// Lines after which one that was begun is looked for no more.
const MIXED: usize = 64;

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
    /// Bytes that all sessions had printed before what is printed next.
    #[serde(default)]
    pub order: u64,
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
            order: 0,
        }
    }

    /// The lines held, oldest first.
    pub fn lines(&self) -> &VecDeque<OutputLine> {
        &self.lines
    }

    /// A line that is held, by its number from the session's beginning.
    pub fn line(&self, number: u64) -> Option<&OutputLine> {
        let index = number.checked_sub(self.dropped_lines)?;
        self.lines.get(usize::try_from(index).ok()?)
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

    /// Takes in chunks, as if one after the other. What would be pushed out again by the later ones is only counted.
    pub fn extend(&mut self, chunks: &[OutputChunk]) {
        let mut after = 0;
        let mut from = chunks.len();
        for (index, chunk) in chunks.iter().enumerate().rev() {
            if after >= self.bound {
                break;
            }
            after += chunk.text.len();
            from = index;
        }
        let (skipped, kept) = chunks.split_at(from);
        if !skipped.is_empty() {
            self.skip(skipped);
        }
        for chunk in kept {
            self.push(chunk);
        }
    }

    /// Everything held and everything in `chunks` is older than what fits.
    fn skip(&mut self, chunks: &[OutputChunk]) {
        self.dropped_bytes += self.bytes as u64;
        self.dropped_lines += self.lines.len() as u64;
        let mut open = self.lines.back().is_some_and(|l| !l.ended);
        self.lines.clear();
        self.bytes = 0;
        for chunk in chunks {
            self.lose(chunk.lost_before);
            self.nest_before(chunk);
            let bytes = chunk.text.as_bytes();
            let ends = memchr::memchr_iter(b'\n', bytes).count() as u64;
            let unfinished = !bytes.is_empty() && !bytes.ends_with(b"\n");
            let begun =
                (ends + u64::from(unfinished)).saturating_sub(u64::from(open && !bytes.is_empty()));
            self.total_bytes += bytes.len() as u64;
            self.order += bytes.len() as u64;
            self.dropped_bytes += bytes.len() as u64;
            self.total_lines += begun;
            self.dropped_lines += begun;
            if !bytes.is_empty() {
                open = unfinished;
            }
            self.nest_after(chunk);
        }
    }

    /// The same as it was when `total` bytes had been printed.
    #[must_use]
    pub fn until(&self, total: u64) -> Self {
        let mut then = self.clone();
        let mut later = self.total_bytes.saturating_sub(total);
        then.total_bytes = self.total_bytes - later;
        while later > 0
            && let Some(line) = then.lines.back_mut()
        {
            let cost = line.cost();
            let all = usize::try_from(later).unwrap_or(usize::MAX);
            if cost <= all {
                then.bytes -= cost;
                then.total_lines = then.total_lines.saturating_sub(1);
                later -= cost as u64;
                then.lines.pop_back();
                continue;
            }
            // Its end came later, its newline last of all.
            line.ended = false;
            let keep = line.text.floor_char_boundary(cost - all);
            line.text.truncate(keep);
            then.bytes = then.bytes - cost + keep;
            later = 0;
        }
        then
    }

    fn nest_before(&mut self, chunk: &OutputChunk) {
        if chunk.group.as_deref() == Some("end") {
            self.depth = self.depth.saturating_sub(1);
        }
    }

    fn nest_after(&mut self, chunk: &OutputChunk) {
        if matches!(chunk.group.as_deref(), Some("start" | "startCollapsed")) {
            self.depth = self.depth.saturating_add(1);
        }
    }

    /// Takes in one chunk and drops what no longer fits.
    pub fn push(&mut self, chunk: &OutputChunk) {
        self.lose(chunk.lost_before);
        self.total_bytes += chunk.text.len() as u64;
        self.nest_before(chunk);
        for line in chunk.text.split_inclusive('\n') {
            let ended = line.strip_suffix('\n');
            self.append(ended.unwrap_or(line), ended.is_some(), chunk);
            self.order += line.len() as u64;
        }
        self.nest_after(chunk);
        self.trim();
    }

    /// Counts bytes that never came here because the listener was too slow.
    pub fn lose(&mut self, bytes: u64) {
        self.total_bytes += bytes;
        self.dropped_bytes += bytes;
        self.order += bytes;
    }

    fn append(&mut self, piece: &str, ended: bool, chunk: &OutputChunk) {
        self.bytes += piece.len() + usize::from(ended);
        // Two streams write at once: what one has begun of a line goes on where it began.
        let mut near = self.lines.iter_mut().rev().take(MIXED);
        if let Some(begun) = near.find(|line| line.category == chunk.category)
            && !begun.ended
        {
            begun.text.push_str(piece);
            begun.ended = ended;
            return;
        }
        self.total_lines += 1;
        let place = chunk.source.as_deref().zip(chunk.line);
        let is_held = |source: &Source| source.source_reference.is_some_and(|at| at > 0);
        let (origin, held) = match place {
            Some((source, line)) if is_held(source) => {
                (None, Some(Box::new((source.clone(), line))))
            }
            Some((source, line)) => {
                let path = source.path.as_ref().filter(|path| !path.is_empty());
                (path.map(|path| (PathBuf::from(path), line)), None)
            }
            None => (None, None),
        };
        self.lines.push_back(OutputLine {
            category: chunk.category.clone(),
            text: piece.to_owned(),
            ended,
            depth: self.depth,
            origin,
            held,
            column: chunk.column,
            location: chunk.location,
            variables_reference: chunk.variables_reference,
            order: self.order,
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
                let cut = first.text.ceil_char_boundary(over);
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
    fn a_line_of_one_stream_is_not_cut_by_another() {
        let mut out = Output::default();
        for (category, text) in [
            ("stdout", "one "),
            ("stderr", "oops\nworse"),
            ("stdout", "line\ntwo"),
            ("stderr", " yet\n"),
            ("stdout", "\n"),
        ] {
            out.push(&chunk(category, text));
        }
        let seen: Vec<_> = out
            .lines()
            .iter()
            .map(|l| (l.text.as_str(), l.ended))
            .collect();
        let whole = ["one line", "oops", "worse yet", "two"].map(|text| (text, true));
        assert_eq!(seen, whole);
        assert_eq!(out.bytes(), out.total_bytes as usize);
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

    proptest! {
        #[test]
        fn taking_many_at_once_is_the_same_as_one_by_one(pieces in prop::collection::vec(("[a-zé\n]{0,30}", 0u8..3), 0..60), bound in 1usize..300) {
            let chunks: Vec<_> = pieces
                .iter()
                .map(|(text, group)| OutputChunk {
                    group: match group { 1 => Some("start".into()), 2 => Some("end".into()), _ => None },
                    ..chunk("stdout", text)
                })
                .collect();
            let mut one_by_one = Output::with_bound(bound);
            for c in &chunks {
                one_by_one.push(c);
            }
            let mut at_once = Output::with_bound(bound);
            at_once.extend(&chunks);
            prop_assert_eq!(&at_once.text(), &one_by_one.text());
            prop_assert_eq!((at_once.total_bytes, at_once.dropped_bytes, at_once.depth), (one_by_one.total_bytes, one_by_one.dropped_bytes, one_by_one.depth));
        }
    }
}
