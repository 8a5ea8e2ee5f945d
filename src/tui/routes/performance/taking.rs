//! A profile that is being taken: of which process, how far it is, and how it ends.
//!
//! It is taken by work that goes on while other screens are shown; what there is so far comes a few times a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::diagnostics::Cancel;
use crate::diagnostics::profile::Profile;
use crate::diagnostics::profile::sample::Tools;
use crate::diagnostics::profile::take::{Live, Request, take};
use crate::text::sanitise::sanitise;
use crate::tui::action::View;
use crate::tui::app::effect::Effect;
use crate::tui::app::work::{Teller, Work};

/// The work that takes it.
pub(super) const TAKE: &str = "performance.take";
/// From one look at what there is so far to the next: a profile of minutes is copied for each.
const LOOKS: Duration = Duration::from_secs(1);

/// What taking tells.
pub(super) enum Taken {
    /// How far it is, and now and then what there is so far.
    Going(Going, Option<Arc<Profile>>),
    /// It is over, and this is it.
    Done(Arc<Profile>),
    /// There is none; why.
    Failed(String),
}

/// How far it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Going {
    title: String,
    source: &'static str,
    is_live: bool,
    elapsed: Duration,
    samples: u64,
    lost: u64,
}

/// One that is being taken.
#[derive(Debug)]
pub(super) struct Taking {
    stop: Cancel,
    is_stopping: bool,
    going: Going,
}

impl Taking {
    /// Begins; what it tells goes by [`TAKE`].
    pub(super) fn begin(request: Request) -> (Self, Effect) {
        let stop = Cancel::default();
        let asked = stop.clone();
        let work = Work::new(TAKE, move |teller: &Teller| {
            let context = teller.context();
            let tools = Tools::of(&context.env, &context.data_dir);
            let mut looked = Instant::now();
            let mut news = |live: &Live<'_>| {
                let going = Going {
                    title: sanitise(&live.target.title()).into_owned(),
                    source: live.source.about(),
                    is_live: live.is_live,
                    elapsed: live.elapsed,
                    samples: live.samples,
                    lost: live.lost,
                };
                let is_time = live.is_live && live.samples > 0 && looked.elapsed() >= LOOKS;
                let so_far = is_time.then(|| {
                    looked = Instant::now();
                    Arc::new(live.profile.clone())
                });
                teller.tell(Taken::Going(going, so_far))
            };
            let taken = take(&request, &tools, &asked, teller.cancel(), &mut news);
            teller.tell(match taken {
                Ok(profile) => Taken::Done(Arc::new(profile)),
                Err(error) => Taken::Failed(error.to_string()),
            });
        });
        let taking = Self {
            stop,
            is_stopping: false,
            going: Going::default(),
        };
        (taking, Effect::Work(work))
    }

    /// Ends it and keeps what there is.
    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
        self.stop.cancel();
    }

    pub(super) fn went(&mut self, going: &Going) {
        self.going.clone_from(going);
    }

    /// In a line.
    pub(super) fn says(&self) -> String {
        let going = &self.going;
        if self.is_stopping {
            return "finding the names of functions…".to_owned();
        }
        if going.title.is_empty() {
            return "beginning…".to_owned();
        }
        let lost = match going.lost {
            0 => String::new(),
            lost => format!(", {lost} lost"),
        };
        let seconds = going.elapsed.as_secs();
        let samples = if going.is_live {
            format!("{} samples{lost}", going.samples)
        } else {
            "its samples come at the end".to_owned()
        };
        format!(
            "{} · {} · {seconds} s · {samples}",
            going.title, going.source
        )
    }
}

/// The process of the session in focus; where the program runs in a child of it, the child's.
pub(super) fn debuggee(view: &View<'_>) -> Option<u32> {
    let session = view.state.focused()?;
    let mut children = view
        .state
        .live()
        .filter(|child| child.parent == Some(session.id));
    let pid = session.pid.or_else(|| children.find_map(|child| child.pid));
    u32::try_from(pid?).ok().filter(|_| session.phase.is_live())
}
