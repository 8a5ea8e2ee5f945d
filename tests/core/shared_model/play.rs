//! The three, at one session: what they do is done by a core, and held to the rules after every deed.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use futures_util::FutureExt as _;
use omp_debug::debugger::core::Presence;
use omp_debug::debugger::ids::ApprovalId;
use omp_debug::debugger::link::{
    Guest, Host, HostKind, Hosting, Note, SocketFolder, join_as, serve,
};
use omp_debug::debugger::permission::{Actor, ActorKind, Caller, Mode};
use omp_debug::debugger::{
    BreakpointSite, BreakpointSpec, Command, CoreConfig, CoreHandle, ErrorKind, Phase, SessionId,
    State, StopId,
};
use omp_debug::tasks;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use super::Follower;
use super::rules::{Deed, Heard, Looked, Model, Outcome, Say, Sort, Why, Wish};
use super::words::{Answer, PATIENCE, command, consent, is_as, mode};
use crate::support::core::{Desk, Home};

/// Lines of the program. It begins anew when it was let go on, so that steps never reach its end.
const LINES: u64 = 400;

/// How the three come to the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In its own process.
    Handle,
    Socket,
}

struct Client {
    core: CoreHandle,
    actor: Actor,
    _here: Option<Presence>,
}

/// A core with a program that stands, and who is there.
pub struct Stage {
    home: Home,
    pub desk: Desk,
    host: Option<Host>,
    log: BufReader<File>,
    /// A line of it that is being written: what nobody waits for.
    half: String,
    all: Follower,
    late: Vec<Follower>,
    clients: [Option<Client>; 3],
    /// Those that came so far.
    connections: u64,
    waiting: HashMap<u64, (ApprovalId, JoinHandle<Answer>)>,
    pub model: Model,
    last_stop: StopId,
    /// Since the program was let go on.
    steps: u64,
}

impl Stage {
    pub async fn open(way: Way, change: impl FnOnce(&mut CoreConfig)) -> Self {
        let home = Home::new();
        let log = home.path().join("log");
        let options = ["--log", log.to_str().unwrap(), "--endless", "--loops", "1"];
        let options = options.map(str::to_owned).to_vec();
        home.fake_adapters(&[("fake", "stdio", options)]);
        home.file("work/program.fake", &"step()\n".repeat(LINES as usize));
        let mut config = home.config(PATIENCE);
        change(&mut config);
        let mut desk = Desk::open(config).await;
        let launch = omp_debug::debugger::LaunchSpec {
            program: home.path().join("work/program.fake"),
            adapter: Some("fake".to_owned()),
            stop_on_entry: Some(true),
            ..Default::default()
        };
        let session = desk.launch(PATIENCE, launch).await.unwrap();
        desk.stop(session, None, PATIENCE).await.unwrap();
        let host = match way {
            Way::Handle => None,
            Way::Socket => {
                let place = SocketFolder::make_at(&home.path().join("run")).unwrap();
                let note = Note::own(HostKind::Serve, home.path().to_owned(), None);
                let hosting = Hosting::new(place, note);
                Some(serve(desk.core.clone(), hosting).await.unwrap())
            }
        };
        let all = Follower::of(desk.core.clone()).await;
        let mut stage = Self {
            log: BufReader::new(File::open(log).unwrap()),
            half: String::new(),
            home,
            desk,
            host,
            all,
            late: Vec::new(),
            clients: [None, None, None],
            connections: 0,
            waiting: HashMap::new(),
            model: Model::new(Sort::Agent),
            last_stop: StopId(0),
            steps: 0,
        };
        stage.stands().await.unwrap();
        stage.heard();
        stage
    }

    /// Does one thing after the other, and brings all back to the beginning.
    pub async fn play(&mut self, third: Sort, deeds: &[(usize, Deed)]) -> Result<(), String> {
        self.model = Model::new(third);
        for (number, (who, deed)) in deeds.iter().enumerate() {
            let done = self.deed(*who, *deed).await;
            done.map_err(|why| format!("at {number}, {who} {deed:?}: {why}"))?;
        }
        self.clear()
            .await
            .map_err(|why| format!("at the end: {why}"))
    }

