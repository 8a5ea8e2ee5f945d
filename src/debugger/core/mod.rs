//! The one writer: typed commands in, numbered events out.
//!
//! [`Core::start`] spawns one task that owns everything about sessions. Nothing else changes [`State`](crate::State); slow work (starting
//! an adapter, awaiting a reply) runs in tasks of its own that hand a closure back to the owner when they are done. Commands
//! and such closures go before what adapters send, so a flood of output never delays a key.
//!
//! | file | what is in it |
//! |---|---|
//! | `commands` | how everyone talks to a core, the owner's loop, and which command goes where |
//! | `config` | what a person, and whoever starts it, can set of a core |
//! | `hub` | subscriptions and the numbering of events |
//! | `owner` | what the owner has, and what all that it does goes through |
//! | `prelude` | what most files here name |
//! | `asker` | who gave a command, and where its answer goes |
//! | `refusals` | refusals that several files make |
//! | `handled` | what a command comes to: a refusal, or who answers it and when |
//! | `terms` | deadlines of whoever gave a command |
//! | `permission` | what others than the person may do: judged, asked about, audited |
//! | `guard` | what is known of them |
//! | `approvals` | what waits for a person's consent |
//! | `driver` | who alone makes the program go on |
//! | `live` | what the owner knows of a running session |
//! | `session_tasks` | what is run before a session and after it, and sessions that belong together |
//! | `shared`, `background` | tasks that several sessions need, tasks that go on beside a session |
//! | `typed` | commands as they are typed: what is run before the program, and the tests of it that fail |
//! | `start` | from a command to a session on its way |
//! | `prepare` | which adapter is started, and how |
//! | `plan` | what is said to it |
//! | `handshake` | from a connection to a debuggee that runs |
//! | `incoming` | what adapters send unasked: events and reverse requests |
//! | `printed` | output |
//! | `stops` | stops, and what everyone sees of them: stack, locals, watches |
//! | `other_threads` | threads that stand beside the one that is shown |
//! | `adapter_stops` | what an adapter means by one, and stops of its own making |
//! | `frames` | threads and frames: asked for, the person's own, the one to show |
//! | `reasons` | why a program stopped, where its adapter does not say |
//! | `past_stops` | stops of the past: what was seen at them |
//! | `control` | continue, pause, steps, run to a line |
//! | `resume` | the ways to go on |
//! | `own_steps` | steps that keep to the person's own code, where the debugger cannot |
//! | `children` | sessions of child processes: announced, counted, forgotten |
//! | `end` | how a session ends by itself, and begins again |
//! | `shutdown` | terminate, detach, shutdown: the goodbye to adapters, children first |
//! | `idle` | when a session was last used, and the end of those that nobody uses |
//! | `housekeeping` | small commands that the owner does at once |
//! | `breakpoints` | the user's wishes |
//! | `lists`, `breakpoint_list` | wishes to adapters, and the lists they are sent in |
//! | `answers` | what adapters say to them |
//! | `ours` | what of a breakpoint its adapter does, and what omp-debug does in its place |
//! | `same_place` | several breakpoints at one address |
//! | `refine` | conditions, hit counts and messages that an adapter does not know |
//! | `recorded` | what breakpoints record instead of stopping |
//! | `seen`, `unhit`, `pending_breakpoints` | breakpoints that nothing stopped at, and why |
//! | `rules` | what hit conditions, log messages and values mean |
//! | `inspect` | the commands that look: stacks, frames, scopes, variables |
//! | `evaluate` | expressions: evaluated, completed, assigned to |
//! | `evaluations` | their turn, their time, and what an adapter says meanwhile |
//! | `data` | breakpoints at data |
//! | `compare` | two values, and where they differ |
//! | `references`, `previews` | references as what they refer to; values in one line |
//! | `views` | values as tables, lines to plot, texts, pictures |
//! | `walk` | expressions that name parts of what is shown |
//! | `complete` | what is asked and told of completions, in characters |
//! | `source` | texts of sources |
//! | `jumps` | restarting frames, one thread alone, execution recorded so that it can be run backwards |
//! | `machine` | instructions, writing memory, modules, and requests of the adapter's own |
//! | `terminal` | `runInTerminal`: the debuggee on a pipe or pseudo-terminal of ours |
//! | `taps` | what listens to every connection: the log of the protocol, and a recording |
//! | `record` | messages of the protocol given out, a recording begun and ended |
//! | `replayed` | recordings, played back as sessions |
//! | `overdue` | requests that wait long for their answers |
//! | `hooks` | programs that are run when something happens |
//! | `remote` | a handle to a core of another process |
//! | `spill` | the file that keeps all output |

mod adapter_stops;
mod answers;
mod approvals;
mod asker;
mod assign;
mod assignable;
mod background;
mod breakpoint_list;
mod breakpoints;
mod children;
mod commands;
mod compare;
mod complete;
mod config;
mod control;
mod data;
mod driver;
mod end;
mod evaluate;
mod evaluations;
mod frames;
mod guard;
mod handled;
mod handshake;
mod hooks;
mod housekeeping;
mod hub;
mod idle;
mod incoming;
mod inspect;
mod jumps;
mod lists;
mod live;
mod machine;
mod other_threads;
mod ours;
mod overdue;
mod own_steps;
mod owner;
mod past_stops;
mod pending_breakpoints;
mod permission;
mod plan;
mod prelude;
mod prepare;
mod previews;
mod printed;
mod reasons;
mod record;
mod recorded;
mod references;
mod refine;
mod refusals;
mod remote;
mod replayed;
mod resume;
mod rules;
mod same_place;
mod seen;
mod session_tasks;
mod shared;
mod shutdown;
mod source;
mod spill;
mod start;
mod stops;
mod taps;
mod terminal;
mod terms;
mod typed;
mod unhit;
mod views;
mod walk;

pub use commands::{Core, CoreHandle, Presence};
pub use config::{CoreConfig, HOOK_EVENTS, Hook, Settings, WhileStopped};
pub(crate) use frames::is_own;
pub use hub::Subscription;
pub use remote::{Remote, RemoteRequest};
pub(crate) use rules::{Part, pieces};
