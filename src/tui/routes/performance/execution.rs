//! What is done for a profile beside the drawing task: trees, files, pictures, looking for sources.

use std::time::{SystemTime, UNIX_EPOCH};

use diagnostics::profile::{
    Profile,
    export::{self, Format},
    import,
    tree::{NodeId, Options, Timeline, Tree},
    words,
};

use super::{
    ProfileDesk, Works,
    model::{By, ShownProfile, colours, thread_weights},
};
use crate::prelude::*;

impl Works {
    /// Makes the tree of a profile.
    pub fn build(
        self,
        profile: Arc<Profile>,
        base: Option<Arc<Profile>>,
        options: Options,
    ) -> Effect {
        Effect::work(self.build, move |teller| {
            let tree = Tree::build(&profile, base.as_deref(), &options, teller.cancel());
            let timeline = Timeline::of(&profile, &options);
            let shown = ShownProfile {
                threads: thread_weights(&profile),
                debuggers: profile.debuggers(),
                seen: profile.seen(),
                profile,
                base,
                colours: colours(&tree),
                tree: Arc::new(tree),
                timeline,
            };
            teller.call(|s: &mut ProfileDesk, _| s.built(shown));
        })
    }

    fn read_base(self, path: PathBuf) -> Effect {
        let read = move |teller: &Teller| {
            let read = import::read(&path, teller.cancel(), &|_, _| ());
            read.map(Arc::new).map_err(|error| error.to_string())
        };
        Effect::finding(self.base, read, ProfileDesk::compare_with)
    }

    /// Looks where a file is that a profile names.
    fn find(self, file: String, line: Option<u32>, project: PathBuf) -> Effect {
        let find = move |_: &Teller| find(&file, &project);
        Effect::finding(
            self.find,
            find,
            move |_: &mut ProfileDesk, found, cx| match found {
                Ok(path) => cx.emit(Effect::show_file(&path, line.map(i64::from))),
                Err(why) => cx.warn(why),
            },
        )
    }
}

/// The file of this name, or the one below the project whose path ends like it.
fn find(file: &str, project: &Path) -> Result<PathBuf, String> {
    let parts: Vec<_> = Path::new(file).components().collect();
    // A profile of another machine names the same files below another folder.
    let ends = (0..parts.len()).map(|skip| parts.iter().skip(skip).collect::<PathBuf>());
    let mut here = ends.map(|end| project.join(end));
    here.find(|path| path.is_file()).ok_or_else(|| {
        format!(
            "There is no file {} here: it is of another machine, or was never on a disk.",
            sanitise(file)
        )
    })
}

fn now() -> u128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis())
}