    /// All go; whoever followed knows the whole.
    async fn clear(&mut self) -> Result<(), String> {
        for who in [1, 2, 0] {
            self.deed(who, Deed::Leave).await?;
        }
        let sharing = &self.all.state.sharing;
        if !sharing.approvals.is_empty() || sharing.driver.is_some() || !sharing.actors.is_empty() {
            return Err(format!("somebody is left: {sharing:?}"));
        }
        let mut commands = vec![
            Command::SetMode { mode: Mode::Ask },
            Command::ClearBreakpoints,
        ];
        let is_far = self.steps > LINES / 2;
        if self.model.stop.is_some() && is_far {
            commands.push(command(Wish::Continue));
            self.steps = 0;
        }
        if self.model.stop.is_none() || is_far {
            commands.push(command(Wish::Pause));
        }
        let moves = commands.len() > 2;
        for command in commands {
            let answer = self.desk.core.request(command);
            answer.await.map_err(|error| error.to_string())?;
        }
        if moves {
            self.model.stop = Some(u64::MAX);
            self.stands().await?;
        }
        self.heard();
        // Something may happen meanwhile: what is compared must be of the same moment.
        loop {
            let (whole, _) = self.desk.core.subscribe().await.unwrap();
            let mut is_past = false;
            for one in self.late.iter_mut().chain([&mut self.all]) {
                one.follow(whole.seq).await?;
                is_past |= one.state.seq > whole.seq;
            }
            if is_past {
                continue;
            }
            let mut all = self.late.drain(..).map(|one| one.state);
            // On the way over a socket, what is absent and what is empty are one.
            let is = |state: &State| {
                let json = |state| serde_json::to_value(state).unwrap();
                *state == whole || self.host.is_some() && json(state) == json(&whole)
            };
            let is_whole = all.all(|state| is(&state)) && is(&self.all.state);
            let why = "what somebody was told does not add up to the whole";
            return is_whole.then_some(()).ok_or_else(|| why.to_owned());
        }
    }

    pub async fn deed(&mut self, who: usize, deed: Deed) -> Result<(), String> {
        let card = match deed {
            Deed::Decide(which, _) | Deed::Cancel(which) => self.model.cards.get(which),
            _ => None,
        };
        let card = card.map(|card| card.number);
        let asked = card.and_then(|card| {
            let id = self.waiting.get(&card)?.0;
            let mut waits = self.all.state.sharing.approvals.iter();
            Some(waits.find(|card| card.id == id)?.hash.clone())
        });
        let expected = self.model.does(who, deed);
        if expected == Outcome::Nothing {
            return Ok(());
        }
        let mut bound = None;
        let command = match deed {
            Deed::Come => {
                self.come(who).await;
                None
            }
            Deed::Leave => {
                self.kill(who);
                None
            }
            Deed::Follow => {
                let core = match &self.host {
                    None => self.desk.core.clone(),
                    Some(host) => {
                        self.connections += 1;
                        let guest = Guest::script(None);
                        join_as(host.path(), guest).await.unwrap().core
                    }
                };
                self.late.push(Follower::of(core).await);
                None
            }
            Deed::Cancel(_) => {
                let (_, answer) = self.waiting.remove(&card.unwrap()).unwrap();
                answer.abort();
                None
            }
            Deed::Die(wish) => {
                let command = self.command(wish);
                let before = self.all.state.sharing.approvals.len();
                let answer = self.ask(who, command, None);
                if !self.model.died_asking && self.host.is_some() {
                    // It is on its way when the connection ends, or is not: then nothing could be said of it.
                    let _ = timeout(PATIENCE, answer).await;
                    self.kill(who);
                } else {
                    if self.host.is_some() {
                        let more = |stage: &Self| {
                            let waits = stage.all.state.sharing.approvals.len();
                            (waits > before)
                                .then_some(())
                                .ok_or_else(|| "no card".to_owned())
                        };
                        self.until(more).await?;
                    }
                    self.kill(who);
                    let _ = timeout(PATIENCE, answer).await;
                }
                None
            }
            Deed::Do(wish, looked) => Some(self.ask(who, self.command(wish), self.looked(looked))),
            Deed::Request => {
                let reason = "to go on".to_owned();
                Some(self.ask(who, Command::RequestControl { reason }, None))
            }
            Deed::Release => Some(self.ask(who, Command::ReleaseControl, None)),
            Deed::Mode(level) => {
                let mode = mode(level);
                Some(self.ask(who, Command::SetMode { mode }, None))
            }
            Deed::Decide(_, say) => {
                let is_refusal = |(_, outcome): &(u64, Outcome)| matches!(outcome, Outcome::Refused(why) if *why != [Why::State]);
                let is_done = matches!(say, Say::Once | Say::ThisStop | Say::Always)
                    && matches!(self.model.settled.first(), Some(one) if !is_refusal(one));
                bound = asked.filter(|_| is_done);
                let known = card.and_then(|card| self.waiting.get(&card));
                let approval = known.map_or(ApprovalId(u64::MAX), |(id, _)| *id);
                let consent = consent(say);
                Some(self.ask(who, Command::Decide { approval, consent }, None))
            }
        };
        if let Some(answer) = command {
            match expected {
                Outcome::Waits(number) => {
                    let id = self.card(number, &answer).await?;
                    self.waiting.insert(number, (id, answer));
                }
                expected => is_as(&expected, answer).await?,
            }
        }
        for (number, outcome) in std::mem::take(&mut self.model.settled) {
            // Whoever took it back, or is gone, waits for nothing.
            if let Some((_, answer)) = self.waiting.remove(&number)
                && outcome != Outcome::Nothing
            {
                let settled = is_as(&outcome, answer).await;
                settled.map_err(|why| format!("what waited: {why}"))?;
            }
        }
        self.stands().await?;
        self.holds().await?;
        if let Some(asked) = bound {
            let mut audit = self.all.state.sharing.audit.iter().rev();
            let done = audit.find(|entry| entry.decision == "approved");
            if done.is_none_or(|done| done.hash != asked) {
                return Err(format!("{asked} was asked for, and {done:?} was done"));
            }
        }
        let (told, due) = (self.heard(), &self.model.heard);
        if told != *due {
            return Err(format!("the adapter heard {told:?}, not {due:?}"));
        }
        Ok(())
    }

