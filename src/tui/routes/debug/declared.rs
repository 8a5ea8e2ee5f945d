//! Goes to where the value under the cursor is declared, or the variable that holds it, as far as the adapter tells.
//!
//! A reference stands beside the value or comes with its evaluation; the place itself is asked for when one goes there. What
//! comes is taken in here for whoever asked: a pane, a popup, a line of output.

use dap::requests::{Locations, LocationsArguments};
use debugger::{DebuggerError, UNDECLARED};

use super::prelude::*;
use super::variables::{Declared, panel::TreePanel};

/// Marks requests whose answer is gone to.
pub const OWNER: &str = "declared";

/// What the adapter gave with a variable of the selected frame that has this name.
pub fn local(session: &Session, name: &str) -> Declared {
    let scopes = session.current_scopes().into_iter();
    let mut variables = scopes
        .flat_map(|all| &all.scopes)
        .flat_map(|scope| scope.variables.iter().flatten());
    let found = variables.find(|v| v.name == name);
    found.map(Declared::of).unwrap_or_default()
}

/// Goes to where the selected value of a tree is declared.
pub fn of_selected(panel: &TreePanel) -> Vec<Effect> {
    match panel.declared() {
        Ok((declared, place)) => going(declared, place.session, place.stop),
        Err(_) => Vec::new(),
    }
}

/// Goes to a place by the adapter's reference: that of a value at a stop, or where a line of output was printed.
pub fn ask(session: SessionId, stop: Option<StopId>, reference: i64) -> Effect {
    let arguments = LocationsArguments {
        location_reference: reference,
    };
    let command = Command::request_at::<Locations>(Some(session), stop, &arguments);
    Effect::ask(OWNER, ticket(), command)
}

/// Goes to the one place there is, or lets a person choose between two.
pub fn going(declared: Declared, session: SessionId, stop: StopId) -> Vec<Effect> {
    let go = move |reference| ask(session, Some(stop), reference);
    match (declared.value, declared.variable) {
        (Some(value), Some(variable)) if value != variable => {
            let choice = |name: &str, reference| Choice::new(name, "", move || vec![go(reference)]);
            let choices = vec![
                choice("where its value is declared", value),
                choice("where the variable is declared", variable),
            ];
            let popup = chooser::of("Go to", choices);
            vec![Effect::open(popup)]
        }
        (value, variable) => value.or(variable).map(go).into_iter().collect(),
    }
}

/// Takes in what was asked for here.
pub fn told(msg: &Msg, cx: &Cx) {
    let Msg::Reply {
        tag: Tag(OWNER, _),
        result,
    } = msg
    else {
        return;
    };
    match result {
        Ok(reply @ Reply::Answer { .. }) => match reply.answer::<Locations>() {
            Ok(place) => cx.emit(Effect::show_source(
                place.source,
                Some(place.line),
                place.column,
            )),
            Err(error) => untold(&error, cx),
        },
        Ok(Reply::Value { value }) => match (value.declared, value.stop, cx.view.state.focus) {
            (Some(reference), Some(stop), Some(session)) => {
                cx.emit(ask(session, Some(stop), reference));
            }
            _ => cx.warn(UNDECLARED.to_owned()),
        },
        Ok(_) => {}
        Err(error) => untold(error, cx),
    }
}

fn untold(why: &DebuggerError, cx: &Cx) {
    cx.warn(format!("Where it is declared cannot be told: {}", why.what));
}
