//! Lengths and times as they stand in rows.

use crate::kit::prelude::*;

/// A length.
pub fn bytes(length: usize) -> String {
    match length {
        0..10_000 => format!("{} B", thousands(length as u64)),
        10_000..10_000_000 => format!("{} KB", thousands(length as u64 / 1000)),
        _ => format!("{} MB", thousands(length as u64 / 1_000_000)),
    }
}

/// A time of day, local, to the millisecond.
pub fn clock(milliseconds: i64) -> String {
    let stamp = format_time(milliseconds);
    stamp.get(11..).unwrap_or(&stamp).to_owned()
}

/// A time that passed.
pub fn span(milliseconds: i64) -> String {
    match milliseconds {
        ..1000 => format!("{milliseconds} ms"),
        1000..60_000 => format!("{:.2} s", milliseconds as f64 / 1000.0),
        60_000..3_600_000 => format!(
            "{} min {} s",
            milliseconds / 60_000,
            milliseconds / 1000 % 60
        ),
        _ => format!(
            "{} h {} min",
            milliseconds / 3_600_000,
            milliseconds / 60_000 % 60
        ),
    }
}
