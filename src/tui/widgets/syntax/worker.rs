//! The thread that colours: one request at a time, the viewport first.
//!
//! Leaves to others: keeping the results and asking ([`super::SyntaxCache`]).

use std::{collections::VecDeque, ffi::OsStr, ops::Range, path::Path};

use base::region;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::shared::{FileVersion, Piece, Pieces, Request, Shared, Slot, Token};

/// Longer lines stay plain, in characters.
const MAX_LINE: usize = 2_000;
/// Files whose colours are kept.
const KEPT_FILES: usize = 8;
/// Lines above the viewport from which its first colours are guessed.
const RUN_UP: usize = 100;
/// Lines between two looks at whether something newer was asked for.
const STRIDE: usize = 32;
/// Lines between two notices, once the viewport is done.
const NOTICE: usize = 4_096;

/// Ends of names that the grammars do not know, and which are coloured as something near: that of TypeScript needs another engine
/// for its expressions.
const LIKE_JAVASCRIPT: &[&str] = &["ts", "mts", "cts", "tsx", "mjs", "cjs", "jsx"];

/// How far a file is done, from its top.
struct Progress {
    file: FileVersion,
    lines: Vec<Range<usize>>,
    done: usize,
    /// `None` for files without a grammar.
    reader: Option<Reader>,
}

pub struct Worker<'a> {
    shared: &'a Shared,
    grammars: SyntaxSet,
    classes: Vec<(Scope, Option<Token>)>,
    files: VecDeque<Progress>,
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared) -> Self {
        Self {
            shared,
            grammars: two_face::syntax::extra_newlines(),
            classes: classes(),
            files: VecDeque::new(),
        }
    }

    pub fn run(mut self) {
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
        let by = |part: Option<&OsStr>| {
            part.and_then(|part| self.grammars.find_syntax_by_extension(part.to_str()?))
        };
        let end = path.extension();
        let is_near = LIKE_JAVASCRIPT
            .iter()
            .any(|like| end == Some(like.as_ref()));
        by(path.file_name())
            .or_else(|| by(end))
            .or_else(|| is_near.then(|| by(Some("js".as_ref())))?)
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
        let _region = region!("highlight");
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
                if index.is_multiple_of(STRIDE) && self.shared.is_interrupted() {
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
            let interrupted = progress.done.is_multiple_of(STRIDE) && self.shared.is_interrupted();
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
                            last.range.end = range.end;
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
