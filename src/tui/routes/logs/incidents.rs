//! Crashes and refused requests beside omp's logs: a list, and one of them in place of the entries.

use diagnostics::omp::incidents::{Incident, Kind};

use super::{LogsRoute, Mode};
use crate::{app::logs::What, kit::prelude::*};

impl LogsRoute {
    /// Opens the request that the entry under the cursor names, or lists all there are.
    pub(super) fn incidents(&mut self, cx: &mut Cx<'_>) {
        let text = self.current().map(|item| item.entry.text.clone());
        self.ask(What::Incidents(text.unwrap_or_default()), cx);
    }

    /// Which there are.
    pub(super) fn list_incidents(&mut self, found: Vec<Incident>, cx: &mut Cx<'_>) {
        if found.is_empty() {
            cx.info("omp has left no crashes and no refused requests.");
            return;
        }
        let mut list = ListState::default();
        list.select(Some(0));
        self.mode = Mode::Incidents(found, list);
    }

    /// What one of them says.
    pub(super) fn show_incident(
        &mut self,
        incident: &Incident,
        text: Result<String, String>,
        cx: &mut Cx<'_>,
    ) {
        match text {
            Ok(text) => {
                let name = clean(&file_name(&incident.path));
                self.mode = Mode::Browse;
                self.file = Some((name, TextView::new(&text)));
            }
            Err(error) => cx.warn(error),
        }
    }

    /// A key while they are listed.
    pub(super) fn incidents_key(&mut self, key: KeyEvent, cx: &mut Cx<'_>) {
        let Mode::Incidents(found, list) = &mut self.mode else {
            return;
        };
        let len = found.len();
        match key.code {
            _ if list.key(key, len) => {}
            KeyCode::Enter => {
                let chosen = list.selected().and_then(|at| found.get(at)).cloned();
                if let Some(incident) = chosen {
                    self.ask(What::Incident(incident), cx);
                }
            }
            _ if closes(key) => self.mode = Mode::Browse,
            _ => {}
        }
    }

    /// Draws the list over the entries.
    pub(super) fn draw_incidents(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let Mode::Incidents(found, list) = &mut self.mode else {
            return;
        };
        let rows = shown_rows(found.len());
        let count = found.len().to_string();
        let title = "Crashes and refused requests";
        let inner = dialog(buf, area, (64, rows), title, &count, view);
        List::new(view.look(), found.len()).each(
            buf,
            inner,
            list,
            view,
            found,
            |incident, cells| {
                let style = match incident.kind {
                    Kind::Refused => view.theme.warning,
                    Kind::Panic | Kind::Allocation => view.theme.error,
                };
                let pid = incident.pid.map(|pid| format!("process {pid}"));
                cells
                    .remark(&pid.unwrap_or_default())
                    .muted(&format_time(incident.time))
                    .skip(2)
                    .put(incident.kind.name(), style);
            },
        );
    }

    /// Draws the one that is open; whether there is one.
    pub(super) fn draw_file(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) -> bool {
        let Some((name, text)) = &mut self.file else {
            return false;
        };
        let inner = panel(buf, area, "Logs", name, "Esc closes", view);
        text.draw(buf, paint::from(inner, 1), view.look());
        true
    }
}
