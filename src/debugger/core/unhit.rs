//! Conditional breakpoints that nothing stopped at, and conditions that an adapter could not evaluate: said once, because an
//! adapter passes over both in silence, or prints it among the program's own words.
//!
//! The count is that of a whole tree of sessions: a child may stop where its parent never comes.

use super::{prelude::*, seen::SeenTree};
use crate::hits::{
    NEVER_HIT, condition_failed, condition_is_broken, is_named, stands_at, why_never,
};

impl Owner {
    fn seen(&mut self, id: SessionId) -> &mut SeenTree {
        let root = self.root_of(id);
        self.seen.entry(root).or_default()
    }

    /// A tree of sessions begins anew.
    pub fn forget_hits(&mut self, id: SessionId) {
        let state = &self.hub.state;
        self.seen.retain(|root, _| state.session(*root).is_some());
        if state.root_of(id) == id {
            self.seen.remove(&id);
        }
    }

    /// The program stopped; where is not known yet.
    pub fn stop_to_place(&mut self, id: SessionId, stop: StopId, reason: &str) {
        let seen = self.seen(id);
        seen.thrown |= reason == "exception";
        if reason.contains("breakpoint") {
            seen.missed |= seen.unread.insert(id, stop).is_some();
        }
    }

    /// It is known where the program stands: what is there was hit.
    pub fn stop_placed(&mut self, id: SessionId, stop: StopId) {
        let Some((session, now)) = self
            .session(id)
            .and_then(|s| Some((s, s.current_stop().filter(|now| now.id == stop)?)))
        else {
            return;
        };
        let last = self.live(id).and_then(|live| live.resumed);
        let by_breakpoint =
            now.reason.contains("breakpoint") && !matches!(last, Some(Resume::Step(..)));
        let all = self.breakpoints();
        let here: Vec<_> = all.filter(|b| stands_at(b, session, now)).collect();
        let hit: Vec<_> = here.iter().map(|b| b.id).collect();
        // Some adapters say late that a breakpoint is in place, or never.
        let proven = |b: &&&Breakpoint| by_breakpoint || is_named(b, session, now);
        let proven: Vec<_> = here
            .iter()
            .filter(proven)
            .filter_map(|b| Some((b.id, b.answers.get(&id).filter(|a| !a.verified)?.clone())))
            .collect();
        for (breakpoint, answer) in proven {
            let answer = BreakpointAnswer {
                verified: true,
                message: None,
                ..answer
            };
            self.hub.answered(breakpoint, id, answer);
        }
        let seen = self.seen(id);
        seen.hit.extend(hit);
        if seen.unread.get(&id) == Some(&stop) {
            seen.unread.remove(&id);
        }
    }

    /// A session ends: the breakpoints that it has in place were in place.
    pub fn keep_placed(&mut self, id: SessionId) {
        let all = self.breakpoints();
        let in_place = all.filter(|b| b.answers.get(&id).is_some_and(|answer| answer.verified));
        let in_place: Vec<_> = in_place.map(|b| b.id).collect();
        self.seen(id).placed.extend(in_place);
    }

    /// Says of each conditional breakpoint that was in place and never hit what may be the reason. Only when the last session
    /// of a tree came to its own end: of a program that was ended nobody knows what it would have done. A recording is no run of these.
    pub fn tell_never_hit(&mut self, id: SessionId) {
        self.keep_placed(id);
        let state = &self.hub.state;
        let root = state.root_of(id);
        let tree: Vec<_> = state
            .sessions
            .iter()
            .map(|s| s.id)
            .filter(|s| state.root_of(*s) == root)
            .collect();
        let over = tree
            .iter()
            .all(|other| *other == id || self.has_ended(*other));
        if self.has_ended(id) || self.playback(id).is_some() || !over {
            return;
        }
        let seen = self.seen.remove(&root).unwrap_or_default();
        for other in self.seen.values_mut() {
            other.hit.extend(&seen.hit);
        }
        if !seen.thrown {
            self.tell_uncaught(root);
        }
        let over = self.records.get(&root).map_or(0, Records::skipped);
        if over > 0 {
            let text = format!(
                "{over} hits of breakpoints that record were over their limits, and only counted."
            );
            self.inform(id, text);
        }
        let had: BTreeSet<_> = seen.placed.union(&seen.hit).copied().collect();
        self.tell_never_placed(&tree, &had);
        if seen.missed || !seen.unread.is_empty() {
            return;
        }
        // What another program has in place as well is told when that has ended.
        let elsewhere = |b: &&Breakpoint| {
            let mut placed = b.answers.iter().filter(|(_, answer)| answer.verified);
            placed.any(|(session, _)| !tree.contains(session) && !self.has_ended(*session))
        };
        let silent: Vec<_> = self
            .breakpoints()
            .filter(|b| b.enabled && !b.temporary && b.stops() && !elsewhere(b))
            .filter(|b| b.condition.is_some() && !seen.hit.contains(&b.id))
            .filter(|b| seen.placed.contains(&b.id) && b.never_hit.is_none())
            .filter(|b| !self.seen.values().any(|other| other.hit.contains(&b.id)))
            .map(|b| (b.id, b.label(), why_never(b, true)))
            .collect();
        for (breakpoint, label, why) in silent {
            self.warn_with(
                id,
                format!("The breakpoint {label} was never hit: {why}."),
                "stop there once without the condition, and evaluate it there",
            );
            self.hub.publish(EventKind::BreakpointNeverHit {
                breakpoint,
                why: format!("{NEVER_HIT}{why}"),
                untold: false,
            });
        }
    }

