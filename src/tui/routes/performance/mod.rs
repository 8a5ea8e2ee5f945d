//! Performance: a profile that was opened from a file or is taken here, on the desk that shows it.
//!
//! [`desk`] is what there is to see and do with a profile; opening files is done here, taking them in [`taking`], what is to be taken is said in
//! [`asking`] and [`consent`].

mod asking;
pub mod consent;
pub mod desk;
mod detail;
mod doing;
mod enabled;
mod flame;
mod model;
mod moving;
mod notes;
mod pointing;
mod taking;
mod view;

use diagnostics::profile::{
    Profile, import,
    sample::{Source, has_to_be_opened, opening},
    take::Request,
};

pub use self::doing::Works;
use self::{
    consent::Consent,
    desk::ProfileDesk,
    enabled::has_notes,
    model::Counted,
    taking::{TAKE, Taken, Taking},
};
use crate::{action::Layer, app::work, kit::prelude::*, overlays::confirm::Answering};

/// The work that reads a file.
const LOAD: &str = "performance.load";
/// Time between two words about how far it is.
const PATIENCE: Duration = Duration::from_millis(100);

const WORKS: Works = Works {
    build: "performance.build",
    save: "performance.save",
    base: "performance.base",
    find: "performance.find",
    stem: "profile",
};

/// What the command line asked for.
#[derive(Clone, Debug, Default)]
pub struct ProfileBegin {
    /// A file to open.
    pub file: Option<PathBuf>,
    /// What it is compared with.
    pub base: Option<PathBuf>,
    /// One to take instead.
    pub take: Option<Request>,
}

/// What reading tells.
enum Told {
    /// So many percent are read.
    Percent(u64),
    /// All of it, and what it is compared with.
    Done(Arc<Profile>, Option<Arc<Profile>>),
    /// It cannot be read.
    Failed(String),
}

/// The route.
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

impl Default for PerformanceRoute {
    fn default() -> Self {
        Self {
            desk: ProfileDesk::new(WORKS),
            file: None,
            base: None,
            percent: None,
            failed: None,
            taking: None,
            words: String::new(),
        }
    }
}

/// Reads a profile, and the one that it is compared with.
fn load(file: PathBuf, base: Option<PathBuf>) -> Effect {
    Effect::work(LOAD, move |teller| {
        let told = std::cell::Cell::new(Instant::now());
        let progress = |done: u64, all: u64| {
            if told.get().elapsed() > PATIENCE {
                told.set(Instant::now());
                teller.tell(Told::Percent((done * 100 / all.max(1)).min(100)));
            }
        };
        let read = |file: PathBuf| import::read(&file, teller.cancel(), &progress).map(Arc::new);
        let done = read(file).and_then(|profile| Ok((profile, base.map(read).transpose()?)));
        let done = done.map_err(|error| error.to_string());
        let apart = |(profile, base): &(Arc<Profile>, Option<Arc<Profile>>)| {
            base.as_ref()
                .map_or(Ok(()), |base| profile.comparable(base))
        };
        teller.tell(match done.and_then(|both| apart(&both).map(|()| both)) {
            Ok((profile, base)) => Told::Done(profile, base),
            Err(why) => Told::Failed(why),
        });
    })
}

impl PerformanceRoute {
    fn open(&mut self, cx: &mut Cx<'_>) {
        let Some(file) = &self.file else { return };
        self.percent = Some(0);
        self.failed = None;
        cx.emit(load(file.clone(), self.base.clone()));
    }

    fn ask(cx: &mut Cx<'_>) {
        let folder = cx.view.project.to_path_buf();
        // What was asked for comes back as told by work, so that the answer finds its way here.
        let question = Question::new("Open the profile", "a file", move |text| {
            vec![asked(folder.join(text.trim()))]
        })
        .check(needed("Write the name of a file."));
        cx.open(question);
    }

    fn told(&mut self, told: &Told, cx: &mut Cx<'_>) {
        match told {
            Told::Percent(percent) => self.percent = Some(*percent),
            Told::Done(profile, base) => {
                self.percent = None;
                self.desk.show(Arc::clone(profile), base.clone(), cx);
            }
            Told::Failed(why) => {
                self.percent = None;
                if self.desk.has_profile() {
                    cx.warn(why.clone());
                } else {
                    self.failed = Some(why.clone());
                }
            }
        }
        cx.redraw();
    }
}

impl PerformanceRoute {
    /// Asks whose profile is to be taken, and how.
    fn question(&self, debuggee: Option<u32>) -> Question {
        let about = match debuggee {
            Some(pid) => format!("its number; nothing for {pid}, which is debugged; self"),
            None => "its number, or self".to_owned(),
        };
        Question::new("Profile the process", &about, move |text| {
            let request = asking::meant(&text, debuggee).ok();
            request.map(requested).into_iter().collect()
        })
        .text(self.words.clone())
        .reading(move |text| asking::reading(text, debuggee))
        .check(move |text| asking::meant(text, debuggee).map(drop))
    }

    fn take(&mut self, request: Request, cx: &mut Cx<'_>) {
        self.file = None;
        self.base = None;
        self.failed = None;
        self.words = asking::remembered(&request);
        self.desk.clear();
        let (taking, effect) = Taking::begin(request);
        taking.look(cx.view.state);
        self.taking = Some(taking);
        cx.emit(effect);
        cx.redraw();
    }

