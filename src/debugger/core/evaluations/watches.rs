//! Watches as evaluations: all of them in a frame, each in its turn. One that did not end is set aside until somebody asks for it.

use dap::tolerant::bounded;

use super::{Evaluation, Job};
use crate::{core::prelude::*, state::Watch};

/// How often all watches are evaluated because an adapter says that something changed, before somebody asks for something again: an
/// adapter that says so because they were evaluated would have them evaluated for ever.
const MOST_UNASKED: u32 = 8;

impl Owner {
    /// All watches, in a frame; `asked` when somebody wants them, and not an adapter.
    pub fn load_watches(&mut self, id: SessionId, stop: StopId, frame_id: i64, asked: bool) {
        let Some(live) = self.live_mut(id) else {
            return;
        };
        let own = &mut live.evaluations;
        own.unasked = if asked { 0 } else { own.unasked + 1 };
        let too_often = own.unasked > MOST_UNASKED;
        own.waiting.retain(|job| job.watch.is_none());
        own.opened.clear();
        for watch in self.hub.state.watches.clone() {
            self.load_watch(id, stop, frame_id, watch, too_often);
        }
    }

    /// One that was added or changed, wherever a program stands. The others keep what they were: to evaluate them may change something.
    pub fn load_new_watch(&mut self, watch: &Watch) {
        let stands = |s: &Session| {
            let stop = s.current_stop()?;
            Some((s.id, stop.id, stop.selected?.frame_id))
        };
        let stopped: Vec<_> = self.hub.state.live().filter_map(stands).collect();
        for (id, stop, frame_id) in stopped {
            if let Some(live) = self.live_mut(id) {
                let own = &mut live.evaluations;
                own.unasked = 0;
                own.waiting.retain(|job| job.watch != Some(watch.id));
                own.opened.retain(|(known, _)| *known != watch.id);
            }
            self.load_watch(id, stop, frame_id, watch.clone(), false);
        }
    }

    fn load_watch(
        &mut self,
        id: SessionId,
        stop: StopId,
        frame_id: i64,
        watch: Watch,
        too_often: bool,
    ) {
        let why = watch.aside.clone().or_else(|| {
            let why = "the debugger tells of a change each time it is evaluated";
            too_often.then(|| why.to_owned())
        });
        if let Some(why) = why {
            let value = WatchValue {
                result: Outcome::Error(format!("set aside: {why}")),
                ..WatchValue::default()
            };
            self.change(
                id,
                Change::Watch {
                    stop,
                    watch: watch.id,
                    value,
                },
            );
            return;
        }
        let Some(personality) = self.personality(id) else {
            return;
        };
        let arguments = EvaluateArguments {
            expression: watch.expression.clone(),
            frame_id: Some(frame_id),
            context: Some(personality.evaluate_context("watch").to_owned()),
            format: self.session(id).and_then(Session::value_format),
            ..EvaluateArguments::default()
        };
        let job = Job {
            stop: Some(stop),
            arguments,
            command: false,
            watch: Some(watch.id),
            lost: None,
            terms: self.terms.clone(),
            then: Box::new(move |owner, outcome| {
                owner.watch_evaluated(id, stop, watch, outcome, &personality);
            }),
        };
        self.evaluate_in_turn(id, job);
    }

    fn watch_evaluated(
        &mut self,
        id: SessionId,
        stop: StopId,
        watch: Watch,
        outcome: Evaluation,
        personality: &Personality,
    ) {
        let aside = match &outcome {
            Evaluation::Stale => return,
            Evaluation::Late { limit, .. } => Some(format!("took over {} s", limit.as_secs_f64())),
            Evaluation::Stopped(_) => Some("the program stopped in what it calls".to_owned()),
            _ => None,
        };
        let value = match outcome.told(&watch.expression, personality) {
            Ok(r) => WatchValue {
                result: Outcome::Value(bounded(r.result)),
                type_name: r.type_,
                variables_reference: r.variables_reference,
                declared: crate::core::references::reference(r.value_location_reference),
                preview: r.preview,
            },
            Err(error) => WatchValue {
                result: Outcome::Error(match &aside {
                    Some(why) => format!("set aside: {why}"),
                    None => error.what,
                }),
                ..WatchValue::default()
            },
        };
        if value.variables_reference > 0
            && let Some(live) = self.live_mut(id)
        {
            live.evaluations.opened.push((watch.id, value.clone()));
        }
        self.change(
            id,
            Change::Watch {
                stop,
                watch: watch.id,
                value,
            },
        );
        let known = self.hub.state.watches.contains(&watch);
        if aside.is_some() && known {
            if let Some(live) = self.live_mut(id) {
                let waiting = &mut live.evaluations.waiting;
                waiting.retain(|job| job.watch != Some(watch.id));
            }
            let watch = Watch { aside, ..watch };
            self.hub.publish(EventKind::WatchSet { watch });
        }
    }
}
