//! Heap files as text for people; safe to print.

use base::text::width::{ELLIPSIS, pad, truncate_path};

use super::{Heap, Object, TITLE, compare::Difference};
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
    format!(
        "{TITLE}: {}, {}, {} in all",
        amount::count(heap.objects, "object", "objects"),
        amount::count(heap.references, "reference", "references"),
        bytes(heap.total)
    )
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

/// Who holds it: the nearest three.
fn held_by(object: &Object) -> String {
    let short = |name: &String| pad(&sanitise(name), 24).trim_end().to_owned();
    let holders: Vec<String> = object.held_by.iter().take(3).map(short).collect();
    match holders.as_slice() {
        [] => String::new(),
        holders => format!("  held by {}", holders.join(" < ")),
    }
}

/// All of it.
pub fn write(heap: &Heap) -> String {
    let path = heap.path.to_string_lossy();
    let (path, size) = (sanitise(&path), bytes(heap.file_bytes));
    let mut out = format!("{path} ({size})\n{}\n", headline(heap));
    if heap.unreachable > 0 {
        let unreachable = bytes(heap.unreachable);
        let _ = writeln!(out, "held by nothing: {unreachable}");
    }
    let titles = ["Count", "Shallow", "Retained"];
    table(&mut out, "Constructor", &titles, &heap.classes, |class| {
        let [own, all] = [class.shallow, class.retained].map(bytes);
        let cells = vec![class.count.to_string(), own, all];
        (class.name.clone(), cells, String::new())
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
            (name, cells, held_by(object))
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
    let titles = ["Count", "Shallow", "Retained"];
    table(&mut out, "Constructor", &titles, rows, |row| {
        let [own, all] = [row.shallow, row.retained].map(change);
        let cells = vec![format!("{:+}", row.count), own, all];
        (row.name.clone(), cells, String::new())
    });
    out
}
