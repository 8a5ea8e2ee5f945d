use std::{sync::mpsc, time::Duration};

use super::*;

fn cache() -> (SyntaxCache, mpsc::Receiver<()>) {
    let (sender, notices) = mpsc::channel();
    let sender = Mutex::new(sender);
    (
        SyntaxCache::new(move || {
            let _ = sender.lock().unwrap().send(());
        }),
        notices,
    )
}

fn file(name: &str) -> FileVersion {
    FileVersion {
        name: name.into(),
        version: 1,
    }
}

/// Waits until `line` has colours and returns them as (text, token).
fn coloured(
    cache: &SyntaxCache,
    notices: &mpsc::Receiver<()>,
    file: &FileVersion,
    text: &str,
    line: usize,
    until: impl Fn(&[(String, Token)]) -> bool,
) -> Vec<(String, Token)> {
    let source = text.lines().nth(line).unwrap();
    loop {
        if let Some(Some(pieces)) = cache.pieces(file, line..line + 1).pop() {
            let found: Vec<_> = pieces
                .iter()
                .map(|p| (source.get(p.range.clone()).unwrap().to_owned(), p.token))
                .collect();
            if until(&found) {
                return found;
            }
        }
        notices
            .recv_timeout(Duration::from_secs(20))
            .expect("colours for the line");
    }
}

#[test]
fn rust_is_coloured() {
    let (mut cache, notices) = cache();
    let text: Arc<str> = "// hi\nfn main() { let x: u32 = 42; say(\"a\\n\"); }\n".into();
    let name = file("src/main.rs");
    assert_eq!(cache.pieces(&name, 0..2), [None, None], "plain at first");
    cache.request(&name, &text, 0..2);
    assert_eq!(
        coloured(&cache, &notices, &name, &text, 0, |_| true),
        [("// hi".to_owned(), Token::Comment)]
    );
    let line = coloured(&cache, &notices, &name, &text, 1, |_| true);
    for wanted in [
        ("fn", Token::Keyword),
        ("main", Token::Function),
        ("let", Token::Keyword),
        ("42", Token::Number),
        ("\"a\\n\"", Token::String),
    ] {
        assert!(
            line.contains(&(wanted.0.to_owned(), wanted.1)),
            "{wanted:?} in {line:?}"
        );
    }
}

#[test]
fn typescript_is_coloured_as_what_it_comes_from() {
    let (mut cache, notices) = cache();
    let text: Arc<str> = "const total: number = 42; // hi\n".into();
    for name in ["a.ts", "a.mts", "a.tsx", "a.mjs", "a.cjs"] {
        let name = file(name);
        cache.request(&name, &text, 0..1);
        let line = coloured(&cache, &notices, &name, &text, 0, |_| true);
        for wanted in [("42", Token::Number), ("// hi", Token::Comment)] {
            let wanted = (wanted.0.to_owned(), wanted.1);
            assert!(line.contains(&wanted), "{wanted:?} in {line:?}");
        }
    }
}

#[test]
fn a_far_viewport_is_guessed_and_then_known() {
    let (mut cache, notices) = cache();
    let mut text = "x = '''\n".to_owned();
    text.push_str(&"y = 1\n".repeat(3_000));
    let text: Arc<str> = text.into();
    let name = file("a.py");
    cache.request(&name, &text, 2_900..2_950);
    // The string that began in line 0 is known only after the whole way down.
    coloured(&cache, &notices, &name, &text, 2_920, |found| {
        found == [("y = 1".to_owned(), Token::String)]
    });
}

#[test]
fn the_newest_request_wins() {
    let (mut cache, notices) = cache();
    let long: Arc<str> = "let a = 1;\n".repeat(100_000).into();
    let short: Arc<str> = "let b = 2;\n".into();
    cache.request(&file("long.rs"), &long, 0..10);
    cache.request(&file("short.rs"), &short, 0..1);
    coloured(&cache, &notices, &file("short.rs"), &short, 0, |_| true);
    let last = long.lines().count() - 1;
    assert_eq!(cache.pieces(&file("long.rs"), last..last + 1), [None]);
}

#[test]
fn long_lines_and_unknown_files_stay_plain() {
    let (mut cache, notices) = cache();
    let text: Arc<str> = format!("let a = \"{}\";\nlet b = 1;\n", "x".repeat(1_000_000)).into();
    cache.request(&file("wide.rs"), &text, 0..2);
    coloured(&cache, &notices, &file("wide.rs"), &text, 1, |_| true);
    assert_eq!(
        cache.pieces(&file("wide.rs"), 0..1),
        [Some(Pieces::default())]
    );
    assert_eq!(cache.pieces(&file("unknown"), 0..1), [None]);
}
