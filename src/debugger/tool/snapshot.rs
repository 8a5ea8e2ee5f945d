//! Where a program stands, in one answer: why it stopped, the lines around, frames, locals and what changed in them, watches, and what
//! was printed since the last stop that was told.

use std::sync::MutexGuard;

use base::text::sanitise::sanitise_block;

use super::{
    arguments::Arguments,
    done::ActionOutput,
    row::{ALWAYS, ActionRow, rows},
    summary::Summary,
    text::{one_line, place},
    turn::{Turn, no_session},
};
use crate::prelude::*;

rows! {
    ALWAYS "snapshot" snapshot "All about where the program stands, in one answer: why it stopped, the lines around, the frames, the locals and what changed in them, watches, and what was printed since the last stop.";
}

/// Lines of the source before and after the one where the program stands.
const AROUND: i64 = 5;
/// Frames that are told; those of libraries are only counted.
const FRAMES: usize = 5;
/// Locals that are told.
const LOCALS: usize = 40;
/// Characters of one value.
const VALUE: usize = 160;
/// Lines of output that are told.
const PRINTED: usize = 20;
/// How long locals may take that are on their way.
const LOADING: Duration = Duration::from_secs(2);

/// What was told of each session, so that the next answer can say what changed. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct LastSnapshots(Arc<Mutex<BTreeMap<SessionId, [LastStop; 2]>>>);

/// A stop as it was told.
#[derive(Clone, Debug, Default)]
struct LastStop {
    stop: StopId,
    function: String,
    values: BTreeMap<String, String>,
    printed: u64,
}

impl LastSnapshots {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, [LastStop; 2]>> {
        lock(&self.0)
    }

    /// What was told of the stop before this one, however often this one is asked about.
    fn before(&self, session: SessionId, stop: StopId) -> LastStop {
        let all = self.lock();
        let Some([earlier, last]) = all.get(&session) else {
            return LastStop::default();
        };
        if last.stop == stop { earlier } else { last }.clone()
    }

    /// Up to where output was told with the last stop.
    fn printed(&self, session: SessionId, now: u64) -> u64 {
        self.lock()
            .get(&session)
            .map_or(0, |[_, last]| last.printed.min(now))
    }

    fn keep(&self, session: SessionId, look: LastStop) {
        let mut all = self.lock();
        let [earlier, last] = all.entry(session).or_default();
        if last.stop != look.stop {
            *earlier = mem::take(last);
        }
        *last = look;
    }
}