impl ProfileDesk {
    /// Asks where a file is to be written.
    pub(super) fn ask_where(&self, format: Format, cx: &Cx) {
        let Some(profile) = self.profile() else {
            return;
        };
        let stem: String = profile
            .name
            .split('.')
            .next()
            .unwrap_or_default()
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || "-_".contains(c) {
                    c
                } else {
                    '-'
                }
            })
            .take(40)
            .collect();
        let stem = if stem.is_empty() {
            self.works.stem
        } else {
            &stem
        };
        let title = format!("Write as {} to", format.name());
        let name = format!("{stem}{}", format.ending());
        let profile = Arc::clone(profile);
        let then: fn(&mut Self, Option<&Path>) = match format {
            Format::Svg => |s, path| s.picture = path.map(Path::to_owned),
            _ => |_, _| {},
        };
        let saving = Saving::new(
            self.works.save,
            move |teller, target, force| {
                let size = export::save(&profile, format, target, force, teller.cancel())?;
                let (name, size) = (target.display(), amount::size(size));
                Ok(format!("Written to {name} ({size})."))
            },
            then,
        );
        cx.save_as(title, name, saving);
    }

    /// Hands a picture to the desktop: the one that was written last, or a new one in the folder for temporary files.
    pub(super) fn open_picture(&mut self, cx: &Cx) {
        if let Some(picture) = &self.picture {
            let name = clean_path(picture);
            cx.info(format!("Opening {name}"));
            return cx.emit(Effect::OpenExternally(picture.clone()));
        }
        let Some(profile) = self.profile() else {
            return;
        };
        let name = format!("{}-{}.svg", self.works.stem, now());
        let target = std::env::temp_dir().join(name);
        let profile = Arc::clone(profile);
        self.busy = Some("drawing the picture, Esc stops".to_owned());
        let draw = move |teller: &Teller| {
            let drawn = export::save(&profile, Format::Svg, &target, false, teller.cancel());
            drawn
                .map(|_| target)
                .map_err(|error| clean(&error.to_string()))
        };
        cx.finding(
            self.works.save,
            draw,
            |s: &mut Self, drawn: Result<PathBuf, String>, cx| {
                s.busy = None;
                match drawn {
                    Ok(picture) => {
                        s.picture = Some(picture);
                        s.open_picture(cx);
                    }
                    Err(why) => cx.warn(why),
                }
            },
        );
    }

    /// Asks for the profile to compare with, or ends the comparison.
    pub(super) fn compare(&mut self, cx: &Cx) {
        if self
            .shown
            .as_ref()
            .is_some_and(|shown| shown.base.is_some())
        {
            if let Some(profile) = self.profile().cloned() {
                self.build(profile, None, cx);
            }
            return;
        }
        let works = self.works;
        let title = "Compare with the profile";
        cx.ask_for_file(title, "a file", "", move |file| works.read_base(file));
    }

    /// Compares with a profile that was read, if the two can be compared.
    pub(super) fn compare_with(&mut self, base: Result<Arc<Profile>, String>, cx: &Cx) {
        self.busy = None;
        let Some(profile) = self.profile().cloned() else {
            return;
        };
        match base.and_then(|base| profile.comparable(&base).map(|()| base)) {
            Ok(base) => {
                self.by = By::Change;
                self.build(profile, Some(base), cx);
            }
            Err(why) => cx.warn(why),
        }
    }

    /// Shows the selected function's source in the debugger, where a breakpoint can be set.
    pub(super) fn show_source(&mut self, cx: &Cx) {
        let Some((name, file, line)) = self.place() else {
            return;
        };
        match file {
            Some(file) => {
                let project = cx.view.project.to_path_buf();
                cx.emit(self.works.find(file, line, project));
            }
            None => cx.warn(format!(
                "The profile does not say where {} is.",
                sanitise(&name)
            )),
        }
    }

    /// Name, file and line of what is selected.
    fn place(&self) -> Option<(String, Option<String>, Option<u32>)> {
        let tree = self.tree()?;
        let function = tree.function(self.function()?)?;
        let line = self
            .node()
            .and_then(|node| tree.node(node)?.line())
            .or(function.line);
        let file = function.file.as_deref().map(str::to_owned);
        Some((function.name.to_string(), file, line))
    }

    pub(super) fn copy(&mut self, cx: &Cx) {
        let Some((name, file, line)) = self.place() else {
            return;
        };
        let place = diagnostics::profile::tree::place(file.as_deref(), line, None);
        let weight = self.tree().and_then(|tree| {
            let row = tree
                .rows
                .iter()
                .find(|row| Some(row.function) == self.function())?;
            let of = |weight| {
                let part = words::percent(weight, tree.total());
                format!("{} ({part})", words::weight(weight, tree.unit))
            };
            Some(format!(
                "own {}, total {}",
                of(row.weight.own),
                of(row.weight.total)
            ))
        });
        let parts = [name.as_str(), &place, weight.as_deref().unwrap_or_default()];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        cx.copy(joined(parts, "  "), "function");
    }

    pub(super) fn copy_stack(&mut self, cx: &Cx) {
        let (Some(tree), Some(node)) = (self.tree(), self.node()) else {
            return;
        };
        let lines: Vec<String> = tree
            .path(node)
            .filter_map(|id: NodeId| {
                let function = tree.function_of(id)?;
                let line = tree.node(id)?.line();
                let place = diagnostics::profile::tree::place(
                    function.file.as_deref(),
                    line,
                    function.module.as_deref(),
                );
                let blank = if place.is_empty() { "" } else { "  " };
                Some(format!("{}{blank}{place}", function.name))
            })
            .collect();
        let what = counted(lines.len(), "frame");
        cx.copy(lines.join("\n"), what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_found_below_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("src/a.py");
        std::fs::create_dir_all(dir.path().join("src")).unwrap();
        std::fs::write(&file, "").unwrap();
        let found = |name: &str| find(name, dir.path());
        assert_eq!(found("src/a.py").unwrap(), file);
        assert_eq!(found(&file.display().to_string()).unwrap(), file);
        assert_eq!(found("/build/machine/src/a.py").unwrap(), file);
        assert!(
            found("node:internal/main")
                .unwrap_err()
                .contains("node:internal/main")
        );
    }
}
