//! overlays
