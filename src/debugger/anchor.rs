//! Where a line is, after its file was changed: people edit in another window, above their breakpoints too.

use std::cmp::Reverse;

use crate::prelude::*;

/// Bytes of a file that is looked at.
const LIMIT: u64 = 8 * 1024 * 1024;

/// A line by what it and the lines beside it read, without their indentation; hashes, as a project's file is to keep no source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    before: u32,
    line: u32,
    after: u32,
}

impl Anchor {
    /// Of the line (from 1) as it reads now; none of an empty one, and where there is no such file.
    pub fn of(path: &Path, line: i64) -> Option<Self> {
        let lines = read(path)?;
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let anchor = at(&lines, index)?;
        (anchor.line != hash(b"")).then_some(anchor)
    }

    /// The line that reads so now, of several the one among the same neighbours, and of those the one nearest to `was`. None where no line
    /// does, or where nothing but the text of several speaks for one.
    pub fn find(self, path: &Path, was: i64) -> Option<i64> {
        let lines = read(path)?;
        let alike = |line: &u32| *line == self.line;
        let is_only_one = lines.iter().filter(|line| alike(line)).count() == 1;
        let candidates = lines.iter().enumerate().filter(|(_, line)| alike(line));
        let (neighbours, far, line) = candidates
            .filter_map(|(index, _)| {
                let now = at(&lines, index)?;
                let same = [now.before == self.before, now.after == self.after];
                let neighbours = same.iter().filter(|same| **same).count();
                let line = i64::try_from(index + 1).ok()?;
                Some((neighbours, (line - was).abs(), line))
            })
            .min_by_key(|(neighbours, far, _)| (Reverse(*neighbours), *far))?;
        (neighbours > 0 || is_only_one || far == 0).then_some(line)
    }
}

fn at(lines: &[u32], index: usize) -> Option<Anchor> {
    let hash_at = |index: usize| lines.get(index).copied();
    Some(Anchor {
        before: index.checked_sub(1).and_then(hash_at).unwrap_or_default(),
        line: hash_at(index)?,
        after: hash_at(index + 1).unwrap_or_default(),
    })
}

fn read(path: &Path) -> Option<Vec<u32>> {
    // Before it is opened: a pipe would wait for somebody who writes.
    let is_text = fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= LIMIT);
    let text = is_text.then(|| fs::read(path).ok()).flatten()?;
    let lines = text.split(|byte| *byte == b'\n');
    Some(lines.map(|line| hash(line.trim_ascii())).collect())
}

/// FNV-1a, which is the same in each version: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
fn hash(text: &[u8]) -> u32 {
    text.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the line that read so at `was` is after the file was changed.
    fn found(before: &str, was: i64, after: &str) -> Option<i64> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), before).unwrap();
        let anchor = Anchor::of(file.path(), was).unwrap();
        fs::write(file.path(), after).unwrap();
        anchor.find(file.path(), was)
    }

    #[test]
    fn a_line_is_found_where_it_is_now() {
        assert_eq!(found("a\nb\nc", 2, "a\nb\nc"), Some(2));
        assert_eq!(found("a\nb\nc", 2, "x\ny\na\nb\nc"), Some(4));
        assert_eq!(found("x\n\na\nb\nc\n", 4, "a\n  if z:\n    b\n"), Some(3));
        assert_eq!(found("a\r\nb\r\n", 2, "x\na\nb\n"), Some(3));
    }

    #[test]
    fn of_lines_that_read_alike_the_neighbours_tell() {
        let before = "f:\npass\n\ng:\npass\n\nh:\npass\n";
        // By its number it would be the one of f.
        let after = "1\n2\n3\nf:\npass\n\ng:\npass\n\nh:\npass\n";
        assert_eq!(found(before, 5, after), Some(8));
        assert_eq!(found(before, 8, after), Some(11));
        // Among neighbours of its own at both, the nearest.
        assert_eq!(found("}\n}\n}\n}\n", 2, "}\n}\n}\n}\n}\n"), Some(2));
    }

    #[test]
    fn a_line_that_is_gone_or_could_be_any_is_not_found() {
        assert_eq!(found("a\nb\nc\n", 2, "a\nc\n"), None);
        assert_eq!(found("a\nb\nc\n", 2, "b\n1\nx\n2\nb\n"), None);
        assert_eq!(found("a\nb\nc\n", 2, "b\n1\nx\n2\n3\n"), Some(1));
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "a\n\n").unwrap();
        let none = [
            (file.path(), 2),
            (file.path(), 0),
            (file.path(), 99),
            (Path::new("/dev/zero"), 1),
        ];
        for (path, line) in none {
            assert_eq!(Anchor::of(path, line), None, "{}:{line}", path.display());
        }
    }
}
