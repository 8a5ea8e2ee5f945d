//! Breakpoints on their way to adapters.
//!
//! DAP sets all breakpoints of a file at once, so a change re-sends the file's (or all functions') list. Capabilities are
//! checked before anything is sent; what an adapter cannot do is said in the answer.

use dap::types::{
    Breakpoint as AdapterBreakpoint, BreakpointModeApplicability as Applies,
    ExceptionFilterOptions, FunctionBreakpoint, InstructionBreakpoint, SourceBreakpoint,
};

use super::{
    breakpoint_list::list_of,
    data,
    ours::{Refinements, log_text, refinements},
    prelude::*,
};
use crate::{
    adapters::{self, FunctionName, Image},
    exceptions, modes,
};

/// A list on its way to an adapter.
type Sent = BoxFuture<'static, ListAnswer>;

/// A list with what the adapter said.
pub enum ListAnswer {
    /// Wishes, and what became of each. The program's own entry may be the last of them; it is nobody's wish and has no id.
    Wishes(Vec<BreakpointId>, Placed),
    Exceptions(Result<SetExceptionBreakpointsResponse, RequestError>),
}

impl Owner {
    /// Sends lists to every live session that is past its configuration, and calls back when all have answered.
    pub fn resend(&mut self, lists: &[Which], then: impl FnOnce(&mut Self) + Send + 'static) {
        let sessions: Vec<_> = self
            .live
            .values()
            .filter(|l| l.handshake.configuring && !l.ending)
            .map(|l| l.id)
            .collect();
        let mut all = Vec::new();
        for id in sessions {
            for list in lists {
                all.push(self.send_one_list(id, list));
            }
        }
        if all.is_empty() {
            return then(self);
        }
        // What one session says is known at once: its program may stand at a breakpoint before another has answered.
        let mut answered = Vec::new();
        for answers in all {
            let (known, is_known) = oneshot::channel();
            answered.push(is_known);
            self.spawn(answers, |owner, (id, answers)| {
                owner.take_answers(id, answers, false);
                let _ = known.send(id);
            });
        }
        self.spawn(join_all(answered), |owner, sessions| {
            owner.look_for_functions(sessions.into_iter().flatten().collect(), then);
        });
    }

    /// Sends a list; its answers come with the session they are about.
    fn send_one_list(
        &mut self,
        id: SessionId,
        list: &Which,
    ) -> impl Future<Output = (SessionId, Vec<ListAnswer>)> + Send + use<> {
        let sent = join_all(self.send_breakpoints(id, list));
        async move { (id, sent.await) }
    }

    /// Looks in the programs of sessions for functions of Rust that their adapters did not find, sends what was found, and calls back.
    /// Names in a program without full debug information end in a hash (`shop::total::h…`), and LLDB looks for whole ones.
    pub fn look_for_functions(
        &mut self,
        sessions: Vec<SessionId>,
        then: impl FnOnce(&mut Self) + Send + 'static,
    ) {
        let wanted: Vec<_> = sessions
            .into_iter()
            .filter_map(|id| self.not_found(id))
            .collect();
        if wanted.is_empty() {
            return then(self);
        }
        let look = || {
            let find = |(id, image, by, names): (_, Image, _, Vec<_>)| (id, image.find(&names, by));
            wanted.into_iter().map(find).collect::<Vec<_>>()
        };
        self.spawn(tasks::blocking(look), |owner, found| {
            let mut sent = Vec::new();
            for (id, found) in found.unwrap_or_default() {
                let is_new = |(name, found): (&String, &BTreeSet<String>)| {
                    found.iter().any(|found| found != name)
                };
                let is_of_use = found.iter().any(is_new);
                if let Some(live) = owner.live_mut(id) {
                    live.found.extend(found);
                }
                if is_of_use {
                    sent.push(owner.send_one_list(id, &Which::Functions));
                }
            }
            owner.spawn(join_all(sent), |owner, answered| {
                for (id, answers) in answered {
                    owner.take_answers(id, answers, false);
                }
                then(owner);
            });
        });
    }

