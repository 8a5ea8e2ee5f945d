//! Exit codes of all fronts, and which of them tells scripts what kind of trouble it was.

use debugger::ErrorKind;

/// The program ended with another code than 0.
pub const PROGRAM_FAILED: u8 = 1;
/// The command line, or a line of a script, is no command or cannot be done.
pub const USAGE: u8 = 2;
/// A missing adapter.
pub const ADAPTER_MISSING: u8 = 3;
/// The adapter, or anything else that did not work.
pub const FAILED: u8 = 4;
/// No answer or no end in time.
pub const TIMEOUT: u8 = 5;
/// What was asserted does not hold.
pub const ASSERTION: u8 = 6;
/// What nobody permitted.
pub const DENIED: u8 = 7;
/// Behind it stands the number of the signal that ended us.
pub const SIGNAL: u8 = 128;
/// After SIGHUP.
pub const HUNG_UP: u8 = SIGNAL + 1;
/// After Ctrl-C.
pub const INTERRUPTED: u8 = SIGNAL + 2;
/// After SIGTERM.
pub const TERMINATED: u8 = SIGNAL + 15;

/// The code for what did not work.
pub fn of(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::AdapterMissing => ADAPTER_MISSING,
        ErrorKind::Adapter | ErrorKind::Timeout => FAILED,
        ErrorKind::Usage
        | ErrorKind::State
        | ErrorKind::Capability
        | ErrorKind::Stale
        | ErrorKind::Program
        | ErrorKind::Cancelled
        | ErrorKind::NotDriver => USAGE,
        ErrorKind::Denied => DENIED,
    }
}
