//! What tests of panes and popups share: a view, a screen as text, a state.

use std::{
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use dap::types::{Scope, StackFrame, Variable};
use debugger::{
    Phase, Session, SessionId, State, Stop, StopId,
    ids::ApprovalId,
    permission::{Actor, ActorKind, Approval, Risk, Tier},
    state::{FrameRef, FrameScopes, ScopeVariables, Stack},
};
use diagnostics::{artifacts::ArtifactRoot, omp::Layout};
use ratatui::{Terminal, backend::TestBackend};

use crate::{
    action::{Cx, Layer, view::View},
    theme::{Symbols, Theme},
};

/// A theme and symbols that live long enough.
pub struct Stage {
    /// What the core knows.
    pub state: State,
    /// Styles.
    pub theme: Theme,
    /// Glyphs.
    pub symbols: &'static Symbols,
    /// Where omp keeps its files.
    pub omp: Arc<Layout>,
    /// Where artifacts are.
    pub ground: Arc<ArtifactRoot>,
}

impl Stage {
    /// With colours and Unicode.
    pub fn new(state: State) -> Self {
        Self {
            state,
            theme: Theme::dark(),
            symbols: &Symbols::UNICODE,
            omp: Arc::default(),
            ground: Arc::default(),
        }
    }

    /// A view with the keyboard.
    pub fn view(&self) -> View<'_> {
        View {
            state: &self.state,
            theme: &self.theme,
            symbols: self.symbols,
            project: Path::new("/project"),
            omp: &self.omp,
            ground: &self.ground,
            focused: true,
        }
    }

    /// A context without effects.
    pub fn cx(&self) -> Cx<'_> {
        Cx::new(self.view())
    }

    /// The screen as lines without trailing blanks.
    ///
    /// # Panics
    /// When the surface does.
    pub fn draw(&self, surface: &mut dyn Layer, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|f| surface.draw(f, f.area(), &self.view()))
            .unwrap();
        let buffer = terminal.backend().buffer();
        (0..height)
            .map(|y| {
                let line: String = (0..width)
                    .map(|x| buffer.cell((x, y)).unwrap().symbol())
                    .collect();
                line.trim_end().to_owned()
            })
            .collect()
    }

    /// Draws at many sizes from nothing to 60x30, with Unicode and ASCII.
    pub fn survives(&mut self, surface: &mut dyn Layer) {
        for symbols in [&Symbols::UNICODE, &Symbols::ASCII] {
            self.symbols = symbols;
            self.theme = if symbols.unicode {
                Theme::light()
            } else {
                Theme::mono()
            };
            for width in (0..=12).chain([20, 39, 60]) {
                for height in (0..=8).chain([15, 30]) {
                    self.draw(surface, width, height);
                }
            }
        }
    }
}

/// A batch of events that were applied.
pub fn events() -> crate::action::msg::Msg {
    crate::action::msg::Msg::Events(Arc::default())
}

/// A variable as adapters send it.
pub fn variable(name: &str, value: &str, reference: i64) -> Variable {
    Variable {
        name: name.into(),
        value: value.into(),
        variables_reference: reference,
        evaluate_name: Some(name.into()),
        ..Variable::default()
    }
}

/// A session that stands still in `main` with these locals.
pub fn stopped_in_main(stop: u64, locals: Vec<Variable>) -> State {
    let frame = StackFrame {
        id: 1,
        name: "main".into(),
        line: 12,
        ..StackFrame::default()
    };
    let scopes = FrameScopes {
        scopes: vec![ScopeVariables {
            scope: Scope {
                name: "Locals".into(),
                variables_reference: 1,
                ..Scope::default()
            },
            variables: Some(locals),
            trouble: None,
        }],
        trouble: None,
    };
    let session = Session {
        id: SessionId(1),
        name: "demo.py".into(),
        phase: Phase::Stopped,
        stop: Some(Stop {
            id: StopId(stop),
            thread_id: Some(1),
            reason: "breakpoint".into(),
            selected: Some(FrameRef {
                thread_id: 1,
                frame_id: 1,
            }),
            stacks: [(
                1,
                Stack {
                    frames: vec![frame],
                    ..Stack::default()
                },
            )]
            .into(),
            frames: [(1, scopes)].into(),
            ..Stop::default()
        }),
        ..Session::default()
    };
    State {
        sessions: vec![session],
        focus: Some(SessionId(1)),
        ..State::default()
    }
}

/// What an agent asks for, for a minute from now.
///
/// # Panics
/// Where the clock is before 1970.
pub fn asked(id: u64, subject: &str) -> Approval {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Approval {
        id: ApprovalId(id),
        actor: Actor {
            kind: ActorKind::Agent,
            name: "claude-code".into(),
            connection: 3,
        },
        session: Some(SessionId(1)),
        stop: Some(StopId(1)),
        action: "evaluate".into(),
        tier: Tier::Exec,
        risk: Risk::Critical,
        warning: "Critical risk. It runs code in the program.".into(),
        subject: subject.into(),
        subject_bytes: subject.len() as u64,
        place: "demo.py:12 main()".into(),
        editable: true,
        hash: format!("hash of {id}"),
        expires_ms: now.as_millis() as u64 + 60_000,
    }
}
