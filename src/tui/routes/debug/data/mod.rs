//! A value as data, over the whole screen: a table, what its columns add up to, a plot, a picture, a text, bytes.
//!
//! Each way to look has a file of its own and is a [`Shows`]: what it needs for what is in sight it asks for, a page at a time. Here
//! is what they share: the question, the answers, the way from one to the next. The parts of a value are the inspector's.

mod beside;
mod bytes;
mod image;
mod memory;
mod plot;
mod records;
mod save;
mod shows;
mod stats;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod unfold;
mod view;

use debugger::{
    data::{Content, Data, Query, View as ViewMode},
    state::StartKind,
};

pub use memory::Memory;
use shows::{Act, Shows};

use crate::{debug_prelude::*, routes::debug::popups::inspect};

const OWNER: &str = "data";

/// The view.
#[derive(Default)]
pub struct DataView {
    expression: String,
    /// With what it is compared.
    compared: Option<String>,
    memory: Memory,
    /// It is what breakpoints recorded, and no value.
    records: bool,
    /// What was asked last of each way, to be asked anew when more was recorded.
    last: HashMap<ViewMode, Query>,
    /// More was recorded than was asked for.
    is_old: bool,
    session: Option<SessionId>,
    stop: Option<StopId>,
    frame: Option<i64>,
    /// What is known of the value.
    about: Data,
    /// How it is looked at; none before the first answer.
    way: Option<ViewMode>,
    ways: HashMap<ViewMode, Box<dyn Shows>>,
    /// The column that was looked at last, and which rows of the table are wanted.
    column: Option<String>,
    filter: Option<String>,
    /// Questions under way.
    asked: HashMap<u64, (ViewMode, Query)>,
    typing: Filter,
    trouble: Option<String>,
    /// An attached program is not asked before somebody agreed.
    asks: bool,
    /// The program has moved on: what is shown is what was.
    past: bool,
    saving: Option<save::Saving>,
}

/// Opens it for an expression, from wherever; `beside`: to be compared.
pub fn open(expression: String, beside: bool) -> Effect {
    Effect::on("data.open", move |memory: &mut Memory, cx| {
        memory.show(&expression, beside, cx);
    })
}

impl Memory {
    /// Opens a view of an expression.
    pub fn show(&self, expression: &str, beside: bool, cx: &Cx) {
        let mut view = DataView::new(expression, self.clone(), &cx.view);
        let first = view.first();
        let asking = Cx::new(cx.view.clone());
        if beside && !view.asks {
            view.beside(&asking);
        }
        cx.open(view);
        cx.extend(first.into_iter().chain(asking.into_effects()));
    }

    /// Opens a view of what breakpoints recorded.
    pub fn show_records(&self, cx: &Cx) {
        let mut view = DataView::of_records(self.clone(), &cx.view);
        let effect = view.first();
        cx.open(view);
        cx.extend(effect);
    }
}

impl DataView {
    fn new(expression: &str, memory: Memory, view: &View) -> Self {
        let session = view.session();
        let agreed = session.is_some_and(|s| memory.agreed.contains(&s.id));
        let attached = session.is_some_and(|s| s.kind == StartKind::Attach && s.reads_by_code);
        let stop = session.and_then(Session::current_stop);
        Self {
            expression: expression.to_owned(),
            memory,
            session: session.map(|s| s.id),
            stop: stop.map(|stop| stop.id),
            frame: stop
                .and_then(|stop| stop.selected)
                .map(|frame| frame.frame_id),
            asks: attached && !agreed,
            ..Self::default()
        }
    }

    /// Asks how the value looks best.
    fn first(&mut self) -> Option<Effect> {
        let rows = (0, table::CHUNK);
        (!self.asks).then(|| {
            self.ask(
                ViewMode::Tree,
                Query {
                    rows,
                    ..Query::default()
                },
            )
        })
    }

    fn ask(&mut self, way: ViewMode, query: Query) -> Effect {
        let number = ticket();
        self.asked.insert(number, (way, query.clone()));
        Effect::ask(OWNER, number, self.command(query))
    }

