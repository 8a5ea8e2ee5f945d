//! The app: routes, overlays, focus, status; `update` turns messages into effects.

pub mod effect;
pub mod msg;
