//! Expressions that name a part of what is shown: the debugger's own evaluator says what the first name is, and the rest of the way goes
//! through the parts that a person sees. Nothing of the program is run for it, and no index is taken for one into what holds the value.

use super::{prelude::*, rules::is_true};
use crate::previews::{
    Known, Pointers, is_plumbing, is_position, key_of,
    path::{Path, Shape, Step, literal, parse, pointed_type, shape, text_length},
    position, preview,
};

/// Wrappers in wrappers that are looked through.
const MOST_WRAPPERS: usize = 12;
/// Keys of a map that are looked through.
const MOST_KEYS: usize = 1_000;
/// Parts among which a name is looked for: those that have names are not many.
const MOST_PARTS: usize = 1_000;
/// Names that are told where one is not there.
const NAMES_TOLD: usize = 8;

type Walked<T> = Result<T, Lost>;

impl Follow {
    /// The way that an expression names, of a debugger whose evaluator may not know it.
    pub fn path(&self, expression: &str) -> Option<Path> {
        // Whatever evaluator is asked for by name, what is shown is the same.
        let prefix = self.personality.reasons.get("prefix");
        let bare = prefix.and_then(|prefix| expression.strip_prefix(prefix));
        self.personality
            .previews
            .then(|| parse(bare.unwrap_or(expression)))?
    }

    /// Whether a condition is decided by what such a path leads to.
    pub fn decides(&self, condition: &str) -> bool {
        self.path(condition).is_some_and(|path| path.decides())
    }

    /// What an expression comes to, or why to nothing: what it names among the parts of values, or what the adapter makes of it.
    pub async fn evaluated(
        &self,
        expression: &str,
        frame_id: Option<i64>,
    ) -> Result<EvaluateResponse, String> {
        if frame_id.is_none() {
            return Err("the stack could not be read".to_owned());
        }
        let asked = self.watched(expression, frame_id);
        let path = self.path(expression);
        let is_ours = path.as_ref().is_some_and(Path::is_ours);
        let mut lost = None;
        if let Some(path) = path.as_ref().filter(|_| is_ours) {
            match self.walk(&asked, path).await {
                Some(Ok(part)) => return Ok(part),
                Some(Err(Lost::Absent(why))) => return Err(why),
                other => lost = other.and_then(Result::err),
            }
        }
        let answer = self.client.send::<Evaluate>(&asked).await;
        let why = match answer {
            Ok(r) if !self.personality.error_results.fit(&r.result) => return Ok(r),
            Ok(r) => r.result,
            Err(error) => error.to_string(),
        };
        if let Some(path) = path.filter(|_| !is_ours) {
            match self.walk(&asked, &path).await {
                Some(Ok(part)) => return Ok(part),
                other => lost = other.and_then(Result::err),
            }
        }
        Err(match lost {
            Some(Lost::Absent(why) | Lost::Unknown(Some(why))) => why,
            Some(Lost::Unknown(None)) | None => self.personality.evaluation_error(&why).0,
        })
    }

    /// What the value of an expression shows, or why there is none.
    pub async fn outcome(&self, expression: &str, frame_id: Option<i64>) -> Outcome {
        match self.evaluated(expression, frame_id).await {
            Ok(answer) => {
                let value = self.value(answer).await;
                Outcome::Value(value.preview.unwrap_or(value.result))
            }
            Err(why) => Outcome::Error(why),
        }
    }

    /// What a path leads to; `None` when its first name means nothing, or what is shown there cannot be compared.
    pub async fn walk(
        &self,
        asked: &EvaluateArguments,
        path: &Path,
    ) -> Option<Walked<EvaluateResponse>> {
        let Path {
            base,
            steps,
            compared,
            any,
        } = path;
        if !any.is_empty() {
            return Some(self.any_holds(asked, any).await.map(answered));
        }
        let mut at = self.named(asked, base).await?;
        for step in steps {
            at = match self.stepped(asked, at, step).await {
                Ok((_, part)) => part,
                Err(why) => return Some(Err(why)),
            };
        }
        if let Some(comparison) = compared {
            let mut told = shown(&at);
            if path.compares_text() {
                if !told.starts_with('"')
                    && let Some(whole) = self.shown(&at).await
                {
                    told = whole;
                }
                // A pointer to characters is shown as an address with the text behind it.
                let text = told.strip_prefix("0x").and_then(|it| it.split_once(' '));
                if let Some((_, text)) = text {
                    told = text.trim_start_matches("→ ").to_owned();
                }
            }
            if !comparison.is_decided_by(&told) {
                return None;
            }
            return Some(Ok(answered(comparison.holds(&told, None))));
        }
        Some(Ok(EvaluateResponse {
            result: at.value,
            type_: at.type_,
            variables_reference: at.variables_reference,
            named_variables: at.named_variables,
            indexed_variables: at.indexed_variables,
            memory_reference: at.memory_reference,
            ..EvaluateResponse::default()
        }))
    }