    /// The functions that a session's adapter did not find and that were not looked for yet, where the program is Rust.
    fn not_found(&self, id: SessionId) -> Option<(SessionId, Image, FunctionName, Vec<String>)> {
        let live = self.live(id)?;
        let image = live.plan.image.as_ref()?;
        let by = live.personality.rust_functions?;
        let names: Vec<String> = self
            .wishes(id, &Which::Functions)
            .into_iter()
            .filter(|b| b.answers.get(&id).is_some_and(|a| !a.verified))
            .filter_map(|b| match &b.site {
                BreakpointSite::Function { name } => Some(name),
                _ => None,
            })
            .filter(|name| !live.found.contains_key(*name))
            .cloned()
            .collect();
        let is_meant = image.runtimes.contains(&"rust") && !names.is_empty();
        is_meant.then(|| (id, image.clone(), by, names))
    }

    /// Sends the lists asked for to one session's adapter.
    pub fn send_breakpoints(&mut self, id: SessionId, which: &Which) -> Vec<Sent> {
        let Some((client, personality)) = self
            .live(id)
            .and_then(|l| Some((self.in_time(l.client.as_ref()?), Arc::clone(&l.personality))))
        else {
            return Vec::new();
        };
        let capabilities = match self.session(id) {
            Some(s) => Arc::clone(&s.capabilities),
            None => return Vec::new(),
        };
        let mut sent = Vec::new();
        let mut files = Vec::new();
        match which {
            Which::All => {
                for list in self.breakpoints().map(|b| list_of(&b.site)) {
                    if !files.contains(&list) {
                        files.push(list);
                    }
                }
            }
            list => files.push(list.clone()),
        }
        for file in files {
            let Which::File(path) = &file else {
                continue;
            };
            let (ids, list) = self.lines_of(id, &file, &capabilities, &personality);
            if self
                .live(id)
                .is_some_and(|l| l.plan.foreign_types.contains(&adapters::extension(path)))
            {
                self.pass_over(id, ids, "another language's file", true);
                continue;
            }
            if ids.is_empty() && !self.was_sent(id, &file) {
                continue;
            }
            let arguments = SetBreakpointsArguments {
                source: Source {
                    name: path.file_name().map(Lossy::lossy),
                    path: Some(path.lossy()),
                    ..Source::default()
                },
                lines: Some(list.iter().map(|b| b.line).collect()),
                breakpoints: Some(list),
                source_modified: Some(false),
            };
            let reply = placed::<SetBreakpoints>(&client, &arguments);
            sent.push(reply.map(|told| ListAnswer::Wishes(ids, told)).boxed());
            self.is_sent(id, file);
        }
        if !sent.is_empty() {
            self.after_lines(id);
        }
        for list in [Which::Functions, Which::Instructions, Which::Data] {
            // Filters of ours are functions.
            let with_filters = *which == Which::Exceptions && list == Which::Functions;
            if *which == Which::All || *which == list || with_filters {
                sent.extend(self.send_list(id, &list, &client, &capabilities, &personality));
            }
        }
        if matches!(which, Which::All | Which::Exceptions)
            && !capabilities.exception_breakpoint_filters.is_empty()
        {
            let arguments = self.exception_arguments(id, &capabilities);
            let reply = client.send::<SetExceptionBreakpoints>(&arguments);
            sent.push(reply.map(ListAnswer::Exceptions).boxed());
        }
        sent
    }

    /// Breakpoints that are not sent, and why. Those in another language's file are not because some adapters complain about
    /// them in the program's output.
    pub fn pass_over(
        &mut self,
        session: SessionId,
        ids: Vec<BreakpointId>,
        why: &str,
        foreign: bool,
    ) {
        for breakpoint in ids {
            let answer = BreakpointAnswer {
                message: Some(why.to_owned()),
                foreign,
                ..BreakpointAnswer::default()
            };
            self.hub.answered(breakpoint, session, answer);
        }
    }

