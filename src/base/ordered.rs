//! Lists and maps in order, by one piece of code for all kinds of items. That of the standard library is compiled anew for each kind and
//! each comparison, 5 KB of it; where much is sorted it is worth that.

use std::cmp::Ordering;

/// For lists.
pub trait Order<T> {
    /// Puts the items in order; those that are equal stay as they are.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);
    /// The same by a key of each, which is asked for once.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    #[expect(
        clippy::indexing_slicing,
        reason = "only places of the list are compared"
    )]
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let places = places(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        moved(places, &mut |a, b| self.swap(a, b));
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "only places of the list are compared"
    )]
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let places = places(keys.len(), &mut |a, b| keys[a].cmp(&keys[b]));
        moved(places, &mut |a, b| self.swap(a, b));
    }
}

/// For maps and sets.
pub trait Ordered: Iterator + Sized {
    /// As `collect`, one item after the other.
    fn ordered<C: Default + Extend<Self::Item>>(self) -> C {
        let mut all = C::default();
        all.extend(self);
        all
    }
}

impl<I: Iterator> Ordered for I {}

/// Where the item of each place goes.
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    let mut places = vec![0; count];
    for (place, from) in order.into_iter().enumerate() {
        if let Some(goes) = places.get_mut(from) {
            *goes = place;
        }
    }
    places
}

/// Moves each item to its place.
fn moved(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for at in 0..places.len() {
        while let Some(to) = places.get(at).copied().filter(|to| *to != at) {
            swap(at, to);
            places.swap(at, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_as_the_standard_library_sorts_them(list: Vec<(u8, u16)>) {
            let (mut ours, mut theirs) = (list.clone(), list);
            theirs.sort_by_key(|(key, _)| *key);
            ours.order_by_key(|(key, _)| *key);
            prop_assert_eq!(&ours, &theirs);
            theirs.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            ours.order_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            prop_assert_eq!(ours, theirs);
        }
    }
}