async fn snapshot(turn: &mut Turn, _: &Arguments) -> Result<ActionOutput> {
    let id = turn.meant().ok_or_else(no_session)?.id;
    let loading = (Instant::now() + LOADING).min(turn.deadline());
    turn.until(loading, |state| is_loaded(state, id).then_some(()))
        .await?;
    let session = turn.state.session(id).cloned().ok_or_else(no_session)?;
    let mut out = Sheet::default();
    let Some(stop) = session.current_stop() else {
        Summary::of(&turn.state, &session)
            .lines()
            .iter()
            .for_each(|line| out.line(line));
        let before = turn.seen.printed(id, session.output.total_bytes);
        out.printed(turn, &session, before);
        return Ok(ActionOutput::new(out.text).about(id));
    };
    let before = turn.seen.before(id, stop.id);
    let why = [&stop.text, &stop.description];
    let why = why.into_iter().flatten().find(|said| **said != stop.reason);
    out.line(format!(
        "{id} {} stopped: {}{} (stop {}, thread {})",
        one_line(&session.name),
        one_line(&stop.reason),
        why.map(|why| format!(": {}", short(why)))
            .unwrap_or_default(),
        stop.id.0,
        session.current_thread().unwrap_or_default(),
    ));
    if let Some(exception) = &stop.exception {
        let said = exception.description.as_deref().unwrap_or_default();
        out.line(format!(
            "exception: {} {}",
            short(&exception.exception_id),
            short(said)
        ));
    }
    let frame = session.current_frame();
    if let Some(frame) = frame {
        out.line(format!("at {} in {}", place(frame), one_line(&frame.name)));
        lines_around(turn, &session, frame, &mut out).await;
    }
    frames(&session, &mut out);
    let mut values = BTreeMap::new();
    let function = frame.map(|f| f.name.clone()).unwrap_or_default();
    let known = Some(&before.values).filter(|_| before.function == function);
    let number = locals(&session).count();
    let mut locals: Vec<_> = locals(&session).take(LOCALS).cloned().collect();
    if let Some(command) = Command::previews(Some(id), stop.id, &locals)
        && let Ok(Reply::Variables { variables }) = turn.ask(command).await
    {
        locals = variables;
    }
    out.heading("locals", number);
    for local in &locals {
        let value = turn.discretion.value(&local.name, local.shown().to_owned());
        let value = short(&value);
        let was = known.and_then(|known| known.get(&local.name));
        let change = match (known, was) {
            (Some(_), Some(was)) if *was != value => format!("  (was {was})"),
            (Some(_), None) => "  (new)".to_owned(),
            _ => String::new(),
        };
        let reference = local.variables_reference;
        let parts = (reference > 0).then(|| format!(" [ref={reference}]"));
        out.line(format!(
            "  {} = {value}{}{change}",
            one_line(&local.name),
            parts.unwrap_or_default()
        ));
        out.add("locals", json!({"name": local.name, "value": value, "type": local.type_, "ref": reference, "was": was.filter(|was| **was != value)}));
        values.insert(local.name.clone(), value);
    }
    for watch in &turn.state.watches {
        if let Some(value) = stop.watches.get(&watch.id) {
            let told = match &value.result {
                Outcome::Value(text) => turn.discretion.value(&watch.expression, text.clone()),
                Outcome::Error(why) => format!("({why})"),
            };
            out.line(format!(
                "watch {} = {}",
                one_line(&watch.expression),
                short(&told)
            ));
        }
    }
    out.printed(turn, &session, before.printed);
    let look = LastStop {
        stop: stop.id,
        function,
        values,
        printed: session.output.total_bytes,
    };
    turn.seen.keep(id, look);
    let mut done = ActionOutput::new(out.text)
        .about(id)
        .with("stop", stop.id.0);
    done.fields.extend(out.fields);
    Ok(done)
}

/// Whether what is told of a stop has come, as far as it can.
fn is_loaded(state: &State, id: SessionId) -> bool {
    let Some(stop) = state.session(id).and_then(Session::current_stop) else {
        return true;
    };
    let Some(frame) = stop.selected else {
        return stop.trouble.is_some();
    };
    stop.frames.contains_key(&frame.frame_id)
}

/// Text and fields, as they grow.
#[derive(Default)]
struct Sheet {
    text: String,
    fields: Map<String, Value>,
}

impl Sheet {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&sanitise_block(line.as_ref()));
        self.text.push('\n');
    }

    /// Nothing, where nothing follows.
    fn heading(&mut self, title: &str, number: usize) {
        if number > 0 {
            self.line(format!("{title} ({number}):"));
        }
    }

    fn printed(&mut self, turn: &Turn, session: &Session, after: u64) {
        let lines = printed(session, after);
        self.heading("printed since", lines.len());
        for line in lines {
            self.line(format!("  {}", turn.discretion.text(line)));
        }
    }

    fn add(&mut self, list: &str, value: Value) {
        let list = self.fields.entry(list).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(value);
        }
    }
}

fn short(text: &str) -> String {
    // Of a function its head: what it does is in the source.
    let head = text.lines().next().filter(|line| line.contains("ƒ "));
    let line = one_line(head.unwrap_or(text));
    match line.char_indices().nth(VALUE) {
        Some((end, _)) => format!(
            "{}… ({} bytes)",
            line.get(..end).unwrap_or_default(),
            text.len()
        ),
        None => line,
    }
}

