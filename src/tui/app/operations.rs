//! Operations of the debug tool that no action of the screen stands for: in the palette, each by its name. Its parameters are asked for as
//! every other front takes them, and its text comes as a popup.

use std::sync::LazyLock;

use debugger::{
    CoreHandle, DebuggerError, gate,
    tool::{
        self, ActionRow, Tool, ToolError, arguments::Arguments, discretion::Discretion, written,
    },
};
use serde_json::{Map, Value};

use crate::{
    action::{
        Enabled, Keys, Row, Show,
        effect::Effect,
        msg::{Msg, Tag},
        view::View,
    },
    kit::prompt::Question,
};

/// Those that actions and panes of the screen stand for.
const SHOWN: &str = "launch attach set_breakpoint remove_breakpoint set_instruction_breakpoint \
    remove_instruction_breakpoint data_breakpoint_info set_data_breakpoint remove_data_breakpoint \
    continue step_over step_in step_out pause evaluate stack_trace threads scopes variables disassemble \
    read_memory write_memory modules loaded_sources output terminate sessions wait events source \
    breakpoints evaluate_hover data records run_to step_back set_exception_breakpoints set_variable \
    restart release_control hang";

/// The others, each with its name and help in one line.
static OFFERED: LazyLock<Vec<(&ActionRow, String)>> = LazyLock::new(|| {
    let others = tool::all().filter(|row| !is_shown(row.name));
    others
        .map(|row| (row, format!("{}: {}", row.name, row.help)))
        .collect()
});

fn is_shown(name: &str) -> bool {
    SHOWN.split(' ').any(|shown| shown == name)
}

/// Rows of the palette.
pub fn rows(view: &View) -> impl Iterator<Item = Row> {
    OFFERED.iter().map(|(row, title)| Row {
        id: row.name,
        title,
        keys: Keys::Table(&[]),
        show: Show::HelpOnly,
        enabled: enabled(row, view),
    })
}

fn enabled(row: &ActionRow, view: &View) -> Enabled {
    let Some(action) = row.gate else {
        return Ok(());
    };
    let session = view.session().ok_or("There is no session.")?;
    gate::allow_of(session, action).map_err(|no| no.what)?;
    if session
        .stop
        .as_ref()
        .is_some_and(|stop| stop.past.is_some())
    {
        return Err("It is known of the present only.");
    }
    if !row.is_offered_by(&session.capabilities) {
        return Err("This adapter cannot do it.");
    }
    Ok(())
}

/// Does an operation, or asks for its parameters first; none when it is none of these.
pub fn begin(name: &str, view: &View) -> Option<Effect> {
    let (row, title) = OFFERED.iter().find(|(row, _)| row.name == name)?;
    let row = *row;
    if let Err(why) = enabled(row, view) {
        return Some(Effect::info(format!("{name}: {why}")));
    }
    let operation = |arguments| Effect::Operation {
        name: row.name,
        arguments,
    };
    if row.required.is_empty() && row.optional.is_empty() {
        return Some(operation(Map::new()));
    }
    let read = |text: &str| {
        let arguments = written::line(row, text)?;
        Arguments::check(row, &arguments).map(|_| arguments)
    };
    let ask = Question::new(title.as_str(), written::usage(row), move |text| {
        read(&text).map(operation).into_iter().collect()
    });
    Some(Effect::open(ask.check(move |text| read(text).map(drop))))
}

/// What came of one.
pub(super) async fn run(
    core: CoreHandle,
    name: &'static str,
    arguments: Map<String, Value>,
) -> Msg {
    match told(core, name, &arguments).await {
        Ok(text) => Msg::Text { title: name, text },
        Err(error) => Msg::Reply {
            tag: Tag("", 0),
            result: Err(error),
        },
    }
}

async fn told(
    core: CoreHandle,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<String, DebuggerError> {
    let tool = Tool::open(core).await;
    // Nothing is hidden, as in all that the screen shows.
    let tool = tool
        .ok_or("The debugger core has ended.")?
        .telling(Discretion::none());
    let done = tool.call_own(name, arguments).await;
    done.map(|done| done.text).map_err(ToolError::into_core)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::debug::kit::test::Stage;
    use debugger::State;

    #[test]
    fn every_operation_that_is_shown_is_one() {
        for name in SHOWN.split(' ') {
            assert!(tool::action(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_done_says_why_and_what_takes_parameters_asks_for_them() {
        let stage = Stage::new(State::default());
        let view = stage.cx().view;
        assert!(begin("no_such_operation", &view).is_none());
        assert!(begin("continue", &view).is_none(), "the screen has it");
        let why = begin("custom_request", &view);
        assert!(
            matches!(why, Some(Effect::Notify { text, .. }) if text.contains("There is no session"))
        );
        assert!(matches!(begin("record_at", &view), Some(Effect::Open(_))));
        let rows: Vec<_> = rows(&view).collect();
        assert!(
            rows.iter()
                .any(|row| row.title.starts_with("custom_request: Send any request"))
        );
    }
}
