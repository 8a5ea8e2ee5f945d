//! A profile that is being taken: of which process, how far it is, and how it ends.
//!
//! It is taken by work that goes on while other screens are shown; what there is so far comes a few times a second.

use debugger::{Phase, Session, State};
use diagnostics::profile::{
    sample::{Standing, Tools},
    take::{DebuggerHold, Live, ProcessChoice, Request, take},
};

use super::{PerformanceRoute, model::Counted};
use crate::{prelude::*, routes::report::ReportRoute};

/// The work that takes it.
const TAKE: &str = "performance.take";
/// From one look at what there is so far to the next: a profile of minutes is copied for each.
const LOOKS: Duration = Duration::from_secs(1);

/// How far it is.
#[derive(Debug, Default)]
pub struct TakenProfile {
    title: String,
    source: &'static str,
    is_live: bool,
    elapsed: Duration,
    samples: u64,
    lost: u64,
    standing: Option<Standing>,
}

/// One that is being taken.
#[derive(Debug)]
pub struct Taking {
    stop: Cancel,
    is_stopping: bool,
    pub so_far: TakenProfile,
    who: ProcessChoice,
    held: DebuggerHold,
}

impl Taking {
    /// Begins; a route of type `R` is told how far it is, and what came of it.
    pub fn begin(request: Request) -> (Self, Effect) {
        let stop = Cancel::default();
        let asked = stop.clone();
        let (who, held) = (request.who, request.held.clone());
        let work = Effect::work(TAKE, move |teller| {
            let context = teller.context();
            let tools = Tools::of(&context.env, &context.data_dir);
            let mut looked = Instant::now();
            let mut news = |live: &Live<'_>| {
                let going = TakenProfile {
                    title: clean(&live.target.title()),
                    source: live.source.about(),
                    is_live: live.is_live,
                    elapsed: live.elapsed,
                    samples: live.samples,
                    lost: live.lost,
                    standing: live.standing,
                };
                let is_time = live.is_live && live.samples > 0 && looked.elapsed() >= LOOKS;
                let profile = is_time.then(|| {
                    looked = Instant::now();
                    Arc::new(live.profile.clone())
                });
                teller.call(move |s: &mut PerformanceRoute, cx| s.so_far(going, profile, cx))
            };
            let done = take(&request, &tools, &asked, teller.cancel(), &mut news);
            let done = done.map(Arc::new).map_err(|error| error.to_string());
            if let Ok(profile) = &done {
                // A report takes it along.
                let profile = Arc::clone(profile);
                teller.call(|s: &mut ReportRoute, _| s.take_along(profile));
            }
            teller.call(move |s: &mut PerformanceRoute, cx| s.taken(done, cx));
        });
        let taking = Self {
            stop,
            is_stopping: false,
            so_far: TakenProfile::default(),
            who,
            held,
        };
        (taking, work)
    }

    /// Ends it and keeps what there is.
    pub fn stop(&mut self) {
        self.is_stopping = true;
        self.stop.cancel();
    }

    /// Looks whether a debugger of ours holds the program: only we know that of one that waits inside of it.
    pub fn look(&self, state: &State) {
        let pid = match self.who {
            ProcessChoice::Pid(pid) | ProcessChoice::Chosen { pid, .. } => i64::from(pid),
            ProcessChoice::Own => return,
        };
        let is_of_it = |session: &Session| {
            let parent = session.parent.and_then(|parent| state.session(parent));
            session.pid == Some(pid) || parent.is_some_and(|parent| parent.pid == Some(pid))
        };
        let is_held = state
            .live()
            .any(|session| session.phase == Phase::Stopped && is_of_it(session));
        self.held.set(is_held);
    }

    /// In a line, without what the pane below says of it.
    pub fn says(&self, below: Counted) -> String {
        let going = &self.so_far;
        if self.is_stopping {
            return "finding the names of functions…".to_owned();
        }
        if going.title.is_empty() {
            return "beginning…".to_owned();
        }
        let mut parts = vec![going.title.clone()];
        match going.standing {
            Some(Standing::Debugger) => parts.push("stopped by its debugger".to_owned()),
            Some(Standing::Signal) => parts.push("stopped by a signal".to_owned()),
            None => {}
        }
        parts.push(going.source.to_owned());
        parts.push(format!("{} s", going.elapsed.as_secs()));
        let samples = |number| counted(number, "sample");
        match below {
            _ if !going.is_live => parts.push("its samples come at the end".to_owned()),
            Counted::Nothing if going.lost > 0 => {
                let lost = thousands(going.lost);
                parts.push(format!("{}, {lost} lost", samples(going.samples)));
            }
            Counted::Nothing => parts.push(samples(going.samples)),
            Counted::Weight(seen) => parts.push(samples(seen)),
            Counted::Samples => {}
        }
        parts.join(" · ")
    }
}

/// The process of the session in focus; where the program runs in a child of it, the child's.
pub fn debuggee(view: &View) -> Option<u32> {
    let session = view.session()?;
    let mut children = view
        .state
        .live()
        .filter(|child| child.parent == Some(session.id));
    let pid = session.pid.or_else(|| children.find_map(|child| child.pid));
    u32::try_from(pid?).ok().filter(|_| session.phase.is_live())
}
