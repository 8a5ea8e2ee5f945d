//! What is kept with a project between runs: breakpoints, watches, exception filters, histories.
//!
//! One JSON file per project folder in the state directory, named for the hash of the folder's path. Written whole to a
//! temporary file and renamed, newest content last; a file that cannot be read is set aside and said, never overwritten in
//! silence. Several of us may have one project open: each writes only what it changed itself into what is there.

use base::text::hex::hexadecimal;
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use tokio::task::JoinHandle;

use super::{anchor::Anchor, state::Watch};
use crate::prelude::*;

/// Newest entries of a history that are kept.
const KEPT: usize = 200;

/// The kept part of a [`State`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// The project's folder, for people who look into the file.
    pub path: PathBuf,
    /// Without answers, temporary ones, and those of one run.
    pub breakpoints: Vec<Breakpoint>,
    /// By which those at lines are found again, of which these are no part in the file.
    anchors: BTreeMap<BreakpointId, Anchor>,
    /// `None` = adapters' defaults.
    pub exception_filters: Option<Vec<ExceptionFilter>>,
    /// Expressions.
    pub watches: Vec<Watch>,
    /// Histories, layout.
    pub memory: BTreeMap<String, Vec<String>>,
    /// What went wrong while reading, in a sentence.
    #[serde(skip)]
    pub trouble: Option<String>,
}

/// A project's file, and the task that writes it.
pub struct Project {
    path: PathBuf,
    kept_at: u64,
    newest: watch::Sender<Option<Saved>>,
    writer: Option<JoinHandle<()>>,
}

impl Saved {
    fn of(state: &State, path: PathBuf) -> Self {
        let kept = state
            .breakpoints
            .iter()
            .filter_map(|b| match &b.passing {
                Some(passing) => passing.instead_of.as_deref(),
                None => Some(b),
            })
            .filter(|b| !b.temporary && b.site.outlives_process());
        Self {
            path,
            anchors: BTreeMap::new(),
            breakpoints: kept
                .map(|b| Breakpoint {
                    answers: BTreeMap::new(),
                    never_hit: None,
                    ..b.clone()
                })
                .collect(),
            exception_filters: state.exception_filters.clone(),
            watches: state.watches.clone(),
            memory: state
                .memory
                .iter()
                .map(|(key, values)| {
                    let skip = values.len().saturating_sub(KEPT);
                    (key.clone(), values.iter().skip(skip).cloned().collect())
                })
                .collect(),
            trouble: None,
        }
    }
}

impl Project {
    /// Opens a project's file (there may be none yet) and says what it holds. `troubles` is told why it cannot be written.
    pub async fn open(
        state_dir: &Path,
        path: PathBuf,
        troubles: mpsc::UnboundedSender<String>,
    ) -> (Self, Saved) {
        let file = file_of(state_dir, &path);
        let read = {
            let file = file.clone();
            tasks::blocking(move || {
                file.parent().into_iter().for_each(files::sweep);
                read(&file)
            })
            .await
        };
        let saved = read.unwrap_or_default();
        let mut before = saved.clone();
        let (newest, mut wanted) = watch::channel(None::<Saved>);
        let writer = tasks::spawn(async move {
            let mut trouble = None;
            loop {
                let is_end = wanted.changed().await.is_err();
                // What there was no room for is tried once more at the end.
                if is_end && trouble.is_none() {
                    break;
                }
                let Some(saved) = wanted.borrow_and_update().clone() else {
                    continue;
                };
                let shown = file.display().to_string();
                let (file, from, to) = (file.clone(), before.clone(), saved.clone());
                let written = tasks::blocking(move || write(&file, &from, to))
                    .await
                    .unwrap_or_else(|error| Err(io::Error::other(error)));
                if written.is_ok() {
                    before = saved;
                }
                let now = written.err().map(|error| {
                    format!(
                        "Breakpoints and watches are not kept: {shown} cannot be written: {error}."
                    )
                });
                if trouble != now {
                    trouble = now;
                    // Once is enough while nothing changes about it; nobody listens to a core that ends.
                    let _ = trouble.clone().map(|why| troubles.send(why));
                }
                if is_end {
                    break;
                }
            }
            if let Some(why) = trouble {
                files::lose(why, false);
            }
        });
        let project = Self {
            path,
            kept_at: 0,
            newest,
            writer: Some(writer),
        };
        (project, saved)
    }

    /// Hands the state to the writer if what is kept of it changed. Cheap when it did not.
    pub fn save_if_changed(&mut self, state: &State, kept_at: u64) {
        if self.kept_at != kept_at {
            self.kept_at = kept_at;
            let _ = self.newest.send(Some(Saved::of(state, self.path.clone())));
        }
    }

    /// What is in the file now: nothing to save until something changes.
    pub fn restored(&mut self, kept_at: u64) {
        self.kept_at = kept_at;
    }

    /// Waits until everything is written.
    pub async fn finish(&mut self) {
        let (closed, _) = watch::channel(None);
        drop(mem::replace(&mut self.newest, closed));
        if let Some(writer) = self.writer.take() {
            let _ = writer.await;
        }
    }
}

