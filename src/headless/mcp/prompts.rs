//! Prompts: when a debugger is worth it, and how one goes about it.

use rmcp::model::{
    ErrorData, GetPromptResponse, GetPromptResult, JsonObject, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::Value;

use base::text::sanitise::sanitise;

/// Name, what it is for, what it is given, the text; `{}` is what is given.
const PROMPTS: [(&str, &str, &str, &str); 3] = [
    (
        "find_wrong_value",
        "Find out where a wrong value comes from",
        "what",
        "Find the cause of this: {}\nDo not guess from the source alone and do not add prints. Set a breakpoint where the wrong value is \
         seen first (debug_set_breakpoint, with a condition if it is reached often), start the program (debug_launch), read the locals, \
         and go back to where the value was made: the caller's frame (debug_stack_trace, frame_id), an earlier breakpoint, or a data \
         breakpoint where the adapter has them. Read with debug_evaluate_hover; debug_evaluate runs code and may need consent. Name the \
         line and the values that prove it, then end the session (debug_terminate).",
    ),
    (
        "explain_crash",
        "Find out why a program crashes or throws",
        "command",
        "The program {} crashes. Stop at the exception itself (debug_set_exception_breakpoints, then debug_launch), read \
         debug_snapshot: the exception, the frame of the program's own code, the locals. Walk up the frames until a value is one that it \
         should not be. Say which line made it so.",
    ),
    (
        "explain_hang",
        "Find out why a program hangs",
        "pid",
        "Process {} hangs. debug_attach to it, debug_pause, debug_threads, and read the stack of each thread that is the program's own: \
         who waits for what, and who holds it. debug_profile with its pid tells a busy loop from a wait. Attaching stops the program: end \
         with debug_terminate, which lets it run on.",
    ),
];

pub(super) fn all() -> Vec<Prompt> {
    let one = |(name, help, argument, _): &(&str, &str, &str, &str)| {
        let argument = PromptArgument::new(*argument).with_required(true);
        Prompt::new(*name, Some(*help), Some(vec![argument]))
    };
    PROMPTS.iter().map(one).collect()
}

pub(super) fn one(name: &str, given: Option<&JsonObject>) -> Result<GetPromptResponse, ErrorData> {
    let wrong = |what: String| ErrorData::invalid_params(what, None);
    let found = PROMPTS.iter().find(|(known, ..)| *known == name);
    let (_, help, argument, text) =
        found.ok_or_else(|| wrong(format!("there is no prompt {:?}", sanitise(name))))?;
    let value = given
        .and_then(|given| given.get(*argument))
        .and_then(Value::as_str);
    let value = value.ok_or_else(|| wrong(format!("{name} needs {argument}")))?;
    let message = PromptMessage::new_text(Role::User, text.replace("{}", value));
    Ok(GetPromptResult::new(vec![message])
        .with_description(*help)
        .into())
}
