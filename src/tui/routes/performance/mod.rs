//! Performance: a profile that was opened from a file or is taken here, on the desk that shows it.
//!
//! [`desk`] is what there is to see and do with a profile; opening files is done here, taking them in [`progress`], what is to be taken is said in
//! [`request`] and [`Consent`].

mod desk;
mod detail;
mod execution;
mod flame;
mod model;
mod navigation;
mod notes;
mod pointing;
mod progress;
mod request;
mod view;

use diagnostics::profile::{
    Profile, import,
    sample::{Source, has_to_be_opened, opening},
    take::Request,
    tree::{Matches, NodeId, Options},
};

use self::{
    flame::Block,
    model::{By, CallNeighbours, Counted, ShownProfile, Side},
    progress::{TakenProfile, Taking},
};
use crate::{
    action::Layer,
    kit::{confirm::Answering, prelude::*},
};

/// The work that reads a file.
const LOAD: &str = "performance.load";

/// The names of a desk's work: two desks must not take up each other's.
#[derive(Clone, Copy, Debug)]
pub struct Works {
    /// Makes a tree.
    pub build: &'static str,
    /// Writes a file.
    pub save: &'static str,
    /// Reads what is compared with.
    pub base: &'static str,
    /// Looks for a source.
    pub find: &'static str,
    /// What was chosen from a list.
    pub choose: &'static str,
    /// What files are called that are not named otherwise.
    pub stem: &'static str,
}

impl Works {
    /// Whether this is the name of one of them.
    pub fn is_of(self, name: &str) -> bool {
        [self.build, self.save, self.base, self.find, self.choose].contains(&name)
    }
}

impl Default for Works {
    fn default() -> Self {
        Self {
            build: "performance.build",
            save: "performance.save",
            base: "performance.base",
            find: "performance.find",
            choose: "performance.choose",
            stem: "profile",
        }
    }
}

/// What the command line asked for.
#[derive(Debug, Default)]
pub struct ProfileBegin {
    /// A file to open.
    pub file: Option<PathBuf>,
    /// What it is compared with.
    pub base: Option<PathBuf>,
    /// One to take instead.
    pub take: Option<Request>,
}

/// A profile, and what it is compared with.
type Pair = (Arc<Profile>, Option<Arc<Profile>>);

/// A profile from all sides: flame, icicle, table, callers and callees. Both routes that show profiles have one; see [`desk`].
#[derive(Debug, Default)]
pub struct ProfileDesk {
    works: Works,
    shown: Option<ShownProfile>,
    /// What came while the view was frozen.
    waiting: Option<Pair>,
    is_frozen: bool,
    is_building: bool,
    options: Options,
    side: Side,
    selected: NodeId,
    zoom: NodeId,
    /// The first depth in view.
    top: u32,
    /// Rows of the graph as of the last frame.
    height: u16,
    by: By,
    rows: Vec<usize>,
    table: ListState,
    around: Option<CallNeighbours>,
    callers: ListState,
    callees: ListState,
    on_callees: bool,
    line: Option<Typing<Self>>,
    sought: String,
    matches: Option<Matches>,
    wrong: Option<String>,
    busy: Option<String>,
    picture: Option<PathBuf>,
    /// Where blocks were drawn last.
    hits: Vec<(Rect, Block)>,
    /// Where the strip was drawn last.
    strip: Option<Rect>,
    /// Where tabs were drawn last.
    tabs: Vec<(Rect, usize)>,
    /// Where notes were drawn last.
    notes: Rect,
}

/// The route.
#[derive(Default)]
pub struct PerformanceRoute {
    desk: ProfileDesk,
    file: Option<PathBuf>,
    base: Option<PathBuf>,
    percent: Option<u64>,
    failed: Option<String>,
    taking: Option<Taking>,
    /// The words of the last time.
    words: String,
}

/// Reads a profile, and the one that it is compared with.
fn load(file: PathBuf, base: Option<PathBuf>) -> Effect {
    let load = move |teller: &Teller| {
        let progress = teller.progress(|s: &mut PerformanceRoute, done, all| {
            s.percent = Some(percent(done, all));
        });
        let read = |file: PathBuf| {
            let read = import::read(&file, teller.cancel(), &progress);
            read.map(Arc::new).map_err(|error| error.to_string())
        };
        let profile = read(file)?;
        let base = base.map(read).transpose()?;
        if let Some(base) = &base {
            profile.comparable(base)?;
        }
        Ok((profile, base))
    };
    Effect::finding(LOAD, load, PerformanceRoute::loaded)
}

