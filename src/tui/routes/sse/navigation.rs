//! Where one is: panes, rows, responses, matches, and the frames of a replay.

use super::{
    Pane, Search, SseRoute,
    detail::Mode,
    execution::REPLAY,
    model::{Filter, Frame, is_bad, matches},
    replay::{BLIND, FASTEST, Replay, play, schedule},
};
use crate::{prelude::*, widgets::text_view::expression};

impl SseRoute {
    /// The frame under the cursor.
    pub(super) fn selected(&self) -> Option<&Frame> {
        self.model.at(self.list.selected()?)
    }

    // Panes.

    pub(super) fn next_pane(&mut self, by: isize, cx: &Cx) {
        self.pane = beside(&[Pane::Streams, Pane::Frames, Pane::Detail], self.pane, by);
        self.zoomed &= self.pane == Pane::Detail;
        self.refresh(cx);
    }

    pub(super) fn turn(&mut self, by: isize, cx: &Cx) {
        self.set_mode(beside(&Mode::ALL, self.mode, by), cx);
    }

    pub(super) fn set_mode(&mut self, mode: Mode, cx: &Cx) {
        self.mode = mode;
        self.refresh(cx);
        if mode == Mode::Message && !self.paused {
            self.in_full = None;
        }
    }

    pub(super) fn enter(&mut self, cx: &Cx) {
        if self.source.is_none() {
            let found = self.recorded.as_ref();
            let at = self.sources.selected();
            let path = found.and_then(|found| Some(found.get(at?)?.path.clone()));
            match path {
                Some(path) => self.open_file(path, cx),
                None => super::execution::ask_for_a_file(cx),
            }
            return;
        }
        match self.pane {
            Pane::Streams => self.pane = Pane::Frames,
            Pane::Frames => self.pane = Pane::Detail,
            Pane::Detail => self.zoomed = !self.zoomed,
        }
        self.refresh(cx);
    }

    // Rows.

    /// After the cursor moved: whether it follows still.
    fn moved(&mut self, cx: &Cx) {
        let last = self.model.rows().checked_sub(1);
        let at_end = self.list.selected() == last && self.is_newest();
        if self.replay.is_none() {
            self.paused = !at_end;
            if at_end {
                self.fresh = 0;
            }
        }
        self.refresh(cx);
    }

    /// Selects a frame, or the one before where it would be.
    pub(super) fn select_frame(&mut self, sequence: Option<u64>) {
        let row = sequence.and_then(|sequence| self.model.row_of(sequence));
        self.list.select(row);
    }

    /// To the last frame that is shown.
    pub(super) fn select_last(&mut self) {
        self.list.end(self.model.rows());
    }

    /// The response that began last.
    pub(super) fn newest(&self) -> Option<u64> {
        let newest = self.model.streams.back();
        newest.map(|stream| stream.response.number)
    }

    fn is_newest(&self) -> bool {
        let stream = self.model.filter.stream;
        stream.is_none() || stream == self.newest()
    }

    /// The newest frame, and what comes after it.
    pub(super) fn follow(&mut self, cx: &Cx) {
        if self.pane == Pane::Detail {
            self.detail.end();
        }
        if self.replay.is_none() {
            (self.paused, self.fresh) = (false, 0);
            if !self.together {
                self.filter_stream(self.newest());
            }
        }
        self.select_last();
        self.refresh(cx);
    }
    // Responses.

    /// Shows the frames of this response alone, or of all.
    pub(super) fn filter_stream(&mut self, stream: Option<u64>) {
        let filter = Filter {
            stream,
            ..self.model.filter.clone()
        };
        self.model.set_filter(filter);
        self.search_again();
    }

    pub(super) fn step_stream(&mut self, by: isize, cx: &Cx) {
        let streams = &self.model.streams;
        let Some(last) = streams.len().checked_sub(1) else {
            return;
        };
        let number = self.stream().map(|s| s.response.number);
        let at = streams
            .iter()
            .position(|s| Some(s.response.number) == number);
        let next = at.unwrap_or(last).saturating_add_signed(by).min(last);
        if let Some(number) = streams.get(next).map(|s| s.response.number) {
            self.choose_stream(number, cx);
        }
    }

    fn choose_stream(&mut self, number: u64, cx: &Cx) {
        self.end_replay(cx);
        self.together = false;
        self.filter_stream(Some(number));
        self.select_last();
        if !self.is_newest() {
            // It is over: read from its beginning.
            self.list.home(self.model.rows());
        }
        self.moved(cx);
    }