    fn command(&self, query: Query) -> Command {
        let session = self.session;
        if self.records {
            return Command::Records { session, query };
        }
        Command::Data {
            session,
            frame_id: self.frame,
            expression: self.expression.clone(),
            query: Query {
                compare: self.compared.clone(),
                ..query
            },
        }
    }

    fn shown(&mut self) -> Option<&mut Box<dyn Shows>> {
        self.ways.get_mut(&self.way?)
    }

    fn seen(&self) -> Option<&dyn Shows> {
        self.ways.get(&self.way?).map(AsRef::as_ref)
    }

    /// Asks for what is in sight and not known, one question of each way at a time.
    fn look(&mut self, cx: &Cx) {
        cx.redraw();
        let Some(way) = self.way.filter(|_| !self.past) else {
            return;
        };
        if self.asked.values().any(|(other, _)| *other == way) {
            return;
        }
        if let Some(query) = self.shown().and_then(|shown| shown.wants()) {
            self.trouble = None;
            let filter = query.filter.or_else(|| self.of_rows(way).cloned());
            let view = Some(way);
            cx.emit(self.ask(
                way,
                Query {
                    view,
                    filter,
                    ..query
                },
            ));
        }
    }

    /// Of which rows only a way to look tells something, where that is not all of them.
    fn of_rows(&self, way: ViewMode) -> Option<&String> {
        let is_sum = [ViewMode::Stats, ViewMode::Series].contains(&way);
        self.filter.as_ref().filter(|_| is_sum)
    }

    /// Looks in another way.
    fn turn(&mut self, way: ViewMode, cx: &Cx) {
        self.settle(way);
        self.look(cx);
    }

    fn settle(&mut self, way: ViewMode) {
        if let Some(column) = self.seen().and_then(Shows::column)
            && self.column.as_ref() != Some(&column)
        {
            self.column = Some(column);
            self.ways.remove(&ViewMode::Series);
        }
        let table = self.ways.get(&ViewMode::Table);
        let filter = table.and_then(|table| table.order().1);
        if self.filter != filter {
            self.filter = filter;
            self.ways.remove(&ViewMode::Stats);
            self.ways.remove(&ViewMode::Series);
        }
        let (column, compares, tail) = (self.column.clone(), self.compared.is_some(), self.records);
        self.way = Some(way);
        self.trouble = None;
        let fresh = || -> Box<dyn Shows> {
            match way {
                ViewMode::Table | ViewMode::Tree => Box::new(table::Grid::new(compares, tail)),
                ViewMode::Stats => Box::<stats::Statistics>::default(),
                ViewMode::Series => Box::new(plot::Plot::of(column)),
                ViewMode::Text => Box::<text::Reader>::default(),
                ViewMode::Bytes => Box::<bytes::Dump>::default(),
                ViewMode::Image => Box::<image::ImageView>::default(),
            }
        };
        self.ways.entry(way).or_insert_with(fresh);
    }

    fn next(&mut self, by: isize, cx: &Cx) {
        let all = &self.about.views;
        let next = match self.way {
            Some(way) => Some(beside(all, way, by)),
            None => all.first().copied(),
        };
        if let Some(way) = next {
            self.turn(way, cx);
        }
    }

    /// Away from what was searched for first, then from what it is compared with.
    fn close(&mut self, cx: &Cx) {
        let narrowed = self.seen().and_then(Shows::narrowed);
        // Of what was, nothing can be asked any more.
        if !self.past && narrowed.is_some_and(|text| !text.is_empty()) {
            self.narrow("");
            return self.look(cx);
        }
        if self.compared.is_some() {
            return self.compare(None, cx);
        }
        cx.close();
    }

    fn compare(&mut self, with: Option<String>, cx: &Cx) {
        *self = Self {
            compared: with,
            ..Self::new(&self.expression, self.memory.clone(), &cx.view)
        };
        cx.extend(self.first());
        cx.redraw();
    }

    fn parts(&mut self, cx: &Cx) {
        cx.emit(Effect::Close);
        inspect::open(&self.expression, cx);
    }

