use super::*;
use debugger::ErrorKind;

fn file(path: &str) -> Source {
    Source {
        path: Some(path.into()),
        ..Source::default()
    }
}

fn text(content: &str) -> Reply {
    Reply::Source {
        content: content.into(),
        mime_type: None,
        note: None,
    }
}

fn opened(content: &str) -> Documents {
    let mut documents = Documents::default();
    let source = file("/p/a.py");
    let (_, number) = documents
        .show(Key::of(&source, None).unwrap(), &source, None)
        .unwrap();
    assert!(documents.receive(number, &Ok(text(content))));
    documents
}

#[test]
fn sources_are_known_by_path_or_by_the_adapters_number() {
    let session = Some(SessionId(3));
    assert_eq!(
        Key::of(&file("/p/./x/../a.py"), session),
        Some(Key::Path("/p/a.py".into()))
    );
    let internal = Source {
        source_reference: Some(9),
        ..file("<node_internals>/fs")
    };
    assert_eq!(
        Key::of(&internal, session),
        Some(Key::Reference(SessionId(3), 9))
    );
    assert_eq!(Key::of(&file("./stdlib/abort.c"), session), None);
    assert_eq!(Key::of(&Source::default(), session), None);
}

#[test]
fn a_text_is_asked_for_once_and_again_when_in_doubt() {
    let mut documents = opened("one\n");
    let (source, key) = (file("/p/a.py"), Key::Path("/p/a.py".into()));
    assert_eq!(documents.show(key.clone(), &source, None), None);
    documents.doubt_all();
    let (_, number) = documents.show(key.clone(), &source, None).unwrap();
    // An answer nobody waits for changes nothing.
    assert!(!documents.receive(number + 100, &Ok(text("wrong"))));
    assert!(documents.receive(
        number,
        &Err(DebuggerError::new(ErrorKind::Usage, "The file is gone."))
    ));
    let document = documents.current().unwrap();
    assert_eq!(document.text().unwrap().line(0), "one");
    assert!(
        document
            .note
            .as_deref()
            .unwrap()
            .starts_with("The file is gone.")
    );
}

#[test]
fn a_line_comes_into_view_with_room_and_stays_when_it_is_there() {
    let mut documents = opened(&"x\n".repeat(200));
    let document = documents.current_mut().unwrap();
    document.go_to(99);
    document.settle(20, 80);
    assert_eq!(document.top, 91);
    document.go_to(101);
    document.settle(20, 80);
    assert_eq!(document.top, 91, "a step of two lines does not scroll");
    document.go_to(110);
    document.settle(20, 80);
    assert_eq!(document.top, 102, "too near the edge");
    document.go_to(100_000);
    document.settle(20, 80);
    assert_eq!((document.line, document.top), (199, 180));
    document.move_lines(-30);
    document.settle(20, 80);
    assert_eq!((document.line, document.top), (169, 169));
    document.scroll(-100, 20);
    assert_eq!((document.line, document.top), (88, 69));
}

#[test]
fn the_cursor_keeps_its_column_and_walks_words_over_lines() {
    let mut documents = opened("alpha beta\n\n  gamma.delta\n");
    let document = documents.current_mut().unwrap();
    document.move_word(true);
    assert_eq!((document.line, document.offset), (0, 6));
    document.move_lines(1);
    assert_eq!((document.line, document.offset), (1, 0));
    document.move_lines(1);
    assert_eq!((document.line, document.offset), (2, 6));
    document.move_to_edge(true);
    document.move_word(false);
    assert_eq!(document.expression(), Some("gamma.delta"));
    document.move_word(false);
    document.move_word(false);
    assert_eq!((document.line, document.offset), (0, 6));
    document.move_to_edge(false);
    document.move_character(false);
    assert_eq!(document.offset, 0);
}

#[test]
fn not_everything_stays_open() {
    let mut documents = Documents::default();
    for n in 0..100 {
        let source = file(&format!("/p/{n}"));
        documents.show(Key::of(&source, None).unwrap(), &source, None);
    }
    assert_eq!(documents.count(), MOST_OPEN);
    assert_eq!(
        documents.current().unwrap().path(),
        Some(Path::new("/p/99"))
    );
}
