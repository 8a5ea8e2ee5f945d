//! Names for the things a debug session is made of. Plain numbers, so that they can be printed, typed and sent.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

id!(
    /// One conversation with one adapter connection: a root session or a child of it. Shown as `debug-1`.
    SessionId,
    "debug-"
);
id!(
    /// One moment at which a session stood still. Counts up over the life of the core and is never reused, so anything
    /// that was true of an older stop (frame ids, variable references) can be told apart from what is true now.
    StopId,
    "stop-"
);
id!(
    /// One breakpoint of the user's, whatever adapters call theirs.
    BreakpointId,
    "#"
);
id!(
    /// Something that waits for a person's consent.
    ApprovalId,
    "approval-"
);
id!(
    /// One watch expression.
    WatchId,
    "watch-"
);
