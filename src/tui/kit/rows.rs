//! Tables of actions, a line an action: its id, its title, its keys, where it is offered besides help, when it makes sense, and
//! what it does. Without an `if` it always does. `-> LOGS` says that it goes to that screen.
//!
//! Rows that many surfaces have alike are one line together: those that move what [`Scrolls`](super::scroll::Scrolls) says (`lines`,
//! `ends`; `found`, in a list that is narrowed by typing), those of moving through rows (`walk`, `list`), of a tree (`tree`), of a list
//! to pick from (`pick`), of a popup that scrolls (`scroll`).

use crate::action::Enabled;

/// ```text
/// rows! {
///     "memory.write" "write"       ["i"],         Footer if Self::can_write => Self::ask_bytes;
///     "memory.right" "byte after"  ["right" "l"]         if Self::has_place => |s, cx| s.move_by(1, cx);
///     walk "memory" "row up" "row down";
/// }
/// ```
macro_rules! rows {
    (@[$($done:tt)*]) => { &[$($done)*] };
    // A row.
    (@[$($done:tt)*] $id:literal $title:literal [$($key:literal)*] $(, $show:ident $(($short:literal))?)? $(if $enabled:expr)? => $run:expr; $($rest:tt)*) => {
        rows!(@[$($done)* Action {
            id: $id,
            title: $title,
            keys: &[$($key),*],
            show: show_of!($($show $(($short))?)?),
            enabled: when_of!($($enabled)?),
            run: $run,
        },] $($rest)*)
    };
    // To another screen.
    (@[$($done:tt)*] $id:literal $title:literal [$($key:literal)*] $(, $show:ident $(($short:literal))?)? -> $route:ident; $($rest:tt)*) => {
        rows!(@[$($done)*] $id $title [$($key)*] $(, $show $(($short))?)? => |_, cx| cx.go(RouteId::$route); $($rest)*)
    };
    // Rows whose ids begin with `$name`; what follows them stands in braces.
    (@[$($done:tt)*] (concat $name:literal) $($id:literal $title:literal [$($key:literal)*] $(, $show:ident)? $(if $enabled:expr)? => $run:expr;)* { $($rest:tt)* }) => {
        rows!(@[$($done)* $(Action {
            id: concat!($name, ".", $id),
            title: $title,
            keys: &[$($key),*],
            show: show_of!($($show)?),
            enabled: when_of!($($enabled)?),
            run: $run,
        },)*] $($rest)*)
    };
    // Moving as `Scrolls` says: by lines and pages, to both ends; in a list that is narrowed by typing.
    (@[$($done:tt)*] lines $name:literal $up:literal $down:literal $(if $when:expr)?; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "up"        $up           ["up" "k"]            $(if $when)? => |s, cx| scroll::Scrolls::vertical(s, -1, cx);
            "down"      $down         ["down" "j"]          $(if $when)? => |s, cx| scroll::Scrolls::vertical(s, 1, cx);
            "page-up"   "a page up"   ["pageup" "ctrl-b"]   $(if $when)? => |s, cx| scroll::Scrolls::page(s, -1, cx);
            "page-down" "a page down" ["pagedown" "ctrl-f"] $(if $when)? => |s, cx| scroll::Scrolls::page(s, 1, cx);
            { $($rest)* })
    };
    (@[$($done:tt)*] ends $name:literal $first:literal $last:literal $(if $when:expr)?; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "first"     $first        ["home" "g"]          $(if $when)? => |s, cx| scroll::Scrolls::edge(s, false, cx);
            "last"      $last         ["end" "G"]           $(if $when)? => |s, cx| scroll::Scrolls::edge(s, true, cx);
            { $($rest)* })
    };
    (@[$($done:tt)*] found $name:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "down"      "down"        ["down" "ctrl-n"], Footer => |s, cx| scroll::Scrolls::vertical(s, 1, cx);
            "up"        "up"          ["up" "ctrl-p"], Footer   => |s, cx| scroll::Scrolls::vertical(s, -1, cx);
            "page-down" "a page down" ["pagedown"]              => |s, cx| scroll::Scrolls::page(s, 1, cx);
            "page-up"   "a page up"   ["pageup"]                => |s, cx| scroll::Scrolls::page(s, -1, cx);
            { $($rest)* })
    };
    // Moving by rows and pages, see `Walks` of the panes.
    (@[$($done:tt)*] walk $name:literal $up:literal $down:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "up"        $up         ["up" "k"]   if Walks::can_walk => |s, cx| Walks::walk(s, Step::Rows(-1), cx);
            "down"      $down       ["down" "j"] if Walks::can_walk => |s, cx| Walks::walk(s, Step::Rows(1), cx);
            "page-up"   "page up"   ["pageup"]   if Walks::can_walk => |s, cx| Walks::walk(s, Step::Pages(-1), cx);
            "page-down" "page down" ["pagedown"] if Walks::can_walk => |s, cx| Walks::walk(s, Step::Pages(1), cx);
            { $($rest)* })
    };
    // The same, and to the ends.
    (@[$($done:tt)*] list $name:literal $up:literal $down:literal $first:literal $last:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] walk $name $up $down; @ends $name $first $last; $($rest)*)
    };
    (@[$($done:tt)*] @ends $name:literal $first:literal $last:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "first"     $first      ["home" "g"] if Walks::can_walk => |s, cx| Walks::walk(s, Step::First, cx);
            "last"      $last       ["end" "G"]  if Walks::can_walk => |s, cx| Walks::walk(s, Step::Last, cx);
            { $($rest)* })
    };
    // What every tree has, see `HasTree`.
    (@[$($done:tt)*] tree $name:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "copy-expression" "copy expression" ["Y"]         if HasTree::has_expression => HasTree::copy_expression;
            "compare"         "compare"         ["d"], Footer if HasTree::has_expression => HasTree::compare;
            "expand"          "open a row"      ["right" "l"] if HasTree::has_row => HasTree::expand;
            "collapse"        "close a row"     ["left" "h"]  if HasTree::has_row => HasTree::collapse;
            { list $name "up" "down" "first row" "last row"; $($rest)* })
    };
    // What every `Picking` has: to close it, and to move in it.
    (@[$($done:tt)*] pick $name:literal $closing:literal $title:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            $closing    $title      ["esc"], Footer      => |_, cx| cx.close();
            { steps $name; $($rest)* })
    };
    (@[$($done:tt)*] steps $name:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "up"        "up"        ["up" "ctrl-p"]      => |s, _| s.step(-1);
            "down"      "down"      ["down" "ctrl-n"]    => |s, _| s.step(1);
            "page-up"   "page up"   ["pageup"]           => |s, _| s.page(-1);
            "page-down" "page down" ["pagedown"]         => |s, _| s.page(1);
            { $($rest)* })
    };
    // To close a popup, and to move what `Scrolls` says in it.
    (@[$($done:tt)*] scroll $name:literal; $($rest:tt)*) => {
        rows!(@[$($done)*] (concat $name)
            "close"     "close"     ["esc" "enter"], Footer => |_, cx| cx.close();
            "up"        "up"        ["up" "k"]              => |s, cx| scroll::Scrolls::vertical(s, -1, cx);
            "down"      "down"      ["down" "j"]            => |s, cx| scroll::Scrolls::vertical(s, 1, cx);
            "page-up"   "page up"   ["pageup"]              => |s, cx| scroll::Scrolls::page(s, -1, cx);
            "page-down" "page down" ["pagedown" "space"]    => |s, cx| scroll::Scrolls::page(s, 1, cx);
            "first"     "beginning" ["home" "g"]            => |s, cx| scroll::Scrolls::edge(s, false, cx);
            "last"      "end"       ["end" "G"]             => |s, cx| scroll::Scrolls::edge(s, true, cx);
            { $($rest)* })
    };
    ($($rest:tt)*) => {{
        #[allow(unused_imports, reason = "no table names all of these")]
        use $crate::{
            action::{Action, effect::RouteId},
            kit::{
                rows::{rows, show_of, when_of},
                scroll,
            },
        };
        rows!(@[] $($rest)*)
    }};
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
        $(pub(super) fn $name($s: &$screen, $view: &$crate::action::view::View<'_>) -> $crate::action::Enabled {
            $crate::kit::rows::OrWhy::or_why($so, $why)
        })*
    };
}

pub(crate) use {gates, rows, show_of, when_of};

/// What has a reason when it is not so.
pub trait OrWhy {
    /// Whether it is so, and why not.
    fn or_why(self, why: &'static str) -> Enabled;
}

impl OrWhy for bool {
    fn or_why(self, why: &'static str) -> Enabled {
        if self { Ok(()) } else { Err(why) }
    }
}

impl<T> OrWhy for Option<T> {
    fn or_why(self, why: &'static str) -> Enabled {
        self.is_some().or_why(why)
    }
}
