//! The screens. A route of the desk is one folder here and one row of [`desk`]: all ways to it follow from that row.
//!
//! | route | what it shows |
//! |---|---|
//! | [`home`] | the selector, and how to begin |
//! | [`debug`] | the workspace: a folder a pane (source, stack, variables, breakpoints, output, repl, the program's terminal, disassembly, memory, stops, protocol, audit; data for one value as table, plot or text), `actions` and `popups` for what is done from any of them |
//! | [`logs`] | logs of omp or any others, merged by time |
//! | [`sse`] | event streams of providers: frames, their text with or without secrets, the message they spell |
//! | [`sessions`], [`transcript`] | sessions of omp as a list and a tree of entries; one of them written down |
//! | [`artifacts`], [`cache`] | files that those left; clearing them |
//! | [`performance`], [`work`] | a profile, live or from a file, alone or beside another: flame graph, callers, tables; what omp-debug itself was busy with |
//! | [`memory`] | a process's memory, what grows in it, heap files |
//! | [`report`] | what goes into a report bundle, and what is in one |
//! | [`system`], [`terminal`] | this machine; this terminal |

pub mod artifacts;
pub mod cache;
pub mod debug;
pub mod home;
pub mod logs;
pub mod memory;
pub mod performance;
pub mod report;
pub mod sessions;
pub mod sse;
pub mod system;
pub mod terminal;
pub mod transcript;
pub mod work;

use crate::action::effect::RouteId;

/// The routes of the desk, a row each, handed to the macro that makes something of them: the constant and the name, which its
/// actions have as well (`app.logs`, `home.logs`); what those are called; their key at home, and whether the footer there shows
/// it; what home calls it and says of it; its module, its surface and the parts of that which have tables of their own.
macro_rules! desk {
    ($make:ident) => {
        $make! {
            LOGS "logs" "logs" (["l"], Footer)
                ("Logs" "What omp wrote: all processes, by time, as it comes")
                => logs {LogsRoute};
            SSE "sse" "raw SSE" (["r"], Footer)
                ("Raw SSE" "What providers stream: each frame, and its timing")
                => sse {SseRoute};
            SESSIONS "sessions" "sessions" (["s"], Footer)
                ("Sessions" "What omp and its models said, did and spent")
                => sessions {SessionsRoute};
            TRANSCRIPT "transcript" "transcript" (["c"])
                ("Transcript" "A session as Markdown or text, without secrets")
                => transcript {TranscriptRoute};
            ARTIFACTS "artifacts" "artifacts" (["f"])
                ("Artifacts" "What omp's sessions left in files, and how much")
                => artifacts {ArtifactsRoute};
            CACHE "cache" "clear the artifact cache" (["x"])
                ("Clear cache" "Old artifacts go into a trash, and come back from it")
                => cache {CacheRoute};
            SYSTEM "system" "system" (["y"], Footer)
                ("System" "This machine: limits, versions, adapters, load")
                => system {SystemRoute};
            MEMORY "memory" "memory" (["m"], Footer)
                ("Memory" "What a process holds and what grows; heap snapshots")
                => memory {MemoryRoute};
            TERMINAL "terminal" "terminal" (["e"], Footer)
                ("Terminal" "What this terminal can do when it is asked")
                => terminal {TerminalRoute};
            REPORT "report" "report" (["b"])
                ("Report" "All that a bug report needs, your secrets taken out")
                => report {ReportRoute};
            PERFORMANCE "performance" "performance" (["p"])
                ("Performance" "Where time went: profiles as flame graphs and tables")
                => performance {PerformanceRoute, Consent, ProfileDesk};
            WORK "work" "omp-debug's own work" (["w"])
                ("Work" "What omp-debug itself did in the last 30 seconds")
                => work {WorkRoute};
        }
    };
}
pub(crate) use desk;

macro_rules! ids {
    ($($id:ident $name:literal $title:literal $key:tt $home:tt => $module:ident $parts:tt;)*) => {
        impl RouteId {
            /// The selector.
            pub const HOME: Self = Self("home");
            /// The debug workspace.
            pub const DEBUG: Self = Self("debug");
            $(pub const $id: Self = Self($name);)*
        }
    };
}
desk!(ids);