/// Does to `there` what was done to `from` to make it `to`. Numbers others may have given to something else, so that one is known by what
/// it is of.
fn merge<T: Clone + PartialEq>(
    there: &mut Vec<T>,
    (from, to): (&[T], &[T]),
    is_of_same: impl Fn(&T, &T) -> bool,
    number: impl Fn(&mut T) -> &mut u64,
) {
    let has = |all: &[T], one: &T| all.iter().any(|other| is_of_same(one, other));
    there.retain(|one| has(to, one) || !has(from, one));
    for one in to.iter().filter(|one| !from.contains(one)) {
        let mut one = one.clone();
        if let Some(old) = there.iter_mut().find(|old| is_of_same(&one, old)) {
            *number(&mut one) = *number(old);
            *old = one;
        } else {
            let highest = there.iter_mut().map(|old| *number(old)).max();
            let own = number(&mut one);
            *own = (*own).max(highest.map_or(0, |highest| highest + 1));
            there.push(one);
        }
    }
}

/// Writes what we changed, `from` as we last read or wrote it, into what is there by now.
fn write(file: &Path, from: &Saved, to: Saved) -> io::Result<()> {
    let folder = file.parent().unwrap_or_else(|| Path::new("."));
    files::make_folder(folder)?;
    // Held until it is closed. Where a file system has no locks, what two change at once may be lost.
    let folder = File::open(folder)?;
    let _ = flock(&folder, FlockOperation::LockExclusive);
    let mut there = read(file);
    // Of what is gone or broken, or is still ours alone, nothing is to be spared.
    if there.path != to.path || there == *from {
        there = to;
    } else {
        merge(
            &mut there.breakpoints,
            (&from.breakpoints, &to.breakpoints),
            |one, other| one.site == other.site,
            |one| &mut one.id.0,
        );
        merge(
            &mut there.watches,
            (&from.watches, &to.watches),
            |one, other| one.expression == other.expression,
            |one| &mut one.id.0,
        );
        if to.exception_filters != from.exception_filters {
            there.exception_filters = to.exception_filters;
        }
        let changed = |(key, values): &(String, _)| from.memory.get(key) != Some(values);
        (there.memory).extend(to.memory.into_iter().filter(changed));
    }
    let anchored = there.breakpoints.iter();
    there.anchors = anchored.filter_map(|b| Some((b.id, b.anchor?))).collect();
    files::replace(file, |out| Ok(serde_json::to_writer_pretty(out, &there)?))
}

fn file_of(state_dir: &Path, project: &Path) -> PathBuf {
    let digest = Sha256::digest(project.as_os_str().as_encoded_bytes());
    let mut name = hexadecimal(&digest);
    name.truncate(24);
    state_dir.join("projects").join(format!("{name}.json"))
}

