//! `omp-debug system`: this machine as text or as JSON.
//!
//! What there is to know is found in `diagnostics::system`, which adapters there are in `debugger::adapters`; here both are put
//! together.

use std::io::Write;

use base::tasks;
use base::text::json::printable;
use base::text::redact::Redactor;
use debugger::adapters::{Context, Table, doctor};
use diagnostics::Cancel;
use diagnostics::omp::Layout;
use diagnostics::system::{Adapter, Collector, text};

/// Why the command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The answer could not be made into JSON.
    #[error("cannot write the answer as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Writing failed.
    #[error("cannot write the answer: {0}")]
    Write(#[from] std::io::Error),
}

/// Writes all there is to know.
pub async fn run(
    json: bool,
    context: &Context,
    layout: Layout,
    out: &mut dyn Write,
) -> Result<(), SystemError> {
    let env = context.env.as_ref().clone();
    let redactor = Redactor::new().with_secrets(env.iter());
    let collector = Collector::new(&context.cwd, env, layout);
    let facts = tasks::blocking(move || collector.all(&Cancel::default()));
    let (table, _warnings) = Table::load(context);
    let reports = doctor(&table, context).await;
    let mut system = facts.await.map_err(std::io::Error::other)?;
    system.adapters = reports
        .iter()
        .map(|report| Adapter::new(&report.name, report.in_short(), &redactor))
        .collect();
    let written = if json {
        let text = serde_json::to_string_pretty(&system)?;
        writeln!(out, "{}", printable(&text))
    } else {
        out.write_all(text::write(&text::sections(&system)).as_bytes())
    };
    match written {
        // The reader has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
