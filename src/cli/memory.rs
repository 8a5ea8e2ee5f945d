//! The grammar of `omp-debug memory`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// `memory`.
#[derive(Args, Clone, Debug)]
pub struct MemoryArgs {
    /// A heap file to open: a snapshot of node, Chromium or Bun, or a heap profile of jemalloc or heaptrack
    #[arg(value_name = "FILE", conflicts_with = "pid")]
    pub file: Option<PathBuf>,
    /// Look at the process with this id
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    /// One line a sample, every SECS seconds, until the process ends
    #[arg(long, value_name = "SECS", value_parser = seconds, requires = "pid")]
    pub watch: Option<Duration>,
    /// With --watch: end after so many samples, and say what grew between the first and the last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), requires = "watch")]
    pub count: Option<u64>,
    /// With FILE: what came and went since this older heap file
    #[arg(long, value_name = "OLDER", requires = "file")]
    pub since: Option<PathBuf>,
    /// JSON: one object, or with --watch one a line
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// As text
    #[arg(long)]
    pub print: bool,
}

impl MemoryArgs {
    /// Whether these options leave it open where it is shown.
    pub fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print || self.watch.is_some())
    }
}

/// Between a hundredth of a second and a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text
        .trim_end_matches('s')
        .parse::<f64>()
        .map_err(|_no_number| format!("{text:?} is no number of seconds: 1, 0.5"))?;
    if (0.01..=86_400.0).contains(&number) {
        Ok(Duration::from_secs_f64(number))
    } else {
        Err(format!("{text:?} is not between 0.01 and 86400 seconds"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_what_is_none() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("2s"), Ok(Duration::from_secs(2)));
        for odd in ["", "x", "0", "-1", "NaN", "inf", "1e9"] {
            assert!(seconds(odd).is_err(), "{odd}");
        }
    }
}
