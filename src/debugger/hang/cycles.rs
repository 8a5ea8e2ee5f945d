//! Who waits in a circle.
//!
//! One never goes on when all who could end its wait never go on. So begin with all who wait for somebody, and take out, again and again,
//! whoever waits for one that is not among them: who is left is stuck, and nobody else is called so.

use super::report::{Deadlock, Waiter};
use crate::prelude::*;

/// All deadlocks, the largest first.
pub fn find(waiters: &[Waiter]) -> Vec<Deadlock> {
    let waits: HashMap<&str, _> = waiters
        .iter()
        .filter_map(|w| Some((w.key.as_str(), w.wait.as_ref()?)))
        .filter(|(_, wait)| wait.never || !wait.holders.is_empty())
        .collect();
    let mut stuck: BTreeSet<&str> = waits.keys().copied().collect();
    loop {
        let is_stuck = |key: &&str| {
            waits.get(key).is_some_and(|wait| {
                let mut holders = wait.holders.iter().map(String::as_str);
                wait.never
                    || if wait.all {
                        holders.any(|holder| stuck.contains(holder))
                    } else {
                        holders.all(|holder| stuck.contains(holder))
                    }
            })
        };
        let left: BTreeSet<&str> = stuck.iter().copied().filter(|key| is_stuck(key)).collect();
        if left.len() == stuck.len() {
            break;
        }
        stuck = left;
    }
    // Where each one's way leads: along the first holder that is stuck, too.
    let next = |key: &str| {
        let holders = &waits.get(key)?.holders;
        holders
            .iter()
            .find(|h| stuck.contains(h.as_str()))
            .map(String::as_str)
    };
    let mut found: Vec<Deadlock> = Vec::new();
    for waiter in waiters.iter().filter(|w| stuck.contains(w.key.as_str())) {
        let mut way = vec![waiter.key.as_str()];
        let cycle = loop {
            let Some(key) = way.last().and_then(|last| next(last)) else {
                break way.split_off(way.len() - 1);
            };
            if let Some(at) = way.iter().position(|seen| *seen == key) {
                break way.split_off(at);
            }
            way.push(key);
        };
        let is_known = |d: &Deadlock| d.cycle.iter().any(|key| cycle.contains(&key.as_str()));
        let at = found.iter().position(is_known).unwrap_or(found.len());
        if at == found.len() {
            found.push(Deadlock {
                certain: cycle
                    .iter()
                    .all(|key| waits.get(key).is_some_and(|w| w.certain)),
                cycle: cycle.iter().map(|key| (*key).to_owned()).collect(),
                behind: Vec::new(),
            });
        }
        let Some(deadlock) = found.get_mut(at) else {
            continue;
        };
        if !deadlock.cycle.contains(&waiter.key) {
            deadlock.behind.push(waiter.key.clone());
        }
    }
    found.sort_by_key(|deadlock| std::cmp::Reverse(deadlock.cycle.len() + deadlock.behind.len()));
    found
}
