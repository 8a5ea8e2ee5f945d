//! One of several things, which are known or which the core is asked for: places, formats, modules. Narrowed by what is typed. What
//! becomes of the choice is the asker's.

use debugger::{Command, Reply};

use super::{
    asks::joined,
    cells::Cells,
    pending_answer::PendingAnswer,
    picking::{Picking, Source, Words, fitting, wide},
    rows::table,
};
use crate::action::prelude::*;

/// One thing to choose.
pub struct Choice {
    /// What it is called, and what typing narrows by.
    pub name: String,
    /// What stands behind its name.
    pub more: String,
    /// What stands at the end of its row.
    pub end: String,
    /// What is done when it is chosen; nothing for what is only looked at.
    pub then: Option<Box<dyn Fn() -> Vec<Effect>>>,
}

impl Choice {
    /// One that does something, with nothing at its row's end.
    pub fn new(
        name: impl Into<String>,
        more: impl Into<String>,
        then: impl Fn() -> Vec<Effect> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            more: more.into(),
            end: String::new(),
            then: Some(Box::new(then)),
        }
    }
}

/// Makes choices of an answer, or says why there are none.
type Read = Box<dyn FnOnce(&Reply) -> Result<Vec<Choice>, String>>;

/// What is chosen from, and where it comes from.
pub struct Choices {
    title: &'static str,
    asked: PendingAnswer<Read>,
    /// A lone choice is no choice: it is taken at once.
    at_once: bool,
    none: &'static str,
}

/// The popup.
pub type Chooser = Picking<Choices>;

/// A popup with choices that are known already.
pub fn of(title: &'static str, choices: Vec<Choice>) -> Chooser {
    let mut chooser = Picking::new(Choices {
        title,
        asked: PendingAnswer::default(),
        at_once: false,
        none: "There is nothing to choose.",
    });
    chooser.show(choices);
    chooser
}

/// Asks the core, and lets a person choose from the answer; with `at_once` a lone choice is taken without asking.
pub fn ask(
    title: &'static str,
    command: Command,
    at_once: bool,
    none: &'static str,
    read: impl Fn(&Reply) -> Result<Vec<Choice>, String> + 'static,
) -> Vec<Effect> {
    let read: Read = Box::new(read);
    let mut chooser = Picking::new(Choices {
        title,
        asked: PendingAnswer::default(),
        at_once,
        none,
    });
    let asking = chooser.source.asked.asking(read, command);
    vec![Effect::open(chooser), asking]
}

impl Chooser {
    fn any(&self, _: &View) -> Enabled {
        match self.selected() {
            Some(choice) if choice.then.is_some() => Ok(()),
            Some(_) => Err("It can only be looked at."),
            None => Err("Nothing is selected."),
        }
    }

    fn accept(&mut self, cx: &Cx) {
        if let Some(then) = self.selected().and_then(|c| c.then.as_ref()) {
            let effects = then();
            cx.close();
            cx.extend(effects);
        }
    }

    fn copy(&mut self, cx: &Cx) {
        if let Some(choice) = self.selected() {
            let parts = [&*choice.name, &choice.more].into_iter();
            cx.copy(joined(parts.filter(|t| !t.is_empty()), "  "), "the row");
        }
    }
}

impl Source for Choices {
    type Entry = Choice;

    table! { Chooser: "Choose";
        "chooser.accept" "choose"       ["enter"], Footer  if Chooser::any => Chooser::accept;
        "chooser.copy"   "copy the row" ["ctrl-y"], Footer => Chooser::copy;
        pick "chooser" "cancel" "close";
    }

