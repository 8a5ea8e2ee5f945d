//! What is to come of everything that one of three does with a session they share, from the words of `docs/serve.md` alone.

use std::collections::BTreeMap;

/// The modes, from the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Observe,
    Rules,
    Ask,
    Drive,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Person,
    Script,
    Agent,
}

/// What one wants of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Step,
    Continue,
    Pause,
    /// An expression, which may do anything.
    Evaluate(u8),
    /// A name, which is only looked at.
    Hover,
    Threads,
    Break(u8),
    BreakIf(u8),
    Unbreak(u8),
    Clear,
}

/// Which stop one says that it looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    Nowhere,
    /// At the last one.
    Here,
    /// At one before.
    Before,
}

/// What a person says to what waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Say {
    Once,
    ThisStop,
    /// Whatever it is on.
    Always,
    /// This expression instead.
    Instead(u8),
    Deny,
    Abort,
}

/// What one of the three does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Do(Wish, Looked),
    Request,
    Release,
    Mode(Level),
    /// About one of those that wait, or one that does not.
    Decide(usize, Say),
    /// Takes back one of those that wait.
    Cancel(usize),
    Come,
    Leave,
    /// Asks, and is killed before it has an answer.
    Die(Wish),
    /// Another one begins to follow.
    Follow,
}

/// Why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Usage,
    State,
    Stale,
    Denied,
    NotDriver,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// For one of these reasons.
    Refused(Vec<Why>),
    /// A person is asked; the number of the card.
    Waits(u64),
    /// It cannot be tried: whoever does it is not there, or there is nothing to do it to.
    Nothing,
}

/// What an adapter hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Next,
    Continue,
    Pause,
    Evaluate(String),
    Breakpoints(Vec<u8>),
}

/// What waits.
#[derive(Clone, Debug)]
pub struct Card {
    pub number: u64,
    pub who: usize,
    /// None: to be the driver.
    pub wish: Option<Wish>,
    /// Where the program stood; none where it ran.
    stop: Option<u64>,
    /// The breakpoint that it is about.
    breakpoint: Option<u64>,
}

struct Grant {
    who: usize,
    action: &'static str,
    /// Only there.
    stop: Option<u64>,
}

struct Line {
    number: u64,
    is_an_agents: bool,
}

pub struct Party {
    pub sort: Sort,
    pub here: bool,
    shut_out: bool,
}

pub struct Model {
    pub level: Level,
    pub driver: Option<usize>,
    pub parties: [Party; 3],
    /// Oldest first.
    pub cards: Vec<Card>,
    /// Where the program stands: how often it has stopped by then. None while it runs.
    pub stop: Option<u64>,
    pub stops: u64,
    grants: Vec<Grant>,
    lines: BTreeMap<u8, Line>,
    numbers: u64,
    /// What the adapter has to hear because of the last deed.
    pub heard: Vec<Heard>,
    /// What came of those that waited, because of the last deed.
    pub settled: Vec<(u64, Outcome)>,
    /// What the last one that died asked for waited.
    pub died_asking: bool,
}

impl Wish {
    fn drives(self) -> bool {
        matches!(self, Self::Step | Self::Continue | Self::Pause)
    }

    /// The name by which a person allows it.
    pub fn action(wish: Option<Self>) -> &'static str {
        match wish {
            None => "request_control",
            Some(Self::Step) => "step_over",
            Some(Self::Continue) => "continue",
            Some(Self::Pause) => "pause",
            Some(Self::Evaluate(_) | Self::Hover) => "evaluate",
            Some(Self::Threads) => "threads",
            Some(Self::Break(_) | Self::BreakIf(_)) => "set_breakpoint",
            Some(Self::Unbreak(_)) => "remove_breakpoint",
            Some(Self::Clear) => "clear_breakpoints",
        }
    }
}

pub fn expression(number: u8) -> String {
    format!("i + {number}")
}