    fn stop(&mut self, cx: &mut Cx<'_>) {
        if let Some(taking) = &mut self.taking {
            taking.stop();
        }
        cx.redraw();
    }

    fn taken(&mut self, taken: &Taken, cx: &mut Cx<'_>) {
        match taken {
            Taken::Going(going, so_far) => {
                if let Some(taking) = &mut self.taking {
                    taking.went(going);
                }
                if let Some(profile) = so_far {
                    self.desk.show(Arc::clone(profile), None, cx);
                }
            }
            Taken::Done(profile) => {
                self.taking = None;
                self.desk.show(Arc::clone(profile), None, cx);
            }
            Taken::Failed(why) => {
                self.taking = None;
                self.failed = Some(clean(why));
            }
        }
        cx.redraw();
    }
}

/// A profile that was taken on the screen to its end, if this tells of one: a report takes it along.
pub fn taken(told: &work::Told) -> Option<&Arc<Profile>> {
    match told.of::<Taken>(TAKE)? {
        Taken::Done(profile) => Some(profile),
        Taken::Going(..) | Taken::Failed(_) => None,
    }
}

/// The work that hands over what a prompt asked for.
const ASKED: &str = "performance.asked";

/// What is asked for becomes what is taken, or a question before it.
enum Asked {
    Take(Request),
    Consent(Request, Vec<String>),
}

/// Looks whether somebody has to agree first.
fn requested(request: Request) -> Effect {
    Effect::work(ASKED, move |teller| {
        let may_be_it = matches!(request.with, None | Some(Source::Inspector));
        let target = request.target().ok();
        let closed = target.filter(|target| {
            may_be_it && !request.options.may_open && has_to_be_opened(target, &request.options)
        });
        teller.tell(match closed {
            Some(target) => Asked::Consent(request, opening(&target)),
            None => Asked::Take(request),
        });
    })
}

/// It is known by now whether somebody agreed.
fn settled(request: Request) -> Effect {
    Effect::work(ASKED, move |teller| {
        teller.tell(Asked::Take(request));
    })
}

fn asked(file: PathBuf) -> Effect {
    Effect::work(ASKED, move |teller| {
        teller.tell(file);
    })
}

impl Surface for PerformanceRoute {
    const TITLE: &'static str = "Performance";
    const ACTIONS: &'static [Action<Self>] = rows![
        "performance.open" "open a profile" ["f"]: Bar("open") => |_, cx| Self::ask(cx);
        "performance.take" "profile a process" ["T"]: Bar("profile a process") if |s: &Self, _| when(s.taking.is_none(), "One is being taken; Enter ends it.") => |s, cx| {
            let question = s.question(taking::debuggee(&cx.view));
            cx.open(question);
        };
        "performance.stop" "end taking, and look" ["enter", "esc"]: Bar("end it, and look") if |s: &Self, _| when(s.taking.is_some(), "None is being taken.") => Self::stop;
        "performance.notes" "all notes, while it is taken" ["a"] if |s: &Self, view| match s.taking {
            Some(_) => has_notes(&s.desk, view),
            None => Err("None is being taken."),
        } => |s, cx| s.desk.show_notes(cx);
        "performance.reload" "read the file anew" ["r"] if |s: &Self, _| when(s.file.is_some(), "No file is open.") => Self::open;
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        if self.desk.has_profile() {
            self.desk.render(frame, area, view);
            return;
        }
        let reading = match &self.taking {
            Some(taking) => Some(taking.says(Counted::Nothing)),
            None => self.percent.map(|percent| format!("Reading… {percent} %")),
        };
        let lines: Vec<&str> = match (&reading, &self.failed) {
            (Some(reading), _) => vec![reading],
            (None, Some(failed)) => vec![failed, "", "T profiles a process, f opens a file"],
            (None, None) => vec![
                "No profile is open",
                "",
                "T takes one of a process: the one that is debugged, any of yours, or omp-debug itself",
                "f opens a file: .cpuprofile, pprof, speedscope, Firefox's, folded stacks, perf script",
                "omp-debug profile FILE does the same from the shell",
            ],
        };
        empty(frame.buffer_mut(), area, &lines, view);
    }

    fn header(&self, _view: &View<'_>) -> Option<Line<'static>> {
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

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
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
            Msg::Told(told) => {
                if let Some(told) = told.of::<Told>(LOAD) {
                    self.told(told, cx);
                } else if let Some(taken) = told.of::<Taken>(TAKE) {
                    self.taken(taken, cx);
                } else if let Some(asked) = told.of::<Asked>(ASKED) {
                    match asked {
                        Asked::Take(request) => self.take(request.clone(), cx),
                        Asked::Consent(request, lines) => {
                            cx.open(Consent {
                                choice: Answering::default(),
                                request: request.clone(),
                                lines: lines.clone(),
                            });
                        }
                    }
                } else if let Some(file) = told.of::<PathBuf>(ASKED) {
                    self.file = Some(file.clone());
                    self.base = None;
                    self.open(cx);
                    cx.redraw();
                }
            }
            Msg::Events(_) => {
                if let Some(taking) = &self.taking {
                    taking.look(cx.view.state);
                }
            }
            Msg::Shown(route) if *route != RouteId::Performance && self.percent.is_some() => {
                self.percent = None;
                cx.end_work(LOAD);
            }
            _ => {}
        }
        self.desk.on_msg(msg, cx);
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
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

#[cfg(test)]
mod tests;
