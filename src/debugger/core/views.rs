//! Values as data ([`crate::data`]): asked of the program in its own language where that is possible, else put together of parts.

use super::{
    evaluations::evaluation,
    prelude::*,
    walk::{shown as text_of, variable},
};
use crate::{
    data::{
        self, Column, Piece, code,
        parts::{Rows, cell},
        place,
    },
    pattern::reworded,
    previews::{
        is_plumbing, is_position, key_of,
        path::{Shape, shape},
        position, short_type,
    },
};

/// Of a limit for evaluations, what the program itself may take for a page: its answer is to come before it is given up.
const ITS_OWN: f64 = 0.8;
/// Rows that are read where a table has to be sorted, searched or summed up here.
const MOST_ROWS: u64 = 1_000;
/// Rows of a page at most.
const MOST_OF_A_PAGE: u64 = 500;
/// Records that are opened together; more only while half of the time is left.
const BATCH: usize = 100;
/// Columns that are put together.
const MOST_COLUMNS: usize = 200;
/// How long cells are looked into for what they show.
const LOOKING: Duration = Duration::from_millis(500);
/// Wrappers in wrappers that are looked through.
const MOST_WRAPPERS: usize = 6;

impl Owner {
    /// A page of a value.
    pub fn data(
        &self,
        session: Option<SessionId>,
        frame_id: Option<i64>,
        expression: String,
        query: Query,
    ) -> Handled {
        query.check()?;
        if query.compare.is_some() {
            return self.compare(session, frame_id, expression, query);
        }
        let at = self.evaluated_in(session, frame_id)?;
        let (id, stop) = (at.session, at.stop.ok_or_else(stale)?);
        let (_, personality) = self.client_and_personality(id).ok_or_else(gone)?;
        let opened = self.histories.get(&id).map(History::opened);
        let limit = self.config.settings.eval_timeout;
        let language = personality.data;
        let text = match language {
            Some(language) => {
                let seconds = (limit.as_secs_f64() * ITS_OWN * 10.0).round() / 10.0;
                code::expression(language, &expression, &query, seconds, &stop.to_string())
            }
            None => expression.clone(),
        };
        let context = if language.is_some() && at.untruncated {
            "clipboard"
        } else {
            personality.evaluate_context("watch")
        };
        let arguments = EvaluateArguments {
            expression: text,
            frame_id: at.frame_id,
            context: Some(context.to_owned()),
            format: at.format,
            ..EvaluateArguments::default()
        };
        evaluation(id, Some(stop), arguments, false, move |owner, outcome| {
            let value = outcome.told(&expression, &personality)?;
            let by_parts = language.is_none();
            let follow = by_parts.then(|| owner.follow_at(Some(id), stop));
            let follow = follow.transpose()?;
            later(async move {
                let data = if let Some(follow) = follow {
                    let read = follow.data(&expression, value, &query, limit);
                    let data = timeout(limit, read).await;
                    data.unwrap_or_else(|_elapsed| {
                        let text = format!("This takes longer than {} s.", limit.as_secs_f64());
                        Err(DebuggerError::timeout(text))
                    })?
                } else {
                    code::read(&value.result).map_err(|error| {
                        // Some debuggers answer with what was raised.
                        if code::is_answer(&value.result) {
                            return error;
                        }
                        let (what, details) = personality.evaluation_error(&value.result);
                        DebuggerError {
                            details,
                            ..DebuggerError::adapter(what)
                        }
                    })?
                };
                if let Some(opened) = opened {
                    lock(&opened).keep_data(&expression, &query, &data);
                }
                let data = Box::new(data);
                Ok(Reply::Data { data })
            })
        })
    }
}

/// What the rows of a table are read from.
struct Source {
    of: Variable,
    shape: Shape,
    total: u64,
    /// What was told of the parts already, all of them.
    all: Option<Vec<Variable>>,
}

