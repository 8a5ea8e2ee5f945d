//! What a process holds at one moment.

use base::stat::Stat;

use super::{
    figures::{self, Figures},
    mappings,
};
use crate::{prelude::*, process::Subject};

/// What a process held at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// What was counted.
    #[serde(flatten)]
    pub figures: Figures,
    pub threads: u64,
    /// Pages that were given to it without reading a disk, since it began.
    pub minor_faults: u64,
    /// Pages that had to be read from a disk, since it began.
    pub major_faults: u64,
}

impl Subject {
    /// What it holds now: two small files, about a fifth of a millisecond for a process of some hundred megabytes, nearly all of it the
    /// kernel's counting.
    pub fn sample(&mut self, cancel: &Cancel) -> Result<Sample, ProcessError> {
        let stat = self.stat()?;
        let mut figures = if self.adds_up {
            mappings::read(self, cancel)?.total
        } else {
            match self.read("smaps_rollup") {
                Ok(text) => self.rollup(&text, &stat)?,
                Err(ProcessError::Uncounted(_)) => {
                    self.adds_up = true;
                    mappings::read(self, cancel)?.total
                }
                Err(error) => return Err(error),
            }
        };
        figures.size = stat.size;
        Ok(Sample {
            figures,
            threads: stat.threads,
            minor_faults: stat.minor_faults,
            major_faults: stat.major_faults,
        })
    }

    fn rollup(&self, text: &[u8], stat: &Stat) -> Result<Figures, ProcessError> {
        let mut figures = Figures::default();
        let mut counted = false;
        for line in text.split(|byte| *byte == b'\n') {
            counted |= figures::count(&mut figures, line) && line.starts_with(b"Rss:");
        }
        if counted {
            return Ok(figures);
        }
        if text.is_empty() {
            // It gave its memory back between the two files.
            self.ended_or(stat)?;
        }
        Err(self.unexpected("smaps_rollup", text))
    }
}
