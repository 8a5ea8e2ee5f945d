//! The other fronts.

pub mod adapters;