async fn lines_around(turn: &mut Turn, session: &Session, frame: &StackFrame, out: &mut Sheet) {
    let Some(source) = &frame.source else { return };
    let first = (frame.line - AROUND).max(1);
    let Ok(lines) = lines(turn, Some(session.id), source, first, 2 * AROUND + 1).await else {
        return;
    };
    for (number, line) in lines {
        let arrow = if number == frame.line { "->" } else { "  " };
        out.line(format!("{arrow} {number:>4} {line}"));
    }
}

/// Lines of a source, with their numbers.
pub async fn lines(
    turn: &mut Turn,
    session: Option<SessionId>,
    source: &Source,
    first: i64,
    count: i64,
) -> Result<Vec<(i64, String)>> {
    let command = Command::Source {
        session,
        source: Box::new(source.clone()),
    };
    let content = match turn.ask(command).await? {
        Reply::Source { content, .. } => content,
        other => return Err(other.unexpected()),
    };
    let content = turn.discretion.text(content);
    let numbered = (1..).zip(content.lines());
    let wanted = numbered.skip_while(|(number, _)| *number < first);
    let count = usize::try_from(count).unwrap_or_default();
    Ok(wanted
        .take(count)
        .map(|(number, line)| (number, line.chars().take(400).collect()))
        .collect())
}

fn frames(session: &Session, out: &mut Sheet) {
    let thread = session.current_thread().unwrap_or_default();
    let stop = session.current_stop();
    let Some(stack) = stop.and_then(|stop| stop.stacks.get(&thread)) else {
        return;
    };
    let is_own = |frame: &&StackFrame| {
        let hints = [
            frame.presentation_hint.as_deref(),
            frame
                .source
                .as_ref()
                .and_then(|s| s.presentation_hint.as_deref()),
        ];
        !hints
            .iter()
            .any(|hint| matches!(hint, Some("subtle" | "deemphasize" | "label")))
    };
    let own: Vec<_> = stack.frames.iter().filter(is_own).collect();
    out.heading("frames", own.len());
    let below = format!("{}/", session.cwd.display());
    for frame in own.iter().take(FRAMES) {
        let place = place(frame);
        out.line(format!(
            "  #{} {} {}",
            frame.id,
            one_line(&frame.name),
            place.strip_prefix(&below).unwrap_or(&place)
        ));
        out.add(
            "frames",
            json!({"id": frame.id, "name": frame.name, "place": place}),
        );
    }
    let left = own.len().saturating_sub(FRAMES);
    let hidden = stack.frames.len() - own.len();
    match (left, hidden) {
        (0, 0) => {}
        (0, _) => out.line(format!("  … {hidden} of libraries")),
        _ => out.line(format!("  … {left} more, {hidden} of libraries")),
    }
}

fn locals(session: &Session) -> impl Iterator<Item = &Variable> {
    let stop = session.current_stop();
    let frame = stop.and_then(|stop| Some(stop.frames.get(&stop.selected?.frame_id)));
    let scopes = frame.flatten().into_iter().flat_map(|frame| &frame.scopes);
    let all = scopes.flat_map(|scope| scope.variables.iter().flatten());
    // Groups that an adapter makes say nothing until they are opened.
    all.filter(|variable| !variable.shown().is_empty())
}

/// The last lines of what was printed after that many bytes.
fn printed(session: &Session, after: u64) -> Vec<String> {
    let mut left = session.output.total_bytes.saturating_sub(after);
    let mut lines = Vec::new();
    for line in session.output.lines().iter().rev() {
        if left == 0 || lines.len() == PRINTED {
            break;
        }
        left = left.saturating_sub(line.text.len() as u64 + 1);
        lines.push(line.text.chars().take(400).collect());
    }
    lines.reverse();
    lines
}