    /// Whether all clauses of one of these hold.
    fn any_holds<'f>(
        &'f self,
        asked: &'f EvaluateArguments,
        any: &'f [Vec<String>],
    ) -> BoxFuture<'f, Walked<bool>> {
        async move {
            for all in any {
                let mut hold = true;
                for clause in all {
                    hold = hold && self.clause_holds(asked, clause).await?;
                }
                if hold {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        .boxed()
    }

    async fn clause_holds(&self, asked: &EvaluateArguments, clause: &str) -> Walked<bool> {
        if let Some(path) = self.path(clause).filter(Path::decides)
            && let Some(answer) = self.walk(asked, &path).await
        {
            return Ok(is_true(&answer?.result));
        }
        // By the debugger, where we do not know. Not before: it may call a function for it, and then nothing has its number any more.
        let answer = self.evaluated(clause, asked.frame_id).await;
        Ok(is_true(&answer.map_err(Lost::Absent)?.result))
    }

    /// The reference of what holds the part that a path leads to, and the part's name in it.
    pub async fn holder(&self, asked: &EvaluateArguments, path: &Path) -> Option<(i64, String)> {
        if path.compares() {
            return None;
        }
        let (last, way) = path.steps.split_last()?;
        let mut at = self.named(asked, &path.base).await?;
        for step in way {
            (_, at) = self.stepped(asked, at, step).await.ok()?;
        }
        let (holder, part) = self.stepped(asked, at, last).await.ok()?;
        (holder > 0).then_some((holder, part.name))
    }

    /// What the adapter's evaluator says of a name, in the frame that is asked of.
    async fn named(&self, asked: &EvaluateArguments, name: &str) -> Option<Variable> {
        let arguments = EvaluateArguments {
            expression: self.personality.expression(name),
            ..asked.clone()
        };
        let answer = self.client.send::<Evaluate>(&arguments);
        let answer = answer.await.ok()?;
        if self.personality.error_results.fit(&answer.result) {
            return None;
        }
        Some(variable(name, answer))
    }

    /// The part that a step leads to, and the reference of what it was found in.
    async fn stepped(
        &self,
        asked: &EvaluateArguments,
        from: Variable,
        step: &Step,
    ) -> Walked<(i64, Variable)> {
        let name = from.name.clone();
        let mut key = String::new();
        if let Step::Element(written) | Step::Count(written) | Step::Contains(written) = step {
            key = if let Some(key) = literal(written) {
                key
            } else {
                let value = self.named(asked, written).await;
                let why = || format!("`{written}` could not be evaluated");
                shown(&value.ok_or_else(|| Lost::Unknown(Some(why())))?)
            };
        }
        let mut at = from;
        // Of what was looked through last: what there would have been. What the debugger says of what has no parts says more.
        let mut why = Lost::Unknown(None);
        for _ in 0..MOST_WRAPPERS {
            if *step == Step::Inside {
                let inside = self.inside(&at).await.or_else(|| behind(at));
                return inside.map(|inside| (0, inside)).ok_or(why);
            }
            let taken = match step {
                Step::Part(part) => self.part_named(&at, part).await,
                Step::Element(_) => self.element(&at, &key).await,
                Step::Last => match self.length(&at).await {
                    Some(0) => Err(Lost::Absent("has no elements".to_owned())),
                    Some(n) => self.element(&at, &(n - 1).to_string()).await,
                    None => Ok(None),
                },
                Step::Holds(yes) => Ok(self.holds(&at).await.map(|it| truth(it == *yes))),
                Step::Held => self.held(&at).await,
                Step::Count(_) => Ok(self.times(&at, &key).await.map(number)),
                Step::Contains(_) => Ok(self.times(&at, &key).await.map(|n| truth(n > 0))),
                Step::IsEmpty => Ok(self.length(&at).await.map(|n| truth(n == 0))),
                Step::Length | Step::Inside => Ok(self.length(&at).await.map(number)),
            };
            match taken {
                Ok(Some(part)) => return Ok((at.variables_reference, part)),
                Ok(None) => {}
                Err(Lost::Unknown(told)) => {
                    why = Lost::Unknown(told.map(|told| format!("`{name}` {told}")));
                }
                Err(Lost::Absent(told)) => return Err(Lost::Absent(format!("`{name}` {told}"))),
            }
            let Some(inside) = self.inside(&at).await else {
                break;
            };
            at = inside;
        }
        Err(why)
    }

    /// A part by its name, or what there is instead.
    async fn part_named(&self, of: &Variable, name: &str) -> Walked<Option<Variable>> {
        let parts = self.parts(of, Some((0, MOST_PARTS))).await?;
        let is_it = |part: &Variable| is_called(part, name);
        // A part by its place: some debuggers count from one.
        let place = name.parse::<usize>().ok();
        let is_counted = place.is_some() && parts.iter().all(|part| is_position(&part.name));
        let place = place.filter(|at| is_counted && *at < parts.len());
        if let Some(found) = place.or_else(|| parts.iter().position(is_it)) {
            return Ok(parts.into_iter().nth(found));
        }
        // A class has the parts of those that it comes from, each of them a part with the name of its type.
        let has_name = !name.bytes().all(|b| b.is_ascii_digit());
        for base in parts.iter().filter(|part| has_name && is_base(part)) {
            let inherited = self.parts(base, Some((0, MOST_PARTS))).await?;
            if let Some(found) = inherited.into_iter().find(is_it) {
                return Ok(Some(found));
            }
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let mut names: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
        let more = if names.len() > NAMES_TOLD {
            ", …"
        } else {
            ""
        };
        names.truncate(NAMES_TOLD);
        let names = names.join(", ");
        let told = format!("has no part `{name}`; it has {names}{more}");
        Err(Lost::Unknown(Some(told)))
    }

    /// The element at a place, if that is what it is called.
    async fn called(
        &self,
        of: &Variable,
        at: Option<usize>,
        key: &str,
    ) -> Walked<Option<Variable>> {
        let Some(at) = at else {
            return Ok(None);
        };
        let parts = self.parts(of, Some((at, 1))).await?;
        Ok(parts.into_iter().find(|part| is_called(part, key)))
    }

    /// An element by its number or key.
    async fn element(&self, of: &Variable, key: &str) -> Walked<Option<Variable>> {
        match shape(&Part::from(of)) {
            Shape::List(size) => {
                let number = key.parse::<i64>().or(Err(Lost::Unknown(None)))?;
                let mut at = usize::try_from(number).ok();
                let mut element = self.called(of, at, key).await?;
                if element.is_none() {
                    // Not every language counts from zero: the first element says from where.
                    let first = self.parts(of, Some((0, 1))).await?;
                    let lowest = first.first().and_then(|part| position(&part.name));
                    if let Some(lowest) = lowest.filter(|lowest| *lowest != 0) {
                        at = usize::try_from(number.saturating_sub(lowest)).ok();
                        element = self.called(of, at, key).await?;
                    }
                }
                // An array of C that goes on behind its struct: how far is known to the program.
                let type_name = of.type_.as_deref().unwrap_or_default();
                let size = size.filter(|size| *size > 0 || !type_name.ends_with("[]"));
                match (element, size) {
                    (None, Some(size)) if at.is_none_or(|at| at >= size) => {
                        Err(Lost::Absent(format!("has {size} elements, and no [{key}]")))
                    }
                    (None, _) => Err(Lost::Unknown(None)),
                    (element, _) => Ok(element),
                }
            }
            Shape::Map(size) => {
                let mut parts = self.parts(of, Some((0, MOST_KEYS))).await?.into_iter();
                let value = parts.find(|part| key_of(&part.name) == key);
                value.map(Some).ok_or_else(|| no_key(key, size))
            }
            Shape::Pairs(size) => {
                for pair in self.parts(of, Some((0, MOST_KEYS))).await? {
                    let mut pair = self.parts(&pair, None).await?.into_iter();
                    if let Some((of, value)) = pair.next().zip(pair.next())
                        && shown(&of) == key
                    {
                        return Ok(Some(value));
                    }
                }
                Err(no_key(key, size))
            }
            Shape::Plain => {
                let parts = self.parts(of, Some((0, MOST_PARTS))).await?;
                Ok(parts.into_iter().find(|part| is_called(part, key)))
            }
            Shape::Counted(_) => {
                let told = "is a collection whose elements this debugger does not tell";
                Err(Lost::Absent(told.to_owned()))
            }
            Shape::Through(..) | Shape::Text(..) | Shape::Pointer => Ok(None),
        }
    }

    /// Whether something that may hold no value holds one; `None` of anything else.
    async fn holds(&self, of: &Variable) -> Option<bool> {
        let is_rust = of_what_holds(of.type_.as_deref()?)?;
        let text = self.shown(of).await.unwrap_or_else(|| shown(of));
        match text.split('(').next()? {
            "None" | "Err" if is_rust => Some(false),
            "Some" | "Ok" if is_rust => Some(true),
            "nullopt" if !is_rust => Some(false),
            // A debugger may know nothing of it.
            _ => matches!(shape(&Part::from(of)), Shape::Through(..)).then_some(true),
        }
    }

    /// The value that something holds which may hold none.
    async fn held(&self, of: &Variable) -> Walked<Option<Variable>> {
        match self.holds(of).await {
            None => Ok(None),
            Some(false) => Err(Lost::Absent("holds no value".to_owned())),
            Some(true) => {
                let inside = self.inside(of).await.ok_or(Lost::Unknown(None))?;
                if matches!(inside.name.as_str(), "Some" | "Ok") {
                    return self.part_named(&inside, "0").await;
                }
                Ok(Some(inside))
            }
        }
    }

    /// How often a key or an element is in a collection, all of which is looked through.
    async fn times(&self, of: &Variable, key: &str) -> Option<usize> {
        let all = |size: Option<usize>| size.is_none_or(|size| size <= MOST_KEYS);
        let shape = shape(&Part::from(of));
        let (Shape::List(size) | Shape::Map(size) | Shape::Pairs(size)) = shape else {
            return None;
        };
        // What is no number and no whole text may be shown as something else that is the same.
        literal(key).filter(|_| all(size))?;
        let parts = self.parts(of, Some((0, MOST_KEYS))).await.ok()?;
        let mut times = 0;
        for part in parts.iter().take(size.unwrap_or(MOST_KEYS)) {
            let own = match shape {
                Shape::Map(_) => key_of(&part.name).to_owned(),
                Shape::Pairs(_) => shown(self.parts(part, None).await.ok()?.first()?),
                _ => shown(part),
            };
            literal(&own)?;
            times += usize::from(own == key);
        }
        Some(times)
    }

    async fn length(&self, of: &Variable) -> Option<usize> {
        match shape(&Part::from(of)) {
            Shape::List(Some(size)) | Shape::Map(Some(size)) | Shape::Pairs(Some(size)) => {
                Some(size)
            }
            Shape::List(None) | Shape::Map(None) | Shape::Pairs(None) => {
                Some(self.parts(of, None).await.ok()?.len())
            }
            Shape::Counted(path) | Shape::Text(_, path) => {
                let counted = self.along(of, &path).await?;
                shown(&counted).parse().ok()
            }
            _ => text_length(&of.value).or_else(|| text_length(&shown(of))),
        }
    }

    /// What a value points to or wraps, or the data of its variant.
    pub async fn inside(&self, of: &Variable) -> Option<Variable> {
        match shape(&Part::from(of)) {
            Shape::Through(path, pointee) => {
                let mut at = self.along(of, &path).await?;
                if pointee {
                    at = self.pointee(&at).await?;
                }
                Some(at)
            }
            Shape::Text(path, _) => self.along(of, &path).await,
            Shape::Pointer => self.pointee(of).await,
            Shape::Plain => {
                let type_name = of.type_.as_deref().unwrap_or_default();
                let mut parts = self.parts(of, None).await.ok()?.into_iter();
                let only = parts.next().filter(|_| parts.next().is_none())?;
                let variant = only.type_.as_deref()?.strip_prefix(type_name);
                let variant = variant.and_then(|rest| rest.strip_prefix("::"));
                (variant == Some(&*only.name) || is_position(&only.name)).then_some(only)
            }
            Shape::List(_) | Shape::Map(_) | Shape::Pairs(_) | Shape::Counted(_) => None,
        }
    }

    /// The way that a rule names.
    async fn along(&self, of: &Variable, path: &[String]) -> Option<Variable> {
        let mut at = of.clone();
        for step in path {
            let name = step.trim_end_matches('^');
            let mut parts = self.parts(&at, None).await.ok()?.into_iter();
            let is_it = |part: &Variable| name.split('|').any(|name| is_called(part, name));
            at = parts.find(|part| name == "*" || is_it(part))?;
            if step.ends_with('^') {
                at = self.pointee(&at).await?;
            }
        }
        Some(at)
    }

    async fn pointee(&self, pointer: &Variable) -> Option<Variable> {
        let mut parts = self.parts(pointer, None).await.ok()?;
        let is_target = |part: &Variable| part.name == "value" || part.name.starts_with('*');
        match parts.as_slice() {
            [] => None,
            [only] if is_target(only) => parts.pop(),
            // Its parts are those of what it points to.
            _ => Some(Variable {
                value: String::new(),
                type_: pointer.type_.as_deref().map(|t| pointed_type(t).to_owned()),
                ..pointer.clone()
            }),
        }
    }

    /// The parts of a value, all of them or so many from one on; more where the adapter gives them only together.
    async fn parts(&self, of: &Variable, some: Option<(usize, usize)>) -> Walked<Vec<Variable>> {
        if of.variables_reference == 0 {
            return Ok(Vec::new());
        }
        let answer = self.parts_of(of.variables_reference, some);
        let answer = self.variables(answer.await).await;
        // What could not be read is not known to be absent.
        let parts = answer.or(Err(Lost::Unknown(None)))?.variables.into_iter();
        Ok(parts.filter(|part| !is_plumbing(&part.name)).collect())
    }
}

/// A value that was asked for by an expression, as if it were a variable of that name.
pub fn variable(name: &str, answer: EvaluateResponse) -> Variable {
    Variable {
        name: name.to_owned(),
        value: answer.result,
        type_: answer.type_,
        variables_reference: answer.variables_reference,
        named_variables: answer.named_variables,
        indexed_variables: answer.indexed_variables,
        memory_reference: answer.memory_reference,
        preview: answer.preview,
        ..Variable::default()
    }
}

/// What we know without the debugger.
fn known(value: String, type_name: &str) -> Variable {
    Variable {
        value,
        type_: Some(type_name.to_owned()),
        ..Variable::default()
    }
}

fn number(n: usize) -> Variable {
    known(n.to_string(), "number")
}

fn truth(holds: bool) -> Variable {
    known(holds.to_string(), "bool")
}

/// Of a library's type whose values hold another one or none: whether it is Rust's.
fn of_what_holds(type_name: &str) -> Option<bool> {
    let type_name = type_name.trim_start_matches('&');
    let type_name = type_name.trim_start_matches("const ");
    let is = |names: [&str; 2]| names.iter().any(|name| type_name.starts_with(name));
    let is_rust = is(["core::option::Option<", "core::result::Result<"]);
    (is_rust || is(["std::optional<", "std::__1::optional<"])).then_some(is_rust)
}

/// What a key shows.
pub fn shown(of: &Variable) -> String {
    let own = preview(&Part::from(of), &Known::new(), Pointers::Addresses);
    own.map_or_else(|| of.value.trim().to_owned(), |own| own.text)
}

/// Whether a part has this name, or this number.
fn is_called(part: &Variable, name: &str) -> bool {
    let own = part.name.as_str();
    let bare = own.trim_start_matches("__").trim_start_matches('[');
    own == name || (bare.trim_end_matches(']') == name && name.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a part is what a class comes from.
fn is_base(part: &Variable) -> bool {
    let name = part.name.trim_matches(['<', '>']);
    part.variables_reference > 0 && part.type_.as_deref() == Some(name)
}

fn no_key(key: &str, size: Option<usize>) -> Lost {
    Lost::Absent(match size {
        Some(size) if size > MOST_KEYS => {
            format!("shows no key {key} among its first {MOST_KEYS} of {size}")
        }
        _ => format!("shows no key {key}"),
    })
}

/// Of a pointer that is shown as what it points to, the same as that.
fn behind(pointer: Variable) -> Option<Variable> {
    let type_name = pointer.type_.as_deref()?;
    let target = pointed_type(type_name).to_owned();
    let is_told = target != type_name && !pointer.value.starts_with("0x");
    is_told.then_some(Variable {
        type_: Some(target),
        ..pointer
    })
}

/// What an expression is that asks if something holds.
fn answered(holds: bool) -> EvaluateResponse {
    EvaluateResponse {
        result: holds.to_string(),
        type_: Some("bool".to_owned()),
        ..EvaluateResponse::default()
    }
}
