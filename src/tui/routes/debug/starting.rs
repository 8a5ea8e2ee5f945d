//! Starting a debug configuration of the project: what it comes to is found out beside the drawing task, and what a person has to
//! say to it (trust, values) is asked for in between.

use debugger::{
    adapters::trust::{self, Untrusted},
    configurations::{self, ConfigurationQuery, Listed, Prepared},
};

use crate::{
    app::work::Told,
    overlays::trust as question,
    routes::debug::{kit::prelude::*, popups::configuration_values},
};

const LIST: &str = "debug.configurations";
const PREPARE: &str = "debug.prepare-configuration";

/// The configurations there are.
pub type Listing = Result<Vec<Listed>, DebuggerError>;

struct Answer {
    asked: ConfigurationQuery,
    prepared: Result<Prepared, DebuggerError>,
}

/// Looks for configurations; [`listed`] knows the answer.
pub fn list() -> Effect {
    Effect::work(LIST, |teller| {
        // Without a screen nobody wants to know.
        teller.tell(configurations::list(teller.context()));
    })
}

/// What [`list`] found.
pub fn listed(told: &Told) -> Option<&Listing> {
    told.of(LIST)
}

/// Finds out what a configuration comes to, after the files were trusted that a person said yes to.
pub fn prepare(asked: ConfigurationQuery, trusted: Vec<Untrusted>) -> Effect {
    Effect::work(PREPARE, move |teller| {
        let context = teller.context();
        let granted = trusted
            .iter()
            .try_for_each(|file| trust::grant(context, file));
        let prepared = granted
            .map_err(DebuggerError::usage)
            .and_then(|()| configurations::prepare(context, &asked));
        teller.tell(Answer { asked, prepared });
    })
}

/// Goes on with what [`prepare`] found.
pub fn go_on(told: &Told, cx: &mut Cx<'_>) {
    let Some(Answer { asked, prepared }) = told.of(PREPARE) else {
        return;
    };
    match prepared {
        Ok(Prepared::Ready(ready)) => {
            cx.go(RouteId::Debug);
            for command in &ready.commands {
                cx.core(command.clone());
            }
        }
        Ok(Prepared::Untrusted(files)) => {
            let again = prepare(asked.clone(), files.clone());
            let confirm = question::before_start(files, vec![again]);
            cx.open(confirm);
        }
        Ok(Prepared::Inputs(inputs)) => {
            let form = configuration_values::ConfigurationValues::new(asked.clone(), inputs);
            cx.open(form);
        }
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
