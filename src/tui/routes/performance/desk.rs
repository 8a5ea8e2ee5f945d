//! A profile from all sides: flame, icicle, table, callers and callees. Both routes that show profiles have one.
//!
//! [`super::navigation`] is what keys do to it, [`super::pointing`] what the mouse and lists do, [`super::execution`] what is done beside the
//! drawing task, [`super::view`] and [`super::detail`] draw, [`super::flame`] says where blocks are.

use diagnostics::profile::{
    Profile, Unit,
    tree::{NodeId, Timeline, Tree},
};

use super::{
    ProfileDesk, Works,
    model::{By, Counted, ShownProfile, Side},
};
use crate::{action::msg::WorkProgress, prelude::*};

gates! { ProfileDesk, s;
    has_profile: s.shown.is_some(), "There is no profile yet.";
    has_function: s.function().is_some(), "Select a function first.";
    has_matches: s.matches.is_some(), "Nothing is searched for: / begins.";
    has_threads after has_profile: s.shows(|shown| shown.profile.threads.len() > 1), "The profile has one thread only.";
    has_debuggers after has_profile: s.shows(|shown| shown.debuggers.contains(&true)), "None of its threads is a debugger's.";
    has_notes after has_profile: !s.all_notes().is_empty(), "There is nothing to note.";
}

/// Looks for functions by their names, while it is typed.
static SEARCH: TypedLine<ProfileDesk> = TypedLine {
    hint: "part of a name, or an expression",
    changed: |s, needle, _| s.seek(&needle.text),
    left: |s, _| s.seek(""),
    ..TypedLine::new(
        &[("Enter", "search"), ("Esc", "leave")],
        |_| ["", "/"],
        |s, _, cx| {
            let here = s.function().zip(s.matches.as_ref());
            if here.is_none_or(|(function, matches)| !matches.has(function)) {
                s.go_to_match(false, cx);
            }
            Ok(())
        },
    )
};

impl ProfileDesk {
    fn shows(&self, what: impl Fn(&ShownProfile) -> bool) -> bool {
        self.shown.as_ref().is_some_and(what)
    }

    /// Without a profile; its work has these names.
    pub fn new(works: Works) -> Self {
        Self {
            works,
            ..Self::default()
        }
    }

    /// Whether there is something to look at, or will be at once.
    pub fn has_profile(&self) -> bool {
        self.shown.is_some() || self.is_building
    }

    /// The profile that is shown.
    pub fn profile(&self) -> Option<&Arc<Profile>> {
        self.shown.as_ref().map(|shown| &shown.profile)
    }

    /// What the pane says of how much is shown.
    pub(super) fn counted(&self) -> Counted {
        match &self.shown {
            None => Counted::Nothing,
            Some(shown) if shown.profile.unit == Unit::Samples => Counted::Samples,
            Some(shown) => Counted::Weight(shown.seen),
        }
    }

    /// Shows a profile, compared with `base` if there is one: the same places stay selected as far as they are there. While the
    /// view is frozen it waits.
    pub fn show(&mut self, profile: Arc<Profile>, base: Option<Arc<Profile>>, cx: &Cx) {
        if self.is_frozen && self.shown.is_some() {
            self.waiting = Some((profile, base));
            return cx.redraw();
        }
        let is_other = self
            .shown
            .as_ref()
            .is_none_or(|shown| shown.profile.name != profile.name);
        if is_other {
            // Threads and times are another profile's.
            self.options.thread = None;
            self.options.between = None;
        }
        self.build(profile, base, cx);
    }

    /// Nothing is shown any more.
    pub fn clear(&mut self) {
        *self = Self::new(self.works);
    }

    pub(super) fn build(&mut self, profile: Arc<Profile>, base: Option<Arc<Profile>>, cx: &Cx) {
        self.is_building = true;
        cx.emit(self.works.build(profile, base, self.options.clone()));
    }

    /// What is shown, made anew.
    pub(super) fn rebuild(&mut self, cx: &Cx) {
        if let Some(shown) = &self.shown {
            let (profile, base) = (Arc::clone(&shown.profile), shown.base.clone());
            self.build(profile, base, cx);
        }
    }

    pub(super) fn timeline(&self) -> Option<&Timeline> {
        self.shown.as_ref()?.timeline.as_ref()
    }

    pub(super) fn tree(&self) -> Option<&Arc<Tree>> {
        self.shown.as_ref().map(|shown| &shown.tree)
    }

