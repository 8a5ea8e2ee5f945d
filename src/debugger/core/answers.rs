//! What adapters say of breakpoints: answers to lists, and news later on.

use dap::types::Breakpoint as AdapterBreakpoint;

use super::{breakpoint_list::list_of, lists::ListAnswer, prelude::*};
use crate::{adapters, exceptions, pending_breakpoints::UNTOLD};

impl Owner {
    /// Makes answers known. `at_start`: a failure is worth a message of its own, nobody waits for it.
    pub fn take_answers(&mut self, session: SessionId, answered: Vec<ListAnswer>, at_start: bool) {
        if !self.live.contains_key(&session) {
            return;
        }
        for answer in answered {
            match answer {
                ListAnswer::Wishes(ids, Ok(answers)) => {
                    self.put_at(session, &ids, &answers);
                    self.answers_for(session, &ids, &answers);
                }
                ListAnswer::Wishes(ids, Err(error)) => {
                    self.pass_over(session, ids, &error.to_string(), false);
                }
                ListAnswer::Exceptions(Ok(answer)) => self.filters_set(session, answer.breakpoints),
                ListAnswer::Exceptions(Err(error)) => {
                    if at_start || !matches!(error, RequestError::Closed(_)) {
                        self.warn(
                            session,
                            format!("Exception breakpoints were not set: {error}"),
                        );
                    }
                }
            }
        }
        // A disabled breakpoint has no answer.
        let silenced: Vec<_> = self
            .breakpoints()
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
        self.share_anew(session);
    }

    fn filters_set(&mut self, session: SessionId, told: Option<Vec<AdapterBreakpoint>>) {
        let capabilities = self.session(session).map(|s| Arc::clone(&s.capabilities));
        let chosen = capabilities.map(|can| self.chosen_filters(session, &can));
        let are_on = chosen.is_some_and(|on| on.iter().any(|c| !exceptions::is_own(&c.filter)));
        let Some(live) = self.live_mut(session) else {
            return;
        };
        let numbers: Vec<i64> = told.into_iter().flatten().filter_map(|b| b.id).collect();
        live.nameless_filters = are_on && numbers.is_empty();
        live.filter_breakpoints.extend(numbers);
    }

    fn answers_for(
        &mut self,
        session: SessionId,
        ids: &[BreakpointId],
        answers: &[AdapterBreakpoint],
    ) {
        // Behind those that were wished for are the filters'.
        if let Some(live) = self.live_mut(session) {
            let others = answers.iter().skip(ids.len());
            live.filter_breakpoints.extend(others.filter_map(|b| b.id));
        }
        for (at, (breakpoint, answer)) in ids.iter().zip(answers).enumerate() {
            // What was told alike may be one to the adapter: the first has its number.
            let mut before = answers.iter().take(at);
            let is_first = before.all(|before| before.id != answer.id);
            let mut answer = self.as_placed(session, answer.clone());
            if let Some(live) = self.live_mut(session)
                && let Some(adapter_id) = answer.id
            {
                if is_first {
                    live.by_adapter_id.insert(adapter_id, *breakpoint);
                }
                // News that overtook this answer: good news stays good.
                if let Some(news) = live.early_news.remove(&adapter_id)
                    && news.verified
                {
                    answer = news;
                }
            }
            self.publish_answer(session, *breakpoint, &answer);
        }
        let (told, untold) = ids.split_at(answers.len().min(ids.len()));
        let untold = untold.iter().filter(|id| !told.contains(id));
        self.pass_over(session, untold.copied().collect(), UNTOLD, false);
    }

    /// What an adapter says of a breakpoint, as it is meant.
    fn as_placed(&self, session: SessionId, told: AdapterBreakpoint) -> AdapterBreakpoint {
        match self.live(session) {
            Some(live) => live.personality.placed(told),
            None => told,
        }
    }

    fn publish_answer(
        &mut self,
        session: SessionId,
        breakpoint: BreakpointId,
        answer: &AdapterBreakpoint,
    ) {
        let broken = self.look_for_condition(session, breakpoint, answer);
        let remark = self.remark(session, breakpoint);
        let said = answer.message.as_ref().map(|said| {
            let live = self.live(session);
            let words = live.and_then(|live| live.personality.message_keys.get(said));
            words.unwrap_or(said)
        });
        let message = match (said, remark) {
            (Some(m), Some(u)) => Some(format!("{m}; {u}")),
            (Some(m), None) => Some(m.clone()),
            (None, u) => u,
        };
        let answer = BreakpointAnswer {
            adapter_id: answer.id,
            verified: answer.verified,
            line: answer.line,
            message,
            foreign: false,
        };
        self.tell_displaced(session, breakpoint, &answer);
        self.hub.answered(breakpoint, session, answer);
        if let Some((condition, why)) = broken {
            // The first answer of a session takes away what was known of an earlier one.
            self.condition_broken(session, &condition, &[breakpoint], &why);
        }
    }

