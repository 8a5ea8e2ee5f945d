//! From DAP to lldb's commands: one task that does one request after the other and tells what happens to the program.
//!
//! - [`start`]: launch, attach, the end of a session.
//! - [`state`]: whether the program runs, why it stopped, going on.
//! - [`breakpoints`]: the lists the core sends, kept as lldb's breakpoints.
//! - [`placed`], [`run`]: what is known of breakpoints, and of whether the program runs.
//! - [`arguments`]: what requests and answers say.
//!
//! Threads, frames, values, memory and instructions are read by lldb's Python (`assets/lldb_helper.py`), which takes the requests
//! for them and answers them in the protocol's own words.

mod arguments;
mod breakpoints;
mod placed;
mod run;
mod start;
mod state;

use dap::{
    codec::DapCodec,
    message::Request,
    server::{Frames, Out},
};
use tokio::io::AsyncWrite;

use self::{
    arguments::Start,
    placed::{BreakpointKind, Breakpoints},
    run::ProgramRun,
};
use super::{
    channel::Channel,
    process::{COMMAND, Lldb, LldbError, Note},
    quote::BACKTICKS,
    streams::Streams,
};
use crate::prelude::*;

/// How long lldb has to let go of the program, whatever it is busy with.
const PARTING: Duration = Duration::from_secs(2);

/// What is asked of a program that stands, which lldb's Python answers.
const HELPED: [&str; 11] = [
    "threads",
    "stackTrace",
    "scopes",
    "variables",
    "setVariable",
    "setExpression",
    "evaluate",
    "readMemory",
    "writeMemory",
    "disassemble",
    "modules",
];

/// What came of a request: the body of its answer, or why not.
type Outcome = Result<Value, String>;

/// The adapter of one session.
pub struct Adapter {
    lldb: Lldb,
    notes: mpsc::UnboundedReceiver<Note>,
    channel: Channel,
    wire: Out,
    requests: Option<mpsc::UnboundedReceiver<Request>>,
    /// The core wants to leave: whatever is being done is not worth waiting for.
    leaving: CancellationToken,
    streams: Option<Streams>,
    start: Start,
    /// The request that started the session, which is answered after the configuration.
    starter: Option<Request>,
    run: ProgramRun,
    breakpoints: Breakpoints,
    over: bool,
}

impl Adapter {
    /// Prepares a fresh lldb, and listens to the core.
    pub async fn open<C>(
        lldb: Lldb,
        notes: mpsc::UnboundedReceiver<Note>,
        core: C,
    ) -> Result<Self, LldbError>
    where
        C: AsyncRead + AsyncWrite + Send + 'static,
    {
        // Commands return at once, so that the program's input is never in the way; nothing asks back.
        for line in [
            "script lldb.debugger.SetAsync(True)",
            "settings set auto-confirm true",
        ] {
            lldb.command(line).await?;
        }
        let [asked, literal] = BACKTICKS;
        if !lldb.command_within(asked, COMMAND).await?.contains(literal) {
            let why = "it is older than version 16 and would evaluate parts of names; install a newer one";
            return Err(LldbError::Refused(why.to_owned()));
        }
        let channel = Channel::open(&lldb).await?;
        let (read, write) = tokio::io::split(core);
        let (asked, requests) = mpsc::unbounded_channel();
        let leaving = CancellationToken::new();
        tasks::spawn(read_all(read, asked, leaving.clone()));
        Ok(Self {
            lldb,
            notes,
            channel,
            wire: Out::over(write),
            requests: Some(requests),
            leaving,
            streams: None,
            start: Start::None,
            starter: None,
            run: ProgramRun::default(),
            breakpoints: Breakpoints::default(),
            over: false,
        })
    }

    /// Until the core leaves or lldb ends.
    pub async fn run(mut self) {
        let Some(mut requests) = self.requests.take() else {
            return;
        };
        let leaving = self.leaving.clone();
        while !self.over {
            tokio::select! {
                biased;
                request = requests.recv() => {
                    let Some(request) = request else { break };
                    if request.command == "disconnect" {
                        self.disconnect(&request).await;
                        continue;
                    }
                    let wire = self.wire.clone();
                    tokio::select! {
                        biased;
                        () = self.request(&request) => {}
                        () = leaving.cancelled() => {
                            let ending = Err("the session is ending".to_owned());
                            wire.answer(request.seq, &request.command, ending).await;
                        }
                    }
                }
                note = self.notes.recv() => match note {
                    Some(Note::Hint) => self.look().await,
                    Some(Note::Ended(said)) => {
                        self.lldb_ended(&said).await;
                        break;
                    }
                    None => break,
                },
                told = self.channel.unasked() => match told {
                    Some(told) => self.told(&told).await,
                    None => break,
                },
            }
        }
        self.lldb.dispose();
    }