    /// The enabled wishes for a file, refined as far as the adapter can.
    fn lines_of(
        &self,
        id: SessionId,
        file: &Which,
        capabilities: &Capabilities,
        personality: &Personality,
    ) -> (Vec<BreakpointId>, Vec<SourceBreakpoint>) {
        let is_shared = |b: &Breakpoint| self.is_shared(id, b.id);
        self.wishes(id, file)
            .into_iter()
            .filter_map(|b| match &b.site {
                BreakpointSite::Source { line, column, .. } => {
                    let (condition, hit_condition) =
                        refinements(b, capabilities, personality, is_shared(b));
                    let refined = SourceBreakpoint {
                        line: *line,
                        column: *column,
                        condition,
                        hit_condition,
                        log_message: b
                            .log_message
                            .as_ref()
                            .filter(|_| {
                                !Ours::of(b, capabilities, personality, is_shared(b)).message
                            })
                            .map(|text| log_text(text, personality)),
                        mode: modes::sent(capabilities, &Applies::Source, b.mode.as_deref()),
                    };
                    Some((b.id, refined))
                }
                _ => None,
            })
            .unzip()
    }

    /// The enabled wishes of one list that are this session's, in their order.
    fn wishes(&self, id: SessionId, list: &Which) -> Vec<&Breakpoint> {
        self.breakpoints()
            .filter(|b| b.enabled && list_of(&b.site) == *list)
            .filter(|b| b.session.is_none_or(|owner| owner == id))
            .collect()
    }

    /// Sends all functions, instructions or data, where there is one to be set or taken away.
    fn send_list(
        &mut self,
        id: SessionId,
        list: &Which,
        client: &Client,
        capabilities: &Capabilities,
        personality: &Personality,
    ) -> Option<Sent> {
        let mut ids: Vec<_> = self.wishes(id, list).iter().map(|b| b.id).collect();
        if let Some(lack) = lacking(list, capabilities) {
            self.pass_over(id, ids, &lack, false);
            return None;
        }
        let live = self.live(id)?;
        let entry = live
            .plan
            .entry_function
            .as_ref()
            .filter(|_| *list == Which::Functions);
        let own = match list {
            Which::Functions => self.own_functions(id, capabilities),
            _ => Vec::new(),
        };
        let none = ids.is_empty() && entry.is_none() && own.is_empty();
        if none && !self.was_sent(id, list) {
            return None;
        }
        let refined =
            |b: &Breakpoint| refinements(b, capabilities, personality, self.is_shared(id, b.id));
        let wishes = self.wishes(id, list).into_iter();
        let reply = match list {
            Which::Instructions => {
                let mode = |b: &Breakpoint| {
                    modes::sent(capabilities, &Applies::Instruction, b.mode.as_deref())
                };
                let breakpoints = wishes
                    .filter_map(|b| instruction(b, refined(b), mode(b)))
                    .collect();
                let arguments = SetInstructionBreakpointsArguments { breakpoints };
                placed::<SetInstructionBreakpoints>(client, &arguments)
            }
            Which::Data => {
                let wishes = wishes.map(|b| (b, refined(b)));
                data::send_breakpoints(client, wishes, personality)
            }
            _ => {
                ids.clear();
                let mut breakpoints = Vec::new();
                for wish in wishes {
                    for function in functions(wish, refined(wish), &live.found, personality) {
                        ids.push(wish.id);
                        breakpoints.push(function);
                    }
                }
                let entry = entry.map(String::as_str);
                for name in entry.into_iter().chain(own) {
                    if breakpoints.iter().all(|f| f.name != name) {
                        breakpoints.push(FunctionBreakpoint {
                            name: name.to_owned(),
                            ..FunctionBreakpoint::default()
                        });
                    }
                }
                let send = |breakpoints| {
                    let arguments = SetFunctionBreakpointsArguments { breakpoints };
                    placed::<SetFunctionBreakpoints>(client, &arguments)
                };
                if personality.unordered_functions && breakpoints.len() > 1 {
                    // One more each time: what is new in an answer is that one.
                    let longer = 1..=breakpoints.len();
                    let lists = longer.map(|n| breakpoints.iter().take(n).cloned().collect());
                    one_by_one(lists.map(send).collect()).boxed()
                } else {
                    send(breakpoints)
                }
            }
        };
        self.is_sent(id, list.clone());
        Some(reply.map(|told| ListAnswer::Wishes(ids, told)).boxed())
    }

    fn was_sent(&self, id: SessionId, list: &Which) -> bool {
        let live = self.live(id);
        live.is_some_and(|live| live.lists_sent.contains(list))
    }

    fn is_sent(&mut self, id: SessionId, list: Which) {
        if let Some(live) = self.live_mut(id)
            && !live.lists_sent.contains(&list)
        {
            live.lists_sent.push(list);
        }
    }