    async fn come(&mut self, who: usize) {
        self.connections += 1;
        let (kind, name) = match self.model.parties[who].sort {
            Sort::Person => (ActorKind::Human, ""),
            Sort::Script => (ActorKind::Script, ""),
            Sort::Agent => (ActorKind::Agent, ["", "omp", "second"][who]),
        };
        let mut actor = Actor::new(kind, name);
        let guest = Guest {
            actor: actor.clone(),
            mode: None,
            answers: kind == ActorKind::Human,
        };
        actor.connection = self.connections;
        let (core, here) = match &self.host {
            None => {
                let core = self.desk.core.acting_as(actor.clone());
                let here = core.present(guest.answers);
                (core, Some(here))
            }
            Some(host) => {
                let core = join_as(host.path(), guest).await.unwrap().core;
                // Once it is answered, it is there.
                let _ = core.request(Command::ReleaseControl).await;
                (core, None)
            }
        };
        self.clients[who] = Some(Client {
            core,
            actor,
            _here: here,
        });
    }

    /// Its connection ends, whatever it waits for.
    fn kill(&mut self, who: usize) {
        let gone = self.model.settled.iter();
        let gone = gone.filter(|(_, outcome)| *outcome == Outcome::Nothing);
        for (number, _) in gone {
            self.waiting.remove(number);
        }
        self.clients[who] = None;
    }

    fn ask(&self, who: usize, command: Command, stop: Option<StopId>) -> JoinHandle<Answer> {
        let client = self.clients[who].as_ref().unwrap();
        let core = client.core.acting_as(Caller {
            actor: client.actor.clone(),
            mode: None,
            expected_stop: stop,
        });
        tasks::spawn(core.request_within(command, PATIENCE))
    }

    fn command(&self, wish: Wish) -> Command {
        let spec = |line: u8| {
            let path = self.home.path().join("work/other.fake");
            BreakpointSpec::line(&path, i64::from(line))
        };
        match wish {
            Wish::Break(line) => Command::SetBreakpoint(spec(line)),
            Wish::BreakIf(line) => Command::SetBreakpoint(BreakpointSpec {
                condition: Some("i".to_owned()),
                ..spec(line)
            }),
            Wish::Unbreak(line) => {
                let mut known = self.all.state.breakpoints.iter();
                let at = |site: &BreakpointSite| matches!(site, BreakpointSite::Source { line: l, .. } if *l == i64::from(line));
                let id = known.find(|known| at(&known.site)).unwrap().id;
                Command::RemoveBreakpoint { id }
            }
            other => command(other),
        }
    }

    fn looked(&self, looked: Looked) -> Option<StopId> {
        match looked {
            Looked::Nowhere => None,
            Looked::Here => Some(self.last_stop),
            Looked::Before => Some(StopId(self.last_stop.0 - 1)),
        }
    }

    /// What was told by now.
    fn catch_up(&mut self) -> Result<(), String> {
        while let Some(events) = self.all.events.next().now_or_never() {
            self.all.take(events.ok_or("the core has ended")?)?;
        }
        Ok(())
    }

