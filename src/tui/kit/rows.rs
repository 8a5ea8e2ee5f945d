//! Tables of actions, a line an action: its id, its title, its keys, where it is offered besides help, when it makes sense, and
//! what it does. Without an `if` it always does. `-> LOGS` says that it goes to that screen.
//!
//! Rows that many surfaces have alike are one line together: those that move what [`Scrolls`](super::scroll::Scrolls) says (`lines`,
//! `ends`; `jumps`, to the next of something and to the one before; `back`, out of it; `found`, in a list that is narrowed by typing), those of moving through rows (`walk`, `list`), of a tree (`tree`), of a list
//! to pick from (`pick`), of a popup that scrolls (`scroll`).

use crate::action::Enabled;

/// ```text
/// rows! { s, cx;
///     "memory.write" "write"       ["i"],         Footer if Self::can_write => Self::ask_bytes;
///     "memory.right" "byte after"  ["right" "l"]         if Self::has_place => s.move_by(1, cx);
///     walk "memory" "row up" "row down";
/// }
/// ```
macro_rules! rows {
    (@$names:tt [$($done:tt)*]) => { &[$($done)*] };
    // A row: what does it is a path, a macro for one, a closure, or its body, in which the table's names are used.
    (@$names:tt [$($done:tt)*] $id:literal $title:literal [$($key:literal)*] $(, $show:ident $(($short:literal))?)? $(if $enabled:expr)? => $($rest:tt)*) => {
        rows!(@run $names [$($done)*] {
            id: $id,
            title: $title,
            keys: &[$($key),*],
            show: show_of!($($show $(($short))?)?),
            enabled: when_of!($($enabled)?),
        } $($rest)*)
    };
    (@run $names:tt [$($done:tt)*] {$($row:tt)*} $($run:ident)::+; $($rest:tt)*) => {
        rows!(@$names [$($done)* Action { $($row)* run: $($run)::+ },] $($rest)*)
    };
    (@run $names:tt [$($done:tt)*] {$($row:tt)*} $run:ident!$what:tt; $($rest:tt)*) => {
        rows!(@$names [$($done)* Action { $($row)* run: $run!$what },] $($rest)*)
    };
    (@run $names:tt [$($done:tt)*] {$($row:tt)*} |$a:tt, $b:tt| $run:expr; $($rest:tt)*) => {
        rows!(@$names [$($done)* Action { $($row)* run: |$a, $b| $run },] $($rest)*)
    };
    (@run ($s:ident $cx:ident) [$($done:tt)*] {$($row:tt)*} $run:expr; $($rest:tt)*) => {
        rows!(@($s $cx) [$($done)* Action { $($row)* run: |$s, $cx| { _ = (&$s, &$cx); $run } },] $($rest)*)
    };
    // To another screen.
    (@$names:tt [$($done:tt)*] $id:literal $title:literal [$($key:literal)*] $(, $show:ident $(($short:literal))?)? -> $route:ident; $($rest:tt)*) => {
        rows!(@$names [$($done)*] $id $title [$($key)*] $(, $show $(($short))?)? => |_, cx| cx.go(RouteId::$route); $($rest)*)
    };
    // Rows whose ids begin with `$name`; what follows them stands in braces.
    (@$names:tt [$($done:tt)*] (concat $name:literal) $($id:literal $title:literal [$($key:literal)*] $(, $show:ident)? $(if $enabled:expr)? => $run:expr;)* { $($rest:tt)* }) => {
        rows!(@$names [$($done)* $(Action {
            id: concat!($name, ".", $id),
            title: $title,
            keys: &[$($key),*],
            show: show_of!($($show)?),
            enabled: when_of!($($enabled)?),
            run: $run,
        },)*] $($rest)*)
    };
    // Moving as `Scrolls` says: by lines and pages, to both ends; in a list that is narrowed by typing.
    (@$names:tt [$($done:tt)*] lines $name:literal $up:literal $down:literal $(if $when:expr)?; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "up"        $up           ["up" "k"]            $(if $when)? => walk_of!(Rows(-1));
            "down"      $down         ["down" "j"]          $(if $when)? => walk_of!(Rows(1));
            "page-up"   "a page up"   ["pageup" "ctrl-b"]   $(if $when)? => walk_of!(Pages(-1));
            "page-down" "a page down" ["pagedown" "ctrl-f"] $(if $when)? => walk_of!(Pages(1));
            { $($rest)* })
    };
    (@$names:tt [$($done:tt)*] ends $name:literal $first:literal $last:literal $(if $when:expr)?; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "first"     $first        ["home" "g"]          $(if $when)? => walk_of!(First);
            "last"      $last         ["end" "G"]           $(if $when)? => walk_of!(Last);
            { $($rest)* })
    };
    (@$names:tt [$($done:tt)*] found $name:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "down"      "next row"     ["down" "ctrl-n"], Footer => walk_of!(Rows(1));
            "up"        "previous row" ["up" "ctrl-p"], Footer   => walk_of!(Rows(-1));
            "page-down" "a page down" ["pagedown"]              => walk_of!(Pages(1));
            "page-up"   "a page up"   ["pageup"]                => walk_of!(Pages(-1));
            { $($rest)* })
    };
    // Moving by rows and pages, where there is something to move in.
    (@$names:tt [$($done:tt)*] walk $name:literal $up:literal $down:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "up"        $up         ["up" "k"]   if scroll::Scrolls::can_walk => walk_of!(Rows(-1));
            "down"      $down       ["down" "j"] if scroll::Scrolls::can_walk => walk_of!(Rows(1));
            "page-up"   "page up"   ["pageup"]   if scroll::Scrolls::can_walk => walk_of!(Pages(-1));
            "page-down" "page down" ["pagedown"] if scroll::Scrolls::can_walk => walk_of!(Pages(1));
            { $($rest)* })
    };
    // The same, and to the ends.
    (@$names:tt [$($done:tt)*] list $name:literal $up:literal $down:literal $first:literal $last:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] walk $name $up $down; ends $name $first $last if scroll::Scrolls::can_walk; $($rest)*)
    };
    // To the next of something, and to the one before; `$run` is told whether it is back.
    (@$names:tt [$($done:tt)*] jumps $name:literal $id:literal $title:literal [$($next:literal)*] [$($previous:literal)*] $(, $show:ident)? $(if $enabled:expr)? => $run:ident $(($what:expr))?; $($rest:tt)*) => {
        rows!(@$names [$($done)* Action {
            id: concat!($name, ".next-", $id),
            title: concat!("next ", $title),
            keys: &[$($next),*],
            show: show_of!($($show)?),
            enabled: when_of!($($enabled)?),
            run: |s, cx| s.$run($($what,)? false, cx),
        },
        Action {
            id: concat!($name, ".previous-", $id),
            title: concat!("previous ", $title),
            keys: &[$($previous),*],
            show: show_of!(),
            enabled: when_of!($($enabled)?),
            run: |s, cx| s.$run($($what,)? true, cx),
        },] $($rest)*)
    };
    // Out of what is open, then out of the screen, see `Browser::leave`.
    (@$names:tt [$($done:tt)*] back $name:literal $title:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "back"      $title      ["esc"] => |s, cx| if !$crate::kit::browser::Browser::leave(s, cx) { cx.back(); };
            { $($rest)* })
    };
    // What every tree has, see `HasTree`.
    (@$names:tt [$($done:tt)*] tree $name:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "copy-expression" "copy expression" ["Y"]         if HasTree::has_expression => HasTree::copy_expression;
            "compare"         "compare"         ["C"], Footer if HasTree::has_expression => HasTree::compare;
            "expand"          "open a row"      ["right" "l"] if HasTree::has_row => HasTree::expand;
            "collapse"        "close a row"     ["left" "h"]  if HasTree::has_row => HasTree::collapse;
            { list $name "up" "down" "first row" "last row"; $($rest)* })
    };
    // What every `Picking` has: to close it, and to move in it.
    (@$names:tt [$($done:tt)*] pick $name:literal $closing:literal $title:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            $closing    $title      ["esc"], Footer      => |_, cx| cx.close();
            { steps $name; $($rest)* })
    };
    (@$names:tt [$($done:tt)*] steps $name:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "up"        "up"        ["up" "ctrl-p"]      => walk_of!(Rows(-1));
            "down"      "down"      ["down" "ctrl-n"]    => walk_of!(Rows(1));
            "page-up"   "page up"   ["pageup"]           => walk_of!(Pages(-1));
            "page-down" "page down" ["pagedown"]         => walk_of!(Pages(1));
            { $($rest)* })
    };
    // To close a popup, and to move what `Scrolls` says in it.
    (@$names:tt [$($done:tt)*] scroll $name:literal; $($rest:tt)*) => {
        rows!(@$names [$($done)*] (concat $name)
            "close"     "close"     ["esc" "enter"], Footer => |_, cx| cx.close();
            "up"        "up"        ["up" "k"]              => walk_of!(Rows(-1));
            "down"      "down"      ["down" "j"]            => walk_of!(Rows(1));
            "page-up"   "page up"   ["pageup"]              => walk_of!(Pages(-1));
            "page-down" "page down" ["pagedown" "space"]    => walk_of!(Pages(1));
            { ends $name "beginning" "end"; $($rest)* })
    };
    ($s:ident, $cx:ident; $($rest:tt)*) => {{
        #[allow(unused_imports, reason = "no table names all of these")]
        use $crate::{
            action::{Action, effect::RouteId},
            kit::{
                rows::{rows, show_of, walk_of, when_of},
                scroll,
            },
        };
        rows!(@($s $cx) [] $($rest)*)
    }};
    ($($rest:tt)*) => { $crate::kit::rows::rows!(s, cx; $($rest)*) };
}