    /// The functions at which filters of ours stop that are on.
    fn own_functions(&self, id: SessionId, capabilities: &Capabilities) -> Vec<&'static str> {
        let chosen = self.chosen_filters(id, capabilities);
        let own = exceptions::OWN.iter();
        own.filter(|own| chosen.iter().any(|c| c.filter == own.filter))
            .filter(|own| {
                let mut offered = capabilities.exception_breakpoint_filters.iter();
                offered.any(|f| f.filter == own.filter)
            })
            .flat_map(|own| own.functions.iter().copied())
            .collect()
    }

    /// The filters and types that are on for a session, as they were chosen.
    pub fn filters_on(&self, id: SessionId, can: &Capabilities) -> Vec<ExceptionFilter> {
        let offered = &can.exception_breakpoint_filters;
        let wished = self.hub.state.exception_filters.as_deref();
        let mut chosen: Vec<ExceptionFilter> = match exceptions::choice(wished, offered) {
            Some(chosen) => {
                let named = |(name, wish): (&str, &ExceptionFilter)| ExceptionFilter {
                    filter: name.to_owned(),
                    ..wish.clone()
                };
                chosen.into_iter().map(named).collect()
            }
            None => offered
                .iter()
                .filter(|f| f.default.unwrap_or(false))
                .map(|f| ExceptionFilter::named(&f.filter))
                // A command whose tests may fail has them off.
                .filter(|f| !self.is_off(id, &f.filter))
                .collect(),
        };
        chosen.extend(exceptions::misspelt(wished, offered).cloned());
        for own in self.session(id).iter().flat_map(|s| &s.exception_filters) {
            if chosen.iter().all(|c| c.filter != own.filter) {
                chosen.push(own.clone());
            }
        }
        chosen
    }

    fn is_off(&self, id: SessionId, filter: &str) -> bool {
        let typed = self.session(id).and_then(|session| session.typed.as_ref());
        let mut own = typed.iter().flat_map(|typed| &typed.filters);
        own.any(|own| own.off && exceptions::stands_for(filter, &own.filter))
    }

    /// The filters that are on for a session, by the adapter's names as far as it has them.
    pub fn chosen_filters(
        &self,
        id: SessionId,
        capabilities: &Capabilities,
    ) -> Vec<ExceptionFilter> {
        let offered = &capabilities.exception_breakpoint_filters;
        let mut chosen = self.filters_on(id, capabilities);
        let types = self.type_condition(id, capabilities).map(|template| {
            let types = exceptions::types(&chosen, offered).into_iter();
            types.map(|t| template.replace("${type}", t)).joined(" || ")
        });
        for filter in &mut chosen {
            let Some(theirs) = exceptions::sent_as(&filter.filter, offered) else {
                continue;
            };
            if exceptions::offered_as(&filter.filter, offered).is_none() {
                filter.condition = types.clone().filter(|types| !types.is_empty());
            }
            theirs.clone_into(&mut filter.filter);
        }
        let mut seen = BTreeSet::new();
        chosen.retain(|c| seen.insert(c.filter.clone()));
        chosen
    }

    /// How an adapter is told that only some types of exceptions are meant, where it compares them itself.
    fn type_condition(&self, id: SessionId, capabilities: &Capabilities) -> Option<String> {
        let can = capabilities.supports_exception_filter_options;
        let template = self.live(id)?.personality.type_condition.clone();
        template.filter(|_| can)
    }

    /// The types of exceptions that alone are to stop a session, where any are and its adapter does not compare them.
    pub fn exception_types(&self, id: SessionId) -> Vec<String> {
        let Some(session) = self.session(id) else {
            return Vec::new();
        };
        let capabilities = &session.capabilities;
        if self.type_condition(id, capabilities).is_some() {
            return Vec::new();
        }
        let offered = &capabilities.exception_breakpoint_filters;
        let chosen = self.filters_on(id, capabilities);
        let types = exceptions::types(&chosen, offered).into_iter();
        types.map(str::to_owned).collect()
    }

    fn exception_arguments(
        &mut self,
        id: SessionId,
        capabilities: &Capabilities,
    ) -> SetExceptionBreakpointsArguments {
        let offered = &capabilities.exception_breakpoint_filters;
        let (mut known, unknown): (Vec<_>, Vec<_>) = self
            .chosen_filters(id, capabilities)
            .into_iter()
            .partition(|c| offered.iter().any(|f| f.filter == c.filter));
        known.retain(|c| !exceptions::is_own(&c.filter));
        if !unknown.is_empty() {
            let names = unknown.iter().map(|c| c.filter.as_str()).joined("`, `");
            let all = offered.iter().map(|f| f.filter.as_str()).joined(", ");
            self.warn_with(
                id,
                format!("This adapter has no exception filter `{names}`."),
                format!("it has: {all}"),
            );
        }
        let mode_of =
            |c: &ExceptionFilter| modes::sent(capabilities, &Applies::Exception, c.mode.as_deref());
        let (refined, plain): (Vec<_>, Vec<_>) = known.into_iter().partition(|c| {
            let refined = c.condition.is_some() || mode_of(c).is_some();
            refined && capabilities.supports_exception_filter_options
        });
        let options: Vec<_> = refined
            .into_iter()
            .map(|c| ExceptionFilterOptions {
                mode: mode_of(&c),
                filter_id: c.filter,
                condition: c.condition,
            })
            .collect();
        SetExceptionBreakpointsArguments {
            filters: plain.into_iter().map(|c| c.filter).collect(),
            filter_options: (!options.is_empty()).then_some(options),
            exception_options: None,
        }
    }
}