fn read(file: &Path) -> Saved {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Saved::default(),
        Err(e) => {
            return Saved {
                trouble: Some(format!("{} cannot be read: {e}.", file.display())),
                ..Saved::default()
            };
        }
    };
    let saved = serde_json::from_slice::<Saved>(text.as_bytes()).map(|mut saved| {
        let anchors = mem::take(&mut saved.anchors);
        for breakpoint in &mut saved.breakpoints {
            breakpoint.anchor = anchors.get(&breakpoint.id).copied();
        }
        saved
    });
    saved.unwrap_or_else(|e| {
        let aside = file.with_extension("json.broken");
        let kept = fs::rename(file, &aside).is_ok();
        Saved {
            trouble: Some(format!(
                "{} is not what it should be ({e}); {}.",
                file.display(),
                if kept {
                    format!("it was set aside as {}", aside.display())
                } else {
                    "it will be replaced".to_owned()
                }
            )),
            ..Saved::default()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breakpoint::{BreakpointSite, Passing};
    use crate::ids::{BreakpointId, WatchId};

    fn anchor() -> Anchor {
        serde_json::from_value(json!({"before": 1, "line": 2, "after": 3})).unwrap()
    }

    fn state() -> State {
        let site = BreakpointSite::Source {
            path: "/p/a.py".into(),
            line: 3,
            column: None,
        };
        State {
            breakpoints: vec![
                Breakpoint {
                    anchor: Some(anchor()),
                    ..Breakpoint::new(BreakpointId(1), site.clone())
                },
                Breakpoint {
                    temporary: true,
                    ..Breakpoint::new(BreakpointId(2), site)
                },
            ],
            watches: vec![Watch {
                id: WatchId(1),
                expression: "total".into(),
                aside: Some("took over 5 s".into()),
            }],
            ..State::default()
        }
    }

    async fn opened(dir: &Path, path: &str) -> (Project, Saved) {
        Project::open(dir, path.into(), mpsc::unbounded_channel().0).await
    }

    #[tokio::test]
    async fn what_is_saved_comes_back_and_temporary_things_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let (mut project, saved) = opened(dir.path(), "/p").await;
        assert_eq!(saved, Saved::default());
        project.save_if_changed(&state(), 7);
        project.finish().await;
        let (_, saved) = opened(dir.path(), "/p").await;
        assert_eq!(saved.breakpoints.len(), 1);
        assert_eq!(saved.breakpoints[0].anchor, Some(anchor()));
        assert_eq!(saved.watches[0].expression, "total");
        let (_, other) = opened(dir.path(), "/q").await;
        assert_eq!(other, Saved::default());
    }

    #[tokio::test]
    async fn of_a_breakpoint_of_one_run_what_was_there_before_is_kept() {
        let mut state = state();
        let mut passing = Breakpoint {
            condition: Some("n > 3".into()),
            passing: Some(Passing {
                instead_of: state.breakpoints.first().cloned().map(Box::new),
            }),
            ..state.breakpoints.remove(0)
        };
        state.breakpoints.push(passing.clone());
        let saved = Saved::of(&state, "/p".into());
        let [kept] = saved.breakpoints.as_slice() else {
            panic!("{saved:?}")
        };
        assert_eq!((&kept.condition, &kept.passing), (&None, &None));
        passing.passing = Some(Passing::default());
        state.breakpoints = vec![passing];
        assert!(Saved::of(&state, "/p".into()).breakpoints.is_empty());
    }

    fn at(id: u64, line: i64) -> Breakpoint {
        let mut made = state().breakpoints.remove(0);
        made.id = BreakpointId(id);
        if let BreakpointSite::Source { line: of, .. } = &mut made.site {
            *of = line;
        }
        made
    }

    fn watching(id: u64, expression: &str) -> Watch {
        Watch {
            id: WatchId(id),
            expression: expression.into(),
            aside: None,
        }
    }

    async fn saves(mut project: Project, state: &State) {
        project.save_if_changed(state, 1);
        project.finish().await;
    }

    #[tokio::test]
    async fn of_two_that_save_one_project_neither_undoes_what_the_other_did() {
        let dir = tempfile::tempdir().unwrap();
        let (one, _) = opened(dir.path(), "/p").await;
        let (two, _) = opened(dir.path(), "/p").await;
        let mut first = State {
            breakpoints: vec![at(1, 2), at(2, 4)],
            watches: vec![watching(1, "x1")],
            ..State::default()
        };
        saves(one, &first).await;
        let mut second = State {
            breakpoints: vec![at(1, 6), at(2, 4)],
            watches: vec![watching(1, "x2")],
            memory: BTreeMap::from([("typed".into(), vec!["two".into()])]),
            ..State::default()
        };
        saves(two, &second).await;
        // Both have seen all by now; one removes and changes, the other one adds, and knows of neither.
        let (one, all) = opened(dir.path(), "/p").await;
        let (two, _) = opened(dir.path(), "/p").await;
        assert_eq!(all.breakpoints, [at(1, 2), at(2, 4), at(3, 6)]);
        assert_eq!(all.watches, [watching(1, "x1"), watching(2, "x2")]);
        assert_eq!(all.memory, second.memory);
        (first.breakpoints, first.watches) = (all.breakpoints.clone(), vec![watching(2, "x2")]);
        (second.breakpoints, second.watches) = (all.breakpoints, all.watches);
        first.breakpoints.remove(0);
        first.breakpoints[0].condition = Some("n > 3".into());
        saves(one, &first).await;
        second.breakpoints.push(at(4, 8));
        saves(two, &second).await;
        let (_, all) = opened(dir.path(), "/p").await;
        first.breakpoints.push(at(4, 8));
        assert_eq!(all.breakpoints, first.breakpoints);
        assert_eq!(all.watches, first.watches);
    }

    #[tokio::test]
    async fn what_could_not_be_written_is_at_the_end_and_at_the_next_change() {
        let dir = tempfile::tempdir().unwrap();
        let in_the_way = dir.path().join("projects");
        for again in [false, true] {
            fs::write(&in_the_way, "").unwrap();
            let (told, mut troubles) = mpsc::unbounded_channel();
            let (mut project, _) = Project::open(dir.path(), "/p".into(), told).await;
            project.save_if_changed(&state(), 1);
            assert!(troubles.recv().await.unwrap().contains("not kept"));
            fs::remove_file(&in_the_way).unwrap();
            let mut state = state();
            if again {
                state.watches.push(watching(2, "more"));
                project.save_if_changed(&state, 2);
            }
            project.finish().await;
            let (_, saved) = opened(dir.path(), "/p").await;
            assert_eq!(saved.watches, state.watches);
            assert_eq!(saved.breakpoints.len(), 1);
            fs::remove_dir_all(&in_the_way).unwrap();
        }
    }

    #[tokio::test]
    async fn a_broken_file_is_set_aside_and_said() {
        let dir = tempfile::tempdir().unwrap();
        let file = file_of(dir.path(), Path::new("/p"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{\"breakpoints\": 3").unwrap();
        let (_, saved) = opened(dir.path(), "/p").await;
        assert!(saved.trouble.unwrap().contains("set aside"));
        assert!(file.with_extension("json.broken").exists());
    }
}
