//! Keys, mouse, pastes and resizes as one channel that can be stopped.
//!
//! The terminal's event stream lives in a task of its own. Pausing DROPS it: one that exists could steal the keys of the editor
//! we lent the terminal to.
//! Bursts of motion and of resizes are folded into their last event; keys never are.
//!
//! Leaves to others: what keys mean.

use std::{collections::VecDeque, io, pin::pin, task::Poll};

use base::tasks;
use crossterm::event::{Event, KeyEventKind, MouseEventKind};
use futures_util::{Stream, StreamExt, poll};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

use super::{decode::Decoded, tty_events::TtyEvents};

/// Inputs that may wait for the loop; further ones stay in the terminal's own buffer.
const WAITING: usize = 256;

/// One thing a person did or the terminal answered; an error says in a sentence why no more input will come.
pub type Input = Result<Decoded, String>;

enum Order {
    Pause(oneshot::Sender<()>),
    Resume,
}

/// The receiving end; dropping it ends the task.
#[derive(Debug)]
pub struct InputSource {
    inputs: mpsc::Receiver<Input>,
    orders: mpsc::Sender<Order>,
    task: JoinHandle<()>,
}

impl InputSource {
    /// Starts to read the terminal. Needs a tokio runtime, raw mode, and nobody else who reads.
    pub fn start() -> Self {
        Self::start_with(TtyEvents::open)
    }

    /// Starts to read what `open` opens; it is called again after each pause.
    pub fn start_with<S, F, E>(open: F) -> Self
    where
        S: Stream<Item = io::Result<E>> + Send + Unpin + 'static,
        E: Into<Decoded> + Send + 'static,
        F: FnMut() -> S + Send + 'static,
    {
        let (sender, inputs) = mpsc::channel(WAITING);
        let (orders, inbox) = mpsc::channel(4);
        let task = tasks::spawn(read(open, sender, inbox));
        Self {
            inputs,
            orders,
            task,
        }
    }

    /// The next input. After an error, the last one, it waits for ever, so that a loop that goes on does not spin.
    pub async fn next(&mut self) -> Input {
        match self.inputs.recv().await {
            Some(input) => input,
            None => std::future::pending().await,
        }
    }

    /// The next input if there is one already.
    pub fn try_next(&mut self) -> Option<Input> {
        self.inputs.try_recv().ok()
    }

    /// Stops reading and returns once the terminal is no longer read. What was read and not taken is thrown away: it was typed
    /// at us, not at the program that comes next.
    pub async fn pause(&mut self) {
        let (done, stopped) = oneshot::channel();
        if self.orders.send(Order::Pause(done)).await.is_ok() {
            // An error means that the task has ended, which is as stopped as can be.
            let _ = stopped.await;
        }
        while self.inputs.try_recv().is_ok() {}
    }

    /// Reads again.
    pub async fn resume(&mut self) {
        let _ = self.orders.send(Order::Resume).await;
    }
}

impl Drop for InputSource {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read<S, F, E>(mut open: F, sender: mpsc::Sender<Input>, mut orders: mpsc::Receiver<Order>)
where
    S: Stream<Item = io::Result<E>> + Unpin,
    F: FnMut() -> S,
    E: Into<Decoded>,
{
    let mut stream = Some(open());
    let mut waiting = VecDeque::new();
    loop {
        // A full channel must not keep an order from arriving: the loop that pauses us does not take inputs meanwhile.
        tokio::select! {
            biased;
            order = orders.recv() => match order {
                Some(Order::Pause(done)) => {
                    stream = None;
                    waiting.clear();
                    let _ = done.send(());
                }
                Some(Order::Resume) => stream = Some(stream.take().unwrap_or_else(&mut open)),
                None => return,
            },
            slot = sender.reserve(), if !waiting.is_empty() => match slot {
                Ok(slot) => {
                    if let Some(input) = waiting.pop_front() {
                        slot.send(input);
                    }
                }
                Err(_) => return,
            },
            event = next(stream.as_mut()), if waiting.len() < WAITING => {
                let mut event = Some(event);
                while let Some(taken) = event {
                    if let Err(why) = take(&mut waiting, taken) {
                        stream = None;
                        waiting.push_back(Err(why));
                        break;
                    }
                    // With this task's own waker: a stream may remember the waker of the first poll that found nothing,
                    // so one poll with another (as in `now_or_never`) would be the last that anyone heard of.
                    event = if waiting.len() < WAITING {
                        match poll!(pin!(next(stream.as_mut()))) {
                            Poll::Ready(more) => Some(more),
                            Poll::Pending => None,
                        }
                    } else {
                        None
                    };
                }
            },
        }
    }
}

/// The next event; never, while paused.
async fn next<S, E>(stream: Option<&mut S>) -> Option<io::Result<Decoded>>
where
    S: Stream<Item = io::Result<E>> + Unpin,
    E: Into<Decoded>,
{
    match stream {
        Some(stream) => stream.next().await.map(|item| item.map(Into::into)),
        None => std::future::pending().await,
    }
}

/// Queues one event, folded into its predecessor where only the last of a burst matters.
fn take(waiting: &mut VecDeque<Input>, event: Option<io::Result<Decoded>>) -> Result<(), String> {
    let event = event.ok_or("the terminal was closed")?;
    let new = event.map_err(|error| format!("the terminal can no longer be read: {error}"))?;
    // Terminals with the full keyboard protocol report releases too.
    if let Decoded::Event(Event::Key(key)) = &new
        && key.kind == KeyEventKind::Release
    {
        return Ok(());
    }
    match waiting.back_mut() {
        Some(Ok(last)) if supersedes(&new, last) => *last = new,
        _ => waiting.push_back(Ok(new)),
    }
    Ok(())
}

fn supersedes(new: &Decoded, old: &Decoded) -> bool {
    let (Decoded::Event(new), Decoded::Event(old)) = (new, old) else {
        return false;
    };
    match (new, old) {
        (Event::Resize(..), Event::Resize(..)) => true,
        (Event::Mouse(new), Event::Mouse(old)) => {
            matches!(new.kind, MouseEventKind::Moved | MouseEventKind::Drag(_))
                && new.kind == old.kind
                && new.modifiers == old.modifiers
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent};
    use futures_util::stream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn key(letter: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)
    }

    fn drag(column: u16) -> MouseEvent {
        MouseEvent {
            kind: MouseEventKind::Drag(MouseButton::Left),
            column,
            row: 0,
            modifiers: KeyModifiers::NONE,
        }
    }

    /// Plays `events`, then stays open; counts itself as long as it lives.
    struct Played {
        events: stream::Iter<std::vec::IntoIter<io::Result<Event>>>,
        open: Arc<AtomicUsize>,
        then_end: bool,
    }
    impl Stream for Played {
        type Item = io::Result<Event>;
        fn poll_next(
            mut self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
        ) -> Poll<Option<Self::Item>> {
            match self.events.poll_next_unpin(cx) {
                Poll::Ready(None) if !self.then_end => Poll::Pending,
                polled => polled,
            }
        }
    }
    impl Drop for Played {
        fn drop(&mut self) {
            self.open.fetch_sub(1, Ordering::SeqCst);
        }
    }

    fn play(events: Vec<Event>, then_end: bool) -> (InputSource, Arc<AtomicUsize>) {
        let open = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&open);
        let source = InputSource::start_with(move || {
            count.fetch_add(1, Ordering::SeqCst);
            let events: Vec<_> = events.iter().cloned().map(Ok).collect();
            Played {
                events: stream::iter(events),
                open: Arc::clone(&count),
                then_end,
            }
        });
        (source, open)
    }