    /// What a module throws to its end its runtime may take for caught, so that nothing stopped there.
    fn tell_uncaught(&mut self, root: SessionId) {
        let code = self.session(root).and_then(|s| s.exit_code);
        let live = self
            .live(root)
            .filter(|live| live.plan.is_module && code.is_some_and(|code| code != 0));
        if let Some(hint) = live.and_then(|live| live.personality.launch.module_error_hint.clone())
        {
            self.inform(root, hint);
        }
    }

    /// An adapter printed that it could not evaluate a condition: which one it may not say. Whether it is one of ours, and so told.
    /// `printed`: it may be the program that says so, unless it names one of ours.
    pub fn condition_in_words(&mut self, id: SessionId, text: &str, printed: bool) -> bool {
        let Some((condition, why)) = self
            .live(id)
            .and_then(|live| live.personality.broken_condition(text))
        else {
            return false;
        };
        let why = why.to_owned();
        let is_named = condition.is_some();
        let all = self.breakpoints().filter(|b| b.enabled);
        let all: Vec<_> = all
            .filter_map(|b| Some((b.id, b.condition.as_deref()?)))
            .collect();
        let (condition, having): (String, Vec<_>) = match condition {
            Some(condition) => {
                let having = all.iter().filter(|(_, own)| *own == condition);
                (condition.to_owned(), having.map(|(id, _)| *id).collect())
            }
            None => match names_one(&all, &why) {
                Some((id, condition)) => (condition.to_owned(), vec![id]),
                None => (String::new(), Vec::new()),
            },
        };
        let is_known = !having.is_empty() && (is_named || !printed);
        // Then it is looked at by us as well, and this is said only if we know no better.
        let follow = self.follow(id);
        if follow.is_some_and(|follow| follow.decides(&condition)) {
            self.seen(id).complained.insert(condition, why);
        } else {
            self.condition_broken(id, &condition, &having, &why);
        }
        is_known
    }

    /// Why the adapter could not evaluate a condition, if it said so.
    pub fn complaint(&mut self, id: SessionId, condition: &str) -> Option<String> {
        self.seen(id).complained.get(condition).cloned()
    }

    /// A condition could not be evaluated: said once, and kept with the breakpoints that have it as why they are never hit.
    pub fn condition_broken(
        &mut self,
        id: SessionId,
        condition: &str,
        having: &[BreakpointId],
        why: &str,
    ) {
        let key = if condition.is_empty() { why } else { condition };
        if self.seen(id).broken.insert(key.to_owned()) {
            let label = self
                .breakpoints()
                .find(|b| having.contains(&b.id))
                .map(Breakpoint::label);
            self.warn_with(
                id,
                condition_failed(condition, label.as_deref(), why),
                "correct the condition, or leave it out",
            );
        }
        // It may have been in place since.
        let unsaid = |b: &&Breakpoint| b.never_hit.is_none() && having.contains(&b.id);
        let unsaid: Vec<_> = self.breakpoints().filter(unsaid).map(|b| b.id).collect();
        for breakpoint in unsaid {
            self.hub.publish(EventKind::BreakpointNeverHit {
                breakpoint,
                why: condition_is_broken(why),
                untold: false,
            });
        }
    }
}

/// The only condition, or the only one with a word of what was said of one.
fn names_one<'a>(all: &[(BreakpointId, &'a str)], why: &str) -> Option<(BreakpointId, &'a str)> {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
    }
    let said: BTreeSet<_> = words(why).collect();
    let mut named = all
        .iter()
        .filter(|(_, own)| all.len() == 1 || words(own).any(|word| said.contains(word)));
    named.next().copied().filter(|_| named.next().is_none())
}
