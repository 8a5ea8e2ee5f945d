//! What everyone sees of a stop: its stack, its threads, the innermost frame's scopes and variables, the watches.
//!
//! Requests that do not depend on each other go out together. All that is loaded comes as events stamped with the stop it is
//! true of. What one asker wants is in `inspect` and `evaluate`.

use dap::{
    requests::{Scopes, ScopesArguments, ScopesResponse, StackTraceResponse, ThreadsResponse},
    types::Scope,
};

use super::{
    frames::{first_thread, pick_frame, plain_names},
    prelude::*,
};
use crate::{causes, history::own_scopes, state::ScopeVariables};

/// Elements of a scope asked for at once, where a scope can be paged at all.
const FIRST_PAGE: usize = 100;

impl Owner {
    /// Loads what everyone wants to see at a stop: the stack, the threads, the innermost frame.
    pub(super) fn load_stop(&mut self, id: SessionId, stop: StopId, thread: Option<i64>) {
        let Some(client) = self.client(id) else {
            return;
        };
        let timeout = self.config.request_timeout;
        let Some(thread) = thread else {
            // The adapter did not say which thread: ask which there are, and take the first.
            let answer = ask_threads(&client, timeout);
            return self.spawn(answer, move |owner, answer| {
                let first = first_thread(&answer);
                let has_signal = owner.live(id).is_some_and(|l| l.signal.is_some());
                let is_dead = has_signal && answer.is_ok() && first.is_none();
                owner.threads_loaded(id, stop, answer);
                match first {
                    Some(thread) => owner.load_stack(id, stop, thread, FIRST_FRAMES),
                    // It stood at a signal, went on, and has no threads any more.
                    None if is_dead => owner.terminated(id),
                    None => owner.change(
                        id,
                        Change::StopTrouble {
                            stop,
                            trouble: "Debugger reported no threads.".to_owned(),
                        },
                    ),
                }
            });
        };
        if let Some(live) = self.live.get_mut(&id) {
            live.threads_owed = self.config.threads_at_stops;
        }
        self.load_stack(id, stop, thread, FIRST_FRAMES);
    }

    /// Asks for the threads of a stop once its stack and locals are there or cannot be had: adapters answer one request
    /// after the other, and the list of threads is what a person misses least.
    fn load_owed_threads(&mut self, id: SessionId) {
        let Some(stop) = self.current_stop(id).map(|s| s.id) else {
            return;
        };
        let Some(live) = self.live_mut(id).filter(|l| l.threads_owed) else {
            return;
        };
        live.threads_owed = false;
        let Some(client) = live.client.clone() else {
            return;
        };
        let threads = ask_threads(&client, self.config.request_timeout);
        self.spawn(threads, move |owner, answer| {
            owner.threads_loaded(id, stop, answer);
        });
    }

    fn load_stack(&self, id: SessionId, stop: StopId, thread_id: i64, levels: i64) {
        let Some(client) = self.client(id) else {
            return;
        };
        let answer = ask_stack(&client, thread_id, levels, self.config.request_timeout);
        self.spawn(answer, move |owner, answer| match answer {
            Ok(response) => owner.stack_loaded(id, stop, thread_id, levels, response),
            Err(error) => {
                owner.change(
                    id,
                    Change::StopTrouble {
                        stop,
                        trouble: format!("The stack could not be read: {error}"),
                    },
                );
                owner.load_owed_threads(id);
            }
        });
    }

