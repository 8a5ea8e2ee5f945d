//! A value beside another one: of an earlier stop, as far as that was kept, of another frame or thread, or of another expression.

use super::{frames::is_own, prelude::*};
use crate::{
    command::VariablesFilter,
    data::compare::{Other, WHOLE, compare, of_parts},
    history::{SharedPages, shown_frame},
    previews::is_plumbing,
};

/// Frames among which one is looked for in another thread, and characters of a text that are compared.
const FRAMES: i64 = 40;
const MOST_TEXT: u64 = 100_000;

impl Owner {
    /// Looks as whoever asked, as for why a program hangs: each part of it is judged as theirs.
    pub fn compare(
        &self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
        expression: String,
        query: Query,
    ) -> Handled {
        let at = self.evaluated_in(session, frame_id)?;
        let other = Other::read(query.compare.as_deref().unwrap_or_default());
        let stop = at.stop.ok_or_else(stale)?;
        let of = other.expression.as_deref().unwrap_or(&expression);
        let kept = other.stop.map(|number| self.kept(at.session, number, of));
        let kept = kept.transpose()?;
        let side = Side {
            core: self.handle("data")?,
            session: at.session,
            stop,
            frame_id: at.frame_id,
            expression,
        };
        later(async move {
            let data = Box::new(side.beside(other, kept, query).await?);
            Ok(Reply::Data { data })
        })
    }

    /// What was kept of an expression at an earlier stop.
    fn kept(&self, id: SessionId, number: u64, expression: &str) -> Result<EarlierValue> {
        let none = History::default();
        let history = self.histories.get(&id).unwrap_or(&none);
        let found = history.find(number, None);
        let stop = found?.stop;
        let mut all = self.hub.state.watches.iter();
        let watch = all.find(|watch| watch.expression == expression);
        let seen = watch.and_then(|watch| stop.watches.get(&watch.id));
        let value = variable(&stop, expression).or_else(|| {
            let Outcome::Value(value) = &seen?.result else {
                return None;
            };
            let kind = seen?.type_name.clone().unwrap_or_default();
            let shown = seen?.preview.as_ref().unwrap_or(value);
            Some((kind, shown.clone(), seen?.variables_reference))
        });
        let function = shown_frame(&stop).map(|frame| format!(" ({})", frame.name));
        Ok(EarlierValue {
            with: format!("stop {number}{}", function.unwrap_or_default()),
            value,
            pages: history.pages_of(stop.id).unwrap_or_default(),
        })
    }
}

/// What it is, what it shows, and the reference of its parts.
type ShownValue = (String, String, i64);

/// A local of a stop, of the frame that was shown before all others.
fn variable(stop: &Stop, name: &str) -> Option<ShownValue> {
    let first = shown_frame(stop).and_then(|frame| stop.frames.get(&frame.id));
    let frames = first.into_iter().chain(stop.frames.values());
    let scopes = frames.flat_map(|frame| &frame.scopes);
    let mut variables = scopes.filter_map(|s| s.variables.as_ref()).flatten();
    let found = variables.find(|v| v.name == name || v.evaluate_name.as_deref() == Some(name))?;
    let kind = found.type_.clone().unwrap_or_default();
    Some((kind, found.shown().to_owned(), found.variables_reference))
}

/// What there is of a value at an earlier stop.
struct EarlierValue {
    /// Which one that is.
    with: String,
    value: Option<ShownValue>,
    pages: SharedPages,
}

/// A value that can be asked for.
#[derive(Clone)]
struct Side {
    core: CoreHandle,
    session: SessionId,
    stop: StopId,
    frame_id: Option<i64>,
    expression: String,
}

impl Side {
    async fn beside(&self, other: Other, kept: Option<EarlierValue>, query: Query) -> Result<Data> {
        let query = Query {
            compare: None,
            view: query
                .view
                .filter(|view| [View::Text, View::Bytes].contains(view)),
            ..query
        };
        let of = other.expression.clone();
        let of = of.unwrap_or_else(|| self.expression.clone());
        let Some(kept) = kept else {
            let (there, with) = self.there(&other, of).await?;
            let (was, now) = (there.data(&query).await?, self.data(&query).await?);
            let (was, now) = if [&was, &now].iter().any(|d| d.content == Content::None) {
                (there.parts(true).await?, self.parts(true).await?)
            } else {
                (was, now)
            };
            return Ok(compare(&was, &now, &with, &query));
        };
        let now = self.data(&query).await?;
        let page = lock(&kept.pages).data(&of, &query, &now);
        if let Some(was) = page {
            let mut query = query;
            if let Content::Table(table) = &was.content {
                let (from, until) = (query.rows.0, table.first + table.rows.len() as u64);
                if table.rows.is_empty() && table.total > from {
                    let text = format!("The rows from {from} on were not read at {}.", kept.with);
                    return Err(DebuggerError::usage(text));
                }
                if until < table.total {
                    query.rows.1 = query.rows.1.min(until);
                }
            }
            return Ok(compare(&was, &now, &kept.with, &query));
        }
        let (kind, value, reference) = kept.value.ok_or_else(|| {
            let text = format!("Nothing was kept of {of} at {}.", kept.with);
            DebuggerError::usage(text).hint(
                "what was in sight at a stop is kept: locals, watches, and what was viewed as data",
            )
        })?;
        let opened = lock(&kept.pages).find(reference, None).map(parts);
        let mut now = self.parts(opened.is_some()).await?;
        if opened.is_none() && reference > 0 {
            let with = &kept.with;
            now.notes.push(format!(
                "Only the line that showed it was kept at {with}: what is viewed as data there keeps its rows."
            ));
        }
        Ok(compare(
            &of_parts(kind, value, opened),
            &now,
            &kept.with,
            &query,
        ))
    }