    /// Asks anew, at the stop that there is now.
    fn again(&mut self, cx: &Cx) {
        if !self.records {
            return self.compare(self.compared.clone(), cx);
        }
        *self = Self::of_records(self.memory.clone(), &cx.view);
        cx.extend(self.first());
        cx.redraw();
    }

    fn act(&mut self, act: Act, cx: &Cx) {
        if let Some(shown) = self.shown() {
            shown.act(act);
        }
        self.look(cx);
    }

    fn can(&self, act: Act) -> Enabled {
        let can = self.seen().is_some_and(|shown| shown.can(act));
        can.or_why("This way of looking has no such thing.")
    }

    /// What was recorded stands beside nothing.
    fn is_value(&self, view: &View) -> Enabled {
        (!self.records).or_why("This is no value of the program.")?;
        is_known(self, view)
    }

    fn stats(&mut self, cx: &Cx) {
        self.turn(
            match self.way {
                Some(ViewMode::Stats) => ViewMode::Table,
                _ => ViewMode::Stats,
            },
            cx,
        );
    }

    fn begin_typing(&mut self, _: &Cx) {
        let now = self.seen().and_then(Shows::narrowed);
        let now = now.unwrap_or_default().to_owned();
        self.typing.begin(&now);
    }

    fn narrow(&mut self, text: &str) {
        if let Some(shown) = self.shown() {
            shown.narrow(text);
        }
    }

    /// An answer.
    fn answered(&mut self, way: ViewMode, asked: &Query, data: &Data, cx: &Cx) {
        let first = self.way.is_none();
        let is_empty = matches!(&data.content, Content::Table(table) if table.all == 0);
        if first && self.records && is_empty {
            return;
        }
        self.about.notes.clone_from(&data.notes);
        if first || self.records {
            self.about = Data {
                content: Content::None,
                ..data.clone()
            };
        }
        if first {
            let Some(way) = data.view.filter(|way| *way != ViewMode::Tree) else {
                return self.parts(cx);
            };
            self.settle(way);
        }
        let way = if first { data.view.unwrap_or(way) } else { way };
        if let Some(shown) = self.ways.get_mut(&way) {
            shown.take(asked, &data.content);
        }
        if self.records {
            self.last.insert(way, asked.clone());
        }
        self.look(cx);
        if self.is_old {
            self.refresh(cx);
        }
    }
}

gates! { DataView, s, _;
    searches: s.seen().and_then(Shows::narrowed), "There is nothing to search or filter here.";
    has_ways: s.about.views.len() > 1, "There is no other way to look at it.";
    is_known: s.seen(), "There is nothing yet.";
    has_stats: s.about.views.contains(&ViewMode::Stats), "Only tables have columns.";
    has_stack: s.asks || s.seen().and_then(Shows::stack).is_some(), "There is nothing to open.";
}

impl Scrolls for DataView {
    fn walk(&mut self, step: Step, cx: &Cx) {
        if let Some(shown) = self.shown() {
            shown.walk(step);
        }
        self.look(cx);
    }
}

/// Whether something can be done to what is seen.
macro_rules! can {
    ($($act:tt)*) => {
        |s, _| s.can(Act::$($act)*)
    };
}

/// Does it.
macro_rules! act {
    ($($act:tt)*) => {
        |s, cx| s.act(Act::$($act)*, cx)
    };
}

fn sideways(s: &mut DataView, by: isize, cx: &Cx) {
    if let Some(shown) = s.shown() {
        shown.sideways(by);
    }
    s.look(cx);
}

