//! Weights and parts as people read them.

use base::text::amount;

use super::Unit;

/// A length of time in nanoseconds: `850 ns`, `12.3 ms`, `4.21 s`; three digits that matter.
pub fn time(nanos: u64) -> String {
    const UNITS: [(&str, f64); 3] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
    let value = nanos as f64;
    for (name, size) in UNITS {
        // What would be rounded to 1000 of a unit is said in the next one.
        if value >= size * 0.9995 {
            return amount::three_digits(value / size, name);
        }
    }
    format!("{nanos} ns")
}

/// A weight with its unit.
pub fn weight(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds => time(value),
        Unit::Bytes => amount::size(value),
        Unit::Samples => amount::count(value, "sample", "samples"),
        Unit::Count => number(value),
    }
}

/// A weight for a column whose head names the unit: short.
pub fn brief(value: u64, unit: Unit) -> String {
    match unit {
        Unit::Samples | Unit::Count => number(value),
        _ => weight(value, unit),
    }
}

/// `1,234,567`.
pub fn number(value: u64) -> String {
    amount::thousands(value)
}

/// A part of a whole: `12.3 %`; of nothing `0.0 %`.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", share(part, whole))
}

/// A part of a whole, of a hundred; of nothing 0.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_in_words() {
        for (nanos, text) in [
            (0, "0 ns"),
            (850, "850 ns"),
            (1_500, "1.50 µs"),
            (999_600, "1.00 ms"),
            (12_340_000, "12.3 ms"),
            (4_210_000_000, "4.21 s"),
            (421_000_000_000, "421 s"),
        ] {
            assert_eq!(time(nanos), text);
        }
        assert_eq!(weight(1, Unit::Samples), "1 sample");
        assert_eq!(weight(12_345, Unit::Count), "12,345");
        assert_eq!(weight(2048, Unit::Bytes), "2.00 KiB");
        assert_eq!(percent(1, 8), "12.5 %");
        assert_eq!(percent(1, 0), "0.0 %");
    }
}
