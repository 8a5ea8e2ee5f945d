//! Colours of source text, worked out beside the drawing task.
//!
//! A view asks for the lines it shows and draws them plain; a worker thread colours those first, then the rest of the file, and
//! calls `notify` when there is something new to draw. Only the newest request counts. The grammars are loaded at the first
//! request, so a screen without source never pays for them. Files and lines beyond the limits below stay plain: no grammar is
//! worth a screen that hangs.
//!
//! Lines at the viewport are first coloured from a short way above it, which is right unless a string or comment began earlier,
//! and again when the worker gets there from the top of the file. Leaves to others: reading files, and which look a
//! [`Token`] has beyond [`Token::style`].

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use crate::text::sanitise::sanitise_from;
use crate::text::width::width;
use crate::tui::theme::Theme;

/// Larger files stay plain, in bytes.
pub const MAX_FILE: usize = 4 << 20;
/// Longer lines stay plain, in characters.
pub const MAX_LINE: usize = 2_000;
/// Files whose colours are kept.
const KEPT_FILES: usize = 8;
/// Lines above the viewport from which its first colours are guessed.
const RUN_UP: usize = 100;
/// Lines between two looks at whether something newer was asked for.
const STRIDE: usize = 32;
/// Lines between two notices, once the viewport is done.
const NOTICE: usize = 4_096;

/// What a piece of source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// Strings and characters.
    String,
    /// Numbers and named constants.
    Number,
    /// Keywords.
    Keyword,
    /// Comments.
    Comment,
    /// Type names.
    Type,
    /// Function names.
    Function,
    /// Macros, attributes, tags.
    Attribute,
}

impl Token {
    /// Its look.
    pub const fn style(self, theme: &Theme) -> Style {
        match self {
            Self::String => theme.string,
            Self::Number => theme.number,
            Self::Keyword => theme.keyword,
            Self::Comment => theme.comment,
            Self::Type => theme.type_name,
            Self::Function => theme.function,
            Self::Attribute => theme.attribute,
        }
    }
}

/// A piece of a line that is not plain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Bytes of the line.
    pub range: Range<usize>,
    /// What it is.
    pub token: Token,
}

/// The pieces of one line, in order and without overlap.
pub type Pieces = Arc<[Piece]>;

/// A text that never changes: another text of the same file is another version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileVersion {
    /// Path or name; its ending chooses the grammar.
    pub name: Arc<str>,
    /// Anything that differs between two texts of that name.
    pub version: u64,
}

/// Asks for colours and keeps them.
pub struct SyntaxCache {
    shared: Arc<Shared>,
    started: bool,
}

impl fmt::Debug for SyntaxCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyntaxCache")
            .field("started", &self.started)
            .finish_non_exhaustive()
    }
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    notify: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    request: Option<Request>,
    closed: bool,
    /// Most recently used last.
    files: VecDeque<(FileVersion, Vec<Slot>)>,
}

struct Request {
    file: FileVersion,
    text: Arc<str>,
    visible: Range<usize>,
}

#[derive(Clone, Default)]
enum Slot {
    #[default]
    Plain,
    /// Coloured from a short way above.
    Guessed(Pieces),
    /// Coloured from the top of the file.
    Known(Pieces),
}

impl SyntaxCache {
    /// A cache that calls `notify`, on its own thread, when lines got new colours.
    pub fn new(notify: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Shared {
            state: Mutex::default(),
            wake: Condvar::new(),
            notify: Box::new(notify),
        };
        Self {
            shared: Arc::new(shared),
            started: false,
        }
    }

