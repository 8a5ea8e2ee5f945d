//! Goals about the screen.

use super::options::Goal;

pub const GOALS: &[Goal] = &[];