impl Follow {
    /// A page of what an expression came to, put together of its parts.
    async fn data(
        &self,
        expression: &str,
        value: EvaluateResponse,
        query: &Query,
        limit: Duration,
    ) -> Result<Data> {
        let enough = Instant::now() + limit / 2;
        let value = variable(expression, value);
        let kind = short_type(value.type_.as_deref().unwrap_or_default());
        let own = [value.preview.as_deref(), Some(value.value.trim())];
        let as_text = |text| cell(text).as_str().map(str::to_owned);
        let text = own.into_iter().flatten().find_map(as_text);
        let source = match text {
            Some(_) => None,
            None => self.source(value).await?,
        };
        let mut data = Data {
            kind,
            ..Data::default()
        };
        let Some(source) = source else {
            let Some(text) = text else {
                can_be(&data, query.view.filter(|view| *view != View::Tree))?;
                return Ok(Data::tree(data.kind));
            };
            data.views = vec![View::Text];
            data.view = Some(View::Text);
            can_be(&data, query.view)?;
            let length = text.chars().count() as u64;
            data.shape = Some(length.to_string());
            data.notes = vec![
                "The text is as the debugger shows it, which may be its beginning.".to_owned(),
            ];
            let (from, to) = (place(query.rows.0), place(query.rows.1));
            data.content = Content::Text(Piece {
                first: query.rows.0.min(length),
                total: length,
                data: text
                    .chars()
                    .skip(from)
                    .take(to.saturating_sub(from))
                    .collect(),
                ..Piece::default()
            });
            return Ok(data);
        };
        let total = source.total;
        let view = query.view.unwrap_or(View::Table);
        let reorders = query.sort.is_some() || query.filter.is_some();
        let whole = reorders || view != View::Table;
        let (from, to) = if whole {
            (0, MOST_ROWS)
        } else {
            (
                query.rows.0,
                query
                    .rows
                    .1
                    .min(query.rows.0.saturating_add(MOST_OF_A_PAGE)),
            )
        };
        let rows = self
            .rows(source, (from.min(total), to.min(total)), !whole, enough)
            .await?;
        data.views = vec![View::Table, View::Stats];
        if rows.numbers().is_some() {
            data.views.push(View::Series);
        }
        can_be(&data, Some(view))?;
        data.view = Some(view);
        data.shape = Some(match rows.columns.len() {
            1 => total.to_string(),
            wide => format!("{total} × {wide}"),
        });
        let read = rows.rows.len() as u64;
        if read < to.min(total).saturating_sub(from) || whole && total > MOST_ROWS {
            data.notes
                .push(format!("Of the first {} of {total} rows.", from + read));
        }
        let rows = if reorders { rows.ordered(query)? } else { rows };
        data.content = rows.seen(view, query)?;
        if let Content::Table(table) = &mut data.content {
            table.all = total;
        }
        Ok(data)
    }

