//! Exception filters as a list to switch: what the adapter offers and what was chosen.

use crate::debug_prelude::*;
use debugger::{ExceptionFilter, exceptions};

/// An exception filter as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Offered<'a> {
    /// The adapter's id.
    pub filter: &'a str,
    /// Name for people.
    pub label: &'a str,
    /// The adapter's explanation.
    pub description: Option<&'a str>,
    /// The condition set.
    pub condition: Option<&'a str>,
    /// What a condition may say, where one is possible.
    pub takes_condition: Option<&'a str>,
    /// The mode chosen.
    pub mode: Option<&'a str>,
    /// Whether the program stops on it.
    pub on: bool,
    /// Nobody chose: it is as the adapter has it.
    pub by_default: bool,
    /// It is a type, and no filter of the adapter's.
    pub is_type: bool,
}

impl Offered<'_> {
    /// The filter as it is now.
    pub fn wish(&self) -> ExceptionFilter {
        ExceptionFilter {
            filter: self.filter.to_owned(),
            condition: self.condition.map(str::to_owned),
            mode: self.mode.map(str::to_owned),
            off: !self.on,
            by_type: self.is_type,
        }
    }
}

/// Exception filters of the focused session's adapter as they are now; without a session those that were chosen.
pub fn offered(state: &State) -> Vec<Offered<'_>> {
    let chosen = state.exception_filters.as_deref();
    let Some(session) = state
        .focused()
        .filter(|s| !s.capabilities.exception_breakpoint_filters.is_empty())
    else {
        let chosen = chosen.unwrap_or_default().iter();
        return chosen
            .filter(|f| !f.off)
            .map(|f| Offered {
                filter: &f.filter,
                label: &f.filter,
                condition: f.condition.as_deref(),
                mode: f.mode.as_deref(),
                on: true,
                ..Offered::default()
            })
            .collect();
    };
    let filters = &session.capabilities.exception_breakpoint_filters;
    let own = Some(session.exception_filters.as_slice());
    let mut types = exceptions::typed(chosen, filters);
    for wish in exceptions::typed(own, filters) {
        if types.iter().all(|known| known.filter != wish.filter) {
            types.push(wish);
        }
    }
    let types = types.into_iter().map(|wish| Offered {
        filter: &wish.filter,
        label: &wish.filter,
        description: Some("Exceptions of this type, where they are raised."),
        on: true,
        is_type: true,
        ..Offered::default()
    });
    let chosen = exceptions::choice(chosen, filters);
    filters
        .iter()
        .map(move |f| {
            let wish = chosen.iter().flatten().find(|(name, _)| *name == f.filter);
            let wish = wish.map(|(_, wish)| *wish);
            let is_own = session
                .exception_filters
                .iter()
                .any(|own| own.filter == f.filter);
            let conditions = session.capabilities.supports_exception_filter_options
                && f.supports_condition == Some(true);
            Offered {
                filter: &f.filter,
                label: if f.label.is_empty() {
                    &f.filter
                } else {
                    &f.label
                },
                description: f.description.as_deref(),
                condition: wish.and_then(|w| w.condition.as_deref()),
                mode: wish.and_then(|w| w.mode.as_deref()),
                takes_condition: conditions.then(|| {
                    f.condition_description
                        .as_deref()
                        .unwrap_or("an expression")
                }),
                on: wish.is_some() || is_own || (chosen.is_none() && f.default == Some(true)),
                by_default: chosen.is_none() && !is_own,
                is_type: false,
            }
        })
        .chain(types)
        .collect()
}

/// Draws what narrows a filter, behind its name.
pub fn draw_narrowed(filter: &Offered<'_>, cells: &mut Cells) {
    let condition = filter
        .condition
        .map(|condition| format!("  if {condition}"));
    let mode = filter.mode.map(|mode| format!("  mode {mode}"));
    for text in [condition, mode].into_iter().flatten() {
        cells.put(&text, cells.view.theme.conditional);
    }
}

/// The command that switches one filter, keeping the others as they are.
pub fn switch(state: &State, filter: &str, on: bool) -> Command {
    let wish = ExceptionFilter {
        off: !on,
        ..ExceptionFilter::named(filter)
    };
    with(others(state, filter), wish)
}

/// The command that adds a wish to the others.
pub fn with(mut others: Vec<ExceptionFilter>, wish: ExceptionFilter) -> Command {
    others.retain(|other| other.filter != wish.filter);
    others.push(wish);
    Command::SetExceptionFilters {
        filters: Some(others),
    }
}

/// What was chosen, but for one filter.
pub fn others(state: &State, filter: &str) -> Vec<ExceptionFilter> {
    // Choices made for another adapter's filters stay.
    let known = offered(state);
    let foreign = state.exception_filters.iter().flatten();
    let mut filters: Vec<ExceptionFilter> = foreign
        .filter(|f| known.iter().all(|k| k.filter != f.filter))
        .cloned()
        .collect();
    let others = known.iter().filter(|k| k.filter != filter);
    filters.extend(others.map(Offered::wish));
    filters
}

/// Asks when a filter applies.
pub fn ask_condition(filter: &Offered<'_>, cx: &Cx) {
    let as_it_is = ExceptionFilter {
        off: false,
        ..filter.wish()
    };
    let others = others(&cx.view.state, filter.filter);
    let then = move |text: &str| {
        let condition = (!text.is_empty()).then(|| text.to_owned());
        let wish = ExceptionFilter {
            condition,
            ..as_it_is
        };
        vec![Effect::core(with(others, wish))]
    };
    let says = filter.takes_condition.unwrap_or_default();
    let hint = format!("{}. Nothing = always.", says.trim_end_matches('.'));
    cx.open(prompt(
        format!("Condition of {}", filter.label),
        hint,
        filter.condition.unwrap_or_default(),
        None,
        then,
    ));
}

/// Asks for a type of exceptions: there are adapters that stop where one of it is raised, whatever their filters.
pub fn ask_type(cx: &Cx) {
    let others = others(&cx.view.state, "");
    let then = move |name: &str| {
        let wish = ExceptionFilter {
            by_type: true,
            ..ExceptionFilter::named(name)
        };
        vec![Effect::core(with(others, wish))]
    };
    let hint = "Its name: KeyError, std::bad_alloc. What is raised of other types stops nothing.";
    let missing = Some("the name of a type");
    cx.open(prompt(
        "Stop at exceptions of a type",
        hint,
        "",
        missing,
        then,
    ));
}