    /// Processors watch few places at a time: a data breakpoint may have taken the room of another one.
    fn tell_displaced(&mut self, session: SessionId, id: BreakpointId, answer: &BreakpointAnswer) {
        let known = self.breakpoint(id).ok().filter(|known| {
            let was = known.answers.get(&session);
            was.is_some_and(|was| was.verified) && matches!(known.site, BreakpointSite::Data { .. })
        });
        if let (Some(known), false, Some(why)) = (known, answer.verified, &answer.message) {
            let label = known.label();
            self.warn_with(
                session,
                format!("The data breakpoint {label} is not in place any more: {why}"),
                "the processor watches few at a time (x86-64 four): remove one",
            );
        }
    }

    /// Of an adapter that takes any condition where no program is loaded yet, and never stops for one that means nothing: it is asked
    /// again once the breakpoint is placed, and then says what is wrong: with which condition, and why.
    fn look_for_condition(
        &mut self,
        session: SessionId,
        breakpoint: BreakpointId,
        answer: &AdapterBreakpoint,
    ) -> Option<(String, String)> {
        let personality = Arc::clone(&self.live(session)?.personality);
        let resends = personality.resends_conditions_when_placed;
        let wish = self.breakpoint(breakpoint).ok().filter(|b| b.enabled)?;
        let condition = wish.condition.clone()?;
        if !answer.verified
            && let Some(said) = answer.message.as_deref()
        {
            // Others say so of a condition that they cannot read, too.
            let broken = personality.broken_condition(said).map(|(_, why)| why);
            let why = broken.or_else(|| resends.then_some(said))?.to_owned();
            self.condition_broken(session, &condition, &[breakpoint], &why);
            return Some((condition, why));
        }
        if !resends {
            return None;
        }
        let before = wish.answers.get(&session);
        let is_pending = before.is_some_and(|before| !before.verified && before.message.is_none());
        // Only such that are there before their program can be pending.
        if !(is_pending && answer.verified && wish.site.outlives_process()) {
            return None;
        }
        let list = list_of(&wish.site);
        let sent = join_all(self.send_breakpoints(session, &list));
        self.spawn(sent, move |owner, answers| {
            owner.take_answers(session, answers, false);
        });
        None
    }

    /// What we do of a breakpoint in the adapter's place, as a remark.
    fn remark(&self, session: SessionId, breakpoint: BreakpointId) -> Option<String> {
        let capabilities = &self.session(session)?.capabilities;
        let live = self.live(session)?;
        let personality = &live.personality;
        let mut breakpoints = self.breakpoints();
        let wish = breakpoints.find(|b| b.id == breakpoint)?;
        let bare = match &wish.site {
            BreakpointSite::Function { name } => personality.unqualified(name),
            _ => None,
        };
        let bare = bare.map(|name| format!("it stops in every function that is called `{name}`"));
        bare.or_else(|| {
            let is_shared = live.shared.contains(&breakpoint);
            Ours::of(wish, capabilities, personality, is_shared).remark(wish)
        })
    }

    /// What the adapter itself is to do when lines have been set, or placed anew.
    pub fn after_lines(&self, id: SessionId) {
        let live = self.live(id);
        let command = live.and_then(|live| live.personality.after_lines.as_deref());
        let command = command.and_then(adapters::asset);
        if let Some((command, client)) = command.zip(live.and_then(|live| live.client.as_ref())) {
            drop(Self::type_in(client, &command));
        }
    }

    /// A `breakpoint` event: a pending one was placed, one was moved, or taken away.
    pub fn breakpoint_news(&mut self, session: SessionId, reason: &str, news: AdapterBreakpoint) {
        let news = self.as_placed(session, news);
        let Some((live, adapter_id)) = self.live(session).zip(news.id) else {
            return;
        };
        let known = live.by_adapter_id.get(&adapter_id).copied();
        // One that could not be set as it was wished for has a reason of its own and no number: what comes of an earlier one is late.
        let is_refused = |b: &Breakpoint| {
            let answer = b.answers.get(&session);
            answer.is_some_and(|answer| answer.adapter_id.is_none() && answer.message.is_some())
        };
        if known.is_some_and(|id| self.breakpoints().any(|b| b.id == id && is_refused(b))) {
            return;
        }
        let Some(live) = self.live_mut(session) else {
            return;
        };
        match known {
            Some(breakpoint) if reason == "removed" => {
                let removed = || "removed by the adapter".to_owned();
                let answer = BreakpointAnswer {
                    adapter_id: Some(adapter_id),
                    message: news.message.or_else(|| Some(removed())),
                    ..BreakpointAnswer::default()
                };
                self.hub.answered(breakpoint, session, answer);
            }
            Some(breakpoint) => {
                self.publish_answer(session, breakpoint, &news);
                // It may have another location, in a library that was loaded just now.
                if news.verified {
                    self.after_lines(session);
                }
            }
            None if reason != "removed" && live.early_news.len() < 1024 => {
                live.early_news.insert(adapter_id, news);
            }
            None => {}
        }
    }
}
