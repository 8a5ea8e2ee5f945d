//! The tree with its hands: what keys and mouse do to it is the same in scopes, watches and inspected values.

use std::path::Path as FilePath;

use dap::tolerant::is_cut;
use debugger::UNDECLARED;

use super::{Declared, Node, Path, Place, Tree, view};
use crate::routes::debug::{
    data,
    kit::prelude::*,
    popups::prompts::{Prompt, required},
};

/// A tree that is drawn and worked with.
#[derive(Debug, Default)]
pub struct TreePanel {
    owner: &'static str,
    /// The values.
    pub tree: Tree,
    list: ListState,
    hex: bool,
    /// While a filter is typed.
    typing: Filter,
    /// A value being set: its ticket and path.
    setting: Option<(u64, Path)>,
    /// The whole of a value being asked for, to be copied: its ticket and what it is.
    copying: Option<(u64, String)>,
    /// Why the last one could not be set.
    trouble: Option<(Path, String)>,
}

/// A surface with such a tree; the functions below are its handlers.
pub trait HasTree: Sized {
    /// The tree.
    fn panel(&self) -> &TreePanel;
    /// The same, to change.
    fn panel_mut(&mut self) -> &mut TreePanel;
}

impl TreePanel {
    /// An empty one; `owner` marks its requests.
    pub fn new(owner: &'static str) -> Self {
        Self {
            owner,
            ..Self::default()
        }
    }

    /// Sends what the tree asks for.
    pub fn flush(&mut self, cx: &mut Cx<'_>) {
        self.tree.flush(self.owner, cx);
    }

    /// Takes in answers to its own requests.
    pub fn on_msg(&mut self, msg: &Msg, cx: &mut Cx<'_>) {
        let Msg::Reply { tag, result } = msg else {
            return;
        };
        if tag.0 != self.owner {
            return;
        }
        if self
            .setting
            .as_ref()
            .is_some_and(|(ticket, _)| *ticket == tag.1)
        {
            let path = self
                .setting
                .take()
                .map(|(_, path)| path)
                .unwrap_or_default();
            self.trouble = result.as_ref().err().map(|e| (path, e.what.clone()));
            if let Some((path, text)) = &self.trouble {
                // The row below has no room for all of it; among the messages it can be read whole.
                let name = path.last().map_or("", String::as_str);
                cx.warn(format!("{name}: {text}"));
            }
            cx.redraw();
        } else if let Some((_, what)) = self.copying.take_if(|(ticket, _)| *ticket == tag.1) {
            cx.emit(match result {
                Ok(Reply::Value { value }) => Effect::Copy {
                    text: value.result.clone(),
                    what,
                },
                Ok(_) => Effect::warn("The answer was not a value."),
                Err(e) => Effect::warn(format!("The {what} was not copied: {}", e.what)),
            });
        } else if self.tree.awaits(tag.1) {
            self.tree.take(*tag, result, cx);
            cx.redraw();
        }
    }

    /// Draws the rows, and below them what is being typed or what went wrong.
    pub fn draw(&mut self, buf: &mut Buffer, area: Rect, view: &View<'_>) {
        let mut rows = self.typing.draw(buf, area, self.tree.filter(), view);
        if let Some((path, text)) = self.trouble.as_ref().filter(|_| rows == area)
            && area.height > 1
        {
            rows.height -= 1;
            let name = path.last().map_or("", String::as_str);
            let text = format!("{} {name}: {text}", view.symbols.error);
            Cells::new(area.width, view)
                .error(&text)
                .draw(buf, paint::row(area, rows.height));
        }
        view::draw(buf, rows, &self.tree, &mut self.list, self.hex, view);
    }

    /// Whether a filter is being typed.
    pub fn wants_text(&self) -> bool {
        self.typing.wants_text()
    }

