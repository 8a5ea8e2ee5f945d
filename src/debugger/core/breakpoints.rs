//! Breakpoints: the user's wishes go to every live adapter, the adapters' answers come back as events.
//!
//! DAP sets all breakpoints of a file at once, so a change re-sends the file's (or all functions') list. Without a session a
//! wish is only kept. Capabilities are checked before anything is sent; what an adapter cannot do is said in the answer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join_all;

use super::actor::Actor;
use super::live::Answer;
use crate::dap::client::{Reply as DapReply, RequestError};
use crate::dap::requests::{
    SetBreakpoints, SetBreakpointsArguments, SetBreakpointsResponse, SetExceptionBreakpoints,
    SetExceptionBreakpointsArguments, SetExceptionBreakpointsResponse, SetFunctionBreakpoints,
    SetFunctionBreakpointsArguments, SetFunctionBreakpointsResponse,
};
use crate::dap::types::{
    Breakpoint as AdapterBreakpoint, Capabilities, ExceptionFilterOptions, FunctionBreakpoint,
    Source, SourceBreakpoint,
};
use crate::debugger::adapters::Personality;
use crate::debugger::breakpoint::{Breakpoint, BreakpointAnswer, BreakpointSite, ExceptionFilter};
use crate::debugger::command::{BreakpointSpec, Reply};
use crate::debugger::error::{DebuggerError, Kind};
use crate::debugger::event::{EventKind, Severity};
use crate::debugger::ids::{BreakpointId, SessionId};

/// Which lists to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Everything, at the start of a session.
    All,
    /// One file's.
    File(PathBuf),
    /// All functions'.
    Functions,
    /// Exception filters.
    Exceptions,
}

/// A list on its way to an adapter.
pub(super) enum Sent {
    Lines(Vec<BreakpointId>, DapReply<SetBreakpoints>),
    /// The program's own entry may be the last in the list; it is nobody's wish and has no id.
    Functions(Vec<BreakpointId>, DapReply<SetFunctionBreakpoints>),
    Exceptions(DapReply<SetExceptionBreakpoints>),
}

/// A list with what the adapter said.
pub(super) enum Answered {
    Lines(
        Vec<BreakpointId>,
        Result<SetBreakpointsResponse, RequestError>,
    ),
    Functions(
        Vec<BreakpointId>,
        Result<SetFunctionBreakpointsResponse, RequestError>,
    ),
    Exceptions(Result<SetExceptionBreakpointsResponse, RequestError>),
}

/// Waits for all answers.
pub(super) async fn answers(sent: Vec<Sent>) -> Vec<Answered> {
    join_all(sent.into_iter().map(|s| async {
        match s {
            Sent::Lines(ids, reply) => Answered::Lines(ids, reply.await),
            Sent::Functions(ids, reply) => Answered::Functions(ids, reply.await),
            Sent::Exceptions(reply) => Answered::Exceptions(reply.await),
        }
    }))
    .await
}

