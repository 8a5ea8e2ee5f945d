//! The screens. A route is one folder here and one line in each of the two tables below.
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
    action::{Layer, Section, Surface},
    app::{effect::RouteId, msg::Waker},
};

/// Every route, ready to be shown; they cost nothing until then.
pub fn all(waker: &Waker) -> Vec<(RouteId, Box<dyn Layer>)> {
    vec![
        screen::<home::Home>(RouteId::Home),
        (
            RouteId::Debug,
            Box::new(debug::DebugRoute::new(waker.clone())),
        ),
        screen::<logs::LogsRoute>(RouteId::Logs),
        screen::<sse::SseRoute>(RouteId::Sse),
        screen::<sessions::SessionsRoute>(RouteId::Sessions),
        screen::<transcript::TranscriptRoute>(RouteId::Transcript),
        screen::<artifacts::ArtifactsRoute>(RouteId::Artifacts),
        screen::<cache::CacheRoute>(RouteId::Cache),
        screen::<system::SystemRoute>(RouteId::System),
        screen::<memory::MemoryRoute>(RouteId::Memory),
        screen::<terminal::TerminalRoute>(RouteId::Terminal),
        screen::<report::ReportRoute>(RouteId::Report),
        screen::<performance::PerformanceRoute>(RouteId::Performance),
        screen::<work::WorkRoute>(RouteId::Work),
    ]
}

fn screen<S: Surface + Default>(id: RouteId) -> (RouteId, Box<dyn Layer>) {
    (id, Box::new(S::default()))
}

/// The tables of all routes, panes included: for checking bindings and for the key reference.
pub fn sections() -> Vec<Section> {
    let mut sections = vec![Section::of::<home::Home>()];
    sections.extend(debug::sections());
    sections.extend([
        Section::of::<logs::LogsRoute>(),
        Section::of::<sse::SseRoute>(),
        Section::of::<sessions::SessionsRoute>(),
        Section::of::<transcript::TranscriptRoute>(),
        Section::of::<artifacts::ArtifactsRoute>(),
        Section::of::<cache::CacheRoute>(),
        Section::of::<system::SystemRoute>(),
        Section::of::<memory::MemoryRoute>(),
        Section::of::<terminal::TerminalRoute>(),
        Section::of::<report::ReportRoute>(),
        Section::of::<performance::PerformanceRoute>(),
        Section::of::<performance::Consent>(),
        Section::of::<performance::ProfileDesk>(),
        Section::of::<work::WorkRoute>(),
    ]);
    sections
}
