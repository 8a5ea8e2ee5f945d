//! What is held by the members of classes, where one member may be held by another of its class: that counts once.

use super::dominators::{NONE, STEP, at};
use crate::{Cancel, profile::import::ImportError, slots};

/// For each class, what its members hold. `above` says who holds each member ([`NONE`]: nobody), `held` what it holds, itself included.
pub fn held_once(
    above: &[u32],
    class_of: impl Fn(u32) -> usize,
    held: &[u64],
    classes: usize,
    cancel: &Cancel,
) -> Result<Vec<u64>, ImportError> {
    // The first of those that a member holds, and the next with the same holder; of those that nobody holds in the last place.
    let (mut child, mut next) = (vec![NONE; above.len() + 1], vec![NONE; above.len()]);
    for (w, holder) in (0..above.len() as u32).zip(above).rev() {
        let holder = (*holder).min(above.len() as u32) as usize;
        if let (Some(first), Some(next)) = (child.get_mut(holder), next.get_mut(w as usize)) {
            *next = std::mem::replace(first, w);
        }
    }
    let mut sums = vec![0; classes];
    // How many members of each class hold where the walk is.
    let mut on_the_way = vec![0_u32; classes];
    let mut here = at(&child, above.len() as u32);
    let mut steps = 0_usize;
    while here != NONE {
        steps += 1;
        if steps.is_multiple_of(STEP) && cancel.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        if let Some(times) = on_the_way.get_mut(class_of(here)) {
            if *times == 0 {
                slots::add(&mut sums, class_of(here), slots::at(held, here));
            }
            *times += 1;
        }
        // Down, else beside, else up until something is beside.
        let mut then = at(&child, here);
        while then == NONE && here != NONE {
            if let Some(times) = on_the_way.get_mut(class_of(here)) {
                *times -= 1;
            }
            then = at(&next, here);
            here = at(above, here);
        }
        here = then;
    }
    Ok(sums)
}
