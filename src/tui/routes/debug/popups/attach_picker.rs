//! Chooses what to attach to: a process of this machine, or `host:port` of a debug server that is typed.

use debugger::{AttachSpec, workspace::Process};

use crate::{
    debug_prelude::*,
    kit::picking::{Picking, Source, Words, high},
};

/// The processes of this user, and how attaching goes.
#[derive(Debug, Default)]
pub struct Processes {
    /// While attaching.
    asked: PendingAnswer,
    trouble: Option<String>,
}

/// The picker.
pub type AttachPicker = Picking<Processes>;

/// Lists the processes of this user.
pub fn open(cx: &Cx) {
    cx.open(Picking::new(Processes::default()));
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
    fn target(&self, state: &State) -> Result<AttachSpec, String> {
        if let Some((host, port)) = server(self.query()) {
            return Ok(AttachSpec {
                host,
                port: Some(port),
                ..AttachSpec::default()
            });
        }
        let Some(process) = self.selected() else {
            return Err(format!(
                "`{}` is no process here and no host:port.",
                self.query()
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

    fn attach(&mut self, cx: &Cx) {
        match self.target(&cx.view.state) {
            Ok(spec) => {
                self.source.trouble = None;
                let command = Command::Attach(Box::new(spec));
                self.source.asked.ask((), command, cx);
            }
            Err(trouble) => self.source.trouble = Some(trouble),
        }
    }
}

gates! { AttachPicker, s, _;
    idle: !s.source.asked.is_open(), "Attaching is under way.";
}

/// Whether a live session is about this process.
fn in_session(state: &State, pid: u32) -> bool {
    state.live().any(|s| s.pid == Some(i64::from(pid)))
}

impl Source for Processes {
    type Entry = Process;

    table! { AttachPicker: "Attach", s, cx;
        "attach.accept"  "attach"     ["enter"], Footer  if idle => AttachPicker::attach;
        "attach.refresh" "list again" ["ctrl-r"], Footer => cx.emit(Effect::ListProcesses);
        pick "attach" "cancel" "cancel";
    }

    fn title(&self) -> &'static str {
        "Attach to a process or host:port"
    }

    const WORDS: Words = Words {
        hint: "name, pid, or host:port",
        asking: "looking around…",
        nothing: "No process can be seen. Type host:port of a debug server.",
        unmatched: "No process has these letters.",
    };

    fn name<'e>(&self, p: &'e Process) -> Cow<'e, str> {
        format!("{} {} {}", p.pid, p.name, p.command).into()
    }

    fn size(&self, _: Option<usize>, area: Rect) -> (u16, u16) {
        // Command lines are long.
        let wide = area.width.saturating_mul(4).div_euclid(5);
        (wide.clamp(40, 120), high(area))
    }

    fn row(&self, p: &Process, _: bool, cells: &mut Cells) {
        let view = cells.view.clone();
        let here = in_session(&view.state, p.pid);
        let style = if here || p.tracer.is_some() {
            view.theme.muted
        } else {
            view.theme.text
        };
        match p.tracer {
            _ if here => cells.right("debugged here", view.theme.warning),
            Some(tracer) => cells.right(&format!("traced by {tracer}"), view.theme.warning),
            None => cells.remark(&amount::span(p.age_secs as i64 * 1000)),
        };
        cells
            .column(&p.pid.to_string(), 8, view.theme.number)
            .column(&p.name, 16, style)
            .skip(1)
            .muted(&p.command);
    }

    fn instead(&self, query: &str) -> Option<String> {
        let (host, port) = server(query)?;
        let host = host.as_deref().unwrap_or("127.0.0.1");
        Some(format!(
            "Enter connects to the debug server at {host}:{port}"
        ))
    }

    fn foot(&self, view: &View) -> Option<(&str, Style)> {
        match (&self.trouble, self.asked.is_open()) {
            (Some(trouble), _) => Some((trouble.as_str(), view.theme.error)),
            (None, true) => Some(("attaching…", view.theme.muted)),
            (None, false) => None,
        }
    }

    fn typed(&mut self) {
        self.trouble = None;
    }

    fn on_msg(list: &mut AttachPicker, msg: &Msg, cx: &Cx) {
        if let Msg::Processes(processes) = msg {
            // Our own machinery is nothing to attach to; a program in a session is shown, and said to be in one.
            let state = &cx.view.state;
            let shown = processes
                .iter()
                .filter(|p| !p.ours || in_session(state, p.pid));
            list.show_again(shown.cloned().collect(), |old, new| old.pid == new.pid);
            cx.redraw();
        }
        if let Some(((), result)) = list.source.asked.answer(msg) {
            match result {
                Ok(_) => {
                    cx.close();
                    cx.go(RouteId::DEBUG);
                }
                Err(error) => list.source.trouble = Some(with_hint(error)),
            }
            cx.redraw();
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::action::Layer;
    use crate::kit::test::Stage;
    use debugger::ErrorKind;

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

    fn type_text(picker: &mut AttachPicker, text: &str, cx: &Cx) {
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
        let mut picker = Picking::new(Processes::default());
        let cx = stage.cx();
        picker.message(
            &Msg::Processes(vec![process(7, "web", None), process(8, "db", Some(9))]),
            &cx,
        );
        type_text(&mut picker, "db", &cx);
        picker.invoke("attach.accept", &cx);
        let screen = stage.draw(&mut picker, 100, 24).join("\n");
        assert!(screen.contains("already traced by pid 9"), "{screen}");
        for _ in 0..2 {
            picker.text(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &cx);
        }
        picker.invoke("attach.accept", &cx);
        let Some(Effect::Core {
            command: Command::Attach(spec),
            tag,
        }) = cx.pop()
        else {
            panic!("not attached")
        };
        assert_eq!(spec.pid, Some(7));
        let error = DebuggerError::new(ErrorKind::Adapter, "Operation not permitted.")
            .hint("see ptrace_scope");
        picker.message(
            &Msg::Reply {
                tag,
                result: Err(error),
            },
            &cx,
        );
        let screen = stage.draw(&mut picker, 100, 24).join("\n");
        assert!(
            screen.contains("Operation not permitted. see ptrace_scope")
                && screen.contains("2 h 1 min"),
            "{screen}"
        );
        drop(cx);
        stage.survives(&mut picker);
    }

    #[test]
    fn a_typed_server_is_connected_to() {
        let stage = Stage::new(State::default());
        let mut picker = Picking::new(Processes::default());
        let cx = stage.cx();
        type_text(&mut picker, "box:5678", &cx);
        picker.invoke("attach.accept", &cx);
        assert!(
            matches!(cx.pop(), Some(Effect::Core { command: Command::Attach(spec), .. }) if spec.port == Some(5678))
        );
    }
}
