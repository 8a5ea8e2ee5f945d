//! Writes what a recorder tells: as lines or as JSON, to one place or to several.

use std::io;

use crate::{
    base::text::{json::printable, sanitise::sanitise_block},
    commands::prelude::*,
    diagnostics::sse::{Record, RecordKind, RecorderEvent},
};

/// What is read and written at once.
pub const BLOCK: usize = 64 * 1024;

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Json,
    /// JSON with notes among the records.
    Noted,
}

/// What is written to one place, before it is written there.
#[derive(Debug)]
pub struct Sheet {
    form: Form,
    pending: Vec<u8>,
    /// The response that the last lines belong to.
    last: u64,
}

impl Sheet {
    pub fn new(form: Form) -> Self {
        Self {
            form,
            pending: Vec::new(),
            last: 0,
        }
    }

    pub fn told(&mut self, told: &RecorderEvent) {
        match (self.form, told) {
            (Form::Json | Form::Noted, RecorderEvent::Record(kept)) => {
                self.line(&kept.record.to_json());
            }
            (Form::Json | Form::Noted, RecorderEvent::Message(response, message)) => {
                self.line(&message.to_json(*response));
            }
            (Form::Json | Form::Noted, RecorderEvent::Dropped(dropped)) => {
                self.line(&dropped.to_json());
            }
            (Form::Text, RecorderEvent::Record(kept)) => self.record(&kept.record),
            (Form::Text, RecorderEvent::Dropped(dropped)) => self.block(&format!(
                ": omp-debug-dropped records={} chars={}",
                dropped.records, dropped.chars
            )),
            (Form::Noted, RecorderEvent::Note(text)) => {
                self.line(&serde_json::json!({"kind": "note", "text": text}));
            }
            (Form::Text, RecorderEvent::Message(..))
            | (_, RecorderEvent::Note(_) | RecorderEvent::Begin(_)) => {}
        }
    }

    /// Whether it is worth writing although more may come.
    pub fn is_full(&self) -> bool {
        self.pending.len() >= BLOCK
    }

    pub fn write_to(&mut self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let done = out.write_all(&self.pending).and_then(|()| out.flush());
        self.pending.clear();
        done
    }

    fn record(&mut self, record: &Record) {
        let number = record.response.number;
        let begins = matches!(record.what, RecordKind::Response);
        // Of several at once it must be seen whose each one is.
        if !begins && self.last != number && self.last != 0 {
            self.block(&format!(": omp-debug-of response={number}"));
        }
        self.last = number;
        match &record.what {
            RecordKind::Foreign(foreign) if foreign.text.is_empty() => {
                self.block(&format!(": omp-debug {}", foreign.reason));
            }
            _ => self.block(&record.text()),
        }
    }

    fn block(&mut self, text: &str) {
        let text = sanitise_block(text.trim_end_matches(['\n', '\r']));
        self.put(&text, "\n\n");
    }

    fn line(&mut self, value: &Value) {
        let text = value.to_string();
        self.put(&printable(&text), "\n");
    }

    fn put(&mut self, text: &str, end: &str) {
        self.pending.extend_from_slice(text.as_bytes());
        self.pending.extend_from_slice(end.as_bytes());
    }
}
