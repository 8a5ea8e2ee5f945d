//! What most commands name: `use super::prelude::*`.

pub use std::{
    io::{BufRead, BufWriter, IsTerminal, Write, stdin, stdout},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

pub use clap::Args;
pub use serde_json::{Value, json};

pub use super::{
    choices::numbers,
    desk::{Desk, DeskCommand, Route, StatusLine, write_line, write_pretty},
    failure::{Failure, Result, say, warn, warn_of},
};
pub use crate::{
    config::Config,
    debugger::{Command, adapters::Context},
    diagnostics::Cancel,
    text::{
        amount,
        redact::Redactor,
        sanitise::{sanitise, sanitise_block},
    },
    tui::app::effect::RouteId,
};