impl PerformanceRoute {
    fn open(&mut self, cx: &Cx) {
        let Some(file) = &self.file else { return };
        self.percent = Some(0);
        self.failed = None;
        cx.emit(load(file.clone(), self.base.clone()));
    }

    fn ask(cx: &Cx) {
        // What was asked for comes back as told by work, so that the answer finds its way here.
        cx.ask_for_file("Open the profile", "a file", "", |file| {
            Effect::on(ASKED, |s: &mut Self, cx| {
                (s.file, s.base) = (Some(file), None);
                s.open(cx);
            })
        });
    }

    fn loaded(&mut self, done: Result<Pair, String>, cx: &Cx) {
        self.percent = None;
        match done {
            Ok((profile, base)) => self.desk.show(profile, base, cx),
            Err(why) if self.desk.has_profile() => cx.warn(why),
            Err(why) => self.failed = Some(why),
        }
    }

    /// Asks whose profile is to be taken, and how.
    fn question(&self, debuggee: Option<u32>) -> Question {
        let about = match debuggee {
            Some(pid) => format!("its number; nothing for {pid}, which is debugged; self"),
            None => "its number, or self".to_owned(),
        };
        Question::new("Profile the process", &about, move |text| {
            let request = request::meant(&text, debuggee).ok();
            request.map(requested).into_iter().collect()
        })
        .text(self.words.clone())
        .reading(move |text| request::reading(text, debuggee))
        .check(move |text| request::meant(text, debuggee).map(drop))
    }

    fn take(&mut self, request: Request, cx: &Cx) {
        self.file = None;
        self.base = None;
        self.failed = None;
        self.words = request::remembered(&request);
        self.desk.clear();
        let (taking, effect) = Taking::begin(request);
        taking.look(&cx.view.state);
        self.taking = Some(taking);
        cx.emit(effect);
        cx.redraw();
    }

    fn stop(&mut self, cx: &Cx) {
        if let Some(taking) = &mut self.taking {
            taking.stop();
        }
        cx.redraw();
    }

    /// It is so far now; at times with what there is.
    fn so_far(&mut self, so_far: TakenProfile, profile: Option<Arc<Profile>>, cx: &Cx) {
        if let Some(taking) = &mut self.taking {
            taking.so_far = so_far;
        }
        if let Some(profile) = profile {
            self.desk.show(profile, None, cx);
        }
    }

    /// It is over: this is it, or why there is none.
    fn taken(&mut self, taken: Result<Arc<Profile>, String>, cx: &Cx) {
        self.taking = None;
        match taken {
            Ok(profile) => self.desk.show(profile, None, cx),
            Err(why) => self.failed = Some(clean(&why)),
        }
    }
}

/// The work that hands over what a prompt asked for.
const ASKED: &str = "performance.asked";

/// Looks whether somebody has to agree first: what is asked for becomes what is taken, or a question before it.
fn requested(request: Request) -> Effect {
    Effect::work(ASKED, move |teller| {
        let may_be_it = matches!(request.with, None | Some(Source::Inspector));
        let target = request.target().ok();
        let closed = target.filter(|target| {
            may_be_it && !request.options.may_open && has_to_be_opened(target, &request.options)
        });
        let lines = closed.map(|target| opening(&target));
        teller.call(|s: &mut PerformanceRoute, cx| match lines {
            None => s.take(request, cx),
            Some(lines) => cx.open(Consent {
                choice: Answering::default(),
                request,
                lines,
            }),
        });
    })
}

/// It is known by now whether somebody agreed.
fn settled(request: Request) -> Effect {
    Effect::on(ASKED, |s: &mut PerformanceRoute, cx| s.take(request, cx))
}

