//! `declared`: where a value is declared, and the variable that holds it.

use dap::{
    requests::{Locations, LocationsArguments, LocationsResponse},
    types::Source,
};
use debugger::UNDECLARED;

use super::prelude::*;

/// Lines of a declaration that are shown.
const SHOWN: i64 = 8;

impl Repl {
    /// `declared`
    pub(super) async fn declared(&mut self, typed: &ParsedCommand) -> CommandResult {
        let name = typed.needed("what")?;
        let session = self.stopped()?;
        let stop = session.stop_id();
        let scopes = session.current_scopes().into_iter();
        let mut variables = scopes
            .flat_map(|all| &all.scopes)
            .flat_map(|scope| scope.variables.iter().flatten());
        let known = variables.find(|v| v.name == name);
        let given = |told: Option<i64>| told.filter(|reference| *reference > 0);
        let variable = known.and_then(|v| given(v.declaration_location_reference));
        let mut value = known.and_then(|v| given(v.value_location_reference));
        if value.is_none() {
            value = match (self.evaluate(name, "watch").await, variable) {
                (Ok(value), _) => value.declared,
                // The variable is told at least.
                (Err(_), Some(_)) => None,
                (Err(failure), None) => return Err(failure),
            };
        }
        if value.is_none() && variable.is_none() {
            return Err(UNDECLARED.into());
        }
        for (what, reference) in [("value", value), ("variable", variable)] {
            let Some(reference) = reference else { continue };
            let asked = LocationsArguments {
                location_reference: reference,
            };
            let command = Command::request_at::<Locations>(None, stop, &asked);
            let place = self.ask(command).await?.answer::<Locations>()?;
            self.show_place(what, &place).await;
        }
        Ok(())
    }

    async fn show_place(&mut self, what: &str, place: &LocationsResponse) {
        let name = named(&place.source);
        let column = place.column.map_or_else(String::new, |c| format!(":{c}"));
        self.out.line(format!(
            "The {what} is declared at {}:{}{column}",
            sanitise(&name),
            place.line
        ));
        let Ok(lines) = self.text(&place.source).await else {
            return;
        };
        let end = place.end_line.unwrap_or(place.line).max(place.line);
        for number in place.line..=end.min(place.line.saturating_add(SHOWN - 1)) {
            let at = usize::try_from(number - 1).ok();
            if let Some(text) = at.and_then(|at| lines.get(at)) {
                let number = self.out.look.paint(Role::Muted, format!("{number:>7}"));
                let line = format!("{number}  {}", sanitise(text));
                self.out.line(&line);
            }
        }
    }
}

/// A source as one can find it again: its path, else the adapter's name for it.
fn named(source: &Source) -> String {
    let known = source.path.as_ref().or(source.name.as_ref());
    known.cloned().unwrap_or_else(|| {
        let number = source.reference().unwrap_or_default();
        format!("source {number}")
    })
}