    /// Waits until what is known is so.
    async fn until<T>(&mut self, is_so: impl Fn(&Self) -> Result<T, String>) -> Result<T, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.catch_up()?;
            let why = match is_so(self) {
                Ok(found) => return Ok(found),
                Err(why) => why,
            };
            let events = timeout_at(deadline, self.all.events.next()).await;
            let events = events.map_err(|_elapsed| why)?;
            self.all.take(events.ok_or("the core has ended")?)?;
        }
    }

    /// The card that is new.
    async fn card(
        &mut self,
        number: u64,
        answer: &JoinHandle<Answer>,
    ) -> Result<ApprovalId, String> {
        let card = self.model.cards.iter().find(|card| card.number == number);
        let card = card.unwrap().clone();
        let actor = self.clients[card.who].as_ref().unwrap().actor.clone();
        let action = Wish::action(card.wish);
        let place = self.model.cards.len();
        self.until(|stage| {
            let approvals = &stage.all.state.sharing.approvals;
            match approvals.get(place - 1) {
                Some(new) if (&new.actor, new.action.as_str()) == (&actor, action) => Ok(new.id),
                _ => Err(format!(
                    "no card for {action} among {approvals:?}; answered: {}",
                    answer.is_finished()
                )),
            }
        })
        .await
    }

    /// Waits until the program is where it has to be.
    async fn stands(&mut self) -> Result<(), String> {
        let stands = self.model.stop.is_some();
        let moved = self.model.heard.iter();
        let moved = moved.filter(|heard| matches!(heard, Heard::Next | Heard::Pause));
        let moved = self.model.stop == Some(u64::MAX) || moved.count() > 0;
        let before = self.last_stop;
        let stop = self
            .until(|stage| {
                let session = stage.all.state.session(SessionId(1)).unwrap();
                let Some(stop) = session.current_stop().filter(|_| stands) else {
                    let runs = !stands && session.phase == Phase::Running;
                    return if runs {
                        Ok(None)
                    } else {
                        Err(format!("it is {:?}", session.phase))
                    };
                };
                let is_whole = stop
                    .selected
                    .is_some_and(|at| stop.frames.contains_key(&at.frame_id));
                if is_whole && (!moved || stop.id > before) {
                    Ok(Some(stop.id))
                } else {
                    Err(format!("it stands at {}, after {before}", stop.id))
                }
            })
            .await?;
        if let Some(stop) = stop {
            self.steps += u64::from(stop > self.last_stop);
            self.last_stop = stop;
        } else {
            self.steps = 0;
        }
        Ok(())
    }

    /// Who drives, what may be done, who is there and what waits are as the rules say.
    async fn holds(&mut self) -> Result<(), String> {
        let actor = |who: usize| {
            self.clients[who]
                .as_ref()
                .map(|client| client.actor.clone())
        };
        let model = &self.model;
        let driver = model.driver.map(|who| actor(who).unwrap());
        let mode = mode(model.level);
        let mut actors: Vec<_> = (0..3).filter_map(actor).collect();
        actors.retain(|actor| actor.kind != ActorKind::Script);
        actors.sort();
        let cards: Vec<_> = model
            .cards
            .iter()
            .map(|card| self.waiting[&card.number].0)
            .collect();
        // Whatever is under way in the core is over once it answers this.
        let nobody = self.desk.core.request(Command::ReleaseControl).await;
        assert_eq!(nobody.unwrap_err().kind, ErrorKind::State);
        self.until(|stage| {
            let sharing = &stage.all.state.sharing;
            let mut here = sharing.actors.clone();
            here.sort();
            let waits: Vec<_> = sharing.approvals.iter().map(|card| card.id).collect();
            let found = (&sharing.driver, sharing.mode, here, waits);
            let due = (&driver, mode, actors.clone(), cards.clone());
            if found == due {
                Ok(())
            } else {
                Err(format!("it is {found:?}, and should be {due:?}"))
            }
        })
        .await
    }

    /// What the adapter heard since this was asked the last time, of what the three may want.
    fn heard(&mut self) -> Vec<Heard> {
        let mut heard = Vec::new();
        while self.log.read_line(&mut self.half).unwrap() > 0 && self.half.ends_with('\n') {
            let frame: Value = serde_json::from_str(&self.half).unwrap();
            self.half.clear();
            let arguments = &frame["arguments"];
            heard.extend(match frame["command"].as_str() {
                Some("next") => Some(Heard::Next),
                Some("continue") => Some(Heard::Continue),
                Some("pause") => Some(Heard::Pause),
                Some("evaluate") => {
                    let text = arguments["expression"].as_str().unwrap();
                    Some(Heard::Evaluate(text.to_owned()))
                }
                Some("setBreakpoints") => {
                    let all = arguments["breakpoints"].as_array().unwrap().iter();
                    let mut lines: Vec<_> = all
                        .map(|breakpoint| breakpoint["line"].as_u64().unwrap() as u8)
                        .collect();
                    lines.sort_unstable();
                    Some(Heard::Breakpoints(lines))
                }
                _ => None,
            });
        }
        heard
    }

    pub async fn end(self) {
        drop((self.clients, self.host));
        let ended = self.desk.core.request(Command::Shutdown).await;
        ended.unwrap();
        let mark = self.home.mark;
        let check = tasks::blocking(move || mark.assert_none_left(PATIENCE));
        check.await.unwrap();
    }
}