    /// Asks for the colours of `visible` (line numbers from 0), then of the whole text. Costs nothing when they are there.
    pub fn request(&mut self, file: &FileVersion, text: &Arc<str>, visible: Range<usize>) {
        if text.len() > MAX_FILE {
            return;
        }
        let mut state = self.shared.lock();
        if let Some(at) = state.files.iter().position(|(known, _)| known == file) {
            let used = state.files.remove(at);
            let done = used.as_ref().is_some_and(|(_, slots)| {
                let end = visible.end.min(slots.len());
                slots
                    .get(visible.start.min(end)..end)
                    .is_some_and(|seen| seen.iter().all(|s| matches!(s, Slot::Known(_))))
            });
            state.files.extend(used);
            if done {
                return;
            }
        }
        let same = |r: &Request| r.file == *file && r.visible == visible;
        if state.request.as_ref().is_some_and(same) {
            return;
        }
        state.request = Some(Request {
            file: file.clone(),
            text: Arc::clone(text),
            visible,
        });
        drop(state);
        self.start();
        self.shared.wake.notify_one();
    }

    /// What is known of some lines: `None` for those that are to be drawn plain.
    pub fn pieces(&self, file: &FileVersion, lines: Range<usize>) -> Vec<Option<Pieces>> {
        let state = self.shared.lock();
        let slots = state
            .files
            .iter()
            .find(|(known, _)| known == file)
            .map(|(_, slots)| slots);
        lines
            .map(|line| match slots?.get(line)? {
                Slot::Plain => None,
                Slot::Guessed(pieces) | Slot::Known(pieces) => Some(Arc::clone(pieces)),
            })
            .collect()
    }

    fn start(&mut self) {
        if self.started {
            return;
        }
        self.started = true;
        let shared = Arc::clone(&self.shared);
        // Without a thread the source stays plain, which is all that is lost.
        let _ = thread::Builder::new()
            .name("syntax".to_owned())
            .spawn(move || Worker::new(&shared).run());
    }
}

impl Drop for SyntaxCache {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.wake.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next request; `None` when nobody will ask again.
    fn next(&self) -> Option<Request> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(request) = state.request.take() {
                return Some(request);
            }
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_interrupted(&self) -> bool {
        let state = self.lock();
        state.closed || state.request.is_some()
    }

    fn publish(&self, file: &FileVersion, first: usize, lines: &mut Vec<Pieces>, known: bool) {
        let mut state = self.lock();
        if let Some((_, slots)) = state.files.iter_mut().find(|(name, _)| name == file) {
            for (slot, pieces) in slots.iter_mut().skip(first).zip(lines.drain(..)) {
                match slot {
                    Slot::Known(_) => {}
                    _ if known => *slot = Slot::Known(pieces),
                    _ => *slot = Slot::Guessed(pieces),
                }
            }
        }
        drop(state);
        lines.clear();
        (self.notify)();
    }
}

/// How far a file is done, from its top.
struct Progress {
    file: FileVersion,
    lines: Vec<Range<usize>>,
    done: usize,
    /// `None` for files without a grammar.
    reader: Option<Reader>,
}

struct Worker<'a> {
    shared: &'a Shared,
    grammars: SyntaxSet,
    classes: Vec<(Scope, Option<Token>)>,
    files: VecDeque<Progress>,
}

impl<'a> Worker<'a> {
    fn new(shared: &'a Shared) -> Self {
        Self {
            shared,
            grammars: two_face::syntax::extra_newlines(),
            classes: classes(),
            files: VecDeque::new(),
        }
    }

    fn run(mut self) {
        while let Some(request) = self.shared.next() {
            let progress = self.open(&request);
            let progress = self.colour(&request, progress);
            self.files.push_back(progress);
            if self.files.len() > KEPT_FILES {
                self.files.pop_front();
            }
        }
    }

    /// What is done of the file already, or a fresh start.
    fn open(&mut self, request: &Request) -> Progress {
        let mut state = self.shared.lock();
        let kept = state.files.iter().any(|(file, _)| *file == request.file);
        if let (true, Some(at)) = (kept, self.files.iter().position(|p| p.file == request.file))
            && let Some(progress) = self.files.remove(at)
        {
            return progress;
        }
        let mut start = 0;
        let lines: Vec<_> = request
            .text
            .split_inclusive('\n')
            .map(|line| {
                let range = start..start + line.len();
                start = range.end;
                range
            })
            .collect();
        state.files.retain(|(file, _)| *file != request.file);
        state
            .files
            .push_back((request.file.clone(), vec![Slot::Plain; lines.len()]));
        if state.files.len() > KEPT_FILES {
            state.files.pop_front();
        }
        drop(state);
        let reader = self
            .grammar(&request.file.name, &request.text)
            .map(Reader::new);
        Progress {
            file: request.file.clone(),
            lines,
            done: 0,
            reader,
        }
    }

