//! What each event does to the state: all that ever changes it stands here.
//!
//! Nothing is decided: the core decided before it made the event, and every copy of the state comes to the same.

use crate::prelude::*;

/// Keeps what is listed under a key, or takes it out.
fn listed<T: Clone>(list: &mut BTreeMap<String, T>, key: String, item: Option<&T>) {
    match item {
        Some(item) => list.insert(key, item.clone()),
        None => list.remove(&key),
    };
}

/// Puts an item in the place of the one that it is the newer state of, or at the end.
fn put<T: Clone>(list: &mut Vec<T>, item: &T, is_same: impl Fn(&T) -> bool) {
    match list.iter_mut().find(|old| is_same(old)) {
        Some(old) => old.clone_from(item),
        None => list.push(item.clone()),
    }
}

impl State {
    /// Takes in the next event as well as [`Change::LookedAt`], which everyone else passes over.
    pub(crate) fn apply_for_a_look(&mut self, event: &Event) {
        self.apply(event);
        let EventKind::Session { session, change } = &event.kind else {
            return;
        };
        let mut sessions = self.sessions.iter_mut();
        if let Change::LookedAt { stop } = change
            && let Some(session) = sessions.find(|s| s.id == *session)
        {
            session.stand(stop);
        }
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        match &event.kind {
            EventKind::SessionStarted { session } => {
                self.sessions.retain(|s| s.id != session.id);
                self.sessions.push((**session).clone());
            }
            EventKind::SessionCleared { session } => {
                self.sessions.retain(|s| s.id != *session);
                if self.focus == Some(*session) {
                    self.focus = self.sessions.last().map(|s| s.id);
                }
            }
            EventKind::Focus { session } => self.focus = *session,
            EventKind::BreakpointSet { breakpoint } => {
                put(&mut self.breakpoints, breakpoint, |b| b.id == breakpoint.id);
            }
            EventKind::BreakpointRemoved { breakpoint } => {
                self.breakpoints.retain(|b| b.id != *breakpoint);
            }
            EventKind::BreakpointAnswered {
                breakpoint,
                session,
                answer,
            } => {
                if let Some(b) = self.breakpoints.iter_mut().find(|b| b.id == *breakpoint) {
                    match answer {
                        Some(answer) => {
                            // What was said of an earlier run, or before it was in place, is no longer true.
                            let was = b.answers.insert(*session, answer.clone());
                            let news = was.is_none_or(|was| answer.verified && !was.verified);
                            b.never_hit.take_if(|_| news);
                        }
                        None => {
                            b.answers.remove(session);
                        }
                    }
                }
            }
            EventKind::BreakpointNeverHit {
                breakpoint, why, ..
            } => {
                if let Some(b) = self.breakpoints.iter_mut().find(|b| b.id == *breakpoint) {
                    b.never_hit = Some(why.clone());
                }
            }
            EventKind::ExceptionFilters { filters } => {
                self.exception_filters.clone_from(filters);
                for session in &mut self.sessions {
                    session.exception_filters.clear();
                }
            }
            EventKind::WatchSet { watch } => {
                put(&mut self.watches, watch, |w| w.id == watch.id);
            }
            EventKind::WatchRemoved { watch } => self.watches.retain(|w| w.id != *watch),
            EventKind::Memory { key, values } => {
                self.memory.insert(key.clone(), values.clone());
            }
            EventKind::Recording { file } => self.recording.clone_from(file),
            EventKind::Sharing { change } => self.sharing.apply(change),
            EventKind::Message { .. } => {}
            EventKind::Session { session, change } => {
                if *change == Change::Gone {
                    for b in &mut self.breakpoints {
                        b.answers.remove(session);
                    }
                }
                let printed = self.printed;
                let mut sessions = self.sessions.iter_mut();
                if let Some(s) = sessions.find(|s| s.id == *session) {
                    s.output.order = printed;
                    s.apply(change);
                    self.printed = printed.max(s.output.order);
                }
            }
        }
    }
}

