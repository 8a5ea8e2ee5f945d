//! The functions that weigh most as a Markdown table: the `profile.md` of omp's bundles, with an honest total.

use crate::profile::{
    prelude::*,
    tree::{Options, Tree},
};

/// Functions shown.
pub const SHOWN: usize = 30;

/// A cell, with nothing in it that would end it.
fn cell(text: &str) -> String {
    sanitise(text).replace('|', "\\|").replace('`', "'")
}

/// Writes the table. The total is that of all samples, not of the rows that are shown.
pub fn write(profile: &Profile, out: &mut dyn Write, cancel: &Cancel) -> io::Result<()> {
    let tree = Tree::build(profile, None, &Options::default(), cancel);
    let total = tree.total();
    let title = match profile.unit {
        Unit::Bytes => "Heap Profile",
        Unit::Nanoseconds | Unit::Samples | Unit::Count => "CPU Profile",
    };
    writeln!(out, "# {title}\n")?;
    if !profile.name.is_empty() {
        writeln!(out, "{}\n", cell(&profile.name))?;
    }
    let of_what = match profile.unit {
        Unit::Nanoseconds => format!("{:.1}ms", total as f64 / 1e6),
        unit => words::weight(total, unit),
    };
    writeln!(out, "Total: {of_what}")?;
    for (what, weight) in [
        ("Idle", tree.idle),
        ("Threads of the debugger", tree.debuggers),
    ] {
        if weight > 0 {
            let weight = words::weight(weight, profile.unit);
            writeln!(out, "{what}: {weight} (not counted)")?;
        }
    }
    if profile.lost > 0 {
        let lost = amount::count(profile.lost, "sample", "samples");
        writeln!(out, "Lost: {lost}")?;
    }
    for note in &profile.notes {
        writeln!(out, "Note: {}", cell(note))?;
    }
    writeln!(out)?;
    let rows: Vec<_> = tree.rows.iter().filter(|row| row.weight.own > 0).collect();
    if rows.is_empty() {
        return writeln!(out, "Nothing ran.");
    }
    let (own, all) = match profile.unit {
        Unit::Nanoseconds => ("Self ms", "Total ms"),
        _ => ("Self", "Total"),
    };
    writeln!(out, "| Function | {own} | % | {all} | Location |")?;
    writeln!(out, "|---|---:|---:|---:|---|")?;
    let amount = |weight: u64| match profile.unit {
        Unit::Nanoseconds => format!("{:.1}", weight as f64 / 1e6),
        unit => words::brief(weight, unit),
    };
    for row in rows.iter().take(SHOWN) {
        let Some(function) = tree.function(row.function) else {
            continue;
        };
        let place = function.place();
        let place = if place.is_empty() { "-" } else { &place };
        writeln!(
            out,
            "| `{}` | {} | {:.1} | {} | {} |",
            cell(&function.name),
            amount(row.weight.own),
            words::share(row.weight.own, total),
            amount(row.weight.total),
            cell(place)
        )?;
    }
    let rest = rows.len().saturating_sub(SHOWN);
    if rest > 0 {
        let shown: u64 = rows
            .iter()
            .take(SHOWN)
            .fold(0, |sum, row| sum.saturating_add(row.weight.own));
        writeln!(
            out,
            "\n{} more have {} together.",
            words::number(rest as u64),
            words::percent(total.saturating_sub(shown), total)
        )?;
    }
    Ok(())
}