    fn grammar(&self, name: &str, text: &str) -> Option<&SyntaxReference> {
        let path = Path::new(name);
        let by = |part: Option<&std::ffi::OsStr>| {
            part.and_then(|part| self.grammars.find_syntax_by_extension(part.to_str()?))
        };
        by(path.file_name())
            .or_else(|| by(path.extension()))
            .or_else(|| {
                let first = text.lines().next().filter(|line| line.len() <= MAX_LINE)?;
                self.grammars.find_syntax_by_first_line(first)
            })
    }

    /// Works until the file is done or something newer is asked for.
    fn colour(&self, request: &Request, mut progress: Progress) -> Progress {
        let Some(mut reader) = progress.reader.take() else {
            return progress;
        };
        let visible = request.visible.start.min(progress.lines.len())
            ..request.visible.end.min(progress.lines.len());
        let line = |index: usize| -> &str {
            progress
                .lines
                .get(index)
                .and_then(|range| request.text.get(range.clone()))
                .unwrap_or_default()
        };

        if visible.start > progress.done + RUN_UP
            && let Some(grammar) = self.grammar(&request.file.name, &request.text)
        {
            let mut guess = Reader::new(grammar);
            let first = visible.start - RUN_UP;
            let mut pieces = Vec::new();
            for index in first..visible.end {
                pieces.push(guess.read(line(index), self));
                if index % STRIDE == 0 && self.shared.is_interrupted() {
                    break;
                }
            }
            self.shared
                .publish(&request.file, first, &mut pieces, false);
        }

        let mut first = progress.done;
        let mut pieces = Vec::new();
        while progress.done < progress.lines.len() {
            pieces.push(reader.read(line(progress.done), self));
            progress.done += 1;
            let interrupted = progress.done % STRIDE == 0 && self.shared.is_interrupted();
            if interrupted || progress.done == visible.end || pieces.len() >= NOTICE {
                self.shared.publish(&request.file, first, &mut pieces, true);
                first = progress.done;
            }
            if interrupted {
                break;
            }
        }
        if !pieces.is_empty() {
            self.shared.publish(&request.file, first, &mut pieces, true);
        }
        progress.reader = Some(reader);
        progress
    }

    fn class(&self, stack: &ScopeStack) -> Option<Token> {
        stack.as_slice().iter().rev().find_map(|scope| {
            self.classes
                .iter()
                .find(|(prefix, _)| prefix.is_prefix_of(*scope))
                .map(|(_, token)| *token)
        })?
    }
}

/// The grammar's place in a file.
struct Reader {
    state: ParseState,
    stack: ScopeStack,
}

impl Reader {
    fn new(grammar: &SyntaxReference) -> Self {
        Self {
            state: ParseState::new(grammar),
            stack: ScopeStack::new(),
        }
    }

    fn read(&mut self, line: &str, worker: &Worker<'_>) -> Pieces {
        if line.len() > MAX_LINE && line.chars().count() > MAX_LINE {
            return Pieces::default();
        }
        // A grammar that fails on a line leaves it plain.
        let Ok(changes) = self.state.parse_line(line, &worker.grammars) else {
            return Pieces::default();
        };
        let visible = line.trim_end_matches(['\n', '\r']).len();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut start = 0;
        let ends = changes
            .iter()
            .map(|(at, change)| (*at, Some(change)))
            .chain([(line.len(), None)]);
        for (at, change) in ends {
            let range = start..at.min(visible);
            if !range.is_empty() {
                if let Some(token) = worker.class(&self.stack) {
                    match pieces.last_mut() {
                        Some(last) if last.token == token && last.range.end == range.start => {
                            last.range.end = range.end
                        }
                        _ => pieces.push(Piece { range, token }),
                    }
                }
                start = at;
            }
            // A stack that does not fit its changes is a grammar's fault; the colours may be wrong, nothing else is.
            if let Some(change) = change {
                let _ = self.stack.apply(change);
            }
        }
        pieces.into()
    }
}

