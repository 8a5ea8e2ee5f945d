//! What belongs together: threads with equal names, with equal stacks, in one circle.

use super::{
    cycles,
    report::{Hang, Waiter},
};
use crate::prelude::*;

impl Hang {
    /// Puts together what belongs together.
    pub(super) fn sort(&mut self) {
        name_equals(&mut self.waiters);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known = HashMap::new();
        for (at, waiter) in self.waiters.iter().enumerate() {
            let frames = waiter.frames.iter().map(|f| (&f.name, f.line));
            // Two locks may have one name.
            let what = waiter.wait.as_ref().map(|w| (&w.what, &w.holders));
            let key = (
                &waiter.kind,
                waiter.session,
                what,
                frames.collect::<Vec<_>>(),
            );
            let group = *known.entry(key).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            if let Some(group) = groups.get_mut(group) {
                group.push(at);
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        self.groups = groups;
        self.deadlocks = cycles::find(&self.waiters);
    }
}

/// Threads of one name get their number beside it.
fn name_equals(waiters: &mut [Waiter]) {
    let mut count = HashMap::new();
    for waiter in waiters.iter() {
        *count.entry(waiter.name.clone()).or_insert(0) += 1;
    }
    for waiter in waiters {
        if let (Some(2..), Some(lwp)) = (count.get(&waiter.name), waiter.lwp)
            && !waiter.name.contains('#')
        {
            waiter.name = format!("{}#{lwp}", waiter.name);
        }
    }
}