    pub(super) fn all_together(&mut self, cx: &Cx) {
        self.end_replay(cx);
        let at = self.selected().map(|f| (f.sequence(), f.stream()));
        self.together = !self.together;
        let stream = (!self.together).then(|| at.map(|(_, stream)| stream));
        self.filter_stream(stream.flatten());
        match at.filter(|_| self.paused) {
            Some((sequence, _)) => {
                self.select_frame(Some(sequence));
                self.list.centre();
            }
            None => self.select_last(),
        }
        self.refresh(cx);
    }

    // Kinds.

    pub(super) fn choose_kinds(&mut self) {
        let hidden = &self.model.filter.hidden;
        let mut kinds = self.model.kinds();
        for kind in hidden {
            kinds.entry(kind.clone()).or_default();
        }
        let kinds = kinds.into_iter().map(|(kind, count)| {
            let shown = !hidden.contains(&kind);
            (kind, Some(count as u64), shown)
        });
        self.kinds = Some(Switches::new(kinds));
    }

    pub(super) fn hide(&mut self, hidden: BTreeSet<String>, cx: &Cx) {
        let at = self.selected().map(Frame::sequence);
        let stream = self.model.filter.stream;
        self.model.set_filter(Filter { stream, hidden });
        self.search_again();
        if self.paused {
            self.select_frame(at);
        } else {
            self.select_last();
        }
        self.refresh(cx);
    }

    // Searching.

    pub(super) fn finds(&self, sequence: u64) -> bool {
        let found = self.search.as_ref().map(|search| &search.found);
        found.is_some_and(|found| found.binary_search(&sequence).is_ok())
    }

    pub(super) fn end_search(&mut self) {
        self.search = None;
        let _ = self.detail.search("", false);
    }

    pub(super) fn search_for(&mut self, needle: Needle) -> Result<(), String> {
        self.end_search();
        if needle.text.is_empty() {
            return Ok(());
        }
        let regex = expression(&needle.pattern())
            .map_err(|why| format!("{:?} is no expression: {why}", needle.text))?;
        let _ = self.detail.search(&needle.text, needle.is_expression);
        self.search = Some(Search {
            needle,
            regex,
            found: VecDeque::new(),
        });
        self.search_again();
        Ok(())
    }

    /// All rows are looked at anew.
    pub(super) fn search_again(&mut self) {
        if let Some(search) = &mut self.search {
            search.found.clear();
        }
        self.search_in_last(self.model.rows());
    }

    /// Looks at the last rows.
    pub(super) fn search_in_last(&mut self, rows: usize) {
        let Some(search) = &mut self.search else {
            return;
        };
        let len = self.model.rows();
        for row in len.saturating_sub(rows)..len {
            if let Some(frame) = self.model.at(row)
                && matches(frame.shown(self.secrets), &search.regex)
            {
                search.found.push_back(frame.sequence());
            }
        }
    }

    pub(super) fn next_match(&mut self, back: bool, cx: &Cx) {
        if self.search.is_none() {
            return;
        }
        let is_found = |frame: &Frame| self.finds(frame.sequence());
        let found = self.model.find(self.list.selected(), back, is_found);
        if found.is_some() || self.line.is_none() {
            self.jump(found, "No frame that is shown has it.", cx);
        }
    }

    pub(super) fn next_notable(&mut self, back: bool, cx: &Cx) {
        let is_notable = |frame: &Frame| is_bad(&frame.kept.record) || frame.is_stalled();
        let found = self.model.find(self.list.selected(), back, is_notable);
        let none = "No frame here tells of an error, and none came after a pause of 3 s.";
        self.jump(found, none, cx);
    }

    fn jump(&mut self, row: Option<usize>, none: &str, cx: &Cx) {
        if row.is_none() {
            return cx.info(none);
        }
        self.list.select(row);
        self.moved(cx);
    }

    // Replaying.

    pub(super) fn start_replay(&mut self, cx: &Cx) {
        if self.replay.is_some() {
            self.end_replay(cx);
            return;
        }
        let Some(first) = self.model.at(0).map(Frame::sequence) else {
            return;
        };
        let waits = schedule(&self.model, first);
        let frames = self.model.frames.iter();
        if frames.clone().all(|frame| frame.kept.record.time.is_none()) {
            cx.info(format!(
                "This capture has no times: a frame comes every {BLIND} ms."
            ));
        } else if waits.iter().all(|(_, wait)| *wait == 0) {
            cx.info("All frames have the same time: they come at once.");
        }
        self.replay = Some(Replay {
            at: first,
            speed: 1,
            paused: false,
        });
        self.model.set_until(Some(first));
        self.search_again();
        self.select_last();
        self.play(cx);
    }

