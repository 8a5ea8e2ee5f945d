//! How a core behaves: what a person can set of it, and what whoever starts it says.

use std::sync::atomic::AtomicBool;

use super::prelude::*;
use crate::{adapters, hang::Samples, permission::Mode};

/// How long a request may wait before anybody is told that it does, if nothing else is asked for.
const PATIENCE: Duration = Duration::from_secs(3);

base::settings! {
    /// What a person can set of a core, and of what is started and offered with it.
    pub struct Settings, entry {
        "adapter" "\"debugpy\"" "the adapter to use when several fit; without this the best one that is installed"
            => adapter: Option<String> = None, entry.parsed().map(Some);
        "console" "\"internal\"" "where a launched program prints: internal (through the adapter), pipe (fastest), pty (it sees a terminal) or external (a window of $TERMINAL)"
            => console: Console = Console::Internal, entry.one_of("internal, pipe, pty or external");
        "typed_while_stopped" "\"warn\"" "what is typed into the terminal of a program that stands still: warn (it waits, and that is said), off (it waits) or error (it is refused)"
            => typed_while_stopped: WhileStopped = WhileStopped::Warn, entry.one_of("warn, off or error");
        "plain_adapter" "false" "start adapters without what makes them faster"
            => plain_adapter: bool = false, entry.flag();
        "own_code" "true" "steps keep to your own code; with false they go into libraries as well (Alt-O while debugging)"
            => own_code: bool = true, entry.flag();
        "eval_timeout" "5" "seconds that an expression may take; then it is given up, and a watch is set aside"
            => eval_timeout: Duration = Duration::from_secs(5), entry.seconds();
        "path_map" "[\"/home/ada/app=/srv/app\"]" "folders that lie elsewhere for the program: LOCAL=REMOTE, as in containers"
            => path_mappings: Vec<adapters::PathMapping> = Vec::new(), entry.list();
        "debug.enabled" "true" "the debug tool for scripts and programs (`call`); with false it has no actions, and only people debug"
            => debug_enabled: bool = true, entry.flag();
        "debug.redact" "true" "hide what looks like a secret in what the debug tool tells; the screen shows everything"
            => debug_redact: bool = true, entry.flag();
    }
    /// What is run when something happens.
    hooks: Vec<Hook>;
}

/// How a core behaves.
#[derive(Clone, Debug)]
pub struct CoreConfig {
    /// Where adapters are looked for, with which environment.
    pub context: Context,
    /// The project whose breakpoints, watches and histories are kept; `None` keeps nothing.
    pub project: Option<PathBuf>,
    /// Program that holds adapters and debuggees so that they never outlive us (`omp-debug` itself); `None` = no such program.
    pub supervisor: Option<PathBuf>,
    /// Root sessions that may live at a time.
    pub max_sessions: usize,
    /// How long an adapter may take over one request.
    pub request_timeout: Duration,
    /// How long a request may wait before everyone is told that it does; how long the children of a program that has ended may take
    /// to end before they are in the way of the next one.
    pub overdue: Duration,
    /// Sessions of which nobody asks anything for this long are ended; `None` = they may wait for ever, as they do for a
    /// person.
    pub idle_limit: Option<Duration>,
    /// Whether steps keep to the person's own code.
    pub own_code: Arc<AtomicBool>,
    /// Whether every stop asks for the list of threads; without it they are asked for when somebody wants them.
    pub threads_at_stops: bool,
    /// Whether terminals of programs show what is typed, until the program says otherwise.
    pub echo: bool,
    /// When processes were looked at for what their threads do.
    pub samples: Samples,
    /// Writes down every protocol message of adapters that are started.
    pub recorder: Option<Arc<Recorder>>,
    /// What actors that are not people may do.
    pub permission: Mode,
    /// The person's rules.
    pub rules: Rules,
    /// How long something waits for a person's consent before that is a refusal.
    pub consent_limit: Duration,
    /// How long an agent that says nothing stays the driver.
    pub lease: Duration,
    /// What the person has set.
    pub settings: Settings,
    /// Folder for the audit; `None` keeps none beyond the state.
    pub audit_dir: Option<PathBuf>,
    /// Folder for output files; `None` keeps no output beyond the ring.
    pub output_dir: Option<PathBuf>,
}

impl CoreConfig {
    /// The defaults, for a context.
    pub fn new(context: Context) -> Self {
        Self {
            output_dir: Some(context.state_dir.join("output")),
            audit_dir: Some(context.state_dir.join("audit")),
            permission: Mode::default(),
            rules: Rules::default(),
            settings: Settings::default(),
            consent_limit: Duration::from_mins(5),
            lease: Duration::from_mins(10),
            context,
            recorder: None,
            project: None,
            supervisor: None,
            max_sessions: 1,
            request_timeout: Duration::from_secs(30),
            overdue: PATIENCE,
            idle_limit: None,
            own_code: Arc::new(AtomicBool::new(true)),
            threads_at_stops: true,
            echo: true,
            samples: Samples::default(),
        }
    }
}

/// What becomes of what is typed for a program that stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhileStopped {
    /// It waits.
    Off,
    /// It waits, and that is said.
    Warn,
    /// It is refused.
    Error,
}

/// What hooks can be for; `*` stands for all of them.
pub const HOOK_EVENTS: [&str; 5] = ["stopped", "continued", "output", "exited", "terminated"];

/// A program that is run when something happens.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Hook {
    /// One of [`HOOK_EVENTS`], or `*`.
    pub on: String,
    /// The program and its arguments.
    pub run: Vec<String>,
}
