//! What everyone sees of a stop: its stack, its threads, the innermost frame's scopes and variables, the watches.
//!
//! Requests that do not depend on each other go out together. All that is loaded comes as events stamped with the stop it is
//! true of. What one asker wants is in `inspect` and `evaluate`.

use dap::{
    client::{self, Client, RequestError},
    requests::{
        Scopes, ScopesArguments, ScopesResponse, StackTrace, StackTraceArguments,
        StackTraceResponse, Threads, ThreadsResponse, VariablesResponse,
    },
    types::{Scope, StackFrame},
};
use futures_util::future::join_all;

use super::{inspect::stale, live::Answer, owner::Owner, references::Follow};
use crate::{
    adapters::Personality,
    causes,
    history::own_scopes,
    prelude::*,
    state::{FrameRef, FrameScopes, ScopeVariables, Stack, Thread},
};

/// Where Node's own code is, as its debugger says.
const NODE: &str = "<node_internals>/";
/// Frames asked for at a stop; more come on demand.
pub(super) const FIRST_FRAMES: i64 = 20;

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
                let has_signal = owner.live.get(&id).is_some_and(|l| l.signal.is_some());
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
        let Some(live) = self.live.get_mut(&id).filter(|l| l.threads_owed) else {
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
        let personality = self.live.get(&id).map(|live| &*live.personality);
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
                        Some(trouble) => Err(DebuggerError::new(Kind::Adapter, trouble.clone())),
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
        Some(Arc::clone(&self.live.get(&id)?.personality))
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

/// The frame to show: the innermost; when the program did not stop where it is, the innermost with a source.
pub(super) fn pick_frame(frames: &[StackFrame], unwind: bool) -> Option<i64> {
    let usable = |f: &&StackFrame| {
        !matches!(f.presentation_hint.as_deref(), Some("label" | "subtle"))
            && f.source.as_ref().is_some_and(|s| {
                s.reference().is_some() || s.path.as_ref().is_some_and(|p| Path::new(p).exists())
            })
    };
    frames
        .iter()
        .find(|f| f.presentation_hint.as_deref() != Some("label"))
        .filter(|f| !unwind || usable(f))
        .or_else(|| frames.iter().find(usable))
        .or_else(|| frames.first())
        .map(|f| f.id)
}

/// Whether a frame is in the person's own code, whatever the language: there is its source, and it is no library's.
pub(crate) fn is_own(frame: &StackFrame) -> bool {
    let is_there = |path: &str| Path::new(path).exists();
    !is_library(frame) && !is_others(frame) && frame.path().is_some_and(is_there)
}

/// Whether a frame is in what others wrote in a language that is run from its sources, by its path alone.
pub(super) fn is_others(frame: &StackFrame) -> bool {
    const PLACES: &[&str] = &[
        "<node_internals>/",
        "/node_modules/",
        "/site-packages/",
        "/dist-packages/",
        "/lib/python",
        "/gems/",
        "/go/src/",
        "/go/pkg/mod/",
        "/.yarn/",
        "/omp-debug-",
    ];
    let is_one = |path: &str| PLACES.iter().any(|place| path.contains(place));
    frame.path().is_some_and(is_one)
}

/// Whether a function of machine code comes from elsewhere: a language's own sources, other people's packages, what has no source.
/// Debuggers give the person's own files with all of their path, and those of a distribution as they were named where it was built.
fn is_library(frame: &StackFrame) -> bool {
    const PLACES: &[&str] = &[
        "/rustc/",
        "/rustlib/src/rust/",
        "/.cargo/registry/",
        "/.cargo/git/",
    ];
    const SYSTEM: &[&str] = &[
        "/usr/include/",
        "/usr/lib",
        "/usr/bin/",
        "/usr/src/debug/",
        "/usr/share/",
        "/usr/local/include/",
    ];
    // Where a distribution builds, which is nowhere here.
    let is_far = |path: &str| path.starts_with("/build/") && !Path::new(path).exists();
    let path = frame.path();
    path.is_none_or(|path| {
        !path.starts_with('/')
            || is_far(path)
            || SYSTEM.iter().any(|place| path.starts_with(place))
            || PLACES.iter().any(|place| path.contains(place))
    })
}

/// Asks for the frames of a thread, from the innermost one.
pub(super) fn ask_stack(
    client: &Client,
    thread_id: i64,
    levels: i64,
    timeout: Duration,
) -> client::Reply<StackTrace> {
    let arguments = StackTraceArguments {
        thread_id,
        start_frame: Some(0),
        levels: Some(levels),
        format: None,
    };
    client.send(&arguments, timeout)
}

/// Asks which threads there are.
pub(super) fn ask_threads(client: &Client, timeout: Duration) -> client::Reply<Threads> {
    client.send(&Default::default(), timeout)
}

/// The first of them, where there is one.
pub(super) fn first_thread(answer: &Result<ThreadsResponse, RequestError>) -> Option<i64> {
    Some(answer.as_ref().ok()?.threads.first()?.id)
}

/// Takes from the names of frames what a compiler added, and marks what is not the person's own code.
pub(super) fn plain_names(personality: Option<&Personality>, frames: &mut [StackFrame]) {
    // Where nothing is the person's own, a program without debug information is: then nothing of it is a library.
    let native = personality.is_some_and(|p| p.own_filters);
    let has_own = native && !frames.iter().all(is_library);
    let is_node = |path: &str| path.starts_with(NODE);
    let is_package = |path: &str| path.contains("/node_modules/");
    // Unless a package itself is debugged.
    let foreign = |frame: &StackFrame| frame.path().is_none_or(|p| is_node(p) || is_package(p));
    let packages = !frames.iter().all(foreign);
    for frame in frames {
        let is_inner = |path| is_node(path) || packages && is_package(path);
        let is_inner = frame.path().is_some_and(is_inner);
        if is_inner || has_own && frame.presentation_hint.is_none() && is_library(frame) {
            frame.presentation_hint = Some("subtle".to_owned());
        }
        let plain = personality.map_or(&*frame.name, |p| p.plain_name(&frame.name));
        if plain.len() < frame.name.len() {
            frame.name = plain.to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use dap::types::Source;

    use super::*;

    #[test]
    fn frames_of_packages_are_not_the_persons_own() {
        let folded = |paths: &[&str]| -> Vec<bool> {
            let frame = |path: &&str| StackFrame {
                source: Some(Source {
                    path: Some((*path).to_owned()),
                    ..Source::default()
                }),
                ..StackFrame::default()
            };
            let mut frames: Vec<_> = paths.iter().map(frame).collect();
            plain_names(None, &mut frames);
            let is_folded = |f: &StackFrame| f.presentation_hint.as_deref() == Some("subtle");
            frames.iter().map(is_folded).collect()
        };
        let (node, package) = ("<node_internals>/loader", "/a/node_modules/chai/index.js");
        let all = [package, "/a/shop.test.ts", package, node];
        assert_eq!(folded(&all), [true, false, true, true]);
        // A package that is itself debugged is.
        assert_eq!(folded(&[package, node]), [false, true]);
    }
}
