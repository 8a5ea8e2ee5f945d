//! Functions of JavaScript, through the inspector of their runtime: Node, Deno, and whatever else speaks V8's protocol.
//!
//! The runtime takes the samples itself (`Profiler`, <https://chromedevtools.github.io/devtools-protocol/v8/Profiler/>) and hands them over when
//! its profiler is stopped. So it is stopped and started again now and then: what was taken by then is shown, and is not lost when the
//! program dies. Each turn costs the program some milliseconds, more with more functions; they are measured, and turns are so far apart
//! that they take a hundredth of the time, or less. Isolates of worker threads are looked at through `NodeWorker`, in the same conversation.
//!
//! Other clients, a debugger above all, are not disturbed: each has a profiler of its own. What the others see of us is gone in the end.
//!
//! | file | what is in it |
//! |---|---|
//! | `door` | finding the port |
//! | `opening` | opening one that is closed |
//! | `talk` | messages, with limits |
//! | `parts` | what is handed over, put together |

mod door;
mod opening;
mod parts;
mod talk;

use serde_json::value::RawValue;

use self::{
    door::InspectorPort,
    parts::{Isolate, Parts},
    talk::{InspectorMessage, Over, Talk},
};
use super::target::Runtime;
use crate::profile::sample::prelude::*;

pub use self::opening::opening;

/// How long the first answers may take.
const FIRST: Duration = Duration::from_secs(5);
/// How long the last ones may take.
const LAST: Duration = Duration::from_secs(10);
/// How long a process may take to end once it has nothing to say.
const ENDING: Duration = Duration::from_secs(2);
/// What Node says at its end to those who wish to hear it, before it waits until they have gone.
const WAITING: &str = "NodeRuntime.waitingForDisconnect";
/// What became of an inspector that we opened, when the program has ended.
const WITH_PROGRAM: &str = ", and is gone with the program";
/// Workers that are looked at.
const WORKERS: usize = 64;

fn failed(why: impl Display) -> SampleError {
    SampleError::failed("its inspector", why)
}

/// Whether the inspector of a process would have to be opened first, which a person has to want.
pub fn has_to_be_opened(target: &Target, options: &Options) -> bool {
    target.runtime == Runtime::Node
        && !target.stopped
        && fits(target, options).is_ok()
        && matches!(door::find(target, &[]), Ok(None))
}

/// Whether it is something that an inspector can do.
fn fits(target: &Target, options: &Options) -> Result<()> {
    if options.thread.is_some_and(|thread| thread != target.pid) {
        return Err(SampleError::Unfit(
            "an inspector does not say which thread of the system is which: it shows the main thread, or all".to_owned(),
        ));
    }
    if options.children {
        return Err(SampleError::Unfit(
            "an inspector is that of one process, without its children".to_owned(),
        ));
    }
    Ok(())
}

/// What was asked of whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Without an answer that matters.
    Aside,
    /// Something without which there are no samples.
    Needed,
    /// The samples so far.
    Stop,
}

pub struct Inspector {
    target: Target,
    options: Options,
    door: InspectorPort,
    /// We opened it, and shut it again.
    is_ours: bool,
    /// None once it is over.
    talk: Option<Talk>,
    isolates: Vec<Isolate>,
    asked: HashMap<u64, (usize, Purpose)>,
    parts: Parts,
    /// The program has come to its end and waits for us.
    is_ending: bool,
    /// What is to be said the next time.
    trouble: Option<SampleError>,
}

/// What `NodeWorker` tells of its workers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfWorker {
    session_id: String,
    worker_info: Option<WorkerInfo>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct WorkerInfo {
    #[serde(default)]
    title: String,
}

impl Inspector {
    pub fn start(target: &Target, options: &Options) -> Result<Self> {
        fits(target, options)?;
        let (door, is_ours) = match door::find(target, &[])? {
            Some(door) => (door, false),
            None if options.may_open => (opening::open(target)?, true),
            None => return Err(SampleError::Failed(closed(target))),
        };
        let talk = Talk::begin(&door).map_err(failed)?;
        let main = Thread {
            pid: Some(target.pid),
            tid: Some(target.pid.into()),
            name: target.name.as_str().into(),
        };
        let mut inspector = Self {
            target: target.clone(),
            options: *options,
            door,
            is_ours,
            talk: Some(talk),
            isolates: vec![Isolate::new(None, main)],
            asked: HashMap::new(),
            parts: Parts::default(),
            is_ending: false,
            trouble: None,
        };
        inspector.begin()?;
        Ok(inspector)
    }

