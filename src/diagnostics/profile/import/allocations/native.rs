//! Heap profiles of jemalloc (`heap_v2/N`, `docs.jemalloc`: `prof_dump`), as text.
//!
//! A profile that was sampled stands for more than it counts. It is corrected as `jeprof` does: where N is the mean distance of samples
//! in bytes, a block of X bytes was seen with a probability of 1 - exp(-X/N), so that the figures of a stack are divided by that of its
//! mean block.

use super::{
    Allocations, Figures, ImportError, Known, Lines, Origin, Site, Tool,
    names::{Mapping, Names},
};
use crate::{
    prelude::*,
    profile::{Builder, Unit, words},
};

/// A line: a stack of some hundred thousand addresses.
const LONGEST: u64 = 8 << 20;
/// Addresses of all stacks together: half a gigabyte.
const MOST: usize = 1 << 26;

/// What blocks and bytes stand for that were sampled with this mean distance, in bytes.
fn corrected(distance: f64, blocks: u64, bytes: u64) -> (u64, u64) {
    // Blocks of no bytes have no probability: they stay what they are.
    if blocks == 0 || bytes == 0 {
        return (blocks, bytes);
    }
    let mean = bytes as f64 / blocks as f64;
    let scale = -1.0 / (-mean / distance).exp_m1();
    // As jeprof prints it: what is behind the point is cut off.
    let scaled = |count: u64| (count as f64 * scale) as u64;
    (scaled(blocks), scaled(bytes))
}

/// The stacks with their figures, and what was mapped.
struct Text {
    /// The mean distance of samples, in bytes.
    distance: f64,
    stacks: HashMap<Vec<u64>, Figures>,
    held: usize,
    mappings: Vec<Mapping>,
    /// Where the file seems to lack its end.
    lacks: Option<&'static str>,
    /// Whether anything was counted from beginning to end.
    all: bool,
}

/// Reads all of it, and names the functions.
pub fn read(input: impl BufRead, origin: &Origin<'_>) -> Result<Allocations, ImportError> {
    let text = parse(&mut Lines::new(Tool::Jemalloc, input, LONGEST))?;
    let mut builder = Builder::new(Unit::Bytes);
    let mut names = Names::new(text.mappings, origin.written);
    let mut stacks: Vec<(Vec<u64>, Figures)> = text.stacks.into_iter().collect();
    // The largest first: the order in a file means nothing, and that of a table of hashes less.
    stacks.sort_by(|(a, x), (b, y)| y.bytes.cmp(&x.bytes).then_with(|| a.cmp(b)));
    let mut sites = Vec::with_capacity(stacks.len());
    for (addresses, figures) in stacks {
        if origin.cancel.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        let stack = names.stack(&addresses, &mut builder);
        sites.push(Site { stack, figures });
    }
    builder.about().notes.push(format!(
        "one byte in {} was sampled: all figures are corrected for it as jeprof does, and are estimates",
        words::weight(text.distance as u64, Unit::Bytes)
    ));
    if let Some(place) = text.lacks {
        builder.about().notes.push(format!(
            "the file ends {place}: it was cut short, and functions of what is missing there have no names"
        ));
    }
    builder.about().notes.extend(names.notes());
    let known = Known {
        all: text.all,
        ..Known::default()
    };
    Ok(Allocations::new(Tool::Jemalloc, builder, sites, known))
}

fn parse<R: BufRead>(lines: &mut Lines<R>) -> Result<Text, ImportError> {
    lines.next()?;
    let head = lines.line.strip_prefix(b"heap_v2/").unwrap_or_default();
    let distance = word(head).and_then(|word| word.parse::<u64>().ok());
    let distance = distance.filter(|distance| *distance > 0);
    let Some(distance) = distance else {
        return Err(lines.odd("does not say how many bytes are between two samples"));
    };
    let mut text = Text::new(distance as f64);
    let mut open: Option<Vec<u64>> = None;
    while lines.next()? {
        let line = lines.line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if line.starts_with(b"MAPPED_LIBRARIES:") {
            return text.mapped(lines);
        }
        if let Some(rest) = line.strip_prefix(b"@") {
            open = Some(addresses(rest).ok_or_else(|| lines.odd("is no stack of addresses"))?);
        } else if let Some(counts) = line.strip_prefix(b"t*:") {
            let counts = counts_of(counts).ok_or_else(|| lines.odd("are no counts"))?;
            // Before the first stack are those of all together.
            if let Some(stack) = open.take() {
                text.add(stack, counts, lines)?;
            }
        } else if !line.starts_with(b"t") {
            // What remains are the counts of single threads.
            return Err(lines.odd("is neither a stack nor its counts"));
        }
    }
    Err(lines.cut_short())
}

impl Text {
    fn new(distance: f64) -> Self {
        Self {
            distance,
            stacks: HashMap::new(),
            held: 0,
            mappings: Vec::new(),
            lacks: None,
            all: false,
        }
    }

    fn add<R: BufRead>(
        &mut self,
        stack: Vec<u64>,
        [blocks, bytes, calls, allocated]: [u64; 4],
        lines: &Lines<R>,
    ) -> Result<(), ImportError> {
        self.held += stack.len();
        if self.held > MOST {
            return Err(lines.broken(format!("there are more than {MOST} addresses before it")));
        }
        let (blocks, bytes) = corrected(self.distance, blocks, bytes);
        let (calls, allocated) = corrected(self.distance, calls, allocated);
        self.all |= calls > 0;
        let figures = Figures {
            bytes,
            blocks,
            allocated,
            calls,
            ..Figures::default()
        };
        self.stacks.entry(stack).or_default().add(&figures);
        Ok(())
    }

    /// The rest of the file: lines as in `/proc/PID/maps`.
    fn mapped<R: BufRead>(mut self, lines: &mut Lines<R>) -> Result<Self, ImportError> {
        while lines.next()? {
            let text = String::from_utf8_lossy(&lines.line);
            // What cannot be read names nothing, and does no harm.
            self.mappings.extend(Mapping::parse(text.trim()));
        }
        // Nothing says where the list ends: what can be seen is a line without its end, or a list without a line.
        self.lacks = if !lines.is_whole {
            Some("within a line of what was mapped")
        } else if self.mappings.is_empty() {
            Some("where what was mapped is to be listed")
        } else {
            None
        };
        Ok(self)
    }
}

fn word(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.trim_ascii()).ok()
}

/// `  50:  3276800 [   100:  6553600]`: blocks and bytes that are held, and those of all times.
fn counts_of(bytes: &[u8]) -> Option<[u64; 4]> {
    let text = word(bytes)?.strip_suffix(']')?;
    let (held, all) = text.split_once('[')?;
    let pair = |text: &str| {
        let (count, bytes) = text.split_once(':')?;
        Some((count.trim().parse().ok()?, bytes.trim().parse().ok()?))
    };
    let ((blocks, bytes), (calls, allocated)) = (pair(held)?, pair(all)?);
    Some([blocks, bytes, calls, allocated])
}

/// The innermost first.
fn addresses(bytes: &[u8]) -> Option<Vec<u64>> {
    let text = word(bytes)?;
    text.split_ascii_whitespace()
        .map(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_is_corrected_as_jeprof_does() {
        // What jeprof makes of `21: 21589` in a file that begins with heap_v2/4096: 97261.
        assert_eq!(corrected(4096.0, 21, 21_589), (94, 97_261));
        assert_eq!(corrected(4096.0, 50, 3_276_800), (50, 3_276_800));
        assert_eq!(corrected(1.0, 0, 0), (0, 0));
        assert_eq!(corrected(1.0, 3, 0), (3, 0));
    }
}
