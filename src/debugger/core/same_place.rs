//! Several breakpoints at one address, of an adapter that names only one of them at a stop there: condition, hit count and message of each are
//! then ours, since the one that is named may be another one than was met.

use dap::types::Breakpoint as AdapterBreakpoint;

use super::{breakpoint_list::list_of, live::Hits, ours::Ours, prelude::*, refine::StopCandidate};

impl Owner {
    /// Where the adapter has put breakpoints, in place of what it said of them before.
    pub fn put_at(&mut self, session: SessionId, ids: &[BreakpointId], told: &[AdapterBreakpoint]) {
        let Some(live) = self
            .live_mut(session)
            .filter(|live| live.personality.names_one_hit)
        else {
            return;
        };
        let placed = told
            .iter()
            .filter(|told| told.verified)
            .filter_map(|told| Some((told.id?, told.instruction_reference.clone()?)));
        let placed: Vec<_> = placed.collect();
        if placed.is_empty() {
            // What was seen at stops is all that is known.
            return;
        }
        let known = &live.by_adapter_id;
        live.addresses
            .retain(|number, _| !known.get(number).is_some_and(|id| ids.contains(id)));
        live.addresses.extend(placed);
    }

    /// Whether breakpoints may stand where this one does without our knowing: its adapter does not tell addresses.
    pub fn is_alone_unproven(&self, session: SessionId, hits: &[i64]) -> bool {
        let Some(live) = self.live(session) else {
            return false;
        };
        let told = |b: &&Breakpoint| b.enabled && b.answers.contains_key(&session);
        live.personality.names_one_hit
            && hits.iter().any(|hit| !live.addresses.contains_key(hit))
            && self.breakpoints().filter(told).nth(1).is_some()
    }

    /// A stop shows which breakpoints stand at its address, beside those that are named.
    pub fn seen_at(&mut self, session: SessionId, named: &[i64], frame: &StackFrame) {
        let Some(address) = &frame.instruction_pointer_reference else {
            return;
        };
        let here = self.hit_at(session, frame);
        let here = self.breakpoints().filter(|b| here.contains(&b.id));
        let numbers = here.filter_map(|b| b.answers.get(&session)?.adapter_id);
        let numbers: Vec<_> = numbers.chain(named.iter().copied()).collect();
        if let Some(live) = self.live_mut(session) {
            let placed = numbers.into_iter().map(|number| (number, address.clone()));
            live.addresses.extend(placed);
        }
        self.share_anew(session);
    }

    /// The adapter counted up to the first stop at an address. Where nothing but counts can have led there, the lowest of them did.
    /// `holds`: what is known of conditions.
    pub fn count_from(
        &mut self,
        session: SessionId,
        wishes: &[(Breakpoint, Ours)],
        holds: impl Fn(BreakpointId) -> Option<bool>,
    ) {
        let counts_alone = |b: &Breakpoint| b.hit_condition.is_some() && b.condition.is_none();
        let leads = |b: &Breakpoint| !counts_alone(b) && holds(b.id) != Some(false);
        if wishes.len() < 2 || wishes.iter().any(|(wish, _)| leads(wish)) {
            return;
        }
        let counted = wishes.iter().filter_map(|(wish, _)| {
            let rule = wish
                .hit_condition
                .as_deref()
                .filter(|_| counts_alone(wish))?;
            Some((wish, rule, rule.trim().parse::<u64>().ok()?))
        });
        let counted: Vec<_> = counted.collect();
        let lowest = counted.iter().map(|(.., count)| *count).min();
        let Some(live) = self.live_mut(session) else {
            return;
        };
        for (wish, rule, _) in counted {
            let count = lowest.unwrap_or(1).saturating_sub(1);
            let none = Hits::none(wish, rule);
            live.hits.entry(wish.id).or_insert(Hits { count, ..none });
        }
    }

