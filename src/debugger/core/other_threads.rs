//! Threads that stand beside the one that is shown: each that stopped at a breakpoint is shown before the program goes on.

use super::prelude::*;

impl Owner {
    /// Asks which other threads stand at breakpoints, where the adapter tells of one thread only. They are known before any stop
    /// is shown, so that whoever lets the program go on at once loses none. Returns whether it asks: the stop is told afterwards.
    pub fn ask_for_others(&self, id: SessionId, told: &StoppedEvent) -> bool {
        let Some(live) = self.live(id) else {
            return false;
        };
        let hits = told.hit_breakpoint_ids.as_deref().unwrap_or_default();
        let expression = live.personality.threads_at_breakpoints.as_ref();
        let Some((expression, client)) = expression
            .filter(|_| !hits.is_empty())
            .zip(live.client.as_ref())
        else {
            return false;
        };
        let (first, resumes) = (told.clone(), live.resumes);
        let arguments = EvaluateArguments {
            expression: expression.clone(),
            context: Some("watch".to_owned()),
            ..EvaluateArguments::default()
        };
        let answer = client.send::<Evaluate>(&arguments);
        self.spawn(answer, move |owner, answer| {
            let text = answer.map(|answer| answer.result).unwrap_or_default();
            let numbers: Vec<i64> = text
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            let (pairs, _) = numbers.as_chunks();
            let others = pairs
                .iter()
                .filter(|[thread, _]| first.thread_id != Some(*thread))
                .map(|&[thread, breakpoint]| StoppedEvent {
                    reason: "breakpoint".to_owned(),
                    thread_id: Some(thread),
                    hit_breakpoint_ids: Some(vec![breakpoint]),
                    preserve_focus_hint: Some(true),
                    all_threads_stopped: Some(true),
                    ..StoppedEvent::default()
                });
            for stop in iter::once(first.clone()).chain(others) {
                if owner.live(id).is_some_and(|live| live.resumes == resumes) {
                    owner.take_stop(id, stop);
                }
            }
        });
        true
    }

    /// Shows where another thread stands, if one does whose breakpoint was not taken away meanwhile, before the program goes on.
    pub fn show_queued_stop(&mut self, id: SessionId) -> bool {
        let enabled = self.breakpoints().filter(|b| b.enabled).map(|b| b.id);
        let enabled: BTreeSet<_> = enabled.collect();
        let runs_alone = self.session(id).is_none_or(|s| s.single_thread);
        let Some(live) = self.live_mut(id).filter(|_| !runs_alone) else {
            return false;
        };
        let is_there = |hit: &i64| {
            let ours = live.by_adapter_id.get(hit);
            ours.is_some_and(|id| enabled.contains(id))
        };
        let mut queued = mem::take(&mut live.queued_stops).into_iter();
        let Some(next) = queued.find(|stop| stop.hit_breakpoint_ids.iter().flatten().any(is_there))
        else {
            return false;
        };
        self.phase(id, Phase::Running, None);
        self.stand(id, next);
        if let Some(live) = self.live_mut(id) {
            live.queued_stops = queued.collect();
        }
        true
    }

    pub fn mark_stopped(&mut self, id: SessionId, thread: i64) {
        let Some(session) = self.session(id) else {
            return;
        };
        let mut threads = session.threads.clone();
        for t in threads.iter_mut().filter(|t| t.id == thread) {
            t.stopped = true;
        }
        self.change(id, Change::Threads { threads });
    }
}
