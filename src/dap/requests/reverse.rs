//! The requests an adapter makes of us, and what we answer.

use serde_json::{Map, Value};

use crate::tolerant::record;

record! {
    /// Arguments for `runInTerminal` request.
    RunInTerminalArguments {
        /// What kind of terminal to launch.
        /// Values: `integrated`, `external`.
        kind: Option<String>,
        /// Title of the terminal.
        title: Option<String>,
        /// Working directory for the command.
        cwd: String,
        /// List of arguments.
        args: Vec<String>,
        /// Environment key-value pairs that are added to or removed from the default environment.
        env: Option<Map<String, Value>>,
        /// This property should only be set if the corresponding capability
        /// `supportsArgsCanBeInterpretedByShell` is true.
        args_can_be_interpreted_by_shell: Option<bool>,
    }

    /// Arguments for `startDebugging` request.
    StartDebuggingArguments {
        /// Arguments passed to the new debug session.
        configuration: Map<String, Value>,
        /// Hints whether output of the child sessions should be presented separately or merged with
        /// that of the parent session's.
        /// Values: `separate`, `mergeWithParent`.
        output_presentation: Option<String>,
        /// Indicates whether the new debug session should be started with a `launch` or `attach`
        /// request.
        /// Values: `launch`, `attach`.
        request: String,
    }
}

record! {
    /// Response to `runInTerminal` request.
    RunInTerminalResponse {
        process_id: Option<i64>,
        /// The process ID of the terminal shell.
        shell_process_id: Option<i64>,
    }
}
