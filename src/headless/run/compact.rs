//! Saying less: few frames, none of the runtime's own, short paths and texts, changes instead of locals.

use std::path::{MAIN_SEPARATOR, Path};

use base::text::beginning;

use super::{events::Frame, prelude::*};

/// Frames of a stack.
pub const FRAMES: usize = 3;
/// Characters of a text.
const TEXT: usize = 80;
/// Elements of a collection.
const ITEMS: usize = 5;

/// Folders whose files nobody debugs: what tools install and what a language brings along.
const INTERNAL: &[&str] = &[
    "/site-packages/",
    "/dist-packages/",
    "/node_modules/",
    "/.cargo/registry/",
    "/rustc/",
    "/lib/python",
    "/lib/rustlib/",
    "/usr/include/",
    "/go/pkg/mod/",
    "/usr/lib/go",
    "/usr/local/go/",
    "<node_internals>",
    "<frozen ",
    "node:internal",
];

/// Whether a frame is in code that is not the person's own.
fn is_internal(at: &Location) -> bool {
    let is_in = |file: &String| INTERNAL.iter().any(|part| file.contains(part));
    at.file.as_ref().is_none_or(is_in)
}

/// A stop in fewer words.
pub fn halt(halt: &mut Halt, cwd: &Path) {
    if let Some(at) = &mut halt.location {
        shorten(at, cwd);
    }
    if let Some(frames) = &mut halt.stack_trace {
        for frame in frames {
            shorten(&mut frame.at, cwd);
        }
    }
    if let Some(locals) = &mut halt.locals {
        fields(locals);
    }
    if let Some(changes) = &mut halt.changes {
        for value in changes
            .created
            .values_mut()
            .chain(changes.deleted.values_mut())
        {
            shown(value);
        }
        for modified in changes.modified.values_mut() {
            shown(&mut modified.old);
            shown(&mut modified.new);
        }
    }
    for evaluation in halt.evaluations.iter_mut().flat_map(|e| e.values_mut()) {
        if let Some(value) = &mut evaluation.value {
            shown(value);
        }
        if let Some(text) = &mut evaluation.result {
            *text = beginning(text, TEXT);
        }
    }
}

/// The person's own frames, if there is any.
pub fn own_frames(frames: Vec<Frame>) -> Vec<Frame> {
    if frames.iter().any(|f| !is_internal(&f.at)) {
        frames.into_iter().filter(|f| !is_internal(&f.at)).collect()
    } else {
        frames
    }
}

/// A path as it is told below `cwd`.
pub fn shorten(at: &mut Location, cwd: &Path) {
    let Some(file) = &mut at.file else {
        return;
    };
    if let Ok(short) = Path::new(file.as_str()).strip_prefix(cwd) {
        *file = short.to_string_lossy().into_owned();
    } else if let Some((_, name)) = file.rsplit_once(MAIN_SEPARATOR) {
        *file = format!("…{MAIN_SEPARATOR}{name}");
    }
}

fn fields(all: &mut Fields) {
    for (_, field) in &mut all.0 {
        if let ValueField::Text(text) = &field.value {
            let length = Some(text.chars().count()).filter(|length| *length > TEXT);
            field.length = field.length.or(length);
        }
        shown(&mut field.value);
    }
}

fn shown(value: &mut ValueField) {
    match value {
        ValueField::Text(text) => *text = beginning(text, TEXT),
        ValueField::Object(all) => fields(all),
        ValueField::Collection { preview, .. } => {
            preview.truncate(ITEMS);
            preview.iter_mut().for_each(shown);
        }
        ValueField::Null | ValueField::Bool(_) | ValueField::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::fields::Field;

    #[test]
    fn paths_are_told_below_the_working_directory() {
        let place = |file: &str| {
            let mut at = Location {
                file: Some(file.to_owned()),
                ..Location::default()
            };
            shorten(&mut at, Path::new("/work/shop"));
            at.file.unwrap()
        };
        assert_eq!(place("/work/shop/src/a.py"), "src/a.py");
        assert_eq!(place("/usr/lib/x.py"), "…/x.py");
    }

    #[test]
    fn only_own_frames_stay_unless_there_is_none() {
        let frame = |file: Option<&str>| Frame {
            frame_id: 1,
            at: Location {
                file: file.map(str::to_owned),
                ..Location::default()
            },
        };
        let own = frame(Some("/work/shop/a.py"));
        let theirs = frame(Some("/usr/lib/python3.11/unittest/case.py"));
        let none = frame(None);
        assert_eq!(own_frames(vec![theirs.clone(), own, none.clone()]).len(), 1);
        assert_eq!(own_frames(vec![theirs, none]).len(), 2);
    }

    #[test]
    fn long_texts_are_cut_and_what_is_none_stays() {
        let mut all = Fields(vec![
            (
                "long".into(),
                Field {
                    value: ValueField::Text("é".repeat(200)),
                    ..Field::default()
                },
            ),
            ("none".into(), Field::default()),
        ]);
        fields(&mut all);
        assert_eq!(all.0.len(), 2);
        assert_eq!(all.0[1].1.value, ValueField::Null);
        let (_, field) = &all.0[0];
        assert_eq!(field.length, Some(200));
        assert!(matches!(&field.value, ValueField::Text(t) if t.chars().count() == TEXT + 1));
    }
}
