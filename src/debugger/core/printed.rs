//! Output: of the program, and of adapters that carry it.

use dap::{message::Event as DapEvent, types::OutputEvent};

use super::{prelude::*, references::reference};

/// The category of what the debugger itself says.
const CONSOLE: &str = "console";

impl Owner {
    /// Some adapters tell the exit code in words only.
    pub fn exit_in_words(&mut self, session: SessionId, text: &str) {
        let known = self.session(session).is_none_or(|s| s.exit_code.is_some());
        let Some(live) = self.live(session).filter(|_| !known) else {
            return;
        };
        if let Some(exit_code) = live.personality.exit_code_in(text) {
            self.change(session, Change::Exited { exit_code });
        }
    }

    pub fn output_event(
        &mut self,
        session: SessionId,
        event: &DapEvent,
        output: &mut Vec<OutputChunk>,
    ) {
        let Some(personality) = self.personality(session) else {
            return;
        };
        match event.body.parse::<OutputEvent>() {
            // Meant for the adapter's makers, not for the person who debugs.
            Ok(body) if body.category.as_deref() == Some("telemetry") => {}
            Ok(body) => {
                if self.is_crash_report(session, &body.output) {
                    return;
                }
                self.exit_in_words(session, &body.output);
                let printed = matches!(body.category.as_deref(), Some("stdout" | "stderr"));
                if self.condition_in_words(session, &body.output, printed) {
                    return;
                }
                let Some(live) = self.live_mut(session) else {
                    return;
                };
                let mut text = personality.piece_without_noise(&body.output, &mut live.cut_noise);
                // An adapter may give the program a terminal of its own, which ends lines so.
                if printed && text.contains("\r\n") {
                    text = text.replace("\r\n", "\n");
                }
                if text.is_empty() && !body.output.is_empty() {
                    return;
                }
                let category = body.category.unwrap_or_else(|| CONSOLE.to_owned());
                let mut chunk = OutputChunk {
                    category,
                    group: body.group,
                    variables_reference: body.variables_reference.filter(|r| *r > 0),
                    source: body.source.map(Box::new),
                    line: body.line,
                    column: body.column,
                    location: reference(body.location_reference),
                    ..OutputChunk::default()
                };
                if chunk.category != "stdout" {
                    chunk.text = text;
                    self.read_logged(session, &chunk);
                    return output.push(chunk);
                }
                for (own, text) in personality.apart(text) {
                    let category = if own { CONSOLE } else { "stdout" };
                    let chunk = OutputChunk {
                        category: category.to_owned(),
                        text,
                        ..chunk.clone()
                    };
                    self.read_logged(session, &chunk);
                    output.push(chunk);
                }
            }
            Err(error) => self.unreadable_event(session, &event.event, &error),
        }
    }

    /// After the end of the session, an adapter may crash and say so where the program's output was.
    fn is_crash_report(&mut self, session: SessionId, text: &str) -> bool {
        let ended = self.is_in(session, Phase::Terminated);
        let leaving = |live: &&mut Live| ended || live.disconnecting;
        let Some(live) = self.live_mut(session).filter(leaving) else {
            return false;
        };
        let personality = Arc::clone(&live.personality);
        if !live.muted && personality.crash_report.fit(text) {
            live.muted = true;
            // Of a program that ends with its debugger nothing could have been lost, and of what is left of one neither.
            let held = live.kind == StartKind::Attach;
            if held && !self.is_core(session) {
                self.inform(
                    session,
                    "The adapter crashed while it left; the program was not affected.",
                );
            }
            return true;
        }
        live.muted
    }

    /// Makes output known, and keeps all of it in the session's file.
    pub fn printed(&mut self, session: SessionId, chunks: Vec<OutputChunk>) {
        if chunks.is_empty() {
            return;
        }
        let kept = self
            .live_mut(session)
            .and_then(|l| l.spill.as_mut())
            .map(|spill| spill.write(&chunks));
        match kept {
            Some(Ok(Some(path))) => self.change(session, Change::OutputFile { path }),
            Some(Err(error)) => {
                self.warn(session, format!("Output is not kept in a file: {error}."));
            }
            Some(Ok(None)) | None => {}
        }
        self.change(
            session,
            Change::Output {
                chunks: Arc::new(chunks),
            },
        );
        // What a program says of its end may come behind the stop.
        self.tell_cause(session);
    }
}

/// What is said beside what the program prints.
pub fn spoken(text: String) -> OutputChunk {
    OutputChunk {
        category: CONSOLE.to_owned(),
        text,
        ..OutputChunk::default()
    }
}

pub fn printed(stderr: bool, text: String) -> OutputChunk {
    OutputChunk {
        category: if stderr { "stderr" } else { "stdout" }.to_owned(),
        text,
        ..OutputChunk::default()
    }
}
