//! Tasks of the runtime, each behind one type.
//!
//! tokio compiles its whole task (states, waking, joining, cancelling) once for every future it is given, and again for each of its two
//! schedulers. Behind a box all of them are the same future: a tenth less of a release build's code, for an allocation a task.

use std::pin::Pin;

use tokio::task::JoinHandle;

/// Begins a task; as `tokio::spawn`, call it inside of a runtime.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where all others get theirs"
)]
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let boxed: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(future);
    tokio::spawn(boxed)
}

/// Runs what may block on a thread of its own; as `tokio::task::spawn_blocking`, call it inside of a runtime.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where all others get theirs"
)]
pub fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let boxed: Box<dyn FnOnce() -> T + Send> = Box::new(work);
    tokio::task::spawn_blocking(boxed)
}
