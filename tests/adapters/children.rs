//! Sessions of child processes: against the real debugpy and js-debug, whose processes fork, spawn, replace themselves and
//! outlive each other; and against an adapter that announces far too many, twice, or where nobody listens.

mod alone;
mod announced;
mod attached;
mod grove;
mod launched;
