//! A task that goes on beside a session.

use std::io;

use dap::supervise::{Control, Report};
use rustix::process::{Pid, Signal, kill_process_group};

/// A task that runs; it ends with this.
pub struct Background {
    pub group: Option<Pid>,
    /// Our end of its supervisor, which ends the whole tree when that closes, also when we are killed.
    pub control: Option<Control>,
}

impl Background {
    /// Why it could not be started, where its supervisor found that out.
    pub fn trouble(&mut self) -> Option<String> {
        let reports = self.control.as_mut().map(Control::reports);
        let mut reports = reports.unwrap_or_default().into_iter();
        reports.find_map(|report| match report {
            Report::Failed(errno) => Some(io::Error::from_raw_os_error(errno).to_string()),
            _ => None,
        })
    }

    /// It has ended by itself.
    pub fn ended(mut self) {
        self.group = None;
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let (Some(group), None) = (self.group, &self.control) {
            // Gone already is usual.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
