//! From a key, a click or pasted text to the layer it is for, and to the row it means.
//!
//! Text that is wanted comes first, then the tables: the topmost overlay's, or the focused pane's, the route's and the app's.

use crossterm::event::KeyEventKind;
use debugger::Severity;

use super::{
    App,
    global::{Global, IN_OVERLAYS, Modal},
    operations,
};
use crate::{
    action::{
        Layer, Row,
        keymap::{self, Chord, KeyMatch},
    },
    prelude::*,
};

/// How long a prefix key waits before the box with its continuations appears.
const INFOBOX_AFTER: Duration = Duration::from_millis(300);

impl App {
    /// Whether what is on top takes no key yet.
    pub(super) fn is_deaf(&mut self, now: Instant, typed: bool) -> bool {
        let top = self.overlays.last_mut();
        let deaf = top.and_then(|layer| layer.deaf(now, typed));
        self.dirty |= deaf.is_some() != self.deaf.is_some();
        self.deaf = deaf;
        deaf.is_some()
    }

    pub(super) fn key(&mut self, event: KeyEvent, now: Instant) -> Vec<Effect> {
        if event.kind == KeyEventKind::Release {
            // Only terminals with the kitty protocol and Windows report these.
            return Vec::new();
        }
        let leaves = event.code == KeyCode::Char('c') && event.modifiers == KeyModifiers::CONTROL;
        if self.is_deaf(now, true) && !leaves {
            return Vec::new();
        }
        self.dirty |= self.status.fade();
        if self.pending.chords.is_empty() {
            let (taken, effects) =
                self.with_top(|layer, cx| layer.text_wanted() && layer.text(event, cx));
            if taken {
                self.dirty = true;
                return self.absorb(effects);
            }
        }
        let Some(chord) = Chord::of(event) else {
            return Vec::new();
        };
        if !self.pending.chords.is_empty() && chord.is_escape() {
            self.pending.clear();
            self.dirty = true;
            return Vec::new();
        }
        self.pending.chords.push(chord);
        let rows = self.keymap.applied(self.rows());
        match keymap::find(&rows, &self.pending.chords) {
            KeyMatch::Action(id) => {
                self.pending.clear();
                let effects = self.invoke(id);
                self.absorb(effects)
            }
            KeyMatch::Prefix => {
                self.pending.due = Some(self.pending.due.unwrap_or(now + INFOBOX_AFTER));
                self.dirty = true;
                Vec::new()
            }
            KeyMatch::Nothing => {
                if self.pending.chords.len() > 1 {
                    let keys = keymap::pretty(&keymap::write(&self.pending.chords));
                    self.status.say(
                        Severity::Info,
                        &format!("No action has the keys {keys}."),
                        None,
                    );
                    self.dirty = true;
                }
                self.pending.clear();
                Vec::new()
            }
        }
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

    /// Runs the action with this id wherever it is. What it asks for is not yet done.
    pub(super) fn invoke(&mut self, id: &str) -> Vec<Effect> {
        if let Some(effect) = operations::begin(id, &self.world.view(true)) {
            return vec![effect];
        }
        let title = self
            .rows()
            .into_iter()
            .find(|row| row.id == id)
            .map(|row| row.title);
        let (done, mut effects) = self.with_top(|layer, cx| layer.invoke(id, cx));
        let done = done.or_else(|| {
            let cx = Cx::new(self.world.view(true));
            let done = if self.overlays.is_empty() {
                Global.invoke(id, &cx)
            } else {
                Modal.invoke(id, &cx).or_else(|| {
                    IN_OVERLAYS
                        .contains(&id)
                        .then(|| Global.invoke(id, &cx))
                        .flatten()
                })
            };
            effects = cx.into_effects();
            done
        });
        self.dirty = true;
        match done {
            Some(Ok(())) => {}
            Some(Err(reason)) => {
                let what = title.unwrap_or(id);
                self.status
                    .say(Severity::Info, &format!("{what}: {reason}"), None);
            }
            None => self.status.say(
                Severity::Info,
                &format!("{id:?} is not an action of what is shown now."),
                None,
            ),
        }
        effects
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

    /// Lets the layer that has the keyboard do something.
    fn with_top<R: Default>(
        &mut self,
        work: impl FnOnce(&mut dyn Layer, &Cx) -> R,
    ) -> (R, Vec<Effect>) {
        let cx = Cx::new(self.world.view(true));
        let route = self.route;
        let top = self.overlays.last_mut().or_else(|| {
            self.routes
                .iter_mut()
                .find(|(id, _)| *id == route)
                .map(|(_, layer)| layer)
        });
        let result = top
            .map(|layer| work(layer.as_mut(), &cx))
            .unwrap_or_default();
        self.dirty |= cx.dirty.get();
        (result, cx.into_effects())
    }
}
