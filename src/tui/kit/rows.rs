//! Tables of actions with a line a row: id, title, keys, where it is offered (in help only, unless said), when it makes sense
//! (always, unless said), and what it does.
//!
//! `lines` and `ends` stand for the rows that move by lines and pages and to both ends, as [`Scrolls`](super::scroll::Scrolls)
//! says; their titles follow. `found` stands for those of a list that is narrowed by typing. `-> Logs` behind a row says that it goes to that screen.

/// A table: see the module.
macro_rules! rows {
    ($($rows:tt)*) => { $crate::kit::rows::rows_of!([] $($rows)*) };
}

/// Takes the rows off one by one.
macro_rules! rows_of {
    ([$($done:expr,)*]) => { &[$($done,)*] };
    ([$($done:expr,)*] lines $route:literal $up:literal $down:literal $(if $when:expr)?; $($rest:tt)*) => {
        $crate::kit::rows::rows_of!([$($done,)*]
            (concat!($route, ".up")) $up ["up", "k"] $(if $when)? => |s, cx| $crate::kit::scroll::Scrolls::vertical(s, -1, cx);
            (concat!($route, ".down")) $down ["down", "j"] $(if $when)? => |s, cx| $crate::kit::scroll::Scrolls::vertical(s, 1, cx);
            (concat!($route, ".page-up")) "a page up" ["pageup", "ctrl-b"] $(if $when)? => |s, cx| $crate::kit::scroll::Scrolls::page(s, -1, cx);
            (concat!($route, ".page-down")) "a page down" ["pagedown", "ctrl-f"] $(if $when)? => |s, cx| $crate::kit::scroll::Scrolls::page(s, 1, cx);
            $($rest)*)
    };
    ([$($done:expr,)*] ends $route:literal $first:literal $last:literal $(if $when:expr)?; $($rest:tt)*) => {
        $crate::kit::rows::rows_of!([$($done,)*]
            (concat!($route, ".first")) $first ["home", "g"] $(if $when)? => |s, cx| $crate::kit::scroll::Scrolls::edge(s, false, cx);
            (concat!($route, ".last")) $last ["end", "G"] $(if $when)? => |s, cx| $crate::kit::scroll::Scrolls::edge(s, true, cx);
            $($rest)*)
    };
    ([$($done:expr,)*] found $route:literal; $($rest:tt)*) => {
        $crate::kit::rows::rows_of!([$($done,)*]
            (concat!($route, ".down")) "down" ["down", "ctrl-n"]: Footer => |s, cx| $crate::kit::scroll::Scrolls::vertical(s, 1, cx);
            (concat!($route, ".up")) "up" ["up", "ctrl-p"]: Footer => |s, cx| $crate::kit::scroll::Scrolls::vertical(s, -1, cx);
            (concat!($route, ".page-down")) "a page down" ["pagedown"] => |s, cx| $crate::kit::scroll::Scrolls::page(s, 1, cx);
            (concat!($route, ".page-up")) "a page up" ["pageup"] => |s, cx| $crate::kit::scroll::Scrolls::page(s, -1, cx);
            $($rest)*)
    };
    ([$($done:expr,)*] $id:tt $title:literal [$($key:literal),*] $(: $show:ident $(($name:literal))?)? -> $route:ident; $($rest:tt)*) => {
        $crate::kit::rows::rows_of!([$($done,)*]
            $id $title [$($key),*] $(: $show $(($name))?)? => |_, cx| cx.go($crate::app::effect::RouteId::$route);
            $($rest)*)
    };
    ([$($done:expr,)*] $id:tt $title:literal [$($key:literal),*] $(: $show:ident $(($name:literal))?)? $(if $when:expr)? => $run:expr; $($rest:tt)*) => {
        $crate::kit::rows::rows_of!([$($done,)*
            $crate::action::Action {
                id: $id,
                title: $title,
                keys: &[$($key),*],
                show: $crate::kit::rows::show_of!($($show $(($name))?)?),
                enabled: $crate::kit::rows::when_of!($($when)?),
                run: $run,
            },
        ] $($rest)*)
    };
}

/// Where a row is offered.
macro_rules! show_of {
    () => { $crate::action::Show::HelpOnly };
    ($show:ident $(($name:literal))?) => { $crate::action::Show::$show $(($name))? };
}

/// When a row makes sense.
macro_rules! when_of {
    () => {
        $crate::action::always
    };
    ($when:expr) => {
        $when
    };
}

/// When actions of a screen make sense, for `if` in its table: a name, what has to be so, and what is said where it is not.
macro_rules! gates {
    ($screen:ty, $s:ident; $($gates:tt)*) => {
        $crate::kit::rows::gates!($screen, $s, _; $($gates)*);
    };
    ($screen:ty, $s:tt, $view:tt; $($name:ident: $so:expr, $why:literal;)*) => {
        $(pub(super) fn $name($s: &$screen, $view: &$crate::action::View<'_>) -> $crate::action::Enabled {
            $crate::kit::asks::OrWhy::or_why($so, $why)
        })*
    };
}

pub(crate) use {gates, rows, rows_of, show_of, when_of};
