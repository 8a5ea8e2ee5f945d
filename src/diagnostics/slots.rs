//! Flat lists that are read and written by number. Numbers may come from a file of anybody's: one that is none of its list reads as nothing and
//! changes nothing.

/// What stands there, or nothing.
pub fn at<T: Copy + Default>(list: &[T], index: impl TryInto<usize>) -> T {
    let found = index.try_into().ok().and_then(|index| list.get(index));
    found.copied().unwrap_or_default()
}

/// Puts a value there.
pub fn put<T>(list: &mut [T], index: impl TryInto<usize>, value: T) {
    if let Some(slot) = index.try_into().ok().and_then(|index| list.get_mut(index)) {
        *slot = value;
    }
}

/// Adds to the sum that stands there.
pub fn add(sums: &mut [u64], index: impl TryInto<usize>, more: u64) {
    if let Some(sum) = index.try_into().ok().and_then(|index| sums.get_mut(index)) {
        *sum = sum.saturating_add(more);
    }
}
