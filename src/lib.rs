//! `omp-debug`: a debugger and a diagnostics desk in one terminal.

pub mod cli;
pub mod config;
pub mod dap;
pub mod debugger;
pub mod headless;
pub mod text;
pub mod tui;