/// The title of a surface and its table, in the `impl` of whoever has them; before the title, whose actions they are, if they are
/// not its own.
///
/// ```text
/// table! { "Memory";
///     "memory.write" "write" ["i"], Footer => Self::ask_bytes;
/// }
/// ```
macro_rules! table {
    ($title:literal $($rows:tt)*) => {
        $crate::kit::rows::table! { Self: $title $($rows)* }
    };
    ($surface:ty: $title:literal $(, $s:ident, $cx:ident)?; $($rows:tt)*) => {
        const TITLE: &str = $title;
        const ACTIONS: &[$crate::action::Action<$surface>] = $crate::kit::rows::rows! { $($s, $cx;)? $($rows)* };
    };
}

/// Where a row is offered.
macro_rules! show_of {
    () => { $crate::action::Show::HelpOnly };
    ($show:ident $(($name:literal))?) => { $crate::action::Show::$show $(($name))? };
}

/// What moves by this step.
macro_rules! walk_of {
    ($($step:tt)*) => {
        |s, cx| $crate::kit::scroll::Scrolls::walk(s, $crate::kit::scroll::Step::$($step)*, cx)
    };
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

/// When actions of a screen make sense, for `if` in its table: a name, the one that has to hold first (`after`), what has to be so,
/// and what is said where it is not.
macro_rules! gates {
    ($screen:ty, $s:ident; $($gates:tt)*) => {
        $crate::kit::rows::gates!($screen, $s, _; $($gates)*);
    };
    ($screen:ty, $s:tt, $view:tt; $($name:ident $(after $first:ident)?: $so:expr, $why:literal;)*) => {
        $(pub(super) fn $name($s: &$screen, view: &$crate::action::view::View) -> $crate::action::Enabled {
            $($first($s, view)?;)?
            let $view = view;
            $crate::kit::rows::OrWhy::or_why($so, $why)
        })*
    };
}

pub(crate) use {gates, rows, show_of, table, walk_of, when_of};

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
