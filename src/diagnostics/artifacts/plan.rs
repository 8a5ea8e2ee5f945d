//! What is old enough to go, and why the rest stays.

use std::time::Duration;

use super::{scan::Scan, spot::ArtifactFolder, walk::Totals};

/// Why a folder stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepReason {
    /// Something in it changed lately.
    Young,
    /// Its session lives.
    Live(String),
    /// Not all of it can be looked at.
    Trouble(String),
    /// There are only session files in it.
    Nothing,
    /// Somebody wants to keep it.
    Spared,
}

impl KeepReason {
    /// A word for scripts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Young => "young",
            Self::Live(_) => "live",
            Self::Trouble(_) => "unreadable",
            Self::Nothing => "nothing",
            Self::Spared => "spared",
        }
    }

    /// For people.
    pub fn sentence(&self) -> String {
        match self {
            Self::Young => "changed lately".to_owned(),
            Self::Live(why) | Self::Trouble(why) => why.clone(),
            Self::Nothing => "only session files in it".to_owned(),
            Self::Spared => "spared by hand".to_owned(),
        }
    }
}

/// One that stays.
#[derive(Clone, Debug)]
pub struct KeptFolder {
    pub found: ArtifactFolder,
    pub why: KeepReason,
}

impl Totals {
    /// Of these folders.
    pub fn of<'a>(found: impl IntoIterator<Item = &'a ArtifactFolder>) -> Self {
        let mut totals = Self::default();
        for one in found {
            totals.add(&one.tally);
        }
        totals
    }
}

/// What is to go and what stays.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What did not change for so long is old.
    pub older_than: Duration,
    /// What is to go, the largest first.
    pub clear: Vec<ArtifactFolder>,
    /// What stays, the one changed last first.
    pub kept: Vec<KeptFolder>,
}

impl Plan {
    /// Decides. `now` is in nanoseconds since 1970.
    pub fn make(scan: &Scan, older_than: Duration, now: i64) -> Self {
        let age = i64::try_from(older_than.as_nanos()).unwrap_or(i64::MAX);
        let border = now.saturating_sub(age);
        let mut plan = Self {
            older_than,
            ..Self::default()
        };
        for found in &scan.found {
            match stays(found, border) {
                Some(why) => plan.kept.push(KeptFolder {
                    found: found.clone(),
                    why,
                }),
                None => plan.clear.push(found.clone()),
            }
        }
        plan.clear.sort_by(|a, b| {
            (b.tally.bytes, a.tally.newest, &a.spot.name).cmp(&(
                a.tally.bytes,
                b.tally.newest,
                &b.spot.name,
            ))
        });
        plan
    }

    /// In numbers.
    pub fn totals(&self) -> Totals {
        Totals::of(&self.clear)
    }
}

fn stays(found: &ArtifactFolder, border: i64) -> Option<KeepReason> {
    let tally = &found.tally;
    if let Some(live) = &found.live {
        Some(KeepReason::Live(live.clone()))
    } else if let Some(trouble) = &tally.trouble {
        Some(KeepReason::Trouble(trouble.clone()))
    } else if tally.newest > border {
        Some(KeepReason::Young)
    } else if tally.files == 0 && tally.transcripts > 0 {
        Some(KeepReason::Nothing)
    } else {
        None
    }
}
