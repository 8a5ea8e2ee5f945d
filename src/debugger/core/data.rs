//! Data to stop at: whether an adapter can watch it and under which id, in which of its modes, and which of them a stop is at.

use dap::types::{BreakpointModeApplicability as Applies, DataBreakpoint};

use super::{
    lists::{Placed, placed},
    ours::Refinements,
    prelude::*,
    references::Follow,
};
use crate::{modes, previews::path::Path};

/// Questions for data that are remembered of a session.
const MOST_REMEMBERED: usize = 1024;

/// Sets all data breakpoints of a session, each of which has its number in the answer.
pub fn send_breakpoints<'b>(
    client: &Client,
    wishes: impl Iterator<Item = (&'b Breakpoint, Refinements)>,
    personality: &Personality,
) -> BoxFuture<'static, Placed> {
    let breakpoint = |(wish, (condition, hit_condition)): (&Breakpoint, Refinements)| {
        let BreakpointSite::Data {
            data_id, access, ..
        } = &wish.site
        else {
            return None;
        };
        Some(DataBreakpoint {
            data_id: data_id.clone(),
            access_type: access.clone(),
            condition,
            hit_condition,
        })
    };
    let breakpoints: Vec<_> = wishes.filter_map(breakpoint).collect();
    let ids: Vec<_> = breakpoints.iter().map(|b| b.data_id.clone()).collect();
    let arguments = SetDataBreakpointsArguments { breakpoints };
    let reply = placed::<SetDataBreakpoints>(client, &arguments);
    let Some(stops) = personality.data_stops.clone() else {
        return reply;
    };
    let client = client.clone();
    async move {
        let mut told = reply.await?;
        let list = EvaluateArguments {
            expression: stops.list.clone(),
            context: Some("repl".to_owned()),
            ..EvaluateArguments::default()
        };
        // One that will not say it leaves them without numbers, as its adapter did.
        if let Ok(list) = client.send::<Evaluate>(&list).await {
            let numbers = stops.listed(&list.result);
            for (told, data_id) in told.iter_mut().zip(ids).filter(|(told, _)| told.verified) {
                let number = numbers.get(&data_id.to_ascii_lowercase()).copied();
                told.id = told.id.or(number);
            }
        }
        Ok(told)
    }
    .boxed()
}

impl Owner {
    pub fn data_breakpoint_info(
        &self,
        session: Option<SessionId>,
        mut asked: DataBreakpointInfoArguments,
    ) -> Handled {
        let (session, client) =
            self.capable::<DataBreakpointInfo>(session, Action::Inspect, "data breakpoints")?;
        if asked.bytes.is_some() && !session.capabilities.supports_data_breakpoint_bytes {
            return Err(lacks("data breakpoints at addresses"));
        }
        let mode = asked.mode.map(|word| data_mode(session, &word));
        asked.mode = mode.transpose()?;
        let selected = session.frame_id();
        let walk = self.way_to(session, &asked);
        let is_here =
            asked.bytes.is_none() && (asked.frame_id.is_none() || asked.frame_id == selected);
        // A variable is best known by its place; other things are expressions. A function that the debugger called since may have taken
        // the place, and then it is one as well.
        let by_name = asked.variables_reference.is_none() && is_here;
        let scope = session.scope_of(&asked.name).filter(|_| by_name);
        let by_place = scope.map(|(reference, _)| DataBreakpointInfoArguments {
            variables_reference: Some(reference),
            ..asked.clone()
        });
        if asked.variables_reference.is_none() {
            asked.frame_id = asked.frame_id.or(selected);
            let live = self.live(session.id);
            // What is written with an & is an address already.
            if asked.bytes.is_none()
                && !asked.name.starts_with('&')
                && live.is_some_and(|l| l.personality.data_expression_is_address)
            {
                asked.name = format!("&({})", asked.name);
            }
        }
        let (session, stop) = (session.id, session.stop_id());
        let answer = async move {
            if let Some(placed) = by_place {
                let answer = client.send::<DataBreakpointInfo>(&placed).await;
                if answer.as_ref().is_ok_and(|info| info.data_id.is_some()) {
                    return (placed, answer);
                }
            }
            let told = match &walk {
                Some((follow, evaluate, path)) => follow.holder(evaluate, path).await,
                None => None,
            };
            if let Some((holder, name)) = told {
                let part = DataBreakpointInfoArguments {
                    variables_reference: Some(holder),
                    name,
                    frame_id: None,
                    ..asked.clone()
                };
                let answer = client.send::<DataBreakpointInfo>(&part).await;
                if answer.as_ref().is_ok_and(|info| info.data_id.is_some()) {
                    return (part, answer);
                }
            }
            let answer = client.send::<DataBreakpointInfo>(&asked).await;
            (asked, answer)
        };
        after(answer, move |owner, (asked, answer)| {
            let info = answer?;
            if let Some(stop) = stop {
                owner.remember_data(session, stop, &info, asked);
            }
            Ok(Reply::DataBreakpointInfo {
                info: Box::new(info),
            })
        })
    }