/// Beginnings of scope names, the more special ones first. `None`: plain, whatever surrounds it.
fn classes() -> Vec<(Scope, Option<Token>)> {
    const NAMES: [(&str, Option<Token>); 27] = [
        ("comment", Some(Token::Comment)),
        ("meta.interpolation", None),
        ("meta.template.expression", None),
        ("string", Some(Token::String)),
        ("constant.character", Some(Token::String)),
        ("constant", Some(Token::Number)),
        ("keyword.operator.word", Some(Token::Keyword)),
        ("keyword.operator", None),
        ("keyword", Some(Token::Keyword)),
        ("storage.type.annotation", Some(Token::Attribute)),
        ("storage", Some(Token::Keyword)),
        ("variable.language", Some(Token::Keyword)),
        ("variable.function", Some(Token::Function)),
        ("variable.annotation", Some(Token::Attribute)),
        ("entity.name.function", Some(Token::Function)),
        ("support.function", Some(Token::Function)),
        ("support.macro", Some(Token::Attribute)),
        ("entity.name.macro", Some(Token::Attribute)),
        ("entity.name.tag", Some(Token::Attribute)),
        ("entity.other.attribute-name", Some(Token::Attribute)),
        ("meta.annotation", Some(Token::Attribute)),
        ("entity.other.inherited-class", Some(Token::Type)),
        ("entity.name", Some(Token::Type)),
        ("support.type", Some(Token::Type)),
        ("support.class", Some(Token::Type)),
        ("support.constant", Some(Token::Number)),
        ("markup.heading", Some(Token::Keyword)),
    ];
    NAMES
        .into_iter()
        .filter_map(|(name, token)| Some((Scope::new(name).ok()?, token)))
        .collect()
}

/// One source line ready to draw: sanitised, tabs expanded, coloured where `pieces` says.
pub fn styled_line(
    text: &str,
    pieces: Option<&[Piece]>,
    theme: &Theme,
    tab_width: usize,
) -> Line<'static> {
    let text = text.trim_end_matches(['\n', '\r']);
    let mut spans = Vec::new();
    let mut column = 0;
    let mut push = |range: Range<usize>, style: Style| {
        let clean =
            sanitise_from(text.get(range).unwrap_or_default(), tab_width, column).into_owned();
        if !clean.is_empty() {
            column += width(&clean);
            spans.push(Span::styled(clean, style));
        }
    };
    let mut start = 0;
    for piece in pieces.unwrap_or_default() {
        // Colours of another text of that name may arrive for one frame; they must not lose or double a byte.
        let range = piece.range.start.max(start)..piece.range.end.min(text.len());
        if range.is_empty()
            || !text.is_char_boundary(range.start)
            || !text.is_char_boundary(range.end)
        {
            continue;
        }
        push(start..range.start, theme.text);
        start = range.end;
        push(range, piece.token.style(theme));
    }
    push(start..text.len(), theme.text);
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

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

    #[test]
    fn lines_are_drawn_whole_whatever_the_pieces_say() {
        let theme = Theme::dark();
        let draw = |pieces: &[Piece]| -> String {
            styled_line("\tlét x\u{1b}\n", Some(pieces), &theme, 4)
                .spans
                .iter()
                .map(|s| s.content.as_ref())
                .collect()
        };
        let whole = "    lét x␛";
        assert_eq!(draw(&[]), whole);
        for (start, end) in [(0, 3), (1, 5), (2, 3), (3, 4), (5, 99), (99, 100), (4, 1)] {
            let piece = |range| Piece {
                range,
                token: Token::Keyword,
            };
            assert_eq!(
                draw(&[piece(start..end), piece(0..2)]),
                whole,
                "{start}..{end}"
            );
        }
    }
}