impl Session {
    fn stand(&mut self, stop: &Stop) {
        self.phase = Phase::Stopped;
        self.activity = None;
        for t in &mut self.threads {
            t.stopped |= stop.all_threads_stopped || stop.thread_id == Some(t.id);
        }
        self.stop = Some(stop.clone());
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Phase { phase, activity } => {
                if self.phase == Phase::Terminated && *phase != Phase::Terminated {
                    // Of a recording, in which time goes back.
                    (self.ended, self.exit_code) = (None, None);
                }
                self.phase = *phase;
                self.activity.clone_from(activity);
                if *phase == Phase::Running {
                    let alone = self.current_thread();
                    let alone = alone.filter(|_| self.single_thread && self.stop.is_some());
                    for t in &mut self.threads {
                        t.stopped &= alone.is_some_and(|alone| alone != t.id);
                    }
                }
            }
            Change::Adapter {
                name,
                ends_with_session,
            } => {
                self.adapter.clone_from(name);
                self.ends_with_session = *ends_with_session;
            }
            Change::Typed { typed } => {
                self.kind = typed.kind;
                self.target.clone_from(&typed.target);
                if let Some(title) = typed.title() {
                    self.name = title;
                }
                self.exception_filters = typed.wanted();
                self.typed = Some(typed.clone());
            }
            Change::Used { at } => self.last_used = *at,
            Change::ConsoleCommands => self.console_commands = true,
            Change::ReadsByCode => self.reads_by_code = true,
            Change::CanRecordExecution => self.can_record_execution = true,
            Change::ProgramInChild => self.program_in_child = true,
            Change::TakesInput => self.takes_input = true,
            Change::RecordingExecution { on } => self.records_execution = *on,
            Change::Speed { speed } => self.speed = *speed,
            Change::SingleThread { on } => self.single_thread = *on,
            Change::ValueFormat { hex } => self.hex = *hex,
            Change::MemoryChanged { .. } => self.memory_changes += 1,
            Change::Capabilities { capabilities } => self.capabilities = Arc::clone(capabilities),
            Change::NeedsConfigurationDone { needed } => self.needs_configuration_done = *needed,
            Change::Process { pid, name } => {
                self.pid = pid.or(self.pid);
                if name.is_some() {
                    self.process_name.clone_from(name);
                }
            }
            Change::Stopped { stop } => self.stand(stop),
            Change::Continued {
                thread_id,
                all_threads,
            } => {
                for t in &mut self.threads {
                    if *all_threads || *thread_id == Some(t.id) {
                        t.stopped = false;
                    }
                }
            }
            Change::Threads { threads } => self.threads.clone_from(threads),
            Change::ThreadStarted { thread } => {
                if self.threads.iter().all(|t| t.id != thread.id) {
                    self.threads.push(thread.clone());
                }
            }
            Change::ThreadExited { thread_id } => self.threads.retain(|t| t.id != *thread_id),
            Change::Stack {
                stop,
                thread_id,
                stack,
            } => {
                if let Some(s) = self.stop_mut(*stop) {
                    s.stacks.insert(*thread_id, stack.clone());
                }
            }
            Change::Selected { stop, frame } => {
                if let Some(s) = self.stop_mut(*stop) {
                    s.selected = Some(*frame);
                }
            }
            Change::Frame {
                stop,
                frame_id,
                scopes,
            } => {
                if let Some(s) = self.stop_mut(*stop) {
                    s.frames.insert(*frame_id, scopes.clone());
                }
            }
            Change::Previews {
                stop,
                frame_id,
                previews,
            } => {
                let frame = self
                    .stop_mut(*stop)
                    .and_then(|s| s.frames.get_mut(frame_id));
                let scopes = frame.into_iter().flat_map(|f| &mut f.scopes);
                for variable in scopes.filter_map(|s| s.variables.as_mut()).flatten() {
                    if let Some(preview) = previews.get(&variable.variables_reference) {
                        variable.preview = Some(preview.clone());
                    }
                }
            }
            Change::Watch { stop, watch, value } => {
                if let Some(s) = self.stop_mut(*stop) {
                    s.watches.insert(*watch, value.clone());
                }
            }
            Change::Exception { stop, exception } => {
                if let Some(s) = self.stop_mut(*stop) {
                    s.exception = Some(exception.clone());
                }
            }
            Change::StopTrouble { stop, trouble } => {
                if let Some(s) = self.stop_mut(*stop) {
                    s.trouble = Some(trouble.clone());
                }
            }
            Change::Terminal { rows, columns } => {
                let terminal = self.terminal.get_or_insert_default();
                (terminal.rows, terminal.columns) = (*rows, *columns);
            }
            Change::Output { chunks } => {
                self.output.extend(chunks);
                if let Some(terminal) = &mut self.terminal {
                    for chunk in chunks.iter() {
                        if chunk.lost_before > 0 {
                            terminal.lose(chunk.lost_before);
                        }
                        terminal.push(chunk.terminal.as_deref().unwrap_or_default());
                    }
                }
            }
            Change::OutputFile { path } => self.output.spill = Some(path.clone()),
            Change::OutputLost { bytes } => {
                self.output.lose(*bytes);
                if let Some(terminal) = &mut self.terminal {
                    terminal.lose(*bytes);
                }
            }
            Change::Module { reason, module } => {
                listed(
                    &mut self.modules,
                    module.id.to_string(),
                    (reason != "removed").then_some(&**module),
                );
            }
            Change::Source { reason, source } => {
                let path = source.path.as_deref().unwrap_or_default();
                let key = format!("{path}\0{}", source.source_reference.unwrap_or(0));
                listed(
                    &mut self.sources,
                    key,
                    (reason != "removed").then_some(&**source),
                );
            }
            Change::Progress { progress } => {
                put(&mut self.progress, progress, |p| p.id == progress.id);
            }
            Change::Pending { requests } => self.pending.clone_from(requests),
            Change::ProgressEnded { id } => self.progress.retain(|p| p.id != *id),
            Change::StartFailed => self.start_failed = true,
            Change::ChildrenPassedOver { count } => self.children_passed_over = *count,
            Change::Exited { exit_code } => self.exit_code = Some(*exit_code),
            Change::Ended { why } => {
                self.phase = Phase::Terminated;
                self.activity = None;
                self.ended = Some(why.clone());
                self.progress.clear();
                for t in &mut self.threads {
                    t.stopped = false;
                }
            }
            Change::Gone => self.pending.clear(),
            // For those who follow a program that is looked at, it runs.
            Change::LookedAt { .. } | Change::RestartAsked { .. } => {}
            Change::Recorded { row } => {
                *self.recorded_hits.entry(row.breakpoint).or_default() += 1;
            }
        }
    }

    /// The one place where what belongs to an older stop is dropped.
    fn stop_mut(&mut self, stop: StopId) -> Option<&mut Stop> {
        self.stop.as_mut().filter(|s| s.id == stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionId;
    use crate::{
        BreakpointId, BreakpointSpec,
        breakpoint::{Breakpoint, BreakpointAnswer},
    };

    #[test]
    fn why_a_breakpoint_was_not_hit_is_true_until_it_is_in_place() {
        let mut state = State::default();
        let site = BreakpointSpec::line("/shop.py", 3).site;
        let mut breakpoint = Breakpoint::new(BreakpointId(1), site);
        breakpoint.never_hit = Some("never in place".to_owned());
        state.breakpoints.push(breakpoint);
        let mut seq = 0;
        let mut told = |state: &mut State, session, verified| {
            seq += 1;
            let answer = BreakpointAnswer {
                verified,
                ..BreakpointAnswer::default()
            };
            let kind = EventKind::BreakpointAnswered {
                breakpoint: BreakpointId(1),
                session: SessionId(session),
                answer: Some(answer),
            };
            state.apply(&Event { seq, kind });
            state.breakpoints[0].never_hit.is_some()
        };
        assert!(!told(&mut state, 1, false), "that was another run");
        for (before, after) in [(false, false), (true, true)] {
            told(&mut state, 1, before);
            state.breakpoints[0].never_hit = Some("never".to_owned());
            assert!(told(&mut state, 1, after), "it is as it was");
        }
        told(&mut state, 1, false);
        state.breakpoints[0].never_hit = Some("never".to_owned());
        assert!(!told(&mut state, 1, true), "its code was loaded");
    }
}
