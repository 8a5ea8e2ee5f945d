//! `omp-debug system`: this machine as text or as JSON.
//!
//! What there is to know is found in `diagnostics::system`, which adapters there are in `debugger::adapters`; here both are put
//! together.

use super::prelude::*;
use crate::{
    debugger::adapters::{Table, doctor},
    diagnostics::system::{Adapter, Collector, System, text},
};

/// `system`.
#[derive(Args, Clone, Copy, Debug)]
pub struct SystemArgs {
    /// One JSON object; what is not known is null, and `unknown` says why
    #[arg(long, conflicts_with = "print")]
    pub json: bool,
    /// As text
    #[arg(long)]
    pub print: bool,
}

impl DeskCommand for SystemArgs {
    fn is_for_the_screen(&self) -> bool {
        !(self.json || self.print)
    }

    fn reads_settings(&self) -> bool {
        true
    }

    fn run(&self, desk: &Desk<'_>) -> Result<u8> {
        let runtime = super::setup::runtime()?;
        let system = runtime.block_on(known(desk));
        // Jobs that hang must not keep us.
        runtime.shutdown_background();
        let system = system?;
        let mut out = stdout();
        if self.json {
            write_pretty(&mut out, &system)?;
        } else {
            out.write_all(text::write(&text::sections(&system)).as_bytes())?;
        }
        Ok(0)
    }

    fn route(&self, _: &Desk<'_>) -> Result<Route> {
        Ok(Route::to(RouteId::SYSTEM))
    }
}

/// All there is to know.
async fn known(desk: &Desk<'_>) -> Result<System> {
    let collector = Collector::new(&desk.context.cwd, desk.variables(), desk.layout());
    let facts = tasks::blocking(move || collector.all(&Cancel::default()));
    let (table, _warnings) = Table::load(desk.context);
    let reports = doctor(&table, desk.context).await;
    let mut system = facts.await.map_err(std::io::Error::other)?;
    let redactor = desk.redactor();
    system.adapters = reports
        .iter()
        .map(|report| Adapter::new(&report.name, report.in_short(), &redactor))
        .collect();
    Ok(system)
}
