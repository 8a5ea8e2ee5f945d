//! What most commands name: `use super::prelude::*`.

pub use std::{
    ffi::OsString,
    io::{BufRead, BufWriter, IsTerminal, Write, stdin, stdout},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

pub use clap::Args;
pub use serde_json::{Value, json};

pub(super) use super::setup::print;
pub use super::{
    choices::numbers,
    desk::{Desk, DeskCommand, Route, StatusLine, with_members, write_line, write_pretty},
    failure::{Failure, Result, say, warn, warn_of},
    setup::{Setup, offer},
};
pub use crate::{
    config::Config,
    debugger::{Command, Console, Core, CoreConfig, adapters::Context},
    diagnostics::Cancel,
    tasks,
    text::{
        amount,
        redact::Redactor,
        sanitise::{sanitise, sanitise_block},
        width::pad,
    },
    tui::action::effect::RouteId,
};
