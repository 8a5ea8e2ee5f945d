//! What was seen of breakpoints while a tree of sessions lived.

use super::prelude::*;

/// What was seen of a tree of sessions, kept under its root.
#[derive(Debug, Default)]
pub struct SeenTree {
    pub hit: BTreeSet<BreakpointId>,
    /// In place in a session of it that has ended: a child's answers go with it.
    pub placed: BTreeSet<BreakpointId>,
    /// Stops at a breakpoint of which it is not known yet where they are.
    pub unread: BTreeMap<SessionId, StopId>,
    /// The program went on from a stop before it was known where that was: any breakpoint may have been hit.
    pub missed: bool,
    /// An exception stopped it.
    pub thrown: bool,
    /// Conditions that were said to be broken.
    pub broken: BTreeSet<String>,
    /// Why an adapter could not evaluate conditions that we look at as well.
    pub complained: BTreeMap<String, String>,
}