    /// Takes up a tree; what is selected is found again by its names.
    pub(super) fn built(&mut self, shown: ShownProfile) {
        self.is_building = false;
        let way = |id: NodeId| {
            let tree = self.tree();
            tree.map(|tree| tree.names(id)).unwrap_or_default()
        };
        let (selected, zoom) = (way(self.selected), way(self.zoom));
        let row = self.row_function().and_then(|id| {
            let function = self.tree()?.function(id)?;
            Some(function.clone())
        });
        let tree = &shown.tree;
        self.selected = tree.find(&selected);
        self.zoom = tree.find(&zoom);
        if tree
            .node(self.zoom)
            .is_none_or(|node| node.weight.total == 0)
        {
            self.zoom = NodeId::ROOT;
        }
        if self.by == By::Change && shown.base.is_none() {
            self.by = By::Own;
        }
        self.shown = Some(shown);
        self.sort();
        if let Some(row) = row
            && let Some(tree) = self.tree()
        {
            let at = self.rows.iter().position(|at| {
                let function = tree.rows.get(*at).and_then(|r| tree.function(r.function));
                function.is_some_and(|f| {
                    (&f.name, &f.file, &f.module) == (&row.name, &row.file, &row.module)
                })
            });
            self.table.select(at.or(Some(0)));
        } else if !self.rows.is_empty() {
            self.table.select(Some(0));
        }
        self.around = None;
        self.seek_again();
        if self.side == Side::Callers
            && let Some(function) = self.row_function()
        {
            self.centre(function);
        }
    }
}

impl Browser for ProfileDesk {
    table! { "Profile", s, cx;
        "profile.zoom" "zoom in" ["enter"], Bar("zoom") if has_profile => Self::enter;
        "profile.next-view" "flame, icicle, table, callers" ["tab"], Bar("view") if has_profile => s.turn(1);
        "profile.search" "search" ["/"], Footer if has_profile => s.line = SEARCH.with(Field::new(s.sought.clone()));
        "profile.source" "show its source" ["s"], Footer if has_function => Self::show_source;
        "profile.export" "export" ["x"], Footer if has_profile => Self::choose_format;
        "profile.picture" "open as a picture" ["o"], Footer if has_profile => Self::open_picture;
        "profile.thread" "one thread or all" ["t"], Footer if has_threads => Self::choose_thread;
        "profile.sort" "sort the table by own, total, name" ["S"] if has_profile => s.sort_by_next();
        "profile.compare" "compare" ["d"], Footer if has_profile => Self::compare;
        "profile.copy" "copy name, place and weight" ["y" "ctrl-c"], Footer if has_function => Self::copy;
        "profile.copy-stack" "copy the stack" ["Y"] if has_function => Self::copy_stack;
        "profile.freeze" "freeze while new samples come" ["z"] if has_profile => Self::freeze;
        "profile.idle" "with or without the time in which nothing ran" ["i"] if has_profile => {
            s.options.idle = !s.options.idle;
            s.rebuild(cx);
        };
        "profile.debuggers" "with or without the debugger's own threads" ["b"] if has_debuggers => {
            s.options.debuggers = !s.options.debuggers;
            s.rebuild(cx);
        };
        "profile.notes" "all notes, in full" ["a"] if has_notes => Self::show_notes;
        "profile.search-selected" "search for the selected function" ["#"] if has_function => s.seek_selected();
        jumps "profile" "match" "match" ["n"] ["N"] if has_matches => go_to_match;
        "profile.previous-view" "the view before" ["shift-tab"] if has_profile => s.turn(-1);
        "profile.callers" "callers and callees" ["c"] if has_function => s.go(Side::Callers);
        lines "profile" "up" "down" if has_profile;
        "profile.left" "to the heavier neighbour, or to callers" ["left" "h"] if has_profile => s.sideways(-1);
        "profile.right" "to the lighter neighbour, or to callees" ["right" "l"] if has_profile => s.sideways(1);
        ends "profile" "first" "last, or the end of the heaviest stack" if has_profile;
        "profile.all-time" "all of the time again" ["="] if has_profile => {
            s.options.between = None;
            s.rebuild(cx);
        };
        back "profile" "out of the zoom, the search, then back";
    }

    type Begin = ();

    fn leave(&mut self, cx: &Cx) -> bool {
        if self.busy.take().is_some() {
            cx.end_work(self.works.save);
            cx.end_work(self.works.base);
            return true;
        }
        if self.zoom != NodeId::ROOT && self.side.is_graph() {
            self.zoom = NodeId::ROOT;
            return true;
        }
        if self.matches.is_some() || self.wrong.is_some() {
            self.seek("");
            return true;
        }
        false
    }

    types_in!(line);

    fn on_progress(&mut self, told: &WorkProgress, cx: &Cx) {
        // There are two desks, and each has its own work.
        if self.works.is_of(told.name()) {
            told.call(self, cx);
        }
    }

    tabs_in!(tabs);

    fn turned_to(&mut self, tab: usize, _cx: &Cx) {
        self.go(Side::ALL.get(tab).copied().unwrap_or_default());
    }
}