    async fn request(&mut self, request: &Request) {
        let arguments = &request.arguments.value();
        let outcome = match request.command.as_str() {
            "initialize" => Ok(capabilities()),
            "launch" | "attach" => return self.begin(request).await,
            "configurationDone" => return self.configured(request).await,
            "setBreakpoints" => self.set_breakpoints(arguments).await,
            "setFunctionBreakpoints" => {
                self.replace(BreakpointKind::Function, "", arguments.get("breakpoints"))
                    .await
            }
            "setInstructionBreakpoints" => {
                self.replace(
                    BreakpointKind::Instruction,
                    "",
                    arguments.get("breakpoints"),
                )
                .await
            }
            "setExceptionBreakpoints" => self.set_exception_breakpoints(arguments).await,
            "continue" => {
                self.resume("process continue", json!({ "allThreadsContinued": true }))
                    .await
            }
            "next" | "stepIn" | "stepOut" => self.step(&request.command, arguments).await,
            "pause" => self.pause().await,
            "exceptionInfo" => self.exception_info(),
            "terminate" => self.terminate().await,
            "evaluate" if arguments.text_of("context") == Some("repl") => {
                self.typed(arguments.text_of("expression").unwrap_or_default())
                    .await
            }
            asked if HELPED.contains(&asked) => self.ask(asked, arguments.clone()).await,
            other => Err(format!(
                "LLDB's command line backend has no request `{other}`"
            )),
        };
        self.answer(request, outcome).await;
    }

    async fn answer(&self, request: &Request, outcome: Outcome) {
        self.wire
            .answer(request.seq, &request.command, outcome)
            .await;
    }

    /// Asks the helper in lldb.
    async fn ask(&mut self, what: &str, with: Value) -> Outcome {
        let mut aside = Vec::new();
        let outcome = self.channel.ask(&self.lldb, what, with, &mut aside).await;
        for told in aside {
            self.told(&told).await;
        }
        outcome
    }

    /// What the helper tells unasked: the text of a log point.
    async fn told(&self, told: &Value) {
        if let Some(output) = told.get("output") {
            self.wire.event("output", output.clone()).await;
        }
    }

    /// A command typed by a person; a text of several lines is several commands.
    async fn typed(&mut self, text: &str) -> Outcome {
        let mut printed = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if reads_on(line) {
                return Err(format!(
                    "`{line}` would read more lines, which cannot be given here; write all of it in one line"
                ));
            }
            let output = self.lldb.checked(line, COMMAND).await;
            self.look_after_typed(output.as_deref().unwrap_or_default())
                .await;
            printed.push(output.in_words()?);
        }
        Ok(json!({ "result": printed.join("\n"), "variablesReference": 0 }))
    }
}

/// Commands that would take what we write next for their own input.
fn reads_on(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().collect();
    match words.as_slice() {
        [one] => [
            "script",
            "expression",
            "expr",
            "repl",
            "gui",
            "p",
            "po",
            "print",
            "call",
        ]
        .contains(one),
        ["expression" | "expr", only] => only.starts_with('-'),
        ["breakpoint" | "br" | "b", "command", "add", rest @ ..] => !rest
            .iter()
            .any(|word| ["-o", "-F", "--one-liner", "--python-function"].contains(word)),
        _ => false,
    }
}

fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsWriteMemoryRequest": true,
        "supportsDisassembleRequest": true,
        "supportsSteppingGranularity": true,
        "supportsModulesRequest": true,
        "supportsTerminateRequest": true,
        "supportTerminateDebuggee": true,
        "supportsDelayedStackTraceLoading": true,
        "exceptionBreakpointFilters": [
            { "filter": "cpp_throw", "label": "C++ Throw", "default": false },
            { "filter": "cpp_catch", "label": "C++ Catch", "default": false },
        ],
    })
}

/// Takes in what the core asks, ahead of what is being done.
async fn read_all(
    read: impl AsyncRead + Unpin,
    asked: mpsc::UnboundedSender<Request>,
    leaving: CancellationToken,
) {
    let mut frames = Frames::new(read, DapCodec::client());
    // Whichever way reading ends, nobody asks any more.
    let _leaves = leaving.clone().drop_guard();
    while let Some(request) = frames.request().await {
        if request.command == "disconnect" {
            leaving.cancel();
        }
        if asked.send(request).is_err() {
            return;
        }
    }
}

impl From<LldbError> for String {
    fn from(error: LldbError) -> Self {
        error.to_string()
    }
}
