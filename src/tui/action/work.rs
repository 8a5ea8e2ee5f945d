//! Work that a route asks for and that takes longer than a key may: reading, searching, writing.
//!
//! It runs on a thread that may block and hands what it finds to its route, piece by piece, as something that the route is to do
//! with it ([`Teller::call`]). A route has one piece of work of each name at a time: asking again, or
//! [`super::effect::Effect::EndWork`], ends the older one, and what that still tells is dropped by the app, so a route is never told
//! anything but what it last asked for.

use std::{
    cell::Cell,
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use base::{
    regions::{self, Label},
    tasks,
};
use debugger::adapters::Context;
use diagnostics::Cancel;
use tokio::sync::mpsc;

use super::{
    Cx,
    msg::{Msg, WorkProgress},
};

/// Progress is told this often.
const OFTEN: Duration = Duration::from_millis(80);

type WorkFn = Box<dyn FnOnce(&Teller) + Send>;
/// What a route of type `R` is to do; taken by the one that does it.
type Call<R> = Mutex<Option<Box<dyn FnOnce(&mut R, &Cx) + Send>>>;

/// Something to be done beside the drawing task, for [`super::effect::Effect::Work`].
pub struct Work {
    /// Whose it is: the route and what it does, as in `artifacts.scan`.
    pub name: &'static str,
    /// Given by the app.
    pub(crate) number: u64,
    run: WorkFn,
}

impl Work {
    /// `run` may block; it should look at [`Teller::cancel`] between blocks.
    pub fn new(name: &'static str, run: impl FnOnce(&Teller) + Send + 'static) -> Box<Self> {
        Box::new(Self {
            name,
            number: 0,
            run: Box::new(run),
        })
    }
}

impl WorkProgress {
    /// The name of the work that told it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Has `route` do what it is to do, if this is for routes of its type.
    pub fn call<R: 'static>(&self, route: &mut R, cx: &Cx) {
        let call = self.what.downcast_ref::<Call<R>>();
        if let Some(call) = call.and_then(|call| call.lock().ok()?.take()) {
            call(route, cx);
            cx.redraw();
        }
    }
}

/// The way from work to the route that asked for it.
#[derive(Clone)]
pub struct Teller {
    name: &'static str,
    number: u64,
    cancel: Cancel,
    messages: mpsc::Sender<Msg>,
    context: Arc<Context>,
}

impl Teller {
    /// Tells a route of type `R` what it is to do; waits while the screen is busy. False when nobody wants to know any more: then
    /// the work should end.
    pub fn call<R: 'static>(&self, what: impl FnOnce(&mut R, &Cx) + Send + 'static) -> bool {
        let call: Call<R> = Mutex::new(Some(Box::new(what)));
        let told = WorkProgress {
            name: self.name,
            number: self.number,
            what: Box::new(call),
        };
        !self.cancel.is_cancelled() && self.messages.blocking_send(Msg::Progress(told)).is_ok()
    }

    /// Tells a route of type `R` how far it is, so much of so much, no oftener than an eye can follow.
    pub fn progress<R: 'static>(&self, show: fn(&mut R, u64, u64)) -> impl Fn(u64, u64) + '_ {
        let told = Cell::new(Instant::now());
        move |done, all| {
            if told.get().elapsed() >= OFTEN {
                told.set(Instant::now());
                self.call(move |route: &mut R, _| show(route, done, all));
            }
        }
    }

    /// The environment and the folders that work is done in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Whether the work should end.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