    /// Starts the profiler of the main thread, and waits until it runs.
    fn begin(&mut self) -> Result<()> {
        self.engage(0).map_err(|over| self.lost(over))?;
        let until = Instant::now() + FIRST;
        while !self.asked.is_empty() {
            let heard = self.hear(until).map_err(|over| self.lost(over))?;
            let Some(text) = heard else {
                return Err(failed(format!(
                    "{} said nothing within {} s: it stands still, or is busy outside of JavaScript",
                    self.door.address,
                    FIRST.as_secs()
                )));
            };
            let said = talk::parse(&text).map_err(|over| self.lost(over))?;
            self.answered(&said)?;
        }
        self.parts.begin(&self.target);
        // A program that ends waits for those who listen to it, and would wait for us.
        let ending = match self.target.runtime {
            // It says so to those only who listen to everything.
            Runtime::Deno => ("Runtime.enable", json!({})),
            _ => (
                "NodeRuntime.notifyWhenWaitingForDisconnect",
                json!({"enabled": true}),
            ),
        };
        let mut rest = vec![ending];
        if self.options.thread.is_none() {
            let workers = json!({"waitForDebuggerOnStart": false});
            rest.push(("NodeWorker.enable", workers));
        }
        for (method, params) in rest {
            self.ask(0, method, &params, Purpose::Aside)
                .map_err(|over| self.lost(over))?;
        }
        Ok(())
    }

    /// Asks an isolate for samples.
    fn engage(&mut self, isolate: usize) -> Result<(), Over> {
        let micros = self.options.interval().as_micros() as u64;
        self.ask(isolate, "Profiler.enable", &json!({}), Purpose::Needed)?;
        let interval = json!({"interval": micros.max(1)});
        self.ask(
            isolate,
            "Profiler.setSamplingInterval",
            &interval,
            Purpose::Needed,
        )?;
        self.ask(isolate, "Profiler.start", &json!({}), Purpose::Needed)
    }

    fn ask(
        &mut self,
        isolate: usize,
        method: &str,
        params: &Value,
        what: Purpose,
    ) -> Result<(), Over> {
        let (Some(talk), Some(of)) = (&mut self.talk, self.isolates.get(isolate)) else {
            return Err(Over::Closed);
        };
        let id = talk.number();
        let mut text = json!({"id": id, "method": method, "params": params}).to_string();
        if let Some(session) = &of.session {
            let inside = json!({"sessionId": session, "message": text});
            let outside = talk.number();
            let method = "NodeWorker.sendMessageToWorker";
            text = json!({"id": outside, "method": method, "params": inside}).to_string();
        }
        self.asked.insert(id, (isolate, what));
        talk.say(text)
    }

    fn hear(&mut self, until: Instant) -> Result<Option<tungstenite::Utf8Bytes>, Over> {
        match &mut self.talk {
            Some(talk) => talk.hear(until),
            None => Err(Over::Closed),
        }
    }

    /// Whose answer it is, and to what; an error when it is none to what is needed.
    fn answered(&mut self, said: &InspectorMessage<'_>) -> Result<Option<(usize, Purpose)>> {
        let Some((at, what)) = said.id.and_then(|id| self.asked.remove(&id)) else {
            return Ok(None);
        };
        let Some(isolate) = self.isolates.get_mut(at) else {
            return Ok(None);
        };
        if what == Purpose::Stop {
            isolate.owes = isolate.owes.saturating_sub(1);
        }
        match &said.error {
            // A worker that ends can be looked at no more, which is no trouble of ours.
            Some(fault) if what != Purpose::Aside && at == 0 => {
                let why = format!("{} refuses: {}", self.door.runtime, fault.text());
                Err(failed(why))
            }
            Some(_) => {
                isolate.is_there &= what != Purpose::Needed;
                Ok(None)
            }
            None => {
                if what == Purpose::Needed {
                    isolate.goes_on();
                }
                Ok(Some((at, what)))
            }
        }
    }

