//! What several threads share, and go on sharing when one of them panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What it holds is whole at any time, so that a panic of another thread is no reason not to use it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
