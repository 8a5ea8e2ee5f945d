//! Heap files as text for people; safe to print.

use std::fmt::Write as _;

use super::{Difference, Heap};
use crate::diagnostics::memory::text::change;
use crate::diagnostics::system::text::bytes;
use crate::text::sanitise::sanitise;
use crate::text::width::pad;

/// Rows of each list.
const SHOWN: usize = 30;
const NAME: usize = 44;

/// The file in one sentence.
pub fn headline(heap: &Heap) -> String {
    format!(
        "{}: {} objects, {} references, {} in all",
        heap.format.title(),
        heap.objects,
        heap.references,
        bytes(heap.total)
    )
}

/// All of it.
pub fn write(heap: &Heap) -> String {
    let mut out = String::new();
    let path = heap.path.to_string_lossy();
    let _ = writeln!(out, "{} ({})", sanitise(&path), bytes(heap.file_bytes));
    let _ = writeln!(out, "{}", headline(heap));
    if heap.unreachable > 0 {
        let _ = writeln!(out, "held by nothing: {}", bytes(heap.unreachable));
    }
    let _ = writeln!(
        out,
        "\n{} {:>10} {:>10} {:>10}",
        pad("Constructor", NAME),
        "Count",
        "Shallow",
        "Retained"
    );
    for class in heap.classes.iter().take(SHOWN) {
        let _ = writeln!(
            out,
            "{} {:>10} {:>10} {:>10}",
            pad(&sanitise(&class.name), NAME),
            class.count,
            bytes(class.shallow),
            bytes(class.retained)
        );
    }
    more(&mut out, heap.classes.len());
    let _ = writeln!(
        out,
        "\n{} {:>10} {:>10} {:>10}",
        pad("Largest objects", NAME),
        "",
        "Shallow",
        "Retained"
    );
    for object in heap.largest.iter().take(SHOWN) {
        let name = if object.name == object.class {
            object.class.clone()
        } else {
            format!("{} {}", object.class, object.name)
        };
        let id = format!("@{}", object.id);
        let _ = write!(
            out,
            "{} {id:>10} {:>10} {:>10}",
            pad(&sanitise(&name), NAME),
            bytes(object.shallow),
            bytes(object.retained)
        );
        let holders: Vec<String> = object
            .held_by
            .iter()
            .take(3)
            .map(|name| pad(&sanitise(name), 24).trim_end().to_owned())
            .collect();
        if !holders.is_empty() {
            let _ = write!(out, "  held by {}", holders.join(" < "));
        }
        let _ = writeln!(out);
    }
    more(&mut out, heap.largest.len());
    out
}

fn more(out: &mut String, count: usize) {
    if count > SHOWN {
        let _ = writeln!(out, "  … and {} more (--json has all)", count - SHOWN);
    }
}

/// What changed between two files.
pub fn write_differences(before: &Heap, after: &Heap, rows: &[Difference]) -> String {
    let mut out = String::new();
    let names = [before, after].map(|heap| heap.path.to_string_lossy().into_owned());
    let [old, new] = names;
    let grown = i64::try_from(i128::from(after.total) - i128::from(before.total));
    let _ = writeln!(
        out,
        "From {} to {}: {}",
        sanitise(&old),
        sanitise(&new),
        change(grown.unwrap_or(i64::MAX))
    );
    let _ = writeln!(
        out,
        "\n{} {:>10} {:>10} {:>10}",
        pad("Constructor", NAME),
        "Count",
        "Shallow",
        "Retained"
    );
    for row in rows.iter().take(SHOWN) {
        let _ = writeln!(
            out,
            "{} {:>+10} {:>10} {:>10}",
            pad(&sanitise(&row.name), NAME),
            row.count,
            change(row.shallow),
            change(row.retained)
        );
    }
    more(&mut out, rows.len());
    out
}