impl Actor {
    pub(super) fn set_breakpoint(&mut self, spec: BreakpointSpec, reply: Answer) {
        let breakpoint = match self.wished(spec) {
            Ok(breakpoint) => breakpoint,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
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
        self.resend(&touched, move |actor| {
            let now = actor
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
        };
        let existing = match spec.id {
            Some(id) => Some(self.breakpoint(id)?),
            None => self.hub.state.breakpoints.iter().find(|b| b.site == site),
        };
        let id = existing.map_or_else(|| self.next_breakpoint(), |b| b.id);
        let tidy =
            |text: Option<String>| text.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
        Ok(Breakpoint {
            condition: tidy(spec.condition),
            hit_condition: tidy(spec.hit_condition),
            log_message: tidy(spec.log_message),
            enabled: spec.enabled,
            temporary: spec.temporary,
            answers: existing.map(|b| b.answers.clone()).unwrap_or_default(),
            ..Breakpoint::new(id, site)
        })
    }

    fn breakpoint(&self, id: BreakpointId) -> Result<&Breakpoint, DebuggerError> {
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
        self.hub.publish(EventKind::ExceptionFilters { filters });
        self.resend(&[Which::Exceptions], move |_| {
            let _ = reply.send(Ok(Reply::Done));
        });
    }

    /// Temporary breakpoints have done their work once anything stopped.
    pub(super) fn drop_temporary(&mut self) {
        let done: Vec<_> = self
            .hub
            .state
            .breakpoints
            .iter()
            .filter(|b| b.temporary)
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

    /// Sends lists to every live session that is past its configuration, and calls back when all have answered.
    pub(super) fn resend(
        &mut self,
        lists: &[Which],
        then: impl FnOnce(&mut Self) + Send + 'static,
    ) {
        let sessions: Vec<_> = self
            .live
            .values()
            .filter(|l| l.handshake.configuring && !l.ending)
            .map(|l| l.id)
            .collect();
        let mut all = Vec::new();
        for id in sessions {
            for list in lists {
                all.push((id, self.send_breakpoints(id, list)));
            }
        }
        if all.is_empty() {
            return then(self);
        }
        self.spawn(
            join_all(
                all.into_iter()
                    .map(|(id, sent)| async move { (id, answers(sent).await) }),
            ),
            move |actor, answered| {
                for (id, answers) in answered {
                    actor.take_answers(id, answers, false);
                }
                then(actor);
            },
        );
    }

    /// Sends the lists asked for to one session's adapter.
    pub(super) fn send_breakpoints(&mut self, id: SessionId, which: &Which) -> Vec<Sent> {
        let Some((client, personality)) = self
            .live
            .get(&id)
            .and_then(|l| Some((l.client.clone()?, Arc::clone(&l.personality))))
        else {
            return Vec::new();
        };
        let capabilities = match self.session(id) {
            Some(s) => Arc::clone(&s.capabilities),
            None => return Vec::new(),
        };
        let timeout = self.config.request_timeout;
        let mut sent = Vec::new();
        let files = match which {
            Which::All => {
                let mut files = Vec::new();
                for b in &self.hub.state.breakpoints {
                    if let BreakpointSite::Source { path, .. } = &b.site
                        && !files.contains(path)
                    {
                        files.push(path.clone());
                    }
                }
                files
            }
            Which::File(path) => vec![path.clone()],
            Which::Functions | Which::Exceptions => Vec::new(),
        };
        for path in files {
            let (ids, list) = self.lines_of(&path, &capabilities, &personality);
            if self
                .live
                .get(&id)
                .is_some_and(|l| is_foreign(&path, &l.foreign_types))
            {
                self.pass_over(id, ids);
                continue;
            }
            let known = self
                .live
                .get(&id)
                .is_some_and(|l| l.sources_sent.contains(&path));
            if ids.is_empty() && !known {
                continue;
            }
            if let Some(live) = self.live.get_mut(&id)
                && !known
            {
                live.sources_sent.push(path.clone());
            }
            let arguments = SetBreakpointsArguments {
                source: Source {
                    name: path.file_name().map(|n| n.to_string_lossy().into_owned()),
                    path: Some(path.to_string_lossy().into_owned()),
                    ..Source::default()
                },
                lines: Some(list.iter().map(|b| b.line).collect()),
                breakpoints: Some(list),
                source_modified: Some(false),
            };
            sent.push(Sent::Lines(
                ids,
                client.send::<SetBreakpoints>(&arguments, timeout),
            ));
        }
        if matches!(which, Which::All | Which::Functions)
            && let Some(functions) = self.send_functions(id, &client, &capabilities, &personality)
        {
            sent.push(functions);
        }
        if matches!(which, Which::All | Which::Exceptions)
            && !capabilities.exception_breakpoint_filters.is_empty()
        {
            let arguments = self.exception_arguments(id, &capabilities, &personality);
            sent.push(Sent::Exceptions(
                client.send::<SetExceptionBreakpoints>(&arguments, timeout),
            ));
        }
        sent
    }

    /// Breakpoints in another language's file are not sent: some adapters complain about them in the program's output.
    fn pass_over(&mut self, session: SessionId, ids: Vec<BreakpointId>) {
        for breakpoint in ids {
            self.hub.publish(EventKind::BreakpointAnswered {
                breakpoint,
                session,
                answer: Some(BreakpointAnswer {
                    message: Some("another language's file".to_owned()),
                    ..BreakpointAnswer::default()
                }),
            });
        }
    }

    /// The enabled wishes for a file, refined as far as the adapter can.
    fn lines_of(
        &self,
        path: &Path,
        capabilities: &Capabilities,
        personality: &Personality,
    ) -> (Vec<BreakpointId>, Vec<SourceBreakpoint>) {
        self.hub
            .state
            .breakpoints
            .iter()
            .filter(|b| b.enabled)
            .filter_map(|b| match &b.site {
                BreakpointSite::Source {
                    path: at,
                    line,
                    column,
                } if at == path => {
                    let refined = SourceBreakpoint {
                        line: *line,
                        column: *column,
                        condition: b
                            .condition
                            .clone()
                            .filter(|_| capabilities.supports_conditional_breakpoints),
                        hit_condition: b
                            .hit_condition
                            .as_deref()
                            .map(|h| personality.hit_condition(h)),
                        log_message: b
                            .log_message
                            .clone()
                            .filter(|_| capabilities.supports_log_points),
                        ..SourceBreakpoint::default()
                    };
                    Some((b.id, refined))
                }
                _ => None,
            })
            .unzip()
    }

    fn send_functions(
        &mut self,
        id: SessionId,
        client: &crate::dap::client::Client,
        capabilities: &Capabilities,
        personality: &Personality,
    ) -> Option<Sent> {
        if !capabilities.supports_function_breakpoints {
            return None;
        }
        let (ids, mut list): (Vec<_>, Vec<_>) = self
            .hub
            .state
            .breakpoints
            .iter()
            .filter(|b| b.enabled)
            .filter_map(|b| match &b.site {
                BreakpointSite::Function { name } => Some((
                    b.id,
                    FunctionBreakpoint {
                        name: name.clone(),
                        condition: b
                            .condition
                            .clone()
                            .filter(|_| capabilities.supports_conditional_breakpoints),
                        hit_condition: b
                            .hit_condition
                            .as_deref()
                            .map(|h| personality.hit_condition(h)),
                    },
                )),
                BreakpointSite::Source { .. } => None,
            })
            .unzip();
        let live = self.live.get_mut(&id)?;
        if let Some(entry) = &live.entry_function
            && list.iter().all(|f| f.name != *entry)
        {
            list.push(FunctionBreakpoint {
                name: entry.clone(),
                ..FunctionBreakpoint::default()
            });
        }
        if list.is_empty() && !live.functions_sent {
            return None;
        }
        live.functions_sent = true;
        let arguments = SetFunctionBreakpointsArguments { breakpoints: list };
        Some(Sent::Functions(
            ids,
            client.send::<SetFunctionBreakpoints>(&arguments, self.config.request_timeout),
        ))
    }

    fn exception_arguments(
        &mut self,
        id: SessionId,
        capabilities: &Capabilities,
        personality: &Personality,
    ) -> SetExceptionBreakpointsArguments {
        let offered = &capabilities.exception_breakpoint_filters;
        let mut chosen: Vec<ExceptionFilter> = match &self.hub.state.exception_filters {
            Some(chosen) => chosen.clone(),
            None => match &personality.default_exception_filters {
                Some(names) => names.iter().map(|f| named(f)).collect(),
                None => offered
                    .iter()
                    .filter(|f| f.default.unwrap_or(false))
                    .map(|f| named(&f.filter))
                    .collect(),
            },
        };
        for own in self.session(id).iter().flat_map(|s| &s.exception_filters) {
            if chosen.iter().all(|c| c.filter != own.filter) {
                chosen.push(own.clone());
            }
        }
        let (known, unknown): (Vec<_>, Vec<_>) = chosen
            .into_iter()
            .partition(|c| offered.iter().any(|f| f.filter == c.filter));
        if !unknown.is_empty() {
            let names: Vec<_> = unknown.iter().map(|c| c.filter.as_str()).collect();
            let all: Vec<_> = offered.iter().map(|f| f.filter.as_str()).collect();
            self.say(
                Some(id),
                Severity::Warning,
                format!(
                    "This adapter has no exception filter `{}`.",
                    names.join("`, `")
                ),
                Some(format!("it has: {}", all.join(", "))),
            );
        }
        let (with_condition, plain): (Vec<_>, Vec<_>) = known
            .into_iter()
            .partition(|c| c.condition.is_some() && capabilities.supports_exception_filter_options);
        let options: Vec<_> = with_condition
            .into_iter()
            .map(|c| ExceptionFilterOptions {
                filter_id: c.filter,
                condition: c.condition,
                ..ExceptionFilterOptions::default()
            })
            .collect();
        SetExceptionBreakpointsArguments {
            filters: plain.into_iter().map(|c| c.filter).collect(),
            filter_options: (!options.is_empty()).then_some(options),
            exception_options: None,
        }
    }

    /// Makes answers known. `at_start`: a failure is worth a message of its own, nobody waits for it.
    pub(super) fn take_answers(
        &mut self,
        session: SessionId,
        answered: Vec<Answered>,
        at_start: bool,
    ) {
        if !self.live.contains_key(&session) {
            return;
        }
        for answer in answered {
            match answer {
                Answered::Lines(ids, Ok(response)) => {
                    self.answers_for(session, &ids, &response.breakpoints);
                }
                Answered::Functions(ids, Ok(response)) => {
                    self.answers_for(session, &ids, &response.breakpoints);
                }
                Answered::Lines(ids, Err(error)) | Answered::Functions(ids, Err(error)) => {
                    for breakpoint in ids {
                        self.hub.publish(EventKind::BreakpointAnswered {
                            breakpoint,
                            session,
                            answer: Some(BreakpointAnswer {
                                message: Some(error.to_string()),
                                ..BreakpointAnswer::default()
                            }),
                        });
                    }
                }
                Answered::Exceptions(Ok(_)) => {}
                Answered::Exceptions(Err(error)) => {
                    if at_start || !matches!(error, RequestError::Closed(_)) {
                        self.say(
                            Some(session),
                            Severity::Warning,
                            format!("Exception breakpoints were not set: {error}"),
                            None,
                        );
                    }
                }
            }
        }
        // A disabled breakpoint has no answer.
        let silenced: Vec<_> = self
            .hub
            .state
            .breakpoints
            .iter()
            .filter(|b| !b.enabled && b.answers.contains_key(&session))
            .map(|b| b.id)
            .collect();
        for breakpoint in silenced {
            self.hub.publish(EventKind::BreakpointAnswered {
                breakpoint,
                session,
                answer: None,
            });
        }
    }

    fn answers_for(
        &mut self,
        session: SessionId,
        ids: &[BreakpointId],
        answers: &[AdapterBreakpoint],
    ) {
        for (index, breakpoint) in ids.iter().enumerate() {
            let Some(mut answer) = answers.get(index).cloned() else {
                continue;
            };
            if let Some(live) = self.live.get_mut(&session)
                && let Some(adapter_id) = answer.id
            {
                live.by_adapter_id.insert(adapter_id, *breakpoint);
                // News that overtook this answer: good news stays good.
                if let Some(news) = live.early_news.remove(&adapter_id)
                    && news.verified
                {
                    answer = news;
                }
            }
            self.publish_answer(session, *breakpoint, &answer);
        }
    }

    fn publish_answer(
        &mut self,
        session: SessionId,
        breakpoint: BreakpointId,
        answer: &AdapterBreakpoint,
    ) {
        let unsupported = self.unsupported(session, breakpoint);
        let message = match (&answer.message, unsupported) {
            (Some(m), Some(u)) => Some(format!("{m}; {u}")),
            (Some(m), None) => Some(m.clone()),
            (None, u) => u,
        };
        self.hub.publish(EventKind::BreakpointAnswered {
            breakpoint,
            session,
            answer: Some(BreakpointAnswer {
                adapter_id: answer.id,
                verified: answer.verified,
                line: answer.line,
                message,
            }),
        });
    }

    /// Which refinement the adapter ignores, as a remark.
    fn unsupported(&self, session: SessionId, breakpoint: BreakpointId) -> Option<String> {
        let capabilities = &self.session(session)?.capabilities;
        let b = self
            .hub
            .state
            .breakpoints
            .iter()
            .find(|b| b.id == breakpoint)?;
        let mut lacks = Vec::new();
        if b.condition.is_some() && !capabilities.supports_conditional_breakpoints {
            lacks.push("conditions");
        }
        if b.log_message.is_some() && !capabilities.supports_log_points {
            lacks.push("log messages: it stops instead");
        }
        (!lacks.is_empty())
            .then(|| format!("this adapter does not support {}", lacks.join(" and ")))
    }

    /// A `breakpoint` event: a pending one was placed, one was moved, or taken away.
    pub(super) fn breakpoint_news(
        &mut self,
        session: SessionId,
        reason: &str,
        news: AdapterBreakpoint,
    ) {
        let Some(live) = self.live.get_mut(&session) else {
            return;
        };
        let Some(adapter_id) = news.id else {
            return;
        };
        match live.by_adapter_id.get(&adapter_id).copied() {
            Some(breakpoint) if reason == "removed" => {
                self.hub.publish(EventKind::BreakpointAnswered {
                    breakpoint,
                    session,
                    answer: Some(BreakpointAnswer {
                        adapter_id: Some(adapter_id),
                        message: Some(
                            news.message
                                .unwrap_or_else(|| "removed by the adapter".to_owned()),
                        ),
                        ..BreakpointAnswer::default()
                    }),
                });
            }
            Some(breakpoint) => self.publish_answer(session, breakpoint, &news),
            None if reason != "removed" && live.early_news.len() < 1024 => {
                live.early_news.insert(adapter_id, news);
            }
            None => {}
        }
    }
}

/// Whether a file's extension says that it belongs to programs of another adapter.
pub(super) fn is_foreign(path: &Path, foreign_types: &BTreeSet<String>) -> bool {
    path.extension().is_some_and(|extension| {
        foreign_types.contains(&format!(".{}", extension.to_string_lossy().to_lowercase()))
    })
}

fn list_of(site: &BreakpointSite) -> Which {
    match site {
        BreakpointSite::Source { path, .. } => Which::File(path.clone()),
        BreakpointSite::Function { .. } => Which::Functions,
    }
}

fn named(filter: &str) -> ExceptionFilter {
    ExceptionFilter {
        filter: filter.to_owned(),
        condition: None,
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
