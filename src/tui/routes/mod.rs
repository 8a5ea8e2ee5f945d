//! The screens. A route is one folder here and one line in each of the two tables below.

pub mod debug;
pub mod home;

use super::action::{Layer, Section};
use super::app::effect::RouteId;
use super::app::msg::Waker;

/// Every route, ready to be shown; they cost nothing until then.
pub fn all(waker: &Waker) -> Vec<(RouteId, Box<dyn Layer>)> {
    vec![
        (RouteId::Home, Box::new(home::Home::default())),
        (
            RouteId::Debug,
            Box::new(debug::DebugRoute::new(waker.clone())),
        ),
    ]
}

/// The tables of all routes, panes included: for checking bindings and for the key reference.
pub fn sections() -> Vec<Section> {
    let mut sections = vec![Section::of::<home::Home>()];
    sections.extend(debug::sections());
    sections
}