    /// How to find the part that an expression names, where the debugger's own evaluator might call a function for it.
    fn way_to(
        &self,
        session: &Session,
        asked: &DataBreakpointInfoArguments,
    ) -> Option<(Follow, EvaluateArguments, Path)> {
        if asked.variables_reference.is_some() || asked.bytes.is_some() {
            return None;
        }
        let follow = self.follow(session.id)?;
        let path = follow.path(&asked.name).filter(Path::is_ours)?;
        let evaluate = follow.watched("", asked.frame_id.or_else(|| session.frame_id()));
        Some((follow, evaluate, path))
    }

    fn remember_data(
        &mut self,
        session: SessionId,
        stop: StopId,
        info: &DataBreakpointInfoResponse,
        arguments: DataBreakpointInfoArguments,
    ) {
        let (Some(live), Some(id)) = (self.live_mut(session), info.data_id.clone()) else {
            return;
        };
        if live.data_asked.len() >= MOST_REMEMBERED {
            live.data_asked.clear();
        }
        live.data_asked.insert(id, (stop, arguments));
    }

    /// Sets a breakpoint at data in a mode. The protocol has the mode in the question for the data's id, and not in the breakpoint:
    /// where the id was asked for in another one, it is asked for again.
    pub fn set_data_in_mode(&mut self, mut spec: BreakpointSpec) -> Handled {
        let Some((session, client, arguments)) = self.data_in_mode(&spec)? else {
            return self.set_breakpoint_as_is(spec);
        };
        let answer = client.send::<DataBreakpointInfo>(&arguments);
        onward(answer, move |owner, answer| {
            let info = answer?;
            let (Some(id), BreakpointSite::Data { data_id, name, .. }) =
                (info.data_id.clone(), &mut spec.site)
            else {
                let why = format!(
                    "The data cannot be watched in this mode: {}",
                    info.description
                );
                return Err(DebuggerError::capability(why));
            };
            if let Some((stop, _)) = owner
                .live(session)
                .and_then(|live| live.data_asked.get(data_id))
            {
                let stop = *stop;
                owner.remember_data(session, stop, &info, arguments);
            }
            // A person knows it by what it was called before.
            if id != *data_id {
                name.get_or_insert_with(|| data_id.clone());
            }
            *data_id = id;
            owner.set_breakpoint_as_is(spec)
        })
    }

    /// What has to be asked before data can have its mode; nothing when its id has it already.
    fn data_in_mode(
        &self,
        spec: &BreakpointSpec,
    ) -> Result<Option<(SessionId, Client, DataBreakpointInfoArguments)>> {
        let (BreakpointSite::Data { data_id, .. }, Some(word)) = (&spec.site, &spec.mode) else {
            return Ok(None);
        };
        let mut known = self.breakpoints();
        let known = known.find(|b| match spec.id {
            Some(id) => b.id == id,
            None => b.site == spec.site,
        });
        if known.is_some_and(|b| b.mode.as_ref() == Some(word)) {
            return Ok(None);
        }
        let owner = known.and_then(|b| b.session);
        let (session, client) =
            self.capable::<DataBreakpointInfo>(owner, Action::List, "data breakpoints")?;
        let mode = data_mode(session, word)?;
        let asked = self.live(session.id).map(|live| &live.data_asked);
        let Some((stop, arguments)) = asked.and_then(|asked| asked.get(data_id)) else {
            return Err(DebuggerError::usage(format!("{data_id:?} was not asked for in this session, and data has the mode that it was asked for in."),
            )
            .hint("ask for the data's id with this mode (data_breakpoint_info), and set it with that id"));
        };
        if arguments.mode.as_ref() == Some(&mode) {
            return Ok(None);
        }
        if session.stop_id() != Some(*stop) {
            return Err(DebuggerError::stale(format!(
                "{data_id:?} was asked for at another stop, and not in the mode {mode:?}."
            ))
            .hint("ask for it again with this mode"));
        }
        let arguments = DataBreakpointInfoArguments {
            mode: Some(mode),
            ..arguments.clone()
        };
        Ok(Some((session.id, client, arguments)))
    }
}

/// The adapter's id of the mode that is meant.
fn data_mode(session: &Session, word: &str) -> Result<String> {
    modes::meant(&session.capabilities, &Applies::Data, word)
        .map(|mode| mode.mode)
        .map_err(|why| DebuggerError::capability(sentence(&why)))
}
