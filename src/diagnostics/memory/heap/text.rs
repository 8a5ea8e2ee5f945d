//! Heap files as text for people; safe to print.

use base::text::width::{ELLIPSIS, pad, truncate_path};

use super::{Class, Heap, More, Object, compare::Difference};
use crate::{
    memory::text::{NAME, change, more, row},
    prelude::*,
    system::text::bytes,
};

/// Rows of each list.
const SHOWN: usize = 30;
const CELLS: usize = 10;

/// The file in one sentence.
pub fn headline(heap: &Heap) -> String {
    if let Some(more) = &heap.more {
        return format!(
            "{}: {} held in {} at the peak, {}",
            heap.format.title(),
            bytes(heap.total),
            amount::count(heap.objects, "block", "blocks"),
            others(more)
        );
    }
    format!(
        "{}: {}, {}, {} in all",
        heap.format.title(),
        amount::count(heap.objects, "object", "objects"),
        amount::count(heap.references, "reference", "references"),
        bytes(heap.total)
    )
}

/// What else it counts, in words.
fn others(more: &More) -> String {
    format!(
        "{} never freed ({}), {} of {}, {} temporary",
        bytes(more.leaked),
        more.leaked_blocks,
        amount::count(more.calls, "allocation", "allocations"),
        bytes(more.allocated),
        more.temporary
    )
}

/// More about a place that allocates, in words; empty where there is no more.
pub fn about(object: &Object) -> String {
    object.more.as_ref().map(others).unwrap_or_default()
}

/// A table: its titles, and of each row a name, cells, and what stands behind them.
fn table<T>(
    out: &mut String,
    title: &str,
    titles: &[&str],
    rows: &[T],
    of: impl Fn(&T) -> (String, Vec<String>, String),
) {
    out.push('\n');
    row(out, &cell(title), CELLS, titles);
    out.push('\n');
    for one in rows.iter().take(SHOWN) {
        let (name, cells, behind) = of(one);
        row(out, &cell(&name), CELLS, &cells);
        out.push_str(&behind);
        out.push('\n');
    }
    more(out, rows.len(), SHOWN);
}

/// A list by function or by file.
fn write_allocators(out: &mut String, title: &str, classes: &[Class]) {
    let titles = ["Blocks", "Own", "Total", "Leaked", "Calls"];
    table(out, title, &titles, classes, |class| {
        let more = class.more.unwrap_or_default();
        let mut cells = sizes(class);
        cells.extend([bytes(more.leaked), more.calls.to_string()]);
        (class.name.clone(), cells, String::new())
    });
}

fn sizes(class: &Class) -> Vec<String> {
    let sizes = [class.shallow, class.retained].map(bytes);
    std::iter::once(class.count.to_string())
        .chain(sizes)
        .collect()
}

/// Who holds it, or called it: the nearest three.
fn held_by(object: &Object, how: &str) -> String {
    let short = |name: &String| pad(&sanitise(name), 24).trim_end().to_owned();
    let holders: Vec<String> = object.held_by.iter().take(3).map(short).collect();
    match holders.as_slice() {
        [] => String::new(),
        holders => format!("  {how} by {}", holders.join(" < ")),
    }
}

/// All of it.
pub fn write(heap: &Heap) -> String {
    let path = heap.path.to_string_lossy();
    let (path, size) = (sanitise(&path), bytes(heap.file_bytes));
    let mut out = format!("{path} ({size})\n{}\n", headline(heap));
    if heap.format.is_of_allocations() {
        for note in &heap.notes {
            out.push_str(&sanitise(note));
            out.push('\n');
        }
        write_allocators(&mut out, "Function", &heap.classes);
        write_allocators(&mut out, "File", &heap.files);
        let titles = ["Blocks", "Bytes"];
        table(&mut out, "Allocated by", &titles, &heap.largest, |object| {
            let name = match object.name.as_str() {
                place if place.is_empty() || object.class == place => object.class.clone(),
                place => format!("{} ({place})", object.class),
            };
            let cells = vec![object.id.to_string(), bytes(object.shallow)];
            (name, cells, held_by(object, "called"))
        });
        return out;
    }
    if heap.unreachable > 0 {
        let unreachable = bytes(heap.unreachable);
        let _ = writeln!(out, "held by nothing: {unreachable}");
    }
    let titles = ["Count", "Shallow", "Retained"];
    table(&mut out, "Constructor", &titles, &heap.classes, |class| {
        (class.name.clone(), sizes(class), String::new())
    });
    let titles = ["", "Shallow", "Retained"];
    table(
        &mut out,
        "Largest objects",
        &titles,
        &heap.largest,
        |object| {
            let name = if object.name == object.class {
                object.class.clone()
            } else {
                format!("{} {}", object.class, object.name)
            };
            let [own, all] = [object.shallow, object.retained].map(bytes);
            let cells = vec![format!("@{}", object.id), own, all];
            (name, cells, held_by(object, "held"))
        },
    );
    out
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
    let [old, new] = [before, after].map(|heap| heap.path.to_string_lossy().into_owned());
    let grown = after.total.checked_signed_diff(before.total);
    let mut out = format!(
        "From {} to {}: {}\n",
        sanitise(&old),
        sanitise(&new),
        change(grown.unwrap_or(i64::MAX))
    );
    let (title, titles) = if after.format.is_of_allocations() {
        ("Function", ["Blocks", "Own", "Total"])
    } else {
        ("Constructor", ["Count", "Shallow", "Retained"])
    };
    table(&mut out, title, &titles, rows, |row| {
        let [own, all] = [row.shallow, row.retained].map(change);
        let cells = vec![format!("{:+}", row.count), own, all];
        (row.name.clone(), cells, String::new())
    });
    out
}