    #[tokio::test]
    async fn bursts_are_folded_and_keys_are_not() {
        let mut released = key('z');
        released.kind = KeyEventKind::Release;
        let (mut source, _) = play(
            vec![
                Event::Resize(80, 24),
                Event::Resize(81, 24),
                Event::Key(key('a')),
                Event::Key(key('a')),
                Event::Key(released),
                Event::Mouse(drag(1)),
                Event::Mouse(drag(2)),
                Event::Mouse(drag(3)),
                Event::Paste("x\ny".into()),
                Event::FocusLost,
            ],
            true,
        );
        let mut seen = Vec::new();
        while !matches!(seen.last(), Some(Err(_))) {
            seen.push(source.next().await);
        }
        assert_eq!(
            seen,
            [
                Ok(Event::Resize(81, 24).into()),
                Ok(Event::Key(key('a')).into()),
                Ok(Event::Key(key('a')).into()),
                Ok(Event::Mouse(drag(3)).into()),
                Ok(Event::Paste("x\ny".into()).into()),
                Ok(Event::FocusLost.into()),
                Err("the terminal was closed".into()),
            ]
        );
    }

    #[tokio::test]
    async fn a_pause_drops_the_stream_even_when_nobody_takes_inputs() {
        let flood: Vec<_> = (0..3 * WAITING).map(|_| Event::Key(key('k'))).collect();
        let (mut source, open) = play(flood, false);
        assert_eq!(source.next().await, Ok(Event::Key(key('k')).into()));
        assert_eq!(open.load(Ordering::SeqCst), 1);
        source.pause().await;
        assert_eq!(open.load(Ordering::SeqCst), 0);
        assert_eq!(source.try_next(), None, "what was typed before is gone");
        source.pause().await;
        source.resume().await;
        assert_eq!(source.next().await, Ok(Event::Key(key('k')).into()));
        assert_eq!(open.load(Ordering::SeqCst), 1);
    }

    /// As the terminal library does it: only the waker of the first poll that finds nothing is ever woken.
    #[derive(Clone, Default)]
    struct Stubborn(Arc<std::sync::Mutex<(VecDeque<Event>, Option<std::task::Waker>)>>);

    impl Stubborn {
        fn feed(&self, event: Event) {
            let mut inner = self.0.lock().unwrap();
            inner.0.push_back(event);
            if let Some(waker) = inner.1.take() {
                waker.wake();
            }
        }
    }

    impl Stream for Stubborn {
        type Item = io::Result<Event>;
        fn poll_next(
            self: std::pin::Pin<&mut Self>,
            cx: &mut std::task::Context<'_>,
        ) -> Poll<Option<Self::Item>> {
            let mut inner = self.0.lock().unwrap();
            if let Some(event) = inner.0.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            inner.1.get_or_insert_with(|| cx.waker().clone());
            Poll::Pending
        }
    }

    #[tokio::test]
    async fn every_key_wakes_us() {
        let keys = Stubborn::default();
        let stream = keys.clone();
        let mut source = InputSource::start_with(move || stream.clone());
        for letter in "abcdef".chars() {
            keys.feed(Event::Key(key(letter)));
            let patience = std::time::Duration::from_secs(10);
            let next = tokio::time::timeout(patience, source.next()).await;
            assert_eq!(
                next.expect("the key arrives"),
                Ok(Event::Key(key(letter)).into())
            );
        }
    }
}