impl Surface for PerformanceRoute {
    table! { "Performance", s, cx;
        "performance.open" "open a profile" ["f"], Bar("open") => Self::ask(cx);
        "performance.take" "profile a process" ["T"], Bar("profile a process") if |s: &Self, _| s.taking.is_none().or_why("One is being taken; Enter ends it.") => {
            let question = s.question(progress::debuggee(&cx.view));
            cx.open(question);
        };
        "performance.stop" "end taking, and look" ["enter" "esc"], Bar("end it, and look") if |s: &Self, _| s.taking.is_some().or_why("None is being taken.") => Self::stop;
        "performance.notes" "all notes, while it is taken" ["a"] if |s: &Self, view| match s.taking {
            Some(_) => desk::has_notes(&s.desk, view),
            None => Err("None is being taken."),
        } => s.desk.show_notes(cx);
        "performance.reload" "read the file anew" ["r"] if |s: &Self, _| s.file.is_some().or_why("No file is open.") => Self::open;
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        if self.desk.has_profile() {
            return self.desk.fill(canvas, area);
        }
        let reading = match &self.taking {
            Some(taking) => Some(taking.says(Counted::Nothing)),
            None => self.percent.map(|percent| format!("Reading… {percent} %")),
        };
        let opens = format!("f opens a file: {}", import::READABLE);
        let lines: Vec<&str> = match (&reading, &self.failed) {
            (Some(reading), _) => vec![reading],
            (None, Some(failed)) => vec![failed, "", "T profiles a process, f opens a file"],
            (None, None) => vec![
                "No profile is open",
                "",
                "T takes one of a process: the one that is debugged, any of yours, or omp-debug itself",
                &opens,
                "omp-debug profile FILE does the same from the shell",
            ],
        };
        empty(canvas, area, &lines);
    }

    fn header(&self, _view: &View) -> Option<Line<'static>> {
        if let Some(taking) = &self.taking {
            return Some(Line::from(taking.says(self.desk.counted())));
        }
        let (file, percent) = (self.file.as_ref()?, self.percent);
        let name = clean_path(file);
        Some(match percent {
            Some(percent) => Line::from(format!("{name} · reading {percent} %")),
            None => Line::from(name),
        })
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        match msg {
            Msg::Begin(begin) => {
                if let Some(asked) = begin.of::<ProfileBegin>() {
                    self.file.clone_from(&asked.file);
                    self.base.clone_from(&asked.base);
                    match &asked.take {
                        Some(request) => cx.emit(requested(request.clone())),
                        None => self.open(cx),
                    }
                }
            }
            Msg::Progress(told) => told.call(self, cx),
            Msg::Events(_) => {
                if let Some(taking) = &self.taking {
                    taking.look(&cx.view.state);
                }
            }
            Msg::Hidden if self.percent.is_some() => {
                self.percent = None;
                cx.end_work(LOAD);
            }
            _ => {}
        }
        self.desk.on_msg(msg, cx);
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        self.desk.on_mouse(event, cx)
    }

    // While one is taken Enter and Esc end it, and mean nothing to what is shown of it.
    fn inner(&self) -> Option<&dyn Layer> {
        self.taking.is_none().then_some(&self.desk as &dyn Layer)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Layer> {
        self.taking
            .is_none()
            .then_some(&mut self.desk as &mut dyn Layer)
    }
}

const ANSWERS: [&str; 3] = ["Neither", "Machine code only", "Open it"];

/// The question before the inspector of a program is opened, which is a port in a process of others.
pub struct Consent {
    /// What is to be taken, without the inspector.
    request: Request,
    /// What will happen, a paragraph each.
    lines: Vec<String>,
    /// Which of [`ANSWERS`] is chosen.
    choice: Answering,
}

impl Surface for Consent {
    table! { "Inspector", s, cx;
        "inspector.next" "choose" ["right" "tab" "down"], Footer => s.choice.step(ANSWERS.len(), false);
        "inspector.previous" "choose" ["left" "shift-tab" "up"] => s.choice.step(ANSWERS.len(), true);
        "inspector.answer" "answer" ["enter"], Footer => {
            cx.close();
            let mut request = s.request.clone();
            request.options.may_open = s.choice.chosen == 2;
            if s.choice.chosen > 0 {
                cx.emit(settled(request));
            }
        };
        "inspector.without" "profile without it" ["n"], Footer => {
            cx.close();
            cx.emit(settled(s.request.clone()));
        };
    }

    fn deaf_until(&mut self, now: Instant, typed: bool) -> Option<Instant> {
        self.choice.deaf_until(now, typed)
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        let title = "Open its inspector?";
        self.choice.draw(canvas, area, title, &self.lines, &ANSWERS);
    }
}

#[cfg(test)]
mod tests;