    fn title(&self) -> &'static str {
        self.title
    }

    const WORDS: Words = Words {
        hint: "a few letters",
        asking: "asking…",
        nothing: "",
        unmatched: "No name has these letters.",
    };

    fn words(&self) -> Words {
        Words {
            nothing: self.none,
            ..Self::WORDS
        }
    }

    fn name<'e>(&self, choice: &'e Choice) -> Cow<'e, str> {
        choice.name.as_str().into()
    }

    fn size(&self, entries: Option<usize>, area: Rect) -> (u16, u16) {
        (wide(area, 110), fitting(entries.unwrap_or(1), 4, area))
    }

    fn row(&self, choice: &Choice, _: bool, cells: &mut Cells) {
        cells.remark(&choice.end).text(&choice.name);
        if !choice.more.is_empty() {
            cells.skip(2).muted(&choice.more);
        }
    }

    fn on_msg(list: &mut Chooser, msg: &Msg, cx: &Cx) {
        let Some((read, result)) = list.source.asked.answer(msg) else {
            return;
        };
        cx.redraw();
        let choices = match result {
            Ok(reply) => read(reply),
            Err(error) => Err(error.what.clone()),
        };
        match choices {
            Ok(choices) => {
                list.show(choices);
                if list.source.at_once && list.entries().len() == 1 {
                    list.accept(cx);
                }
            }
            Err(why) => list.fail(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::action::{Layer, msg::Tag};
    use crate::kit::test::Stage;
    use dap::requests::{GotoTargets, GotoTargetsResponse, LoadedSources};
    use debugger::{DebuggerError, ErrorKind, State};

    fn asked(stage: &Stage, at_once: bool) -> (Box<dyn Layer>, Tag) {
        let read = |reply: &Reply| {
            let answer = reply.answer::<GotoTargets>().map_err(|error| error.what)?;
            let choices = answer.targets.iter().map(|t| Choice {
                name: t.label.clone(),
                more: String::new(),
                end: format!("line {}", t.line),
                then: Some(Box::new(|| vec![Effect::Repaint])),
            });
            Ok(choices.collect())
        };
        let command = Command::request::<LoadedSources>(None, &());
        let mut effects = ask("Jump", command, at_once, "none", read).into_iter();
        let (Some(Effect::Open(popup)), Some(Effect::Core { tag, .. })) =
            (effects.next(), effects.next())
        else {
            panic!("nothing opened")
        };
        let _ = stage;
        (popup, tag)
    }

    fn targets(n: i64) -> Reply {
        Reply::of_adapter(&GotoTargetsResponse {
            targets: (0..n)
                .map(|n| dap::types::GotoTarget {
                    id: n,
                    label: format!("place {n}"),
                    line: n,
                    ..Default::default()
                })
                .collect(),
        })
    }

    #[test]
    fn typing_narrows_and_enter_takes_it() {
        let mut stage = Stage::new(State::default());
        let (mut popup, tag) = asked(&stage, true);
        assert!(
            stage
                .draw(&mut *popup, 80, 24)
                .join("\n")
                .contains("asking…")
        );
        let cx = stage.cx();
        let result = Ok(targets(12));
        popup.message(&Msg::Reply { tag, result }, &cx);
        for c in "11".chars() {
            popup.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), &cx);
        }
        let screen = stage.draw(&mut *popup, 80, 24).join("\n");
        assert!(
            screen.contains("place 11") && screen.contains("1 of 12"),
            "{screen}"
        );
        popup.invoke("chooser.accept", &cx);
        assert!(matches!(
            cx.effects.borrow()[..],
            [Effect::Close, Effect::Repaint]
        ));
        drop(cx);
        stage.survives(&mut *popup);
    }

    #[test]
    fn a_lone_choice_is_taken_and_an_error_is_shown() {
        let stage = Stage::new(State::default());
        let (mut popup, tag) = asked(&stage, true);
        let cx = stage.cx();
        popup.message(
            &Msg::Reply {
                tag,
                result: Ok(targets(1)),
            },
            &cx,
        );
        assert!(matches!(
            cx.effects.borrow()[..],
            [Effect::Close, Effect::Repaint]
        ));
        let (mut popup, tag) = asked(&stage, true);
        let result = Err(DebuggerError::new(ErrorKind::Adapter, "no such line"));
        popup.message(&Msg::Reply { tag, result }, &cx);
        let screen = stage.draw(&mut *popup, 80, 24).join("\n");
        assert!(screen.contains("no such line"), "{screen}");
    }
}
