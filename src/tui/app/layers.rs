//! The layers, which are the route shown and what lies over it: what their rows are, what they are told; what is pasted and clicked.

use super::{
    App,
    global::{Global, IN_OVERLAYS, Modal},
};
use crate::{
    action::{Layer, Row},
    overlays::help,
    prelude::*,
};

impl App {
    /// Whether what is on top takes no key yet.
    pub(super) fn is_deaf(&mut self, now: Instant, typed: bool) -> bool {
        let top = self.overlays.last_mut();
        let deaf = top.and_then(|layer| layer.deaf(now, typed));
        self.dirty |= deaf.is_some() != self.deaf.is_some();
        self.deaf = deaf;
        deaf.is_some()
    }

    pub(super) fn paste(&mut self, text: &str) -> Vec<Effect> {
        // Where nothing takes text, pasted text is dropped: it is data, never keys.
        let (taken, effects) = self.with_top(|layer, cx| layer.paste(text, cx));
        self.dirty |= taken;
        self.absorb(effects)
    }

    pub(super) fn pointer(&mut self, event: MouseEvent) -> Vec<Effect> {
        if event.kind == CLICK {
            self.dirty |= self.status.fade();
            if let Some(id) = tabs::at(&self.targets, (event.column, event.row)) {
                let effects = self.invoke(id);
                return self.absorb(effects);
            }
        }
        let (taken, effects) = self.with_top(|layer, cx| layer.mouse(event, cx));
        self.dirty |= taken;
        self.absorb(effects)
    }

    /// The rows that keys are looked up in, most particular first, without the user's keys.
    pub(super) fn rows(&self) -> Vec<Row> {
        let Some(top) = self.overlays.last() else {
            return self.route_rows();
        };
        let view = self.world.view(true);
        let mut rows = top.rows(&view);
        rows.extend(Self::modal_rows(&view));
        rows
    }

    /// What works in every overlay.
    pub(super) fn modal_rows(view: &View) -> Vec<Row> {
        let mut rows = Modal.rows(view);
        rows.extend(
            Global
                .rows(view)
                .into_iter()
                .filter(|row| IN_OVERLAYS.contains(&row.id)),
        );
        rows
    }

    /// The rows of the route and of the app, most particular first, without the user's keys.
    pub(super) fn route_rows(&self) -> Vec<Row> {
        let view = self.world.view(true);
        let mut rows = self
            .shown()
            .map(|layer| layer.rows(&view))
            .unwrap_or_default();
        rows.extend(Global.rows(&view));
        rows
    }

    /// The route shown.
    pub(super) fn shown(&self) -> Option<&dyn Layer> {
        self.routes
            .iter()
            .find(|(id, _)| *id == self.route)
            .map(|(_, layer)| layer.as_ref())
    }

    /// Help's sections: what has the keyboard first, then the app's rows.
    pub(super) fn sections(&self) -> Vec<help::HelpSection> {
        let view = self.world.view(true);
        let mut sections = Vec::new();
        let top = self
            .overlays
            .last()
            .map(AsRef::as_ref)
            .or_else(|| self.shown());
        if let Some(top) = top {
            help::split(
                top.title(),
                self.keymap.applied(top.rows(&view)),
                &mut sections,
            );
        }
        let own = if self.overlays.is_empty() {
            Global.rows(&view)
        } else {
            Self::modal_rows(&view)
        };
        sections.push(help::HelpSection {
            title: "Everywhere".to_owned(),
            rows: self.keymap.applied(own),
        });
        sections
    }

    /// Passes a message to every layer.
    pub(super) fn tell(&mut self, msg: &Msg) -> Vec<Effect> {
        self.dirty = true;
        let cx = Cx::new(self.world.view(false));
        let layers = self.routes.iter_mut().map(|(_, layer)| layer);
        for layer in layers.chain(&mut self.overlays) {
            layer.message(msg, &cx);
        }
        let effects = cx.into_effects();
        self.absorb(effects)
    }

    /// Passes a message to one route.
    fn tell_route(&mut self, route: RouteId, msg: &Msg) -> Vec<Effect> {
        let cx = Cx::new(self.world.view(false));
        let told = self.routes.iter_mut().find(|(id, _)| *id == route);
        if let Some((_, layer)) = told {
            layer.message(msg, &cx);
        }
        let effects = cx.into_effects();
        self.absorb(effects)
    }

    /// Tells the routes which of them is shown, once that changed: what is not shown costs nothing.
    pub(super) fn announce(&mut self) -> Vec<Effect> {
        if self.told == Some(self.route) {
            return Vec::new();
        }
        let dirty = self.dirty;
        let before = self.told.replace(self.route);
        let left = before.map(|route| self.tell_route(route, &Msg::Hidden));
        let mut effects = left.unwrap_or_default();
        effects.extend(self.tell_route(self.route, &Msg::Shown));
        // A route that has nothing to do about it looks as before.
        self.dirty = dirty || !effects.is_empty();
        effects
    }

    pub(super) fn go(&mut self, route: RouteId) {
        if route != self.route {
            self.before.retain(|r| *r != route);
            self.before.push(self.route);
            self.route = route;
        }
        self.overlays.clear();
        self.pending.clear();
        self.dirty = true;
    }

    pub(super) fn open(&mut self, layer: Box<dyn Layer>) {
        self.overlays.push(layer);
        self.pending.clear();
        self.dirty = true;
    }
}
