//! The screens themselves, made from the table of [`routes`].

use crate::{
    action::{Layer, Section, effect::RouteId, msg::Waker},
    routes::{self, debug, desk, home},
};

macro_rules! screens {
    ($($id:ident $name:literal $title:literal $key:tt $home:tt => $module:ident {$screen:ident $(, $part:ident)*};)*) => {
        /// Every route, ready to be shown; they cost nothing until then.
        pub fn all(waker: &Waker) -> Vec<(RouteId, Box<dyn Layer>)> {
            let debug = debug::DebugRoute::new(waker.clone());
            vec![
                (RouteId::DEBUG, Box::new(debug) as Box<dyn Layer>),
                (RouteId::HOME, Box::<home::Home>::default()),
                $((RouteId::$id, Box::<routes::$module::$screen>::default()),)*
            ]
        }

        /// The tables of all routes, panes included: for checking bindings and for the key reference.
        pub fn sections() -> Vec<Section> {
            let mut sections = vec![Section::of::<home::Home>()];
            sections.extend(debug::sections());
            $(
                sections.push(Section::of::<routes::$module::$screen>());
                $(sections.push(Section::of::<routes::$module::$part>());)*
            )*
            sections
        }
    };
}
desk!(screens);