impl Model {
    /// Nobody is there, the program stands, and what others may do has to be asked about.
    pub fn new(third: Sort) -> Self {
        let party = |sort| Party {
            sort,
            here: false,
            shut_out: false,
        };
        Self {
            level: Level::Ask,
            driver: None,
            parties: [party(Sort::Person), party(Sort::Agent), party(third)],
            cards: Vec::new(),
            stop: Some(0),
            stops: 0,
            grants: Vec::new(),
            lines: BTreeMap::new(),
            numbers: 0,
            heard: Vec::new(),
            settled: Vec::new(),
            died_asking: false,
        }
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub fn has_line(&self, line: u8) -> bool {
        self.lines.contains_key(&line)
    }

    fn somebody_answers(&self) -> bool {
        self.parties[0].here
    }

    pub fn does(&mut self, who: usize, deed: Deed) -> Outcome {
        let outcome = self.is_done(who, deed);
        self.drop_stale();
        outcome
    }

    /// What can no longer be done as it was asked waits no longer.
    fn drop_stale(&mut self) {
        for card in std::mem::take(&mut self.cards) {
            if self.is_stale(&card) {
                let refused = Outcome::Refused(vec![Why::Stale]);
                self.settled.push((card.number, refused));
            } else {
                self.cards.push(card);
            }
        }
    }

    fn is_done(&mut self, who: usize, deed: Deed) -> Outcome {
        self.heard.clear();
        self.settled.clear();
        if self.parties[who].here == matches!(deed, Deed::Come) && deed != Deed::Follow {
            return Outcome::Nothing;
        }
        let (sort, is_out) = (self.parties[who].sort, self.parties[who].shut_out);
        let refused = |why| Outcome::Refused(vec![why]);
        match deed {
            Deed::Do(wish, looked) => self.wishes(who, wish, looked),
            Deed::Request => self.requests(who),
            Deed::Release if is_out => Outcome::Refused(vec![Why::Denied, Why::State]),
            Deed::Release if self.driver == Some(who) => {
                self.driver = None;
                Outcome::Done
            }
            Deed::Release => refused(Why::State),
            Deed::Mode(level) => {
                if sort != Sort::Person && (is_out || level > self.level) {
                    return refused(Why::Denied);
                }
                self.level = level;
                if sort == Sort::Person {
                    self.parties.iter_mut().for_each(|p| p.shut_out = false);
                }
                Outcome::Done
            }
            Deed::Decide(..) if sort != Sort::Person => refused(Why::Denied),
            Deed::Decide(which, say) => self.decides(which, say),
            Deed::Cancel(which) => match self.cards.get(which).map(|card| card.who) {
                Some(asker) if asker == who => {
                    let card = self.cards.remove(which);
                    self.settled.push((card.number, Outcome::Nothing));
                    Outcome::Done
                }
                _ => Outcome::Nothing,
            },
            Deed::Come => {
                self.parties[who].here = true;
                Outcome::Done
            }
            Deed::Leave => {
                self.leaves(who);
                Outcome::Done
            }
            Deed::Die(wish) => {
                let outcome = self.wishes(who, wish, Looked::Nowhere);
                if outcome == Outcome::Nothing {
                    return outcome;
                }
                self.died_asking = matches!(outcome, Outcome::Waits(_));
                self.drop_stale();
                self.leaves(who);
                Outcome::Done
            }
            Deed::Follow => Outcome::Done,
        }
    }

    /// It holds nothing any more, and nothing of its own waits; what others asked waits for somebody who can answer.
    fn leaves(&mut self, who: usize) {
        self.parties[who].here = false;
        self.grants.retain(|grant| grant.who != who);
        if self.driver == Some(who) {
            self.driver = None;
        }
        let nobody = !self.somebody_answers();
        for card in std::mem::take(&mut self.cards) {
            if card.who == who {
                self.settled.push((card.number, Outcome::Nothing));
            } else if nobody {
                let refused = Outcome::Refused(vec![Why::Denied]);
                self.settled.push((card.number, refused));
            } else {
                self.cards.push(card);
            }
        }
    }

    /// Whether it changes the program, or runs code in it.
    fn is_grave(&self, wish: Wish) -> bool {
        let is_a_persons = |line: &Line| !line.is_an_agents;
        match wish {
            Wish::Evaluate(_) | Wish::BreakIf(_) => true,
            Wish::Break(line) | Wish::Unbreak(line) => {
                self.lines.get(&line).is_some_and(is_a_persons)
            }
            Wish::Clear => self.lines.values().any(is_a_persons),
            _ => false,
        }
    }

    fn wishes(&mut self, who: usize, wish: Wish, looked: Looked) -> Outcome {
        if matches!(wish, Wish::Unbreak(line) if !self.has_line(line)) {
            return Outcome::Nothing;
        }
        let sort = self.parties[who].sort;
        let mut why = Vec::new();
        let is_elsewhere = looked == Looked::Before || self.stop.is_none();
        let moves = wish.drives() && wish != Wish::Pause;
        if looked != Looked::Nowhere && is_elsewhere && (moves || self.is_grave(wish)) {
            why.push(Why::Stale);
        }
        if sort != Sort::Person {
            if self.parties[who].shut_out {
                why.push(Why::Denied);
            }
            let is_anothers = self.driver.is_some_and(|driver| driver != who);
            if sort == Sort::Agent && wish.drives() && is_anothers {
                why.push(Why::NotDriver);
            }
            match self.permits(who, wish) {
                Some(false) => why.push(Why::Denied),
                None if why.is_empty() => return self.asks(who, Some(wish)),
                Some(true) | None => {}
            }
        }
        if !why.is_empty() {
            return Outcome::Refused(why);
        }
        if wish.drives() && (sort == Sort::Agent || self.driver.is_some()) {
            self.driver = Some(who);
        }
        self.happens(who, wish)
    }

    /// Whether it may be done at once; none: a person is asked.
    fn permits(&self, who: usize, wish: Wish) -> Option<bool> {
        let looks = matches!(wish, Wish::Hover | Wish::Threads);
        let level = match self.parties[who].sort {
            Sort::Script if self.level >= Level::Ask => Level::Auto,
            // Whoever was given control is not asked about each step.
            Sort::Agent if self.level == Level::Ask && self.driver == Some(who) => Level::Drive,
            _ => self.level,
        };
        match level {
            Level::Auto => Some(true),
            Level::Rules => Some(false),
            _ if looks => Some(true),
            Level::Observe => Some(false),
            Level::Drive if !self.is_grave(wish) => Some(true),
            _ => self.has_consent(who, Wish::action(Some(wish))),
        }
    }

    /// What is to be asked about: refused where nobody can be asked, and done where a person said so before.
    fn has_consent(&self, who: usize, action: &str) -> Option<bool> {
        if !self.somebody_answers() {
            return Some(false);
        }
        let here = |grant: &&Grant| grant.stop.is_none() || grant.stop == self.stop;
        let mut grants = self.grants.iter().filter(here);
        let is_granted = grants.any(|grant| (grant.who, grant.action) == (who, action));
        is_granted.then_some(true)
    }

    fn asks(&mut self, who: usize, wish: Option<Wish>) -> Outcome {
        let breakpoint = match wish {
            Some(Wish::Unbreak(line)) => self.lines.get(&line).map(|line| line.number),
            _ => None,
        };
        let number = self.number();
        self.cards.push(Card {
            number,
            who,
            wish,
            stop: self.stop,
            breakpoint,
        });
        Outcome::Waits(number)
    }

    fn requests(&mut self, who: usize) -> Outcome {
        let party = &self.parties[who];
        let refused = Outcome::Refused(vec![Why::Denied]);
        if party.sort == Sort::Person || self.driver == Some(who) && !party.shut_out {
            self.driver = Some(who);
            return Outcome::Done;
        }
        if party.shut_out || self.level <= Level::Rules {
            return refused;
        }
        let asked = self.has_consent(who, Wish::action(None));
        let is_free = self.driver.is_none();
        let may = party.sort == Sort::Script
            || is_free && (self.level >= Level::Drive || asked == Some(true));
        if may {
            self.driver = Some(who);
            return Outcome::Done;
        }
        match asked {
            Some(false) => refused,
            _ => self.asks(who, None),
        }
    }

    fn decides(&mut self, which: usize, say: Say) -> Outcome {
        let Some(card) = self.cards.get(which).cloned() else {
            return Outcome::Refused(vec![Why::Stale]);
        };
        let is_expression = matches!(card.wish, Some(Wish::Evaluate(_)));
        if matches!(say, Say::Instead(_)) && !is_expression {
            return Outcome::Refused(vec![Why::Usage]);
        }
        self.cards.remove(which);
        let who = card.who;
        let refused = |why| Outcome::Refused(vec![why]);
        match say {
            Say::Deny => self.settled.push((card.number, refused(Why::Denied))),
            Say::Abort => {
                self.settled.push((card.number, refused(Why::Denied)));
                let (all, others) = std::mem::take(&mut self.cards)
                    .into_iter()
                    .partition(|other| other.who == who);
                self.cards = others;
                let all: Vec<Card> = all;
                self.settled
                    .extend(all.iter().map(|c| (c.number, refused(Why::Denied))));
                self.grants.retain(|grant| grant.who != who);
                if self.driver == Some(who) {
                    self.driver = None;
                }
                self.parties[who].shut_out = true;
            }
            _ => {
                let outcome = self.consented(&card, say);
                self.settled.push((card.number, outcome));
            }
        }
        Outcome::Done
    }

    fn is_stale(&self, card: &Card) -> bool {
        let is_gone = match card.wish {
            Some(Wish::Unbreak(line)) => {
                self.lines.get(&line).map(|line| line.number) != card.breakpoint
            }
            _ => false,
        };
        card.wish.is_some() && (card.stop != self.stop || is_gone)
    }

    /// Consent is to what was asked where it was asked, and to nothing else.
    fn consented(&mut self, card: &Card, say: Say) -> Outcome {
        let who = card.who;
        let mut why = Vec::new();
        if self.is_stale(card) {
            why.push(Why::Stale);
        }
        let drives = card.wish.is_some_and(Wish::drives);
        if drives && self.driver.is_some_and(|driver| driver != who) {
            why.push(Why::NotDriver);
        }
        if !why.is_empty() {
            return Outcome::Refused(why);
        }
        let action = Wish::action(card.wish);
        match say {
            Say::ThisStop if self.stop.is_some() => self.grants.push(Grant {
                who,
                action,
                stop: self.stop,
            }),
            Say::Always => self.grants.push(Grant {
                who,
                action,
                stop: None,
            }),
            _ => {}
        }
        if drives || card.wish.is_none() {
            self.driver = Some(who);
        }
        match (card.wish, say) {
            (None, _) => Outcome::Done,
            (Some(Wish::Evaluate(_)), Say::Instead(other)) => {
                self.happens(who, Wish::Evaluate(other))
            }
            (Some(wish), _) => self.happens(who, wish),
        }
    }

    /// It is done, as far as the program can.
    fn happens(&mut self, who: usize, wish: Wish) -> Outcome {
        let fits = match wish {
            Wish::Step | Wish::Continue | Wish::Evaluate(_) | Wish::Hover => self.stop.is_some(),
            Wish::Pause => self.stop.is_none(),
            _ => true,
        };
        if !fits {
            return Outcome::Refused(vec![Why::State]);
        }
        let lines = self.lines.len();
        match wish {
            Wish::Step | Wish::Pause => {
                self.stops += 1;
                self.stop = Some(self.stops);
            }
            Wish::Continue => self.stop = None,
            Wish::Break(line) | Wish::BreakIf(line) => {
                let before = self.lines.get(&line).map(|line| line.number);
                let set = Line {
                    number: before.unwrap_or_else(|| self.number()),
                    is_an_agents: self.parties[who].sort == Sort::Agent,
                };
                self.lines.insert(line, set);
            }
            Wish::Unbreak(line) => drop(self.lines.remove(&line)),
            Wish::Clear => self.lines.clear(),
            _ => {}
        }
        let heard = match wish {
            Wish::Step => Heard::Next,
            Wish::Continue => Heard::Continue,
            Wish::Pause => Heard::Pause,
            Wish::Evaluate(number) => Heard::Evaluate(expression(number)),
            Wish::Hover => Heard::Evaluate("i".to_owned()),
            Wish::Threads => return Outcome::Done,
            Wish::Clear if lines == 0 => return Outcome::Done,
            Wish::Break(_) | Wish::BreakIf(_) | Wish::Unbreak(_) | Wish::Clear => {
                Heard::Breakpoints(self.lines.keys().copied().collect())
            }
        };
        self.heard.push(heard);
        Outcome::Done
    }
}