    /// A key while a filter is typed.
    pub fn on_text(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> bool {
        let narrowed = self.typing.key(key, cx);
        if let Some(Some(text)) = &narrowed {
            self.tree.set_filter(text);
        }
        narrowed.is_some()
    }

    /// Pasted text while a filter is typed.
    pub fn on_paste(&mut self, text: &str, cx: &mut Cx<'_>) -> bool {
        let narrowed = self.typing.paste(text, cx);
        if let Some(text) = &narrowed {
            self.tree.set_filter(text);
        }
        narrowed.is_some()
    }

    /// A mouse event over the rows.
    pub fn on_mouse(&mut self, event: MouseEvent, cx: &mut Cx<'_>) -> bool {
        if let Some(by) = wheel(&event) {
            self.list.scroll_by(by, self.tree.rows().len());
            cx.redraw();
            return true;
        }
        if event.kind != MouseEventKind::Down(MouseButton::Left) {
            return false;
        }
        let Some(row) = self.list.row_at(event.column, event.row) else {
            return false;
        };
        if row == self.tree.selected() {
            self.tree.toggle();
            self.flush(cx);
        } else {
            self.tree.select(row);
        }
        cx.redraw();
        true
    }

    /// The value with the cursor.
    pub fn selected_value(&self) -> Option<&Node> {
        self.tree.selected_node().filter(|n| n.is_value())
    }

    /// Where the selected value is in memory, and its name; `None` when its adapter does not tell.
    pub fn selected_place(&self) -> Option<(String, String)> {
        let node = self.selected_value()?;
        Some((node.memory_reference.clone()?, node.name.clone()))
    }

    /// Where the selected value and its variable are declared, by the adapter's references, and whose they are; or why
    /// that cannot be known.
    pub fn declared(&self) -> Result<(Declared, &Place), &'static str> {
        let node = self.selected_value().ok_or("Select a value first.")?;
        let row = self.tree.rows().get(self.tree.selected());
        if row.is_some_and(|row| row.stale) {
            return Err("It is still being read.");
        }
        match node.declared {
            Declared {
                value: None,
                variable: None,
            } => Err(UNDECLARED),
            known => Ok((known, self.tree.place())),
        }
    }

    /// Whether the selected value can be changed, and why not.
    pub fn can_set(&self, view: &View<'_>) -> Enabled {
        let Some(session) = view.state.focused().filter(|s| s.phase == Phase::Stopped) else {
            return Err("Values can be changed only while the program is stopped.");
        };
        let Some(node) = self.selected_value().filter(|n| !n.lazy) else {
            return Err("Select a value first.");
        };
        if node.read_only {
            return Err("The adapter says that this value is read-only.");
        }
        let capabilities = &session.capabilities;
        let by_name = node.container > 0 && capabilities.supports_set_variable;
        let by_expression = node.evaluate_name.is_some() && capabilities.supports_set_expression;
        if by_name || by_expression {
            Ok(())
        } else if capabilities.supports_set_variable || capabilities.supports_set_expression {
            Err("The adapter gives no way to change this value.")
        } else {
            Err("This adapter cannot change values.")
        }
    }
}

impl<S: HasTree> Walks for S {
    fn walk(&mut self, step: Step, cx: &mut Cx<'_>) {
        let panel = self.panel_mut();
        panel.tree.step(step.rows(panel.list.visible().len()));
        panel.flush(cx);
    }
}

/// Where values belong that are true of the focused session's selected frame; `None` without a stop.
pub fn place_of(view: &View<'_>) -> Option<Place> {
    let session = view.state.focused()?;
    let stop = session.stop.as_ref()?;
    let frame = session.current_frame();
    let file = frame
        .and_then(|f| f.source.as_ref())
        .and_then(|s| s.path.as_deref().or(s.name.as_deref()))
        .unwrap_or_default();
    Some(Place {
        session: session.id,
        stop: stop.id,
        frame: frame.map_or_else(String::new, |f| format!("{}\n{file}", f.name)),
    })
}

/// For `enabled`: a row is selected.
pub fn has_row<S: HasTree>(s: &S, _: &View<'_>) -> Enabled {
    (!s.panel().tree.rows().is_empty()).or_why("There is nothing here.")
}

/// For `enabled`: a value is selected.
pub fn has_value<S: HasTree>(s: &S, _: &View<'_>) -> Enabled {
    s.panel().selected_value().or_why("Select a value first.")
}

/// For `enabled`: an expression is selected.
pub fn has_expression<S: HasTree>(s: &S, _: &View<'_>) -> Enabled {
    s.panel()
        .tree
        .selected_expression()
        .or_why("The adapter gives no expression for this row.")
}

/// For `enabled`: the selected value can be changed.
pub fn settable<S: HasTree>(s: &S, view: &View<'_>) -> Enabled {
    s.panel().can_set(view)
}

/// Opens the selected row, or loads what it stands for.
pub fn expand<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    s.panel_mut().tree.expand();
    s.panel_mut().flush(cx);
}

/// Opens or closes the selected row.
pub fn toggle<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    s.panel_mut().tree.toggle();
    s.panel_mut().flush(cx);
}