impl Surface for DataView {
    table! { "Data", s, cx;
        "data.next"     "next view"               ["tab"], Footer       if has_ways => s.next(1, cx);
        "data.beside"   "compare"                 ["C" "d"], Footer     if Self::is_value => Self::beside;
        "data.match"    "next match"              ["n"], Footer         if can!(Match(true)) => act!(Match(true));
        "data.search"   "filter or search"        ["/"], Footer         if searches => Self::begin_typing;
        "data.sort"     "sort"                    ["s"], Footer         if can!(Sort) => act!(Sort);
        "data.write"    "save"                    ["w"], Footer         if is_known => save::ask;
        "data.enter"    "open the stack, or agree" ["enter"], Footer    if has_stack => Self::enter;
        "data.other"    "bars or a line, wrapped or not" ["b"], Footer  if can!(Other) => act!(Other);
        "data.unfold"   "unfold what is in the text" ["u"], Footer      if can!(Unfold) => act!(Unfold);
        "data.stats"    "statistics of columns"   ["i"], Footer         if has_stats => Self::stats;
        "data.close"    "close"                   ["esc" "q"], Footer   => Self::close;
        "data.previous" "previous view"           ["shift-tab"]         if has_ways => s.next(-1, cx);
        "data.match-before" "previous match"      ["N"]                 if can!(Match(false)) => act!(Match(false));
        "data.wider"    "wider column"            ["+" "="]             if can!(Widen(1)) => act!(Widen(4));
        "data.narrower" "narrower column"         ["-"]                 if can!(Widen(-1)) => act!(Widen(-4));
        "data.parts"    "its parts"               ["t"]                 if |s, _| (!s.records).or_why("Records have no parts.") => Self::parts;
        "data.again"    "read it anew"            ["r"]                 => Self::again;
        "data.left"     "to the left"             ["left" "h"]          => sideways(s, -1, cx);
        "data.right"    "to the right"            ["right" "l"]         => sideways(s, 1, cx);
        list "data" "up" "down" "beginning" "end";
    }

    fn fill(&mut self, canvas: &Canvas, area: Rect) {
        self.draw_all(canvas, area.intersection(canvas.screen()));
    }

    fn on_msg(&mut self, msg: &Msg, cx: &Cx) {
        match msg {
            Msg::Events(events) if self.records => {
                let more = |event: &Event| {
                    let EventKind::Session { change, .. } = &event.kind else {
                        return false;
                    };
                    matches!(change, Change::Recorded { .. } | Change::Output { .. })
                };
                if events.iter().any(more) {
                    self.refresh(cx);
                }
            }
            Msg::Events(_) => {
                let session = self.session.and_then(|id| cx.view.state.session(id));
                let stop = session.and_then(Session::current_stop).map(|stop| stop.id);
                if !self.past && stop != self.stop {
                    self.past = true;
                    cx.redraw();
                }
            }
            Msg::Reply { tag, result } if tag.0 == OWNER => {
                if self
                    .saving
                    .as_ref()
                    .is_some_and(|saving| saving.number == tag.1)
                {
                    return save::go_on(self, result, cx);
                }
                let Some((way, asked)) = self.asked.remove(&tag.1) else {
                    return;
                };
                match result {
                    Ok(Reply::Data { data }) => self.answered(way, &asked, data, cx),
                    Ok(_) => self.trouble = Some("The answer was no data.".to_owned()),
                    Err(error) => {
                        if self.ways.get_mut(&way).is_some_and(|shown| shown.refused()) {
                            self.look(cx);
                        }
                        self.trouble = Some(clean(&with_hint(error)));
                    }
                }
                cx.redraw();
            }
            Msg::Progress(told) => told.call(self, cx),
            _ => {}
        }
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &Cx) -> bool {
        let Some(by) = wheel(&event) else {
            return false;
        };
        if let Some(shown) = self.shown() {
            shown.roll(by);
        }
        self.look(cx);
        true
    }

    fn wants_text(&self) -> bool {
        self.typing.wants_text()
    }

    fn on_text(&mut self, key: KeyEvent, cx: &Cx) -> bool {
        // Half a filter is none to look by in another way.
        if matches!(key.code, KeyCode::Tab | KeyCode::BackTab) {
            return true;
        }
        let narrowed = self.typing.key(key, cx);
        if let Some(Some(text)) = &narrowed {
            self.narrow(text);
        }
        // A filter of the program's rows is asked for when it is typed.
        if !self.typing.wants_text() {
            self.look(cx);
        }
        narrowed.is_some()
    }

    fn on_paste(&mut self, text: &str, cx: &Cx) -> bool {
        let narrowed = self.typing.paste(text, cx);
        if let Some(text) = &narrowed {
            self.narrow(text);
        }
        narrowed.is_some()
    }
}