/// What came of a list of breakpoints that was sent.
pub type Placed = Result<Vec<AdapterBreakpoint>, RequestError>;

pub fn placed<R: DapRequest<Response = SetBreakpointsResponse> + 'static>(
    client: &Client,
    arguments: &R::Arguments,
) -> BoxFuture<'static, Placed> {
    let reply = client.send::<R>(arguments);
    async { reply.await.map(|r| r.breakpoints) }.boxed()
}

/// Of answers to lists each of which is one longer than the one before: what each of them has that was not there.
async fn one_by_one(replies: Vec<BoxFuture<'static, Placed>>) -> Placed {
    let mut known = BTreeSet::new();
    let mut told = Vec::new();
    for reply in replies {
        let answer = reply.await?;
        let new = answer.iter().find(|b| !known.contains(&b.id));
        told.push(new.cloned().unwrap_or_default());
        known.extend(answer.iter().map(|b| b.id));
    }
    Ok(told)
}

/// The sentence for a list that the adapter does not take.
pub fn lacking(list: &Which, capabilities: &Capabilities) -> Option<String> {
    let (able, what) = match list {
        Which::Functions => (capabilities.supports_function_breakpoints, "function"),
        Which::Instructions => (capabilities.supports_instruction_breakpoints, "instruction"),
        Which::Data => (capabilities.supports_data_breakpoints, "data"),
        Which::All | Which::File(_) | Which::Exceptions => return None,
    };
    (!able).then(|| format!("Active adapter does not support {what} breakpoints."))
}

/// A breakpoint at a function: one by its name, or one for each that was found for it.
fn functions(
    wish: &Breakpoint,
    (condition, hit_condition): Refinements,
    found: &BTreeMap<String, BTreeSet<String>>,
    personality: &Personality,
) -> Vec<FunctionBreakpoint> {
    let BreakpointSite::Function { name } = &wish.site else {
        return Vec::new();
    };
    let bare = personality.unqualified(name);
    let at = |name: &str| FunctionBreakpoint {
        name: name.to_owned(),
        condition: condition.clone(),
        hit_condition: hit_condition.clone(),
    };
    match found.get(name) {
        Some(names) if !names.is_empty() => names.iter().map(|name| at(name)).collect(),
        _ => vec![at(bare.unwrap_or(name))],
    }
}

fn instruction(
    wish: &Breakpoint,
    (condition, hit_condition): Refinements,
    mode: Option<String>,
) -> Option<InstructionBreakpoint> {
    match &wish.site {
        BreakpointSite::Instruction { reference, offset } => Some(InstructionBreakpoint {
            instruction_reference: reference.clone(),
            offset: *offset,
            condition,
            hit_condition,
            mode,
        }),
        _ => None,
    }
}
