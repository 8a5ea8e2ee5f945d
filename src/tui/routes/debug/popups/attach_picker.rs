//! Chooses what to attach to: a process of this machine, or `host:port` of a debug server that is typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::debugger::workspace::Process;
use crate::debugger::{AttachSpec, Command, DebuggerError, State};
use crate::tui::action::{Action, Cx, Enabled, Show, Surface, View, always};
use crate::tui::app::effect::{Effect, RouteId, Tag};
use crate::tui::app::msg::Msg;
use crate::tui::routes::debug::kit::picker::Picker;
use crate::tui::routes::debug::kit::{Cells, dialog, row};
use crate::tui::routes::debug::variables::ticket;
use crate::tui::widgets::paint;

const OWNER: &str = "attach";

/// The picker.
#[derive(Debug, Default)]
pub struct AttachPicker {
    picker: Picker,
    processes: Option<Vec<Process>>,
    /// What is matched: pid, name and command line.
    names: Vec<String>,
    /// While attaching.
    ticket: Option<u64>,
    trouble: Option<String>,
}

/// Lists the processes of this user.
pub fn open(cx: &mut Cx<'_>) {
    cx.emit(Effect::Open(Box::new(AttachPicker::default())));
    cx.emit(Effect::ListProcesses);
}

/// `host:port`, `:port`, `[::1]:port`, or a port alone where no process has it as pid.
fn server(text: &str) -> Option<(Option<String>, u16)> {
    let (host, port) = text.rsplit_once(':')?;
    let port = port.trim().parse().ok().filter(|p| *p > 0)?;
    let host = host.trim().trim_start_matches('[').trim_end_matches(']');
    if host.contains(char::is_whitespace) || host.contains('/') {
        return None;
    }
    Some(((!host.is_empty()).then(|| host.to_owned()), port))
}

impl AttachPicker {
    fn narrow(&mut self) {
        self.picker.narrow(self.names.iter().map(String::as_str));
    }

    fn selected(&self) -> Option<&Process> {
        self.processes.as_ref()?.get(self.picker.selected()?)
    }

    fn target(&self, state: &State) -> Result<AttachSpec, String> {
        if let Some((host, port)) = server(self.picker.query()) {
            return Ok(AttachSpec {
                host,
                port: Some(port),
                ..AttachSpec::default()
            });
        }
        let Some(process) = self.selected() else {
            return Err(format!(
                "`{}` is no process here and no host:port.",
                self.picker.query()
            ));
        };
        if in_session(state, process.pid) {
            return Err(format!(
                "{} (pid {}) is in a session here already; Esc leads back to it.",
                process.name, process.pid
            ));
        }
        if let Some(tracer) = process.tracer {
            return Err(format!(
                "{} (pid {}) is already traced by pid {tracer}; end that first.",
                process.name, process.pid
            ));
        }
        Ok(AttachSpec {
            pid: Some(process.pid),
            ..AttachSpec::default()
        })
    }

    fn attach(&mut self, cx: &mut Cx<'_>) {
        match self.target(cx.view.state) {
            Ok(spec) => {
                let ticket = ticket();
                self.ticket = Some(ticket);
                self.trouble = None;
                cx.emit(Effect::Core {
                    command: Command::Attach(Box::new(spec)),
                    tag: Tag(OWNER, ticket),
                });
            }
            Err(trouble) => self.trouble = Some(trouble),
        }
    }

    fn idle(&self, _: &View<'_>) -> Enabled {
        if self.ticket.is_some() {
            Err("Attaching is under way.")
        } else {
            Ok(())
        }
    }

    fn fail(&mut self, error: &DebuggerError) {
        self.trouble = Some(match &error.hint {
            Some(hint) => format!("{} {hint}", error.what),
            None => error.what.clone(),
        });
    }
}

/// Whether a live session is about this process.
fn in_session(state: &State, pid: u32) -> bool {
    state.live().any(|s| s.pid == Some(i64::from(pid)))
}

/// An age in its largest unit.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