    /// Stops those whose turn it is, and starts them again unless this is the end.
    fn turn(&mut self, is_last: bool) -> Result<(), Over> {
        for at in 0..self.isolates.len() {
            let Some(isolate) = self.isolates.get_mut(at) else {
                continue;
            };
            let is_due = isolate.owes == 0 && isolate.turned.elapsed() >= isolate.turn;
            if !isolate.is_there || !(is_last || is_due) {
                continue;
            }
            isolate.turned = Instant::now();
            isolate.owes += 1;
            self.ask(at, "Profiler.stop", &json!({}), Purpose::Stop)?;
            if !is_last {
                self.parts.turns += 1;
                // Right behind: nothing runs between the two.
                self.ask(at, "Profiler.start", &json!({}), Purpose::Needed)?;
            }
        }
        Ok(())
    }

    /// Takes up what was said.
    fn heard(&mut self, text: &str, into: &mut Builder, taken: &mut SampleBatch) -> Result<()> {
        let said = talk::parse(text).map_err(|over| self.lost(over))?;
        match self.answered(&said)? {
            Some((isolate, Purpose::Stop)) => {
                let Some(result) = said.result else {
                    return Err(failed("it stopped, and gave no samples"));
                };
                return self.add(isolate, result, into, taken);
            }
            Some(_) => return Ok(()),
            None => {}
        }
        let Some(method) = said.method.as_deref() else {
            return Ok(());
        };
        if matches!(method, WAITING | "Runtime.executionContextDestroyed") {
            self.is_ending = true;
        }
        let worker = || serde_json::from_str::<OfWorker>(said.params?.get()).ok();
        match (method, worker()) {
            ("NodeWorker.attachedToWorker", Some(worker)) if self.isolates.len() <= WORKERS => {
                let title = worker.worker_info.map(|info| info.title);
                let title = title.unwrap_or_default();
                let title = beginning(&sanitise(&title), 60);
                let thread = Thread {
                    pid: Some(self.target.pid),
                    tid: None,
                    name: title.as_str().into(),
                };
                self.isolates
                    .push(Isolate::new(Some(worker.session_id), thread));
                self.engage(self.isolates.len() - 1)
                    .map_err(|over| self.lost(over))?;
            }
            ("NodeWorker.detachedFromWorker", Some(worker)) => {
                let session = Some(worker.session_id);
                for (at, isolate) in self.isolates.iter_mut().enumerate() {
                    if isolate.session == session {
                        (isolate.is_there, isolate.owes) = (false, 0);
                        self.asked.retain(|_, (of, _)| *of != at);
                    }
                }
            }
            ("NodeWorker.receivedMessageFromWorker", Some(worker)) => {
                // What a worker says is an answer to one of our numbers, or of no use.
                if let Some(inner) = worker.message
                    && let Ok(said) = talk::parse(&inner)
                    && let Some((at, Purpose::Stop)) = self.answered(&said)?
                    && let Some(result) = said.result
                {
                    self.add(at, result, into, taken)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add(
        &mut self,
        isolate: usize,
        result: &RawValue,
        into: &mut Builder,
        taken: &mut SampleBatch,
    ) -> Result<()> {
        let Some(isolate) = self.isolates.get_mut(isolate) else {
            return Ok(());
        };
        self.parts.add(isolate, result, &self.options, into, taken)
    }

    /// Why there is no more.
    fn lost(&self, over: Over) -> SampleError {
        match over {
            Over::Broken(why) => failed(why),
            Over::Closed => failed(format!(
                "{} closed the connection: the program shut its inspector, or somebody made it do so",
                self.door.address
            )),
        }
    }

    /// The conversation is over: the process has ended, or it is an error.
    fn gone(&mut self, over: Over) -> Result<()> {
        self.talk = None;
        if self.outlives() {
            return Err(self.lost(over));
        }
        Ok(())
    }

    /// Whether the program is there when it had time to end.
    fn outlives(&self) -> bool {
        let until = Instant::now() + ENDING;
        while self.target.is_there() {
            if Instant::now() >= until {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// Listens until then, or until it is over.
    fn until(&mut self, until: Instant, into: &mut Builder, taken: &mut SampleBatch) -> Result<()> {
        while self.talk.is_some() && !self.is_ending {
            let heard = self.turn(false).and_then(|()| self.hear(until));
            match heard {
                Ok(Some(text)) => self.heard(&text, into, taken)?,
                Ok(None) => return Ok(()),
                Err(over) => self.gone(over)?,
            }
            if Instant::now() >= until && self.talk.is_some() {
                return Ok(());
            }
        }
        taken.ended = true;
        if self.talk.is_some() {
            self.part(into, taken)?;
            // Now it may.
            self.outlives();
        } else {
            self.note(WITH_PROGRAM, into);
        }
        Ok(())
    }

    /// Takes what there is and says goodbye; who is not done in time is left.
    fn part(&mut self, into: &mut Builder, taken: &mut SampleBatch) -> Result<()> {
        let until = Instant::now() + LAST;
        let mut done = self.turn(true).map_err(|over| self.lost(over));
        while done.is_ok() && self.isolates.iter().any(|isolate| isolate.owes > 0) {
            done = match self.hear(until) {
                Ok(Some(text)) => self.heard(&text, into, taken),
                Ok(None) => Err(failed(format!(
                    "it did not hand over its last samples within {} s",
                    LAST.as_secs()
                ))),
                Err(over) => self.gone(over),
            };
            if self.talk.is_none() {
                break;
            }
        }
        let left = self.leave();
        self.note(left, into);
        done
    }

    /// Leaves the program as it was; gives what became of an inspector that we opened.
    fn leave(&mut self) -> &'static str {
        // At its end Node does nothing that is asked and waits for us to go: whoever asks it to shut its inspector holds it up.
        if self.is_ending {
            if let Some(talk) = self.talk.take() {
                talk.end();
            }
            return WITH_PROGRAM;
        }
        // Both after what was asked before, and without waiting for it to be answered.
        let _ = self.ask(0, "Profiler.disable", &json!({}), Purpose::Aside);
        if self.is_ours {
            let shut = json!({"expression": "process._debugEnd()", "silent": true});
            let _ = self.ask(0, "Runtime.evaluate", &shut, Purpose::Aside);
        }
        let Some(mut talk) = self.talk.take() else {
            return WITH_PROGRAM;
        };
        if !self.is_ours {
            talk.end();
            // It was open before: nothing is said of it.
            return "";
        }
        // It takes us out with it.
        let until = Instant::now() + ENDING;
        loop {
            match talk.hear(until) {
                // It came to its end meanwhile.
                Ok(Some(text)) if is_waiting(&text) => {
                    talk.end();
                    return WITH_PROGRAM;
                }
                Ok(Some(_)) => {}
                Ok(None) => {
                    return " and did not shut again: process._debugEnd() in the program does that";
                }
                Err(_) => return ", and shut again",
            }
        }
    }

    /// Adds what a reader should know.
    fn note(&self, end: &str, into: &mut Builder) {
        let about = into.about();
        if self.is_ours {
            let address = self.door.address;
            about.notes.push(format!(
                "its inspector was opened at {address} for this{end}"
            ));
        }
        let stood = about.stood;
        about.notes.extend(self.parts.notes(&self.target, stood));
    }
}

/// Whether a message says that the program has come to its end and waits for us.
fn is_waiting(text: &str) -> bool {
    talk::parse(text).is_ok_and(|said| said.method.as_deref() == Some(WAITING))
}

/// Why there is none, and what would make one.
fn closed(target: &Target) -> String {
    let title = target.title();
    match target.runtime {
        _ if target.stopped => {
            format!("{title} stands still, and so does what would answer: let it go on first")
        }
        Runtime::Node => format!(
            "{title} has none open: --inspect opens it while this is taken (SIGUSR1), or start it with `node --inspect`"
        ),
        Runtime::Bun => format!(
            "{title} runs on Bun, whose inspector speaks WebKit's protocol, which is not spoken here: `bun --cpu-prof` writes a profile that opens here"
        ),
        _ => format!("{title} has none open; start it with --inspect"),
    }
}

impl Sampler for Inspector {
    fn take(&mut self, patience: Duration, into: &mut Builder) -> Result<SampleBatch> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let mut taken = SampleBatch::default();
        match self.until(Instant::now() + patience, into, &mut taken) {
            Ok(()) => {}
            // What came before it counts first.
            Err(trouble) if taken.samples > 0 => self.trouble = Some(trouble),
            Err(trouble) => return Err(trouble),
        }
        Ok(taken)
    }

    fn finish(mut self: Box<Self>, into: &mut Builder) -> Result<SampleBatch> {
        let mut taken = SampleBatch {
            ended: self.talk.is_none(),
            ..SampleBatch::default()
        };
        if self.talk.is_some()
            && let Err(trouble) = self.part(into, &mut taken)
        {
            if taken.samples == 0 {
                return Err(trouble);
            }
            let note = format!("it may lack its end: {trouble}");
            into.about().notes.push(note);
        }
        Ok(taken)
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        if self.talk.is_some() {
            self.leave();
        }
    }
}
