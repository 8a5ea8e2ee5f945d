//! All operations: one table for `call`, the line debugger, the palette, MCP, schemas, documentation, permissions and the state gate. Each
//! file of [`run`] has its rows beside their functions.

use std::sync::LazyLock;

use base::text::nearest;

use super::{row::ActionRow, run, snapshot};

/// The actions of omp's tool, in its order.
const OMP: &str = "launch attach set_breakpoint remove_breakpoint set_instruction_breakpoint remove_instruction_breakpoint \
    data_breakpoint_info set_data_breakpoint remove_data_breakpoint continue step_over step_in step_out pause evaluate \
    stack_trace threads scopes variables disassemble read_memory write_memory modules loaded_sources custom_request output \
    terminate sessions";

/// The 28.
pub static ACTIONS: LazyLock<Vec<ActionRow>> = LazyLock::new(|| {
    let row = |name| rows().find(|row| row.name == name);
    OMP.split(' ').filter_map(row).copied().collect()
});

/// What omp's tool does not have, and an agent, a script or a person needs.
pub static FURTHER: LazyLock<Vec<ActionRow>> = LazyLock::new(|| {
    let more = rows().filter(|row| !OMP.split(' ').any(|name| name == row.name));
    more.copied().collect()
});

fn rows() -> impl Iterator<Item = &'static ActionRow> {
    [snapshot::ROWS].into_iter().chain(run::ROWS).flatten()
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static ActionRow> + Clone {
    ACTIONS.iter().chain(FURTHER.iter())
}

/// The action of this name; the error quotes it and names the nearest ones.
pub fn action(name: &str) -> Result<&'static ActionRow, String> {
    all().find(|row| row.name == name).ok_or_else(|| {
        let names = all().map(|row| row.name);
        match nearest::did_you_mean(name, names.clone()).as_str() {
            "" => format!(
                "{name:?} is no action; there are {}",
                names.collect::<Vec<_>>().join(", ")
            ),
            near => format!("{name:?} is no action{near}"),
        }
    })
}

/// The actions there are: none when debugging is switched off (`debug.enabled`), so that it is absent and does not merely fail.
pub fn available(enabled: bool) -> impl Iterator<Item = &'static ActionRow> {
    all().filter(move |_| enabled)
}
