//! The commands that look at a stopped program: stacks, threads, frames, scopes, the parts of a variable.
//!
//! What they load for everyone comes as events (see `load`); what the asker alone wants is the reply.

use super::{
    control::thread_or_none, frames::pick_frame, handled::handed_on, prelude::*, refusals::stop_of,
};
use crate::{command::VariablesFilter, hang};

impl Owner {
    pub fn stack_trace(
        &self,
        session: Option<SessionId>,
        thread: Option<i64>,
        levels: i64,
    ) -> Handled {
        let (session, client) = self.allowed(session, Action::Inspect)?;
        let (id, stop) = (session.id, stop_of(session)?);
        let thread_id = thread_or_none(session, thread)?;
        // Some adapters answer for a thread that is not there, and stumble over it later.
        let is_known = session.current_thread() == Some(thread_id)
            || session.threads.is_empty()
            || session.threads.iter().any(|t| t.id == thread_id);
        if !is_known {
            let what = format!("There is no thread {thread_id}.");
            return Err(DebuggerError::usage(what).hint("threads lists them"));
        }
        let levels = levels.clamp(1, 10_000);
        let answer = ask_stack(&client, thread_id, levels);
        after(answer, move |owner, answer| {
            let stack = owner.stack_of(id, answer?, levels);
            owner.change(
                id,
                Change::Stack {
                    stop,
                    thread_id,
                    stack,
                },
            );
            Ok(Reply::Done)
        })
    }

    /// Looks as whoever asked: each part of it is judged as theirs.
    pub fn hang(&self, session: Option<SessionId>, threads: Option<usize>) -> Handled {
        let session = self.meant(session)?.id;
        let core = self.handle("hang")?;
        let most = threads.unwrap_or(hang::MOST);
        let samples = self.config.samples.clone();
        later(async move {
            let hang = Box::new(hang::look(&core, session, most, samples).await?);
            Ok(Reply::Hang { hang })
        })
    }

    /// To ask as whoever asked, for a part of what was asked for.
    pub fn handle(&self, action: &'static str) -> Result<CoreHandle> {
        let control = self.control.upgrade().ok_or_else(gone)?;
        let handle = CoreHandle {
            control,
            by: self.by.clone(),
            open: Arc::clone(&self.hub.open),
        };
        Ok(handle.doing(action))
    }

    pub fn threads(&self, session: Option<SessionId>) -> Handled {
        let (session, client) = self.allowed(session, Action::List)?;
        let (id, stop) = (session.id, session.stop_id());
        let answer = ask_threads(&client);
        after(answer, move |owner, answer| {
            let refused = answer.as_ref().err().cloned();
            owner.threads_loaded(id, stop.unwrap_or_default(), answer);
            refused.map_or(Ok(Reply::Done), |error| Err(error.into()))
        })
    }

    pub fn select_frame(
        &mut self,
        session: Option<SessionId>,
        thread_id: i64,
        frame_id: Option<i64>,
    ) -> Handled {
        let (session, client) = self.allowed(session, Action::Inspect)?;
        let (id, stop) = (session.id, stop_of(session)?);
        let stack = session
            .current_stop()
            .and_then(|s| s.stacks.get(&thread_id));
        let mut frames = stack.into_iter().flat_map(|stack| &stack.frames);
        let known = frames.find(|f| frame_id.is_none_or(|wanted| f.id == wanted));
        if let Some(frame_id) = known.map(|f| f.id) {
            let frame = FrameRef {
                thread_id,
                frame_id,
            };
            self.inspect(id, stop, frame, true);
            return at_once(Ok(Reply::Done));
        }
        if frame_id.is_some() {
            return Err(stale());
        }
        // A thread whose stack was not loaded yet.
        let answer = ask_stack(&client, thread_id, FIRST_FRAMES);
        after(answer, move |owner, answer| {
            let response = answer?;
            if let Some(frame_id) = pick_frame(&response.stack_frames, true) {
                let frame = FrameRef {
                    thread_id,
                    frame_id,
                };
                owner.change(id, Change::Selected { stop, frame });
            }
            owner.stack_loaded(id, stop, thread_id, FIRST_FRAMES, response);
            Ok(Reply::Done)
        })
    }

    pub fn scopes(&mut self, session: Option<SessionId>, frame_id: Option<i64>) -> Handled {
        let (session, client) = self.allowed(session, Action::Inspect)?;
        let frame = frame_id.or_else(|| session.frame_id());
        let frame_id = frame.ok_or_else(|| {
            DebuggerError::state("No active stack frame. Run stack_trace first or supply frame_id.")
        })?;
        let (id, stop) = (session.id, stop_of(session)?);
        self.hold_evaluations(id);
        let scopes = client.send::<Scopes>(&ScopesArguments { frame_id });
        handed_on(scopes, move |owner, scopes, reply| {
            owner.scopes_loaded(id, stop, frame_id, scopes, Some(reply));
        })
    }

    pub fn variables(
        &self,
        session: Option<SessionId>,
        stop: StopId,
        reference: i64,
        page: Option<Page>,
    ) -> Handled {
        let then = self.meant(session).ok();
        if let Some(known) = then.and_then(|s| self.opened_then(s, stop, reference, page)) {
            return at_once(known);
        }
        let opened = then.and_then(|s| self.histories.get(&s.id));
        let opened = opened.map(History::opened);
        let follow = self.follow_at(session, stop)?;
        let arguments = VariablesArguments {
            variables_reference: reference,
            filter: page.map(|p| match p.filter {
                VariablesFilter::Indexed => "indexed".to_owned(),
                VariablesFilter::Named => "named".to_owned(),
            }),
            start: page.map(|p| p.start),
            count: page.map(|p| p.count),
            format: follow.format.clone(),
        };
        let answer = follow.client.send::<Variables>(&arguments);
        // Nothing of the state changes: the answer goes straight to the asker.
        later(async move {
            let variables = follow.variables(answer.await).await?.variables;
            if let Some(opened) = opened {
                lock(&opened).keep(reference, page, &variables);
            }
            Ok(Reply::Variables { variables })
        })
    }
}
