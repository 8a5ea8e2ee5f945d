//! The screens. A route is one folder here and one line in the table below, with the parts that have tables of their own.
//!
//! | route | what it shows |
//! |---|---|
//! | [`home`] | the selector, and how to begin |
//! | [`debug`] | the workspace: a folder a pane (source, stack, variables, breakpoints, output, repl, disassembly, memory, stops, protocol, audit; data for one value as table, plot or text), `actions` and `popups` for what is done from any of them |
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

use super::{
    action::{Layer, Section},
    app::{effect::RouteId, msg::Waker},
};

macro_rules! screens {
    ($($id:ident = $screen:ty $(, $part:ty)*;)*) => {
        /// Every route, ready to be shown; they cost nothing until then.
        pub fn all(waker: &Waker) -> Vec<(RouteId, Box<dyn Layer>)> {
            let debug = debug::DebugRoute::new(waker.clone());
            vec![
                (RouteId::Debug, Box::new(debug) as Box<dyn Layer>),
                $((RouteId::$id, Box::<$screen>::default() as Box<dyn Layer>),)*
            ]
        }

        /// The tables of all routes, panes included: for checking bindings and for the key reference.
        pub fn sections() -> Vec<Section> {
            let mut sections = vec![$(Section::of::<$screen>(), $(Section::of::<$part>(),)*)*];
            sections.splice(1..1, debug::sections());
            sections
        }
    };
}

screens! {
    Home = home::Home;
    Logs = logs::LogsRoute;
    Sse = sse::SseRoute;
    Sessions = sessions::SessionsRoute;
    Transcript = transcript::TranscriptRoute;
    Artifacts = artifacts::ArtifactsRoute;
    Cache = cache::CacheRoute;
    System = system::SystemRoute;
    Memory = memory::MemoryRoute;
    Terminal = terminal::TerminalRoute;
    Report = report::ReportRoute;
    Performance = performance::PerformanceRoute, performance::Consent, performance::ProfileDesk;
    Work = work::WorkRoute;
}