    /// Where rows are to be found: in the value, or behind what wraps it.
    async fn source(&self, value: Variable) -> Result<Option<Source>> {
        let mut of = value;
        for _ in 0..MOST_WRAPPERS {
            if of.variables_reference == 0 {
                return Ok(None);
            }
            let shape = shape(&Part::from(&of));
            let announced =
                |of: &Variable| of.indexed_variables.and_then(|n| u64::try_from(n).ok());
            match &shape {
                Shape::List(size) | Shape::Map(size) | Shape::Pairs(size) => {
                    let size = size
                        .map(|size| size as u64)
                        .or_else(|| announced(&of).filter(|n| *n > 0));
                    let (all, total) = if let Some(size) = size {
                        (None, size)
                    } else {
                        let all = self.elements(&of, None).await?;
                        let total = all.len() as u64;
                        (Some(all), total)
                    };
                    return Ok(Some(Source {
                        of,
                        shape,
                        total,
                        all,
                    }));
                }
                Shape::Plain => {
                    let all = self.elements(&of, None).await?;
                    let counted = all.len() > 1 && all.iter().all(|part| is_position(&part.name));
                    let records =
                        all.len() > 1 && all.iter().all(|part| part.variables_reference > 0);
                    if counted || records {
                        let shape = if counted {
                            Shape::List(None)
                        } else {
                            Shape::Plain
                        };
                        let total = all.len() as u64;
                        return Ok(Some(Source {
                            of,
                            shape,
                            total,
                            all: Some(all),
                        }));
                    }
                }
                _ => {}
            }
            match self.inside(&of).await {
                Some(inside) => of = inside,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The rows from one to another, each with its label.
    async fn rows(
        &self,
        source: Source,
        (from, to): (u64, u64),
        look: bool,
        enough: Instant,
    ) -> Result<Rows> {
        let Source {
            of,
            shape,
            total,
            all,
        } = source;
        let count = to.saturating_sub(from);
        let mut parts = match all {
            Some(all) => all,
            None if count == 0 => Vec::new(),
            None => self.elements(&of, Some((from, count))).await?,
        };
        // Some adapters give all of them, whatever they are asked for.
        if parts.len() as u64 > count {
            parts = parts
                .into_iter()
                .skip(place(from))
                .take(place(count))
                .collect();
        }
        let mut elements = Vec::new();
        let parts = parts.into_iter().zip(from..);
        match shape {
            Shape::Map(_) => {
                let keyed = |part: Variable| {
                    let key = reworded(key_of(&part.name), &self.personality.values);
                    (data::shown(&cell(&key)).into_owned(), part)
                };
                elements.extend(parts.map(|(part, _)| keyed(part)));
            }
            Shape::Pairs(_) => {
                for (pair, _) in parts {
                    let mut inside = self.elements(&pair, None).await?.into_iter();
                    if let Some((key, value)) = inside.next().zip(inside.next()) {
                        elements.push((label(&key), value));
                    }
                }
            }
            Shape::Plain => elements.extend(parts.map(|(part, _)| (part.name.clone(), part))),
            _ => elements.extend(parts.map(|(part, at)| {
                let label = match position(&part.name) {
                    Some(place) => place.to_string(),
                    None if part.name.is_empty() => at.to_string(),
                    None => data::shown(&cell(&part.name)).into_owned(),
                };
                (label, part)
            })),
        }
        // What takes long ends with what is known.
        let mut records = Vec::new();
        for some in elements.chunks(BATCH) {
            if !records.is_empty() && Instant::now() > enough {
                break;
            }
            records.extend(join_all(some.iter().map(|(_, of)| self.fields(of))).await);
        }
        let mut columns: Vec<Column> = Vec::new();
        let mut places = HashMap::new();
        for field in records.iter().flatten().flatten() {
            if !places.contains_key(&field.name) && columns.len() < MOST_COLUMNS {
                places.insert(field.name.clone(), columns.len());
                columns.push(Column {
                    name: bare(&field.name),
                    type_name: short_type(field.type_.as_deref().unwrap_or_default()),
                });
            }
        }
        // What has no fields beside what has would have an empty row, which of lists only one has that is empty.
        let beside = || elements.iter().zip(&records);
        let lists = beside().filter(|((_, of), fields)| is_list(of, fields.as_deref()));
        let lists: BTreeSet<_> = lists.filter_map(|((_, of), _)| of.type_.clone()).collect();
        let is_empty = |of: &Variable| of.type_.as_ref().is_some_and(|own| lists.contains(own));
        let mixed =
            beside().any(|((_, of), fields)| fields.is_none() && !is_nothing(of) && !is_empty(of));
        let plain = mixed || columns.is_empty();
        if plain {
            columns.clear();
            let first = elements
                .first()
                .filter(|_| !mixed)
                .and_then(|(_, element)| element.type_.as_deref());
            columns.push(Column {
                name: "value".to_owned(),
                type_name: short_type(first.unwrap_or_default()),
            });
        }
        let mut until = Instant::now() + LOOKING;
        if !look {
            until = until.max(enough);
        }
        let mut rows = Vec::new();
        let mut labels = Vec::new();
        for ((label, element), fields) in elements.into_iter().zip(records) {
            let mut row = vec![json!({ "shown": "" }); columns.len()];
            let fields = if plain {
                vec![element]
            } else {
                fields.unwrap_or_default()
            };
            // What was not looked into would be the same as any other.
            let is_late = !look && !rows.is_empty() && Instant::now() > until;
            if is_late && fields.iter().any(Variable::wants_preview) {
                break;
            }
            for field in fields {
                let place = if plain {
                    Some(0)
                } else {
                    places.get(&field.name).copied()
                };
                if let Some(cell) = place.and_then(|at| row.get_mut(at)) {
                    *cell = self.cell(field, until).await;
                }
            }
            rows.push(row);
            labels.push(label);
        }
        Ok(Rows {
            columns,
            labels,
            rows,
            first: from,
            total,
        })
    }

    /// The fields of a record, or the elements of a list: behind what wraps it.
    async fn fields(&self, element: &Variable) -> Option<Vec<Variable>> {
        let mut of = element.clone();
        for _ in 0..MOST_WRAPPERS {
            let is_text = cell(&text_of(&of)).is_string();
            if of.variables_reference == 0 || is_text {
                return None;
            }
            let shape = shape(&Part::from(&of));
            match shape {
                Shape::Plain | Shape::List(_) => {
                    let some = Some((0, MOST_COLUMNS as u64));
                    let mut parts = self.elements(&of, some).await.ok()?;
                    if let Shape::List(Some(size)) = shape
                        && parts.iter().all(|part| is_position(&part.name))
                    {
                        // Some adapters give as many as they are asked for.
                        parts.truncate(size);
                    }
                    // What wraps one value, and what has variants, is a value itself.
                    match parts.as_slice() {
                        _ if matches!(shape, Shape::List(_)) => return Some(parts),
                        [] => return None,
                        [only] if wraps(&of, only) => of = only.clone(),
                        _ => return Some(parts),
                    }
                }
                Shape::Through(..) | Shape::Pointer => of = self.inside(&of).await?,
                _ => return None,
            }
        }
        None
    }

    /// What a value shows, as a cell.
    async fn cell(&self, mut of: Variable, until: Instant) -> Value {
        if of.wants_preview() && Instant::now() < until {
            of.preview = self.looked_into(&of, until).await;
        }
        let own = of.shown();
        let numbered = of.type_.as_deref().is_some_and(|t| t.contains("char"));
        match cell(own) {
            // `65 'A'` is no number, and the digit '1' neither.
            number if number.is_number() && numbered => json!({ "shown": own }),
            cell => cell,
        }
    }

    /// The parts of a value, all of them or so many from one on; more where the adapter gives them only together.
    async fn elements(
        &self,
        of: &Variable,
        some: Option<(u64, u64)>,
    ) -> Result<Vec<Variable>, RequestError> {
        let indexed = of.indexed_variables.is_some_and(|n| n > 0);
        let number = |at: u64| i64::try_from(at).ok();
        let arguments = VariablesArguments {
            variables_reference: of.variables_reference,
            filter: (indexed && some.is_some()).then(|| "indexed".to_owned()),
            start: some.and_then(|(start, _)| number(start)),
            count: some.and_then(|(_, count)| number(count)),
            format: self.format.clone(),
        };
        let answer = self.client.send::<Variables>(&arguments).await;
        let parts = self.variables(answer).await?.variables.into_iter();
        Ok(parts.filter(|part| !is_plumbing(&part.name)).collect())
    }
}

/// Whether a value can be shown as it was asked for.
fn can_be(data: &Data, wanted: Option<View>) -> Result<()> {
    let Some(wanted) = wanted.filter(|view| !data.views.contains(view)) else {
        return Ok(());
    };
    let others: Vec<_> = data.views.iter().map(|view| view.name()).collect();
    let others = match others.as_slice() {
        [] => String::new(),
        others => format!("; it can as {}", others.join(", ")),
    };
    let text = format!(
        "A {} cannot be shown as {}{others}.",
        data.kind,
        wanted.name()
    );
    Err(DebuggerError::usage(text))
}

/// Whether an element is where a record could be, and none is: its row may be empty.
fn is_nothing(of: &Variable) -> bool {
    let text = text_of(of);
    text == "0x0"
        || text.starts_with("nil ")
        || text.ends_with("::None")
        || cell(of.shown()).is_null()
}

/// Whether these are the elements of a list, not the fields of a tuple or of a variant.
fn is_list(of: &Variable, parts: Option<&[Variable]>) -> bool {
    let first = parts.and_then(<[_]>::first);
    first.is_some_and(|first| match shape(&Part::from(of)) {
        Shape::List(_) => is_position(&first.name),
        Shape::Plain => is_element(first),
        _ => false,
    })
}

/// Whether a part is one of a list, and not of a tuple or a variant.
fn is_element(part: &Variable) -> bool {
    part.name.starts_with('[') && is_position(&part.name)
}

/// Whether a value is no more than its only part: a pointer, a variant, a tuple of one.
fn wraps(of: &Variable, only: &Variable) -> bool {
    let variant = only
        .type_
        .as_deref()
        .and_then(|own| own.strip_prefix(of.type_.as_deref()?));
    let is_variant = variant.and_then(|rest| rest.strip_prefix("::")) == Some(&only.name);
    let is_target = only.name.is_empty() || only.name == "value" || only.name.starts_with('*');
    is_variant || is_target || is_position(&only.name) && !is_element(only)
}

/// What a row is called by its key.
fn label(key: &Variable) -> String {
    data::shown(&cell(&text_of(key))).into_owned()
}

/// The name of a field, or the number of an element.
fn bare(name: &str) -> String {
    if is_position(name) {
        name.trim_start_matches("__")
            .trim_matches(['[', ']'])
            .to_owned()
    } else {
        name.to_owned()
    }
}