impl Surface for AttachPicker {
    const TITLE: &'static str = "Attach";
    const ACTIONS: &'static [Action<Self>] = &[
        row(
            "attach.accept",
            "attach",
            &["enter"],
            Show::Footer,
            Self::idle,
            Self::attach,
        ),
        row(
            "attach.refresh",
            "list again",
            &["ctrl-r"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::ListProcesses),
        ),
        row(
            "attach.cancel",
            "cancel",
            &["esc"],
            Show::Footer,
            always,
            |_, cx| cx.emit(Effect::Close),
        ),
        row(
            "attach.up",
            "up",
            &["up", "ctrl-p"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(-1),
        ),
        row(
            "attach.down",
            "down",
            &["down", "ctrl-n"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.step(1),
        ),
        row(
            "attach.page-up",
            "page up",
            &["pageup"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(-1),
        ),
        row(
            "attach.page-down",
            "page down",
            &["pagedown"],
            Show::HelpOnly,
            always,
            |s, _| s.picker.page(1),
        ),
    ];

    fn render(&mut self, frame: &mut Frame<'_>, area: Rect, view: &View<'_>) {
        let wide = (area.width * 4 / 5).clamp(40, 120);
        let high = (area.height * 2 / 3).clamp(6, 30);
        let right = self.processes.as_ref().map_or_else(String::new, |all| {
            format!("{} of {}", self.picker.len(), all.len())
        });
        let buf = frame.buffer_mut();
        let inner = dialog(
            buf,
            area,
            (wide, high),
            "Attach to a process or host:port",
            &right,
            view,
        );
        let remote = server(self.picker.query());
        let none = match (&remote, &self.processes) {
            (Some((host, port)), _) => {
                format!(
                    "Enter connects to the debug server at {}:{port}",
                    host.as_deref().unwrap_or("127.0.0.1")
                )
            }
            (None, None) => "looking around…".to_owned(),
            (None, Some(all)) if all.is_empty() => {
                "No process can be seen. Type host:port of a debug server.".to_owned()
            }
            (None, Some(_)) => "No process has these letters.".to_owned(),
        };
        let below = match (&self.trouble, self.ticket) {
            (Some(trouble), _) => Some((trouble.as_str(), view.theme.error)),
            (None, Some(_)) => Some(("attaching…", view.theme.muted)),
            (None, None) => None,
        };
        let mut list = inner;
        if let Some((text, style)) = below
            && inner.height > 2
        {
            list.height -= 1;
            paint::line(
                buf,
                paint::row(inner, inner.height - 1),
                &Cells::new(inner.width, view).put(text, style).line(),
                0,
            );
        }
        let processes = self.processes.as_deref().unwrap_or_default();
        let hint = "name, pid, or host:port";
        self.picker.draw(buf, list, hint, &none, view, |at, room| {
            let mut cells = Cells::new(room, view);
            if let Some(p) = processes.get(at) {
                let here = in_session(view.state, p.pid);
                let style = if here || p.tracer.is_some() {
                    view.theme.muted
                } else {
                    view.theme.text
                };
                match p.tracer {
                    _ if here => cells.right("debugged here", view.theme.warning),
                    Some(tracer) => cells.right(&format!("traced by {tracer}"), view.theme.warning),
                    None => cells.right(&age(p.age_secs), view.theme.muted),
                };
                cells.column(&p.pid.to_string(), 8, view.theme.number);
                cells
                    .column(&p.name, 16, style)
                    .skip(1)
                    .put(&p.command, view.theme.muted);
            }
            cells.line()
        });
    }

    fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        match msg {
            Msg::Processes(processes) => {
                // Our own machinery is nothing to attach to; a program in a session is shown, and said to be in one.
                let state = cx.view.state;
                let processes: Vec<Process> = processes
                    .iter()
                    .filter(|p| !p.ours || in_session(state, p.pid))
                    .cloned()
                    .collect();
                self.names = processes
                    .iter()
                    .map(|p| format!("{} {} {}", p.pid, p.name, p.command))
                    .collect();
                self.processes = Some(processes);
                self.narrow();
            }
            Msg::Reply { tag, result } if tag.0 == OWNER && self.ticket == Some(tag.1) => {
                self.ticket = None;
                match result {
                    Ok(_) => {
                        cx.emit(Effect::Close);
                        cx.emit(Effect::Go(RouteId::Debug));
                    }
                    Err(error) => self.fail(error),
                }
            }
            _ => return,
        }
        cx.redraw();
    }

    fn wants_text(&self) -> bool {
        true
    }

    fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let tables = key.modifiers.contains(KeyModifiers::CONTROL)
            && matches!(key.code, KeyCode::Char('r' | 'p' | 'n'));
        let mine = !tables && self.picker.key(key);
        if mine {
            self.trouble = None;
            self.narrow();
            cx.redraw();
        }
        mine
    }

    fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        self.picker.paste(text);
        self.narrow();
        cx.redraw();
        true
    }

    fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        let answer = self.picker.mouse(event, cx);
        if answer == Some(true) && self.ticket.is_none() {
            self.attach(cx);
        }
        answer.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debugger::Kind;
    use crate::tui::action::Layer;
    use crate::tui::routes::debug::kit::test::Stage;

    fn process(pid: u32, name: &str, tracer: Option<u32>) -> Process {
        Process {
            pid,
            parent: Some(1),
            name: name.into(),
            command: format!("/usr/bin/{name} --serve"),
            age_secs: 7_300,
            tracer,
            ours: false,
        }
    }

    fn type_text(picker: &mut AttachPicker, text: &str, cx: &mut Cx<'_>) {
        for c in text.chars() {
            picker.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), cx);
        }
    }

    #[test]
    fn servers_are_told_from_processes() {
        assert_eq!(
            server("localhost:5678"),
            Some((Some("localhost".into()), 5678))
        );
        assert_eq!(server(":5678"), Some((None, 5678)));
        assert_eq!(server("[::1]:80"), Some((Some("::1".into()), 80)));
        for text in [
            "4711",
            "a b:80",
            "host:",
            "host:0",
            "host:99999",
            "http://x:80",
        ] {
            assert_eq!(server(text), None, "{text}");
        }
    }

    #[test]
    fn a_traced_process_is_not_attached_to_and_errors_stay_here() {
        let mut stage = Stage::new(State::default());
        let mut picker = AttachPicker::default();
        let mut cx = stage.cx();
        picker.message(
            &Msg::Processes(vec![process(7, "web", None), process(8, "db", Some(9))]),
            &mut cx,
        );
        type_text(&mut picker, "db", &mut cx);
        picker.invoke("attach.accept", &mut cx);
        let screen = stage.draw(&mut picker, 100, 24).join("\n");
        assert!(screen.contains("already traced by pid 9"), "{screen}");
        for _ in 0..2 {
            picker.text(
                KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE),
                &mut cx,
            );
        }
        picker.invoke("attach.accept", &mut cx);
        let Some(Effect::Core {
            command: Command::Attach(spec),
            tag,
        }) = cx.effects.pop()
        else {
            panic!("not attached")
        };
        assert_eq!(spec.pid, Some(7));
        let error =
            DebuggerError::new(Kind::Adapter, "Operation not permitted.").hint("see ptrace_scope");
        picker.message(
            &Msg::Reply {
                tag,
                result: Err(error),
            },
            &mut cx,
        );
        let screen = stage.draw(&mut picker, 100, 24).join("\n");
        assert!(
            screen.contains("Operation not permitted. see ptrace_scope") && screen.contains("2h"),
            "{screen}"
        );
        drop(cx);
        stage.survives(&mut picker);
    }

    #[test]
    fn a_typed_server_is_connected_to() {
        let stage = Stage::new(State::default());
        let mut picker = AttachPicker::default();
        let mut cx = stage.cx();
        type_text(&mut picker, "box:5678", &mut cx);
        picker.invoke("attach.accept", &mut cx);
        assert!(
            matches!(cx.effects.pop(), Some(Effect::Core { command: Command::Attach(spec), .. }) if spec.port == Some(5678))
        );
    }
}
