//! The commands that look at a stopped program: stacks, threads, frames, scopes, the parts of a variable.
//!
//! What they load for everyone comes as events (see `load`); what the asker alone wants is the reply.

use dap::requests::{Scopes, ScopesArguments, StackTrace, Threads, Variables, VariablesArguments};

use super::{
    CoreHandle,
    control::thread_or_none,
    live::Answer,
    load::{FIRST_FRAMES, pick_frame, stack_arguments},
    machine::refuse,
    owner::Owner,
};
use crate::{
    command::{Page, VariablesFilter},
    hang,
    history::{History, lock},
    prelude::*,
    state::{FrameRef, Stack},
};

impl Owner {
    pub(super) fn stack_trace(
        &self,
        session: Option<SessionId>,
        thread: Option<i64>,
        levels: i64,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                let stop = stop_of(session)?;
                Ok((session.id, stop, thread_or_none(session, thread)?, client))
            });
        let (id, stop, thread_id, client) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let levels = levels.clamp(1, 10_000);
        let answer = client.send::<StackTrace>(
            &stack_arguments(thread_id, levels),
            self.config.request_timeout,
        );
        self.spawn(answer, move |owner, answer| {
            let result = match answer {
                Ok(response) => {
                    let stack = Stack::of(response, levels);
                    owner.change(
                        id,
                        Change::Stack {
                            stop,
                            thread_id,
                            stack,
                        },
                    );
                    Ok(Reply::Done)
                }
                Err(error) => Err(error.into()),
            };
            let _ = reply.send(result);
        });
    }

    /// Looks as whoever asked: each part of it is judged as theirs.
    pub(super) fn hang(&self, session: Option<SessionId>, threads: Option<usize>, reply: Answer) {
        let (session, control) = match (self.meant(session), self.control.upgrade()) {
            (Ok(session), Some(control)) => (session.id, control),
            (Err(error), _) => return refuse(reply, error),
            (_, None) => return,
        };
        let by = self.by.clone();
        let core = CoreHandle { control, by }.doing("hang");
        let most = threads.unwrap_or(hang::MOST);
        let samples = self.config.samples.clone();
        tasks::spawn(async move {
            let seen = hang::look(&core, session, most, samples).await;
            let _ = reply.send(seen.map(|hang| Reply::Hang {
                hang: Box::new(hang),
            }));
        });
    }

    pub(super) fn threads(&self, session: Option<SessionId>, reply: Answer) {
        let (id, stop, client) = match self.allowed(session, Action::List) {
            Ok((session, client)) => (
                session.id,
                session.current_stop().map(|s| s.id).unwrap_or_default(),
                client,
            ),
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let answer = client.send::<Threads>(&Default::default(), self.config.request_timeout);
        self.spawn(answer, move |owner, answer| {
            let result = match &answer {
                Ok(_) => Ok(Reply::Done),
                Err(error) => Err(error.clone().into()),
            };
            owner.threads_loaded(id, stop, answer);
            let _ = reply.send(result);
        });
    }

    pub(super) fn select_frame(
        &mut self,
        session: Option<SessionId>,
        thread: i64,
        frame_id: Option<i64>,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                let stop = session
                    .current_stop()
                    .ok_or_else(|| DebuggerError::new(Kind::State, "No thread is stopped."))?;
                let known = stop.stacks.get(&thread).is_some_and(|s| {
                    frame_id.is_none_or(|wanted| s.frames.iter().any(|f| f.id == wanted))
                        && !s.frames.is_empty()
                });
                let frame =
                    frame_id.or_else(|| stop.stacks.get(&thread)?.frames.first().map(|f| f.id));
                Ok((
                    session.id,
                    stop.id,
                    known.then_some(frame).flatten(),
                    client,
                ))
            });
        match asked {
            Ok((id, stop, Some(frame_id), _)) => {
                self.inspect(
                    id,
                    stop,
                    FrameRef {
                        thread_id: thread,
                        frame_id,
                    },
                    true,
                );
                let _ = reply.send(Ok(Reply::Done));
            }
            Ok((id, stop, None, client)) if frame_id.is_none() => {
                // A thread whose stack was not loaded yet.
                let answer = client.send::<StackTrace>(
                    &stack_arguments(thread, FIRST_FRAMES),
                    self.config.request_timeout,
                );
                self.spawn(answer, move |owner, answer| {
                    let result = match answer {
                        Ok(response) => {
                            let frame = pick_frame(&response.stack_frames, true);
                            if let Some(frame_id) = frame {
                                owner.change(
                                    id,
                                    Change::Selected {
                                        stop,
                                        frame: FrameRef {
                                            thread_id: thread,
                                            frame_id,
                                        },
                                    },
                                );
                            }
                            owner.stack_loaded(id, stop, thread, FIRST_FRAMES, response);
                            Ok(Reply::Done)
                        }
                        Err(error) => Err(error.into()),
                    };
                    let _ = reply.send(result);
                });
            }
            Ok((_, _, None, _)) => {
                let _ = reply.send(Err(stale()));
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    pub(super) fn scopes(
        &mut self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
        reply: Answer,
    ) {
        let asked = self
            .allowed(session, Action::Inspect)
            .and_then(|(session, client)| {
                let frame =
                    frame_id.or_else(|| session.current_stop()?.selected.map(|f| f.frame_id));
                let frame = frame.ok_or_else(|| {
                    DebuggerError::new(
                        Kind::State,
                        "No active stack frame. Run stack_trace first or supply frame_id.",
                    )
                })?;
                Ok((session.id, stop_of(session)?, frame, client))
            });
        let (id, stop, frame_id, client) = match asked {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        self.hold_evaluations(id);
        let scopes =
            client.send::<Scopes>(&ScopesArguments { frame_id }, self.config.request_timeout);
        self.spawn(scopes, move |owner, scopes| {
            owner.scopes_loaded(id, stop, frame_id, scopes, Some(reply));
        });
    }

    pub(super) fn variables(
        &self,
        session: Option<SessionId>,
        stop: StopId,
        reference: i64,
        page: Option<Page>,
        reply: Answer,
    ) {
        let then = self.meant(session).ok();
        if let Some(known) = then.and_then(|s| self.opened_then(s, stop, reference, page)) {
            let _ = reply.send(known);
            return;
        }
        let opened = then.and_then(|s| self.histories.get(&s.id));
        let opened = opened.map(History::opened);
        let follow = match self.follow_at(session, stop) {
            Ok(asked) => asked,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let arguments = VariablesArguments {
            variables_reference: reference,
            filter: page.map(|p| filter_word(p.filter).to_owned()),
            start: page.map(|p| p.start),
            count: page.map(|p| p.count),
            format: follow.format.clone(),
        };
        let answer = follow.client.send::<Variables>(&arguments, follow.timeout);
        // Nothing of the state changes: the answer goes straight to the asker.
        tasks::spawn(async move {
            let _ = reply.send(match follow.variables(answer.await).await {
                Ok(response) => {
                    if let Some(opened) = opened {
                        lock(&opened).keep(reference, page, &response.variables);
                    }
                    Ok(Reply::Variables {
                        variables: response.variables,
                    })
                }
                Err(error) => Err(error.into()),
            });
        });
    }
}

fn filter_word(filter: VariablesFilter) -> &'static str {
    match filter {
        VariablesFilter::Indexed => "indexed",
        VariablesFilter::Named => "named",
    }
}

pub(super) fn stop_of(session: &Session) -> Result<StopId, DebuggerError> {
    session
        .current_stop()
        .map(|s| s.id)
        .ok_or_else(|| DebuggerError::new(Kind::State, "No thread is stopped."))
}

pub(super) fn stale() -> DebuggerError {
    DebuggerError::new(
        Kind::Stale,
        "The program has moved on since that was shown.",
    )
    .hint("look at the present stop")
}