/// Closes the selected row, or goes to the one that holds it.
pub fn collapse<S: HasTree>(s: &mut S, _: &mut Cx<'_>) {
    s.panel_mut().tree.collapse();
}

/// Begins to type a filter.
pub fn filter<S: HasTree>(s: &mut S, _: &mut Cx<'_>) {
    let panel = s.panel_mut();
    panel.typing.begin(panel.tree.filter());
}

/// Shows all rows again and forgets what went wrong; with neither, Esc means what it means everywhere.
pub fn clear<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    let panel = s.panel_mut();
    if panel.tree.filter().is_empty() && panel.trouble.is_none() {
        cx.invoke("app.back");
    }
    panel.tree.set_filter("");
    panel.trouble = None;
}

/// Whole numbers in hexadecimal, or as they came.
pub fn hex<S: HasTree>(s: &mut S, _: &mut Cx<'_>) {
    let panel = s.panel_mut();
    panel.hex = !panel.hex;
}

/// Copies the selected value.
pub fn copy_value<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    let panel = s.panel_mut();
    let Some(node) = panel.selected_value() else {
        return;
    };
    let what = format!("value of {}", short(&node.name));
    let text = node.shown().to_owned();
    let place = panel.tree.place();
    let stop = cx.view.state.session(place.session);
    let stop = stop.and_then(Session::current_stop);
    let stop = stop.filter(|stop| stop.past.is_none() && stop.id == place.stop);
    let whole = panel.tree.selected_expression().filter(|_| is_cut(&text));
    let (Some(_), Some(expression)) = (stop, whole) else {
        return cx.copy(text, what);
    };
    // What everyone keeps of a huge value is its beginning; the whole is for the one who asks.
    let whole = evaluate(Some(place.session), expression, "clipboard");
    panel.copying = Some((cx.ask(panel.owner, whole), what));
}

/// Copies the expression that gives the selected value.
pub fn copy_expression<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    if let Some(text) = s.panel().tree.selected_expression() {
        let what = format!("expression {}", short(&text));
        cx.copy(text, what);
    }
}

/// Adds the selected expression to the watches.
pub fn watch<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    if let Some(expression) = s.panel().tree.selected_expression() {
        cx.info(format!("Watching {}.", short(&expression)));
        cx.core(Command::AddWatch { expression });
    }
}

/// Asks with what the selected value is to be compared.
pub fn compare<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    let expression = s.panel().tree.selected_expression();
    cx.effects
        .extend(expression.map(|expression| data::open(expression, true)));
}

/// Asks for a new value of the selected row, and sets it.
pub fn set_value<S: HasTree>(s: &mut S, cx: &mut Cx<'_>) {
    let panel = s.panel_mut();
    let Some(row) = panel.tree.rows().get(panel.tree.selected()).cloned() else {
        return;
    };
    let path = panel.tree.path(&row);
    let Some(node) = panel.selected_value() else {
        return;
    };
    let place = panel.tree.place().clone();
    let owner = panel.owner;
    let number = ticket();
    let (container, name, evaluate_name) = (
        node.container,
        node.name.clone(),
        node.evaluate_name.clone(),
    );
    let before = node.value.clone();
    let prompt = Prompt::new(
        format!("New value of {}", short(&node.name)),
        "An expression in the program's language. Enter sets it.", // To set the beginning of a value would be to lose its end.
        Some(&node.value)
            .filter(|value| !is_cut(value))
            .cloned()
            .unwrap_or_default(),
        move |text| {
            required(text, "a value")?;
            // What a row shows need not be what the language takes.
            if text == before {
                return Ok(Vec::new());
            }
            Ok(vec![Effect::Core {
                command: Command::SetVariable {
                    session: Some(place.session),
                    stop: place.stop,
                    container,
                    name: name.clone(),
                    evaluate_name: evaluate_name.clone(),
                    value: text.to_owned(),
                },
                tag: Tag(owner, number),
            }])
        },
    );
    panel.setting = Some((number, path));
    panel.trouble = None;
    cx.open(prompt);
}

/// A name for a sentence: the beginning of a long one.
pub fn short(name: &str) -> String {
    if name.chars().count() <= 40 {
        return format!("`{name}`");
    }
    let head: String = name.chars().take(39).collect();
    format!("`{head}…`")
}

/// A path below the project as it is said there.
pub fn relative(path: &FilePath, view: &View<'_>) -> String {
    path.strip_prefix(view.project)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}
