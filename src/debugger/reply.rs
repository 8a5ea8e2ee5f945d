//! What the core answers to a [`Command`].

use dap::{
    client::RequestError,
    message::Body,
    requests::{DapRequest, DataBreakpointInfoResponse},
    types::CompletionItem,
};

use super::{
    hang::Hang,
    history::{SiblingSnapshot, StopSnapshot, Stops},
    timings::Timings,
    traffic::Traffic,
};
use crate::prelude::*;

/// What a command gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// Done; the rest is in the events.
    Done,
    /// The session it was about.
    Session {
        session: SessionId,
    },
    /// The breakpoint as it is now.
    Breakpoint {
        breakpoint: Box<Breakpoint>,
    },
    Scopes {
        scopes: FrameScopes,
    },
    /// Children.
    Variables {
        variables: Vec<Variable>,
    },
    Value {
        value: Evaluated,
    },
    /// A page of a value.
    Data {
        data: Box<Data>,
    },
    /// Where data can be watched, or why not.
    DataBreakpointInfo {
        info: Box<DataBreakpointInfoResponse>,
    },
    /// How many bytes were written, when told, and from which offset on.
    Written {
        bytes: Option<i64>,
        offset: Option<i64>,
    },
    /// A sentence.
    Explained {
        text: String,
    },
    /// Where the session's time went.
    Spent {
        spent: Timings,
    },
    /// Messages of the protocol.
    Protocol {
        traffic: Traffic,
    },
    /// The file that a recording goes into.
    Recording {
        file: PathBuf,
    },
    /// A recording was ended: its file, and how many messages are in it and how many are not.
    Recorded {
        file: PathBuf,
        messages: u64,
        left_out: u64,
    },
    Stops {
        stops: Box<Stops>,
    },
    /// A stop as it was seen; of a recording with all that had been printed.
    Seen {
        session: SessionId,
        seen: Box<StopSnapshot>,
        output: Option<Vec<OutputChunk>>,
        /// Of a recording, what its other sessions are like at that stop.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        beside: Vec<SiblingSnapshot>,
    },
    /// Who waits for whom.
    Hang {
        hang: Box<Hang>,
    },
    /// The body of an adapter's answer, as it came: see [`Self::answer`].
    Answer {
        body: Value,
    },
    Completions {
        items: Vec<CompletionItem>,
    },
    /// Text of a source, and its MIME type when told.
    Source {
        content: String,
        mime_type: Option<String>,
        /// Something a reader should know: not UTF-8, changed since the session began, cut at its end.
        note: Option<String>,
    },
}

impl Reply {
    /// What an adapter answered to a request of [`Command::request`](super::Command::request).
    pub fn answer<R: DapRequest>(&self) -> Result<R::Response> {
        match self {
            Self::Answer { body: Value::Null } => Ok(R::Response::default()),
            Self::Answer { body } => Body::from_value(body).parse().map_err(|error| {
                let command = R::COMMAND.to_owned();
                RequestError::BadBody { command, error }.into()
            }),
            other => Err(other.unexpected()),
        }
    }

    /// What an adapter answers.
    pub fn of_adapter(answer: &impl Serialize) -> Self {
        Self::Answer {
            // Records have texts as keys, so this cannot fail.
            body: serde_json::to_value(answer).unwrap_or_default(),
        }
    }

    /// For a reply that what was asked for never gives.
    pub fn unexpected(&self) -> DebuggerError {
        DebuggerError::adapter(format!(
            "The core gave an answer that does not fit: {self:?}"
        ))
    }
}

impl Evaluated {
    /// What is shown of it in one line.
    pub fn shown(&self) -> &str {
        self.preview.as_deref().unwrap_or(&self.result)
    }
}

/// A value as evaluated or set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// As text.
    pub result: String,
    pub type_name: Option<String>,
    /// For opening it up; 0 = it has no parts.
    pub variables_reference: i64,
    /// Number of fields, when told.
    pub named_variables: Option<i64>,
    /// Number of elements, when told.
    pub indexed_variables: Option<i64>,
    pub memory_reference: Option<String>,
    /// Reference of the place where the value is declared, for the request `locations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<i64>,
    /// What it shows in one line, where `result` does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The stop it is true of.
    pub stop: Option<StopId>,
}
