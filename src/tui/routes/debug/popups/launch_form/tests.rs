use super::*;
use crate::action::Layer;
use crate::kit::test::Stage;
use debugger::workspace::FileEntry;
use debugger::{DebuggerError, ErrorKind, Reply, SessionId};

fn type_text(form: &mut LaunchForm, text: &str, cx: &Cx) {
    for c in text.chars() {
        form.text(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE), cx);
    }
}

fn form(state: &State) -> LaunchForm {
    LaunchForm::new(Path::new("/project"), state)
}

#[test]
fn what_is_wrong_gets_the_cursor_and_a_sentence() {
    let stage = Stage::new(State::default());
    let mut form = form(&stage.state);
    let cx = stage.cx();
    form.invoke("launch.start", &cx);
    assert!(
        stage
            .draw(&mut form, 100, 30)
            .join("\n")
            .contains("Type the program to start.")
    );
    type_text(&mut form, "shop.py", &cx);
    form.form.set_text(ENV, "=x");
    form.invoke("launch.start", &cx);
    assert_eq!(form.form.focus, ENV);
    assert!(cx.effects.borrow().is_empty());
}

#[test]
fn errors_stay_in_the_form_and_success_is_remembered() {
    let mut stage = Stage::new(State::default());
    let mut form = form(&stage.state);
    let cx = stage.cx();
    type_text(&mut form, "shop.py", &cx);
    form.form.set_text(ARGS, "--name 'Ann Lee'");
    form.form.set_text(ENV, "A=1 B");
    form.form.choose(STOP, 1);
    form.invoke("launch.start", &cx);
    let Some(Effect::Core {
        command: Command::Launch(spec),
        tag,
    }) = cx.pop()
    else {
        panic!("not started")
    };
    assert_eq!(spec.args, ["--name", "Ann Lee"]);
    assert_eq!(
        spec.env,
        [("A".into(), Some("1".into())), ("B".into(), None)]
    );
    assert_eq!(
        (spec.stop_on_entry, spec.adapter.as_deref()),
        (Some(true), None)
    );
    let error = DebuggerError::new(ErrorKind::Program, "There is no file `shop.py`.")
        .hint("Check the folder.");
    form.message(
        &Msg::Reply {
            tag,
            result: Err(error),
        },
        &cx,
    );
    let screen = stage.draw(&mut form, 100, 30).join("\n");
    assert!(
        screen.contains("There is no file `shop.py`. Check the folder."),
        "{screen}"
    );
    form.invoke("launch.start", &cx);
    let Some(Effect::Core { tag, .. }) = cx.pop() else {
        panic!("not started again")
    };
    form.message(
        &Msg::Reply {
            tag,
            result: Ok(Reply::Session {
                session: SessionId(1),
            }),
        },
        &cx,
    );
    let effects = cx.into_effects();
    let Some(Effect::Core {
        command: Command::Remember { key, values },
        ..
    }) = effects.first()
    else {
        panic!("not remembered")
    };
    assert_eq!((key.as_str(), values.len()), ("launch", 1));
    stage.state.memory.insert(key.clone(), values.clone());
    let again = self::form(&stage.state);
    assert_eq!(again.history.first(), Some(&*spec));
}

#[test]
fn the_program_is_completed_from_the_project() {
    let mut stage = Stage::new(State::default());
    let mut form = form(&stage.state);
    let file = |name: &str| FileEntry {
        path: Path::new("/project").join(name),
        name: name.into(),
        executable: false,
        size: 1,
    };
    let cx = stage.cx();
    let files = vec![
        file("src/shop.py"),
        file("src/shop_test.py"),
        file("README.md"),
    ];
    form.message(
        &Msg::Files {
            root: "/project".into(),
            result: Ok(files),
        },
        &cx,
    );
    type_text(&mut form, "s", &cx);
    form.invoke("launch.next-field", &cx);
    assert_eq!(
        (form.form.text(PROGRAM), form.form.focus),
        ("src/shop", PROGRAM)
    );
    assert!(
        stage
            .draw(&mut form, 100, 30)
            .join("\n")
            .contains("src/shop.py  src/shop_test.py")
    );
    type_text(&mut form, ".", &cx);
    form.invoke("launch.next-field", &cx);
    form.invoke("launch.next-field", &cx);
    assert_eq!(
        (form.form.text(PROGRAM), form.form.focus),
        ("src/shop.py", ARGS)
    );
    drop(cx);
    stage.survives(&mut form);
}
