//! What was seen of breakpoints while a tree of sessions lived.

use super::prelude::*;

/// What was seen of a tree of sessions, kept under its root.
#[derive(Debug, Default)]
pub(super) struct SeenTree {
    pub(super) hit: BTreeSet<BreakpointId>,
    /// In place in a session of it that has ended: a child's answers go with it.
    pub(super) placed: BTreeSet<BreakpointId>,
    /// Stops at a breakpoint of which it is not known yet where they are.
    pub(super) unread: BTreeMap<SessionId, StopId>,
    /// The program went on from a stop before it was known where that was: any breakpoint may have been hit.
    pub(super) missed: bool,
    /// An exception stopped it.
    pub(super) thrown: bool,
    /// Conditions that were said to be broken.
    pub(super) broken: BTreeSet<String>,
    /// Why an adapter could not evaluate conditions that we look at as well.
    pub(super) complained: BTreeMap<String, String>,
}