    /// From here on, at the present pace.
    pub(super) fn play(&mut self, cx: &Cx) {
        let Some(replay) = self.replay else { return };
        if replay.paused {
            cx.end_work(REPLAY);
        } else {
            let frames = schedule(&self.model, replay.at);
            cx.work(REPLAY, move |teller| {
                play(&frames, replay.speed, teller.cancel(), |due| {
                    teller.call(move |s: &mut Self, cx| {
                        s.came(due);
                        s.refresh(cx);
                    })
                });
            });
        }
        self.refresh(cx);
    }

    /// A frame has come again.
    pub(super) fn came(&mut self, sequence: u64) {
        let Some(replay) = &mut self.replay else {
            return;
        };
        replay.at = sequence;
        let before = self.model.rows();
        self.model.set_until(Some(sequence));
        if self.list.selected().is_none_or(|row| row + 1 >= before) {
            self.list.end(self.model.rows());
        }
        replay.paused |= self.model.from(sequence + 1).next().is_none();
        self.search_in_last(self.model.rows().saturating_sub(before));
    }

    pub(super) fn step_replay(&mut self, cx: &Cx) {
        let Some(replay) = &mut self.replay else {
            return;
        };
        replay.paused = true;
        let next = self.model.from(replay.at + 1).map(Frame::sequence).next();
        match next {
            Some(sequence) => {
                self.came(sequence);
                self.select_last();
            }
            None => cx.info("That was the last frame: Esc ends the replay."),
        }
        self.play(cx);
    }

    pub(super) fn set_pace(&mut self, faster: bool, cx: &Cx) {
        if let Some(replay) = &mut self.replay {
            replay.speed = if faster {
                (replay.speed * 2).min(FASTEST)
            } else {
                (replay.speed / 2).max(1)
            };
        }
        self.play(cx);
    }

    pub(super) fn end_replay(&mut self, cx: &Cx) -> bool {
        if self.replay.take().is_none() {
            return false;
        }
        cx.end_work(REPLAY);
        let at = self.selected().map(Frame::sequence);
        self.model.set_until(None);
        self.search_again();
        self.select_frame(at);
        self.moved(cx);
        true
    }
}

/// Rows of a page of streams, and one to hold on to.
const STREAMS: usize = 11;

impl Scrolls for SseRoute {
    fn scrolled(&mut self) -> Scrolled<'_> {
        if self.source.is_none() {
            let len = self.recorded.as_ref().map_or(0, Vec::len);
            return Scrolled::Rows(&mut self.sources, len);
        }
        match self.pane {
            Pane::Streams => Scrolled::Rows(&mut self.streams, self.model.streams.len()),
            Pane::Frames => Scrolled::Rows(&mut self.list, self.model.rows()),
            Pane::Detail => Scrolled::Text(&mut self.detail),
        }
    }

    fn walk(&mut self, step: Step, cx: &Cx) {
        if step == Step::Last {
            return self.follow(cx);
        }
        let is_row = matches!(step, Step::Rows(_));
        if self.pane == Pane::Streams && (self.source.is_some() || !is_row) {
            return self.step_stream(step.rows(STREAMS), cx);
        }
        self.scrolled().walk(step);
        if self.source.is_some() && self.pane == Pane::Frames {
            self.moved(cx);
        }
    }

    fn roll(&mut self, at: (u16, u16), by: isize, _cx: &Cx) {
        match tabs::at(&self.places, at) {
            Some(Pane::Detail) => self.detail.scroll_by(by),
            Some(Pane::Streams) => self.streams.scroll_by(by, self.model.streams.len()),
            Some(Pane::Frames) => {
                self.list.scroll_by(by, self.model.rows());
                self.paused |= by < 0 && self.replay.is_none();
            }
            None => {}
        }
    }

    fn click(&mut self, (column, line): (u16, u16), cx: &Cx) -> bool {
        if let Some(tab) = tabs::at(&self.tabs, (column, line)) {
            let mode = Mode::ALL.get(tab).copied().unwrap_or_default();
            self.pane = Pane::Detail;
            self.set_mode(mode, cx);
            return true;
        }
        if self.source.is_none() {
            if let Some(row) = self.sources.row_at(column, line) {
                if self.sources.selected() == Some(row) {
                    self.enter(cx);
                } else {
                    self.sources.select(Some(row));
                }
            }
            return true;
        }
        let Some(pane) = tabs::at(&self.places, (column, line)) else {
            return true;
        };
        self.pane = pane;
        match pane {
            Pane::Streams => {
                let row = self.streams.row_at(column, line);
                let stream = row.and_then(|row| self.model.streams.get(row));
                if let Some(number) = stream.map(|s| s.response.number) {
                    self.choose_stream(number, cx);
                }
            }
            Pane::Frames => {
                if let Some(row) = self.list.row_at(column, line) {
                    self.list.select(Some(row));
                    self.moved(cx);
                }
            }
            Pane::Detail => {}
        }
        true
    }
}