    /// What was hit, and what of it is ours to do.
    pub fn wishes_of(&self, case: &StopCandidate, hit: &[BreakpointId]) -> Vec<(Breakpoint, Ours)> {
        let Some(session) = self.session(case.session) else {
            return Vec::new();
        };
        let wishes = self.breakpoints();
        wishes
            .filter(|b| b.enabled && hit.contains(&b.id))
            .map(|b| {
                let of = |is_shared| {
                    let personality = &case.follow.personality;
                    Ours::of(b, &session.capabilities, personality, is_shared)
                };
                let mut ours = of(self.is_shared(case.session, b.id));
                if case.is_first {
                    // So far the adapter has printed it.
                    ours.message = of(false).message;
                }
                (b.clone(), ours)
            })
            .collect()
    }

    /// Whether others are at its address, and its adapter does not tell which one was met.
    pub fn is_shared(&self, session: SessionId, id: BreakpointId) -> bool {
        self.live(session)
            .is_some_and(|live| live.shared.contains(&id))
    }

    /// These, what has the same number as one of them, as an adapter may give one to all that it is told alike, and what stands at the same address.
    pub fn all_at(&self, session: SessionId, hit: &[BreakpointId]) -> Vec<BreakpointId> {
        let number = |b: &Breakpoint| b.answers.get(&session)?.adapter_id;
        let is_hit = |b: &&Breakpoint| hit.contains(&b.id);
        let numbers: Vec<_> = self
            .breakpoints()
            .filter(is_hit)
            .filter_map(number)
            .collect();
        let is_same = |b: &Breakpoint| number(b).is_some_and(|number| numbers.contains(&number));
        let all = self
            .breakpoints()
            .filter(|b| is_hit(b) || b.enabled && is_same(b));
        let hit: Vec<_> = all.map(|b| b.id).collect();
        let Some(live) = self
            .live(session)
            .filter(|live| hit.iter().any(|id| live.shared.contains(id)))
        else {
            return hit;
        };
        let at = |id: BreakpointId| {
            let numbers = live.by_adapter_id.iter().filter(move |(_, of)| **of == id);
            numbers.filter_map(|(number, _)| live.addresses.get(number))
        };
        let there: BTreeSet<_> = hit.iter().flat_map(|id| at(*id)).collect();
        self.breakpoints()
            .filter(|b| hit.contains(&b.id) || b.enabled && at(b.id).any(|it| there.contains(it)))
            .map(|b| b.id)
            .collect()
    }

    /// Looks anew which breakpoints share their address; the adapter is told anew of those of which that changed.
    pub fn share_anew(&mut self, session: SessionId) {
        let Some(live) = self.live(session) else {
            return;
        };
        let on: BTreeSet<_> = self
            .breakpoints()
            .filter(|b| b.enabled)
            .map(|b| b.id)
            .collect();
        let mut at: BTreeMap<&str, BTreeSet<BreakpointId>> = BTreeMap::new();
        for (number, address) in &live.addresses {
            if let Some(id) = live.by_adapter_id.get(number).filter(|id| on.contains(id)) {
                at.entry(address).or_default().insert(*id);
            }
        }
        let several = at.into_values().filter(|ids| ids.len() > 1);
        let shared: BTreeSet<_> = several.flatten().collect();
        if live.shared == shared {
            return;
        }
        let is_refined = |b: &&Breakpoint| {
            b.condition.is_some() || b.hit_condition.is_some() || b.log_message.is_some()
        };
        let changed: BTreeSet<_> = live.shared.symmetric_difference(&shared).copied().collect();
        let mut lists = Vec::new();
        for wish in self.breakpoints().filter(is_refined) {
            let list = list_of(&wish.site);
            if changed.contains(&wish.id) && !lists.contains(&list) {
                lists.push(list);
            }
        }
        if let Some(live) = self.live_mut(session) {
            live.shared = shared;
        }
        let mut sent = Vec::new();
        for list in &lists {
            sent.extend(self.send_breakpoints(session, list));
        }
        self.spawn(join_all(sent), move |owner, answers| {
            owner.take_answers(session, answers, false);
        });
    }
}