/// The numbers of the newest work of each name: what older work tells is late.
#[derive(Debug, Default)]
pub(crate) struct Newest(HashMap<&'static str, Issued>);

#[derive(Debug, Default)]
struct Issued {
    number: u64,
    is_answered: bool,
}

impl Issued {
    fn next(&mut self) {
        self.number += 1;
        self.is_answered = false;
    }
}

impl Newest {
    /// The work is the newest of its name now.
    pub fn begin(&mut self, work: &mut Work) {
        let newest = self.0.entry(work.name).or_default();
        newest.next();
        work.number = newest.number;
    }

    /// Nothing that was begun under this name is wanted any more.
    pub fn end(&mut self, name: &'static str) {
        self.0.entry(name).or_default().next();
    }

    pub fn is_late(&self, told: &WorkProgress) -> bool {
        self.0
            .get(told.name)
            .is_none_or(|newest| newest.number != told.number)
    }

    /// Whether it is the first that the newest work tells: somebody waits for it.
    pub fn is_first(&mut self, told: &WorkProgress) -> bool {
        self.0.get_mut(told.name).is_some_and(|newest| {
            newest.number == told.number && !std::mem::replace(&mut newest.is_answered, true)
        })
    }
}

/// Work that was begun. Dropping it asks all of it to end.
pub(crate) struct Running {
    messages: mpsc::Sender<Msg>,
    context: Arc<Context>,
    cancels: HashMap<&'static str, Cancel>,
}

impl Running {
    pub fn new(messages: mpsc::Sender<Msg>, context: Context) -> Self {
        Self {
            messages,
            context: Arc::new(context),
            cancels: HashMap::new(),
        }
    }

    pub fn begin(&mut self, work: Work) {
        self.end(work.name);
        let cancel = Cancel::default();
        self.cancels.insert(work.name, cancel.clone());
        let teller = Teller {
            name: work.name,
            number: work.number,
            cancel,
            messages: self.messages.clone(),
            context: Arc::clone(&self.context),
        };
        let run = work.run;
        drop(tasks::blocking(move || {
            let _region = regions::enter(Label::of(teller.name));
            run(&teller);
        }));
    }

    pub fn end(&mut self, name: &'static str) {
        if let Some(older) = self.cancels.remove(name) {
            older.cancel();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancels.values().for_each(Cancel::cancel);
    }
}

/// What work told that was asked for.
#[cfg(test)]
pub(crate) fn carried_out(effects: Vec<super::effect::Effect>) -> Vec<Msg> {
    let (messages, mut inbox) = mpsc::channel(64);
    let context = Context::new("/project".into(), std::collections::BTreeMap::new());
    for effect in effects {
        let super::effect::Effect::Work(work) = effect else {
            continue;
        };
        (work.run)(&Teller {
            name: work.name,
            number: 0,
            cancel: Cancel::default(),
            messages: messages.clone(),
            context: Arc::new(context.clone()),
        });
    }
    std::iter::from_fn(|| inbox.try_recv().ok()).collect()
}

#[cfg(test)]
mod tests {
    use debugger::State;

    use super::*;
    use crate::kit::test::Stage;

    fn context() -> Context {
        Context::new(
            std::path::PathBuf::from("/project"),
            std::collections::BTreeMap::new(),
        )
    }

    fn told_by(messages: &mut mpsc::Receiver<Msg>) -> WorkProgress {
        match messages.blocking_recv() {
            Some(Msg::Progress(told)) => told,
            _ => panic!("nothing was told"),
        }
    }

    #[test]
    fn what_older_work_tells_is_late() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (sender, mut messages) = mpsc::channel(8);
        let (mut newest, mut running) = (Newest::default(), Running::new(sender, context()));
        let _inside = runtime.enter();
        let mut begin = |number: u32| {
            let mut work = Work::new("a.b", move |teller: &Teller| {
                teller.call(move |told: &mut u32, _| *told = number);
            });
            newest.begin(&mut work);
            running.begin(*work);
            told_by(&mut messages)
        };
        let (first, second) = (begin(1), begin(2));
        assert!(newest.is_late(&first) && !newest.is_late(&second));
        assert!(!newest.is_first(&first) && newest.is_first(&second));
        assert!(!newest.is_first(&second), "once");
        let (stage, mut told) = (Stage::new(State::default()), 0_u32);
        second.call(&mut told, &stage.cx());
        assert_eq!(told, 2);
        newest.end("a.b");
        assert!(newest.is_late(&second));
    }

    #[test]
    fn what_ended_tells_nothing() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (sender, mut messages) = mpsc::channel(8);
        let mut running = Running::new(sender, context());
        let _inside = runtime.enter();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        running.begin(*Work::new("a", move |teller: &Teller| {
            let _ = wait.recv();
            assert!(!teller.call(|_: &mut u8, _| ()) && teller.cancel().is_cancelled());
        }));
        running.end("a");
        go.send(()).unwrap();
        drop(running);
        assert!(messages.blocking_recv().is_none());
    }
}
