//! Options whose values are numbers of some kind, or a few words.

use std::{
    ops::{RangeBounds, RangeInclusive},
    time::Duration,
};

use clap::{ValueEnum, builder::RangedI64ValueParser};

use crate::debugger::Console;

/// Takes a number within these bounds.
pub fn numbers(bounds: impl RangeBounds<i64>) -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(bounds)
}

/// Takes a number of seconds within these bounds: `1`, `0.5`, `2s`.
pub fn seconds(
    bounds: RangeInclusive<f64>,
) -> impl Fn(&str) -> Result<Duration, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
        let number = number.filter(|number| bounds.contains(number));
        number.map(Duration::from_secs_f64).ok_or_else(|| {
            let (least, most) = (bounds.start(), bounds.end());
            format!("{text:?} is not between {least} and {most} seconds")
        })
    }
}

/// `--color`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ColorArg {
    /// By the terminal and `NO_COLOR`
    Auto,
    /// Even with `NO_COLOR`
    Always,
    /// Bold, dim, underline and reverse only
    Never,
}

/// `--console`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ConsoleArg {
    /// The adapter passes on what the program prints
    Internal,
    /// A pipe: fastest, but the program sees no terminal
    Pipe,
    /// A terminal of its own: a pane of the screen
    Pty,
    /// A window of its own, opened by $TERMINAL
    External,
}

impl From<ConsoleArg> for Console {
    fn from(console: ConsoleArg) -> Self {
        match console {
            ConsoleArg::Internal => Self::Internal,
            ConsoleArg::Pipe => Self::Pipe,
            ConsoleArg::Pty => Self::Pty,
            ConsoleArg::External => Self::External,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_what_is_none() {
        let seconds = seconds(0.01..=86_400.0);
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("2s"), Ok(Duration::from_secs(2)));
        for odd in ["", "x", "0", "-1", "NaN", "inf", "1e9"] {
            assert!(seconds(odd).is_err(), "{odd}");
        }
    }
}
