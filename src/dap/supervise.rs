//! Supervisor process.
