//! The table of actions as a page for people.

use std::fmt::Write as _;

use super::row::ActionRow;

/// One line an action: what `--list` prints.
pub fn list(rows: &[&ActionRow]) -> String {
    let wide = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(out, "{:wide$}  {}  {}", row.name, row.tier.word(), row.help);
    }
    out
}
