//! The screen.

pub mod action;
pub mod app;
pub mod overlays;
pub mod routes;
pub mod term;
pub mod theme;
pub mod widgets;
