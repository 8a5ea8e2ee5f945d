//! What a desk knows of the profile that it shows, and the words for what it shows of it.

use diagnostics::profile::{
    Profile,
    tree::{Edge, FunctionId, Timeline, Tree},
};

use crate::prelude::*;

/// The side that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Callers above what they call.
    #[default]
    Icicle,
    /// Callers below.
    Flame,
    /// Functions by weight.
    Table,
    /// Who calls a function, and what it calls.
    Callers,
}

impl Side {
    /// In the order of their tabs.
    pub const ALL: [Self; 4] = [Self::Icicle, Self::Flame, Self::Table, Self::Callers];

    /// Whether it is one of the two graphs.
    pub fn is_graph(self) -> bool {
        matches!(self, Self::Icicle | Self::Flame)
    }

    /// The tab's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Icicle => "Icicle",
            Self::Flame => "Flame",
            Self::Table => "Table",
            Self::Callers => "Callers",
        }
    }
}

/// What the table is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Own weight.
    #[default]
    Own,
    /// With what it calls.
    Total,
    Name,
    /// What changed.
    Change,
}

/// A profile, and what was made of it.
#[derive(Debug)]
pub struct ShownProfile {
    /// All that was measured.
    pub profile: Arc<Profile>,
    /// What it is compared with.
    pub base: Option<Arc<Profile>>,
    /// Of what [`diagnostics::profile::tree::Options`] let through.
    pub tree: Arc<Tree>,
    /// How many looks the samples are, see [`Profile::seen`].
    pub seen: u64,
    /// The strip.
    pub timeline: Option<Timeline>,
    /// See [`colours`].
    pub colours: Vec<u8>,
    /// What each thread weighs, idle or not.
    pub threads: Vec<u64>,
    /// Which threads are a debugger's, see [`Profile::debuggers`].
    pub debuggers: Vec<bool>,
}

/// What stands in the frame of how much is shown: the header says what is not there.
#[derive(Clone, Copy, Debug)]
pub enum Counted {
    /// Nothing is shown yet.
    Nothing,
    /// The number of samples.
    Samples,
    /// Another weight, of so many samples.
    Weight(u64),
}

/// A function with who calls it and what it calls.
#[derive(Debug)]
pub struct CallNeighbours {
    pub function: FunctionId,
    /// The heaviest first.
    pub callers: Vec<Edge>,
    /// The heaviest first.
    pub callees: Vec<Edge>,
}

/// What each thread weighs.
pub fn thread_weights(profile: &Profile) -> Vec<u64> {
    let mut weights = vec![0_u64; profile.threads.len()];
    for sample in &profile.samples {
        if let Some(weight) = weights.get_mut(sample.thread.0 as usize) {
            *weight = weight.saturating_add(sample.weight);
        }
    }
    weights
}

/// Which colour each function has: those of one file, or else of one module, have the same, and the heaviest files have different
/// ones.
pub fn colours(tree: &Tree) -> Vec<u8> {
    let mut known: HashMap<&str, u8> = HashMap::new();
    let mut colours = vec![0; tree.functions.len()];
    for row in &tree.rows {
        let Some(function) = tree.function(row.function) else {
            continue;
        };
        let home = function.file.as_deref().or(function.module.as_deref());
        let next = (known.len() % 250) as u8;
        let colour = *known.entry(home.unwrap_or(&function.name)).or_insert(next);
        if let Some(place) = colours.get_mut(row.function.0 as usize) {
            *place = colour;
        }
    }
    colours
}
