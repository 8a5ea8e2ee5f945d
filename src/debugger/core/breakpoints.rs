//! The commands that make, change and remove breakpoints: the user's wishes.
//!
//! Without a session a wish is only kept. What adapters are told is in `lists`, what they say to it in `answers`.

use dap::types::BreakpointModeApplicability as Applies;

use super::{
    lists::{self, Which, list_of},
    live::Answer,
    machine::sentence,
    owner::Owner,
};
use crate::{
    breakpoint::{ExceptionFilter, Passing},
    command::BreakpointSpec,
    modes,
    permission::ActorKind,
    prelude::*,
};

impl Owner {
    pub(super) fn set_breakpoint(&mut self, spec: BreakpointSpec, reply: Answer) {
        if spec.mode.is_some() && matches!(spec.site, BreakpointSite::Data { .. }) {
            return self.set_data_in_mode(spec, reply);
        }
        self.set_breakpoint_as_is(spec, reply);
    }

    /// Sets one; of data, what there is to ask first was asked.
    pub(super) fn set_breakpoint_as_is(&mut self, spec: BreakpointSpec, reply: Answer) {
        match self.wished(spec) {
            Ok(breakpoint) => self.place(breakpoint, reply),
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    /// Sets a line's breakpoint that only this session stops at, once.
    pub(super) fn set_goal(&mut self, spec: BreakpointSpec, session: SessionId, reply: Answer) {
        match self.wished(spec) {
            Ok(breakpoint) => {
                let goal = Breakpoint {
                    session: Some(session),
                    ..breakpoint
                };
                self.place(goal, reply);
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    fn place(&mut self, breakpoint: Breakpoint, reply: Answer) {
        let before = self
            .hub
            .state
            .breakpoints
            .iter()
            .find(|b| b.id == breakpoint.id)
            .cloned();
        let id = breakpoint.id;
        let mut touched = vec![list_of(&breakpoint.site)];
        if let Some(before) = before {
            let old = list_of(&before.site);
            if !touched.contains(&old) {
                touched.push(old);
            }
        }
        self.hub.publish(EventKind::BreakpointSet {
            breakpoint: Box::new(breakpoint),
        });
        self.resend(&touched, move |owner| {
            let now = owner
                .hub
                .state
                .breakpoints
                .iter()
                .find(|b| b.id == id)
                .cloned();
            let _ = reply.send(match now {
                Some(breakpoint) => Ok(Reply::Breakpoint {
                    breakpoint: Box::new(breakpoint),
                }),
                None => Ok(Reply::Done),
            });
        });
    }

    /// What a spec asks for, as a breakpoint: new, or the one at its site (or with its id) changed.
    fn wished(&self, spec: BreakpointSpec) -> Result<Breakpoint, DebuggerError> {
        let site = match spec.site {
            BreakpointSite::Source { line, .. } if line < 1 => {
                return Err(DebuggerError::new(
                    Kind::Usage,
                    format!("Line {line} is no line: lines count from 1."),
                ));
            }
            BreakpointSite::Source { path, line, column } => BreakpointSite::Source {
                path: normal(&self.config.context.cwd, &path),
                line,
                column,
            },
            BreakpointSite::Function { name } if name.trim().is_empty() => {
                return Err(DebuggerError::new(
                    Kind::Usage,
                    "A function breakpoint needs a function's name.",
                ));
            }
            BreakpointSite::Function { name } => BreakpointSite::Function {
                name: name.trim().to_owned(),
            },
            BreakpointSite::Instruction { reference, .. } if reference.trim().is_empty() => {
                return Err(DebuggerError::new(
                    Kind::Usage,
                    "An instruction breakpoint needs an instruction's reference, mostly its address.",
                ));
            }
            BreakpointSite::Instruction { reference, offset } => BreakpointSite::Instruction {
                reference: reference.trim().to_owned(),
                offset: offset.filter(|bytes| *bytes != 0),
            },
            BreakpointSite::Data { data_id, .. } if data_id.trim().is_empty() => {
                return Err(DebuggerError::new(
                    Kind::Usage,
                    "A data breakpoint needs the id of its data.",
                )
                .hint("ask for it with a data breakpoint's info"));
            }
            data @ BreakpointSite::Data { .. } => data,
        };
        let existing = match spec.id {
            Some(id) => Some(self.breakpoint(id)?),
            None => self.hub.state.breakpoints.iter().find(|b| b.site == site),
        };
        let mode = spec
            .mode
            .as_deref()
            .map(str::trim)
            .filter(|m| !m.is_empty());
        if let Some(mode) =
            mode.filter(|mode| existing.and_then(|b| b.mode.as_deref()) != Some(mode))
        {
            self.has_mode(&site, mode)?;
        }
        let session = if site.outlives_process() {
            None
        } else {
            Some(self.owner(&site, existing.and_then(|b| b.session))?)
        };
        let id = existing.map_or_else(|| self.next_breakpoint(), |b| b.id);
        let passing = spec.for_this_run.then(|| match existing {
            Some(Breakpoint {
                passing: Some(passing),
                ..
            }) => passing.clone(),
            existing => Passing {
                instead_of: existing
                    .filter(|b| !b.temporary)
                    .map(|b| Box::new(b.clone())),
            },
        });
        let tidy =
            |text: Option<String>| text.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        Ok(Breakpoint {
            condition: tidy(spec.condition),
            hit_condition: tidy(spec.hit_condition),
            log_message: tidy(spec.log_message),
            record: spec.record,
            mode: tidy(spec.mode),
            enabled: spec.enabled,
            temporary: spec.temporary,
            session,
            passing,
            by: Some(self.actor()).filter(|actor| actor.kind == ActorKind::Agent),
            answers: existing.map(|b| b.answers.clone()).unwrap_or_default(),
            ..Breakpoint::new(id, site)
        })
    }

    /// Refuses a mode that cannot be; without an adapter that could tell, only where the protocol knows none.
    fn has_mode(&self, site: &BreakpointSite, mode: &str) -> Result<(), DebuggerError> {
        let Some(kind) = modes::kind_of(site) else {
            return Err(DebuggerError::new(
                Kind::Usage,
                "A breakpoint at a function has no mode: the protocol knows none.",
            )
            .hint("set it at a line"));
        };
        // Data had its mode when it was asked for: its id has it.
        let knows = |s: &&Session| {
            s.phase.is_live() && !s.capabilities.declared.is_empty() && kind != Applies::Data
        };
        match self.hub.state.focused().filter(knows) {
            Some(session) => modes::meant(&session.capabilities, &kind, mode)
                .map(|_| ())
                .map_err(|why| DebuggerError::new(Kind::Capability, sentence(&why))),
            None => Ok(()),
        }
    }

    /// The session whose process a site of the machine's is true of, if its adapter can stop there.
    fn owner(
        &self,
        site: &BreakpointSite,
        known: Option<SessionId>,
    ) -> Result<SessionId, DebuggerError> {
        let (session, _) = self.allowed(known, Action::List)?;
        match lists::lacking(&list_of(site), &session.capabilities) {
            Some(lack) => Err(DebuggerError::new(Kind::Capability, lack)),
            None => Ok(session.id),
        }
    }

    /// The process of a session is gone: what was true of it alone goes with it.
    pub(super) fn drop_owned(&mut self, session: SessionId) {
        let owned: Vec<_> = self
            .hub
            .state
            .breakpoints
            .iter()
            .filter(|b| b.session == Some(session))
            .map(|b| b.id)
            .collect();
        for breakpoint in owned {
            self.hub
                .publish(EventKind::BreakpointRemoved { breakpoint });
        }
    }

    pub(super) fn breakpoint(&self, id: BreakpointId) -> Result<&Breakpoint, DebuggerError> {
        self.hub
            .state
            .breakpoints
            .iter()
            .find(|b| b.id == id)
            .ok_or_else(|| DebuggerError::new(Kind::Usage, format!("There is no breakpoint {id}.")))
    }

    pub(super) fn remove_breakpoint(&mut self, id: BreakpointId, reply: Answer) {
        match self.breakpoint(id).map(|b| list_of(&b.site)) {
            Ok(list) => {
                self.hub
                    .publish(EventKind::BreakpointRemoved { breakpoint: id });
                self.resend(&[list], move |_| {
                    let _ = reply.send(Ok(Reply::Done));
                });
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    pub(super) fn enable_breakpoint(&mut self, id: BreakpointId, enabled: bool, reply: Answer) {
        match self.breakpoint(id).cloned() {
            Ok(breakpoint) => {
                let spec = BreakpointSpec {
                    enabled,
                    ..BreakpointSpec::of(&breakpoint)
                };
                self.set_breakpoint(spec, reply);
            }
            Err(error) => {
                let _ = reply.send(Err(error));
            }
        }
    }

    pub(super) fn clear_breakpoints(&mut self, reply: Answer) {
        let all: Vec<_> = self
            .hub
            .state
            .breakpoints
            .iter()
            .map(|b| (b.id, list_of(&b.site)))
            .collect();
        let mut lists = Vec::new();
        for (id, list) in all {
            self.hub
                .publish(EventKind::BreakpointRemoved { breakpoint: id });
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        self.resend(&lists, move |_| {
            let _ = reply.send(Ok(Reply::Done));
        });
    }

    pub(super) fn set_exception_filters(
        &mut self,
        filters: Option<Vec<ExceptionFilter>>,
        reply: Answer,
    ) {
        let kept = filters.clone();
        self.hub.publish(EventKind::ExceptionFilters { filters });
        self.keep_choice(kept.as_deref());
        self.resend(&[Which::Exceptions], move |_| {
            let _ = reply.send(Ok(Reply::Done));
        });
    }

    /// Temporary breakpoints have done their work once anything stopped; one that is another session's waits for that.
    pub(super) fn drop_temporary(&mut self, stopped: SessionId) {
        let done: Vec<_> = self
            .hub
            .state
            .breakpoints
            .iter()
            .filter(|b| b.temporary && b.session.is_none_or(|owner| owner == stopped))
            .map(|b| (b.id, list_of(&b.site)))
            .collect();
        let lists: Vec<_> = done
            .into_iter()
            .map(|(id, list)| {
                self.hub
                    .publish(EventKind::BreakpointRemoved { breakpoint: id });
                list
            })
            .collect();
        self.resend(&lists, |_| {});
    }
}

/// The one spelling of a path: absolute, links of its folder resolved where that is there. A file that is itself a link
/// keeps its name: that is how the program knows it.
pub(super) fn normal(cwd: &Path, path: &Path) -> PathBuf {
    let joined = cwd.join(path);
    let joined = std::path::absolute(&joined).unwrap_or(joined);
    match (
        joined.parent().and_then(|p| p.canonicalize().ok()),
        joined.file_name(),
    ) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => joined,
    }
}
