//! Crashes and refused requests beside omp's logs: a list, and one of them in place of the entries.

use diagnostics::omp::incidents::Incident;

use super::{
    LogsRoute,
    work::{INCIDENTS, read_incident},
};
use crate::prelude::*;

impl LogsRoute {
    /// Looks for them, or for the one that the selected entry names.
    pub(super) fn incidents(&mut self, cx: &Cx) {
        let text = self.current().map(|item| item.entry.text.clone());
        Self::find_incidents(text.unwrap_or_default(), cx);
    }

    pub(super) fn list_incidents(found: Vec<Incident>, cx: &Cx) {
        if found.is_empty() {
            return cx.info("omp has left no crashes and no refused requests.");
        }
        let choices = found.into_iter().map(|incident| {
            let pid = incident.pid.map(|pid| format!("process {pid}"));
            let name = format_time(incident.time);
            let mut choice = Choice::new(name, incident.kind.name(), move || {
                let incident = incident.clone();
                vec![Effect::work(INCIDENTS, |teller| {
                    read_incident(incident, teller);
                })]
            });
            choice.end = pid.unwrap_or_default();
            choice
        });
        let title = "Crashes and refused requests";
        cx.open(chooser::of(title, choices.collect()));
    }

    pub(super) fn show_incident(
        &mut self,
        incident: &Incident,
        text: Result<String, String>,
        cx: &Cx,
    ) {
        match text {
            Ok(text) => {
                let name = clean(&file_name(&incident.path));
                self.file = Some((name, TextView::new(&text)));
            }
            Err(error) => cx.warn(error),
        }
    }
}
