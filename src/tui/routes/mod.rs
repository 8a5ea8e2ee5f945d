//! The screens. A route is one folder here and one line in each of the two tables below.

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

/// Every route, ready to be shown; they cost nothing until then.
pub fn all(waker: &Waker) -> Vec<(RouteId, Box<dyn Layer>)> {
    vec![
        (RouteId::Home, Box::new(home::Home::default())),
        (
            RouteId::Debug,
            Box::new(debug::DebugRoute::new(waker.clone())),
        ),
        (RouteId::Logs, Box::new(logs::LogsRoute::default())),
        (RouteId::Sse, Box::new(sse::SseRoute::default())),
        (
            RouteId::Sessions,
            Box::new(sessions::SessionsRoute::default()),
        ),
        (
            RouteId::Transcript,
            Box::new(transcript::TranscriptRoute::default()),
        ),
        (
            RouteId::Artifacts,
            Box::new(artifacts::ArtifactsRoute::default()),
        ),
        (RouteId::Cache, Box::new(cache::CacheRoute::default())),
        (RouteId::System, Box::new(system::SystemRoute::default())),
        (RouteId::Memory, Box::new(memory::MemoryRoute::default())),
        (
            RouteId::Terminal,
            Box::new(terminal::TerminalRoute::default()),
        ),
        (RouteId::Report, Box::new(report::ReportRoute::default())),
        (
            RouteId::Performance,
            Box::new(performance::PerformanceRoute::default()),
        ),
        (RouteId::Work, Box::new(work::WorkRoute::default())),
    ]
}

/// The tables of all routes, panes included: for checking bindings and for the key reference.
pub fn sections() -> Vec<Section> {
    let mut sections = vec![Section::of::<home::Home>()];
    sections.extend(debug::sections());
    sections.push(Section::of::<logs::LogsRoute>());
    sections.push(Section::of::<sse::SseRoute>());
    sections.push(Section::of::<sessions::SessionsRoute>());
    sections.push(Section::of::<transcript::TranscriptRoute>());
    sections.push(Section::of::<artifacts::ArtifactsRoute>());
    sections.push(Section::of::<cache::CacheRoute>());
    sections.push(Section::of::<system::SystemRoute>());
    sections.push(Section::of::<memory::MemoryRoute>());
    sections.push(Section::of::<terminal::TerminalRoute>());
    sections.push(Section::of::<report::ReportRoute>());
    sections.push(Section::of::<performance::PerformanceRoute>());
    sections.push(Section::of::<performance::consent::Consent>());
    sections.push(Section::of::<performance::desk::ProfileDesk>());
    sections.push(Section::of::<work::WorkRoute>());
    sections
}
