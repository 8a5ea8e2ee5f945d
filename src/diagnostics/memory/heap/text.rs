//! Heap files as text for people; safe to print.

use std::fmt::Write as _;

use super::{Class, Difference, Heap, More, Object};
use crate::memory::text::change;
use crate::system::text::bytes;
use base::text::amount;
use base::text::sanitise::sanitise;
use base::text::width::{ELLIPSIS, pad, truncate_path};

/// Rows of each list.
const SHOWN: usize = 30;
const NAME: usize = 44;

/// The file in one sentence.
pub fn headline(heap: &Heap) -> String {
    if let Some(more) = &heap.more {
        return format!("{}: {}", heap.format.title(), allocated(heap, more));
    }
    format!(
        "{}: {}, {}, {} in all",
        heap.format.title(),
        amount::count(heap.objects, "object", "objects"),
        amount::count(heap.references, "reference", "references"),
        bytes(heap.total)
    )
}

/// What a heap profile counts, as far as its tool does.
fn allocated(heap: &Heap, more: &More) -> String {
    let when = if more.peak {
        "at the peak"
    } else {
        "when it was written"
    };
    let held = format!(
        "{} held in {} {when}",
        bytes(heap.total),
        amount::count(heap.objects, "block", "blocks")
    );
    [held]
        .into_iter()
        .chain(others(more))
        .collect::<Vec<_>>()
        .join(", ")
}

/// What else it counts, in words.
fn others(more: &More) -> impl Iterator<Item = String> {
    let all = more.calls.zip(more.allocated);
    let leaked = more.leaked.zip(more.leaked_blocks);
    [
        leaked.map(|(size, blocks)| format!("{} never freed ({blocks})", bytes(size))),
        all.map(|(calls, size)| {
            let calls = amount::count(calls, "allocation", "allocations");
            format!("{calls} of {}", bytes(size))
        }),
        more.temporary.map(|times| format!("{times} temporary")),
    ]
    .into_iter()
    .flatten()
}

/// More about a place that allocates, in words; empty where there is no more.
pub fn about(object: &Object) -> String {
    let others: Vec<String> = object.more.iter().flat_map(others).collect();
    others.join(", ")
}

/// A list by function or by file.
fn write_allocators(out: &mut String, title: &str, classes: &[Class]) {
    let leaks = classes
        .iter()
        .any(|class| class.more.is_some_and(|more| more.leaked.is_some()));
    let calls = classes
        .iter()
        .any(|class| class.more.is_some_and(|more| more.calls.is_some()));
    let optional = |shown: bool, text: String| {
        if shown {
            format!(" {text:>10}")
        } else {
            String::new()
        }
    };
    let _ = writeln!(
        out,
        "\n{} {:>10} {:>10} {:>10}{}{}",
        pad(title, NAME),
        "Blocks",
        "Own",
        "Total",
        optional(leaks, "Leaked".to_owned()),
        optional(calls, "Calls".to_owned()),
    );
    for class in classes.iter().take(SHOWN) {
        let more = class.more.unwrap_or_default();
        let _ = writeln!(
            out,
            "{} {:>10} {:>10} {:>10}{}{}",
            cell(&class.name),
            class.count,
            bytes(class.shallow),
            bytes(class.retained),
            optional(leaks, more.leaked.map(bytes).unwrap_or_default()),
            optional(
                calls,
                more.calls
                    .map(|calls| calls.to_string())
                    .unwrap_or_default()
            ),
        );
    }
    more_rows(out, classes.len());
}

/// A heap profile.
fn write_allocations(heap: &Heap) -> String {
    let mut out = String::new();
    let path = heap.path.to_string_lossy();
    let _ = writeln!(out, "{} ({})", sanitise(&path), bytes(heap.file_bytes));
    let _ = writeln!(out, "{}", headline(heap));
    for note in &heap.notes {
        let _ = writeln!(out, "{}", sanitise(note));
    }
    write_allocators(&mut out, "Function", &heap.classes);
    write_allocators(&mut out, "File", &heap.files);
    let _ = writeln!(
        out,
        "\n{} {:>10} {:>10}",
        pad("Allocated by", NAME),
        "Blocks",
        "Bytes"
    );
    for object in heap.largest.iter().take(SHOWN) {
        let name = match object.name.as_str() {
            "" => object.class.clone(),
            place if object.class == place => object.class.clone(),
            place => format!("{} ({place})", object.class),
        };
        let _ = write!(
            out,
            "{} {:>10} {:>10}",
            cell(&name),
            object.id,
            bytes(object.shallow)
        );
        let callers: Vec<String> = object
            .held_by
            .iter()
            .take(3)
            .map(|name| short(name))
            .collect();
        if !callers.is_empty() {
            let _ = write!(out, "  called by {}", callers.join(" < "));
        }
        let _ = writeln!(out);
    }
    more_rows(&mut out, heap.largest.len());
    out
}

fn short(name: &str) -> String {
    pad(&sanitise(name), 24).trim_end().to_owned()
}

/// All of it.
pub fn write(heap: &Heap) -> String {
    if heap.format.is_of_allocations() {
        return write_allocations(heap);
    }
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
            cell(&class.name),
            class.count,
            bytes(class.shallow),
            bytes(class.retained)
        );
    }
    more_rows(&mut out, heap.classes.len());
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
            cell(&name),
            bytes(object.shallow),
            bytes(object.retained)
        );
        let holders: Vec<String> = object
            .held_by
            .iter()
            .take(3)
            .map(|name| short(name))
            .collect();
        if !holders.is_empty() {
            let _ = write!(out, "  held by {}", holders.join(" < "));
        }
        let _ = writeln!(out);
    }
    more_rows(&mut out, heap.largest.len());
    out
}

fn more_rows(out: &mut String, count: usize) {
    if count > SHOWN {
        let _ = writeln!(out, "  … and {} more (--json has all)", count - SHOWN);
    }
}

/// A name in its column. Of a path its beginning and its last part stay: the line is there.
fn cell(name: &str) -> String {
    let name = sanitise(name);
    if name.contains('/') {
        pad(&truncate_path(&name, NAME, ELLIPSIS), NAME)
    } else {
        pad(&name, NAME)
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
    let titles = if after.format.is_of_allocations() {
        ["Function", "Blocks", "Own", "Total"]
    } else {
        ["Constructor", "Count", "Shallow", "Retained"]
    };
    let [name, count, own, total] = titles;
    let _ = writeln!(
        out,
        "\n{} {count:>10} {own:>10} {total:>10}",
        pad(name, NAME)
    );
    for row in rows.iter().take(SHOWN) {
        let _ = writeln!(
            out,
            "{} {:>+10} {:>10} {:>10}",
            cell(&row.name),
            row.count,
            change(row.shallow),
            change(row.retained)
        );
    }
    more_rows(&mut out, rows.len());
    out
}