    pub(super) fn stack_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        thread_id: i64,
        levels: i64,
        response: StackTraceResponse,
    ) {
        let Some(session) = self.session(id) else {
            return;
        };
        let Some(now) = session.current_stop().filter(|s| s.id == stop) else {
            return;
        };
        let mut stack = Stack::of(response, levels);
        let personality = self.live(id).map(|live| &*live.personality);
        plain_names(personality, &mut stack.frames);
        let frames = &stack.frames;
        let is_hook = frames
            .first()
            .is_some_and(|frame| causes::is_hook(&frame.name));
        let unwind = matches!(now.reason.as_str(), "exception" | "pause" | "entry")
            || now.reason.contains("signal")
            || is_hook;
        let is_there =
            |at: &FrameRef| at.thread_id == thread_id && frames.iter().any(|f| f.id == at.frame_id);
        let select = now.selected.filter(is_there).map(|at| at.frame_id);
        let first_selection = now.selected.is_none_or(|s| s.thread_id == thread_id);
        let own = || self.own_frame(id, frames, unwind);
        let frame = select.or_else(own).or_else(|| pick_frame(frames, unwind));
        self.change(
            id,
            Change::Stack {
                stop,
                thread_id,
                stack,
            },
        );
        self.tell_cause(id);
        if first_selection && let Some(frame_id) = frame {
            self.inspect(
                id,
                stop,
                FrameRef {
                    thread_id,
                    frame_id,
                },
                false,
            );
            self.stop_placed(id, stop);
        } else {
            self.load_owed_threads(id);
        }
    }

    pub(super) fn threads_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        answer: Result<ThreadsResponse, RequestError>,
    ) {
        let (Ok(response), Some(session)) = (answer, self.session(id)) else {
            return;
        };
        let standing = session.current_stop().filter(|s| s.id == stop);
        let all = standing.is_some_and(|s| s.all_threads_stopped);
        let one = standing.and_then(|s| s.thread_id);
        let threads = response
            .threads
            .into_iter()
            .map(|t| Thread {
                stopped: standing.is_some()
                    && (all
                        || one == Some(t.id)
                        || session
                            .threads
                            .iter()
                            .any(|old| old.id == t.id && old.stopped)),
                id: t.id,
                name: t.name,
            })
            .collect();
        self.change(id, Change::Threads { threads });
    }

    /// Selects a frame and loads its scopes, first variables and the watches in it.
    pub(super) fn inspect(&mut self, id: SessionId, stop: StopId, frame: FrameRef, asked: bool) {
        self.change(id, Change::Selected { stop, frame });
        self.load_frame(id, stop, frame.frame_id);
        self.load_watches(id, stop, frame.frame_id, asked);
    }

    pub(super) fn load_frame(&mut self, id: SessionId, stop: StopId, frame_id: i64) {
        let Some(client) = self.client(id) else {
            return;
        };
        self.hold_evaluations(id);
        self.is_fresh(id);
        let scopes =
            client.send::<Scopes>(&ScopesArguments { frame_id }, self.config.request_timeout);
        self.spawn(scopes, move |owner, scopes| {
            owner.scopes_loaded(id, stop, frame_id, scopes, None);
        });
    }

    /// The scopes of a frame are here: their variables are asked for, all at once. By the owner and nobody else: what would
    /// reach the adapter behind a request that resumes the program makes some remember frames that are no more.
    pub(super) fn scopes_loaded(
        &mut self,
        id: SessionId,
        stop: StopId,
        frame_id: i64,
        scopes: Result<ScopesResponse, RequestError>,
        reply: Option<Answer>,
    ) {
        let current = self.current_stop(id).is_some_and(|s| s.id == stop);
        let (true, Some(follow)) = (current, self.follow(id)) else {
            self.release_evaluations(id);
            if let Some(reply) = reply {
                let _ = reply.send(Err(stale()));
            }
            return;
        };
        let (scopes, trouble) = match scopes {
            Ok(response) => (response.scopes, None),
            Err(error) => (
                Vec::new(),
                Some(format!("The scopes could not be read: {error}")),
            ),
        };
        self.spawn(
            join_all(variables_of(&follow, scopes)),
            move |owner, scopes| {
                let scopes = FrameScopes { scopes, trouble };
                owner.change(
                    id,
                    Change::Frame {
                        stop,
                        frame_id,
                        scopes: scopes.clone(),
                    },
                );
                owner.load_owed_threads(id);
                owner.release_evaluations(id);
                owner.load_previews(id, stop, frame_id, &scopes);
                if let Some(reply) = reply {
                    let _ = reply.send(match &scopes.trouble {
                        Some(trouble) => Err(DebuggerError::adapter(trouble.clone())),
                        None => Ok(Reply::Scopes { scopes }),
                    });
                }
            },
        );
    }

    pub(super) fn client_and_personality(
        &self,
        id: SessionId,
    ) -> Option<(Client, Arc<Personality>)> {
        self.client(id).zip(self.personality(id))
    }

    pub(super) fn personality(&self, id: SessionId) -> Option<Arc<Personality>> {
        Some(Arc::clone(&self.live(id)?.personality))
    }

    /// Values may have changed: what was loaded for the selected frame is loaded again.
    pub(super) fn reload_frame(&mut self, id: SessionId, asked: bool) {
        let Some((stop, frame)) = self
            .current_stop(id)
            .and_then(|s| Some((s.id, s.selected?)))
        else {
            return;
        };
        self.load_frame(id, stop, frame.frame_id);
        self.load_watches(id, stop, frame.frame_id, asked);
    }

    /// After a watch was added or changed.
    pub(super) fn refresh_watches(&mut self) {
        let stopped: Vec<_> = self
            .hub
            .state
            .live()
            .filter_map(|s| {
                let stop = s.current_stop()?;
                Some((s.id, stop.id, stop.selected?.frame_id))
            })
            .collect();
        for (id, stop, frame_id) in stopped {
            self.load_watches(id, stop, frame_id, true);
        }
    }
}

/// Asks for the variables of those scopes that are the frame's own: sent now, awaited by whoever takes the futures.
fn variables_of(
    follow: &Follow,
    scopes: Vec<Scope>,
) -> Vec<impl Future<Output = ScopeVariables> + Send + use<>> {
    let wanted = own_scopes(&scopes);
    scopes
        .into_iter()
        .zip(wanted)
        .map(|(scope, wanted)| {
            let answer = wanted.then(|| {
                let is_long = scope
                    .indexed_variables
                    .is_some_and(|n| n > FIRST_PAGE as i64);
                let page = is_long.then_some((0, FIRST_PAGE));
                follow.parts_of(scope.variables_reference, page)
            });
            let follow = follow.clone();
            async move {
                let (variables, trouble) = match answer {
                    None => (None, None),
                    Some(answer) => match follow.variables(answer.await).await {
                        Ok(VariablesResponse { variables }) => (Some(variables), None),
                        Err(error) => (None, Some(error.to_string())),
                    },
                };
                ScopeVariables {
                    scope,
                    variables,
                    trouble,
                }
            }
        })
        .collect()
}
