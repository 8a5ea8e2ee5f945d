//! `call` and `serve` on the command line.

use super::prelude::*;
use crate::headless::call::Query;

/// `serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Programs that may be debugged at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = sessions)]
    pub max_sessions: usize,
    /// End programs that nobody asked anything about for so long (attached ones are let go); 0 = never
    #[arg(long, value_name = "MINUTES", default_value_t = 10)]
    pub idle: u32,
    /// Do not hide what looks like a secret in what is told of programs
    #[arg(long)]
    pub no_redact: bool,
}

impl ServeArgs {
    /// How long a session may wait for someone to ask.
    pub fn idle_limit(&self) -> Option<Duration> {
        (self.idle > 0).then(|| Duration::from_secs(60 * u64::from(self.idle)))
    }
}

pub(super) fn sessions(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=1000) => Ok(number),
        _ => Err("write a number from 1 to 1000".to_owned()),
    }
}

/// `call`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  omp-debug call launch program=app.py
  omp-debug call set_breakpoint '{\"file\": \"app.py\", \"line\": 12}'
  omp-debug call continue --text
  omp-debug call --schema evaluate
  omp-debug call --follow

Exit codes: 0 done, 2 refused or written in a wrong way, 3 no adapter, 4 the adapter failed, 5 no answer in time,
7 not permitted.")]
pub struct CallArgs {
    /// The action (--list shows all)
    #[arg(required_unless_present_any = ["list", "all", "follow"])]
    pub action: Option<String>,
    /// Its arguments: a JSON object, - to read one from standard input, or key=value words
    #[arg(value_name = "JSON", requires = "action")]
    pub arguments: Vec<String>,
    /// The debugger with this process id or socket, when several are running
    #[arg(long, value_name = "PID|PATH")]
    pub to: Option<String>,
    /// Tell what happened after the event with this number
    #[arg(long, value_name = "SEQ")]
    pub since: Option<u64>,
    /// Print the text for people alone
    #[arg(long, requires = "action")]
    pub text: bool,
    /// Print the names of all actions
    #[arg(long, conflicts_with_all = ["action", "schema", "follow"])]
    pub list: bool,
    /// Print what ACTION takes, as JSON Schema
    #[arg(long, conflicts_with_all = ["arguments", "follow"])]
    pub schema: bool,
    /// With --schema: of every action
    #[arg(long, requires = "schema", conflicts_with = "action")]
    pub all: bool,
    /// Print a snapshot and then every event, one JSON object a line, until the debugger ends
    #[arg(long, conflicts_with = "action")]
    pub follow: bool,
}

impl CallArgs {
    /// What they mean.
    pub fn wanted(&self) -> Query {
        let action = self.action.clone().unwrap_or_default();
        if self.list {
            Query::List
        } else if self.follow {
            Query::Follow { since: self.since }
        } else if self.schema && self.all {
            Query::Schemas
        } else if self.schema {
            Query::Schema(action)
        } else {
            Query::Action {
                action,
                arguments: self.arguments.clone(),
                since: self.since,
                text: self.text,
            }
        }
    }
}