    /// The place that is meant by another thread or frame, and how it is called.
    async fn there(&self, other: &Other, of: String) -> Result<(Self, String)> {
        let session = Some(self.session);
        if other.thread.is_some() {
            let (thread, levels) = (other.thread, FRAMES);
            let command = Command::StackTrace {
                session,
                thread,
                levels,
            };
            self.core.request(command).await?;
        }
        let (state, _) = self.core.subscribe().await.ok_or_else(stale)?;
        let stop = state.session(self.session).and_then(Session::current_stop);
        let stop = stop.filter(|stop| stop.id == self.stop).ok_or_else(stale)?;
        let all = || stop.stacks.values().flat_map(|stack| &stack.frames);
        let here = all().find(|frame| Some(frame.id) == self.frame_id);
        let selected = stop.selected.map(|frame| frame.thread_id);
        let thread = other.thread.or(selected).unwrap_or_default();
        let frames = stop
            .stacks
            .get(&thread)
            .map_or(&[][..], |stack| &stack.frames);
        // In another thread the same function is meant, where it is there, or the innermost of the person's own.
        let alike = || {
            frames
                .iter()
                .find(|frame| here.is_some_and(|here| here.name == frame.name))
        };
        let own = || frames.iter().find(|frame| is_own(frame));
        let frame = match (other.frame, other.thread) {
            (Some(at), _) => frames.get(at),
            (None, Some(_)) => alike().or_else(own).or_else(|| frames.first()),
            (None, None) => here,
        };
        let is_elsewhere = other.frame.is_some() || other.thread.is_some();
        if frame.is_none() && is_elsewhere {
            let text = format!("There is no such frame in thread {thread}.");
            return Err(DebuggerError::usage(text).hint("frame 0 is the innermost"));
        }
        let mut with = other
            .thread
            .map_or_else(String::new, |thread| format!("thread {thread} "));
        if let Some(frame) = frame.filter(|_| is_elsewhere) {
            with += &frame.name;
        }
        if other.expression.is_some() {
            with = format!("{with} {of}");
        }
        let frame_id = frame.map(|frame| frame.id).or(self.frame_id);
        let there = Self {
            frame_id,
            expression: of,
            ..self.clone()
        };
        Ok((there, with.trim().to_owned()))
    }

    /// A page of it as data; all of it where that is not much.
    async fn data(&self, query: &Query) -> Result<Data> {
        let data = self.page(query).await?;
        let rows = match &data.content {
            Content::Table(table) if table.total <= WHOLE => (0, WHOLE),
            Content::Text(_) | Content::Bytes(_) => (0, MOST_TEXT),
            _ => return Ok(data),
        };
        let view = data.view;
        let query = Query {
            view,
            rows,
            ..query.clone()
        };
        self.page(&query).await
    }

    async fn page(&self, query: &Query) -> Result<Data> {
        let command = Command::Data {
            session: Some(self.session),
            frame_id: self.frame_id,
            expression: self.expression.clone(),
            query: query.clone(),
        };
        match self.core.request(command).await? {
            Reply::Data { data } => Ok(*data),
            _ => Err(stale()),
        }
    }

    /// What a tree shows of it: its parts, or without those one line.
    async fn parts(&self, opened: bool) -> Result<Data> {
        let command = Command::Evaluate {
            session: Some(self.session),
            frame_id: self.frame_id,
            expression: self.expression.clone(),
            context: "watch".to_owned(),
        };
        let Reply::Value { value } = self.core.request(command).await? else {
            return Err(stale());
        };
        let most = WHOLE as i64;
        let command = Command::Variables {
            session: Some(self.session),
            stop: self.stop,
            reference: value.variables_reference,
            page: value
                .indexed_variables
                .filter(|all| *all > most)
                .map(|_| Page {
                    filter: VariablesFilter::Indexed,
                    start: 0,
                    count: most,
                }),
        };
        let opened = if opened && value.variables_reference > 0 {
            match self.core.request(command).await? {
                Reply::Variables { variables } => Some(parts(&variables)),
                _ => return Err(stale()),
            }
        } else {
            None
        };
        let kind = value.type_name.unwrap_or_default();
        Ok(of_parts(
            kind,
            value.preview.unwrap_or(value.result),
            opened,
        ))
    }
}

/// Names of parts, and what they show.
fn parts(variables: &[Variable]) -> Vec<(String, String)> {
    let parts = variables.iter().filter(|part| !is_plumbing(&part.name));
    parts
        .map(|part| (part.name.clone(), part.shown().to_owned()))
        .collect()
}
