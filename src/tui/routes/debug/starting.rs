//! Starting a debug configuration of the project: what it comes to is found out beside the drawing task, and what a person has to
//! say to it (trust, values) is asked for in between.

use debugger::{
    adapters::trust::{self, Untrusted},
    configurations::{self, ConfigurationQuery, Prepared},
};

use super::actions;
use crate::{
    overlays::trust as question,
    routes::debug::{
        kit::prelude::*,
        popups::{configuration_values::ConfigurationValues, configurations::Configurations},
    },
};

const LIST: &str = "debug.configurations";
const PREPARE: &str = "debug.prepare-configuration";

/// Looks for configurations: F5 offers what there is, and so does the list of them that may be open.
pub fn list() -> Effect {
    Effect::work(LIST, |teller| {
        let listing = configurations::list(teller.context());
        // One that cannot be read is worth being told of, too.
        let configured = listing.as_ref().map_or(true, |all| !all.is_empty());
        teller.call(move |route: &mut DebugRoute, cx| {
            route.configured = Some(configured);
            if mem::take(&mut route.wants_start) {
                actions::start(route, cx);
            }
        });
        teller.call(|popup: &mut Configurations, _| popup.listed(listing));
    })
}

/// Finds out what a configuration comes to, after the files were trusted that a person said yes to; starts it, or asks for what is
/// missing.
pub fn prepare(asked: ConfigurationQuery, trusted: Vec<Untrusted>) -> Effect {
    Effect::work(PREPARE, move |teller| {
        let context = teller.context();
        let granted = trusted
            .iter()
            .try_for_each(|file| trust::grant(context, file));
        let prepared = granted
            .map_err(DebuggerError::usage)
            .and_then(|()| configurations::prepare(context, &asked));
        teller.call(|_: &mut DebugRoute, cx| go_on(asked, prepared, cx));
    })
}

fn go_on(asked: ConfigurationQuery, prepared: Result<Prepared, DebuggerError>, cx: &mut Cx<'_>) {
    match prepared {
        Ok(Prepared::Ready(ready)) => {
            cx.go(RouteId::Debug);
            cx.effects
                .extend(ready.commands.into_iter().map(Effect::core));
        }
        Ok(Prepared::Untrusted(files)) => {
            let again = prepare(asked, files.clone());
            cx.open(question::before_start(&files, vec![again]));
        }
        Ok(Prepared::Inputs(inputs)) => cx.open(ConfigurationValues::new(asked, &inputs)),
        Err(error) => {
            // There is one line for it.
            let folder = format!("{}/", cx.view.project.display());
            cx.emit(Effect::Notify {
                severity: Severity::Error,
                text: error.to_string().replace(&folder, ""),
                hint: None,
            });
        }
    }
}
