//! Functions of Python, through the program py-spy.
//!
//! py-spy reads the interpreter's memory from outside, without stopping it (`--nonblocking`), so a program under a debugger can be looked
//! at too. It writes its stacks when it has ended: a view of a profile that is still being taken has nothing to show until then, which the
//! profile's notes say. Its raw form is one stack a line, `function (file:line);function (file:line) COUNT`.

use tempfile::TempDir;

use super::{
    allowed::Allowed,
    helper::Helper,
    sampler::{Clock, Tools},
};
use crate::{profile::sample::prelude::*, texts::leading_number};

/// How long py-spy may take to write once it was asked to end.
const LAST: Duration = Duration::from_secs(20);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(20);
/// py-spy wants to know when it ends; it is asked to end sooner. Seconds.
const LONGEST: &str = "86400";
/// Bytes of its text that are read.
const LARGEST: u64 = 1 << 30;

pub struct PySpy {
    helper: Helper,
    file: PathBuf,
    /// Where the file is; gone with us.
    _folder: TempDir,
    pid: u32,
    name: String,
    thread: Option<u32>,
    read: bool,
}

impl PySpy {
    pub fn start(
        target: &Target,
        options: &Options,
        allowed: &Allowed,
        tools: &Tools,
    ) -> Result<Self> {
        if let Some(why) = allowed.no_memory() {
            return Err(SampleError::Failed(why));
        }
        let program = tools.need("py-spy", "functions of Python are seen with py-spy, which is not installed: `pip install py-spy` (or `pipx install py-spy`)")?;
        let folder = tempfile::Builder::new()
            .prefix("omp-debug-py-spy-")
            .tempdir()
            .map_err(SampleError::about("a folder for py-spy"))?;
        let file = folder.path().join("raw");
        let mut command = tools.command(&program);
        command.args(["record", "--nonblocking", "--format", "raw", "--threads"]);
        // The line at which a function begins, so that it stays one frame.
        command.arg("--function");
        command.args(["--pid", &target.pid.to_string()]);
        command.args(["--rate", &options.rate.to_string(), "--duration", LONGEST]);
        command.arg("--full-filenames").arg("--output").arg(&file);
        if options.clock == Clock::Wall {
            command.arg("--idle");
        }
        if options.children {
            command.arg("--subprocesses");
        }
        let mut helper = Helper::start("py-spy", &mut command)?;
        // What it cannot look at it says at once; after this it samples.
        let begun = Instant::now();
        while begun.elapsed() < LAST && !helper.said().contains("Sampling process") {
            if let Some(status) = helper.ended() {
                helper.wait(LAST);
                if helper.said().contains("Sampling process") {
                    break;
                }
                return Err(refusal(&helper.said()).unwrap_or_else(|| helper.failed(Some(status))));
            }
            std::thread::sleep(LOOK);
        }
        Ok(Self {
            helper,
            file,
            _folder: folder,
            pid: target.pid,
            name: target.name.clone(),
            thread: options.thread,
            read: false,
        })
    }

    fn read(&mut self, into: &mut Builder) -> Result<SampleBatch> {
        if std::mem::replace(&mut self.read, true) {
            return Ok(SampleBatch {
                ended: true,
                ..SampleBatch::default()
            });
        }
        let status = self.helper.wait(LAST);
        let said = self.helper.said();
        let failed = || refusal(&said).unwrap_or_else(|| self.helper.failed(status));
        let text = match std::fs::metadata(&self.file) {
            Ok(file) if file.len() <= LARGEST => std::fs::read_to_string(&self.file)
                .map_err(SampleError::about("what py-spy wrote"))?,
            Ok(file) => {
                let why = format!("{} bytes, and at most {LARGEST} are read", file.len());
                return Err(SampleError::failed("what py-spy wrote", why));
            }
            // It saw nothing, because there was nothing: then it writes no file.
            Err(_) if said.contains("No stack counts found") => String::new(),
            Err(_) => return Err(failed()),
        };
        let (mut samples, before) = (0, into.about().lost);
        for line in text.lines() {
            samples += self.line(line, into);
        }
        let errors = said.rsplit_once("Errors: ");
        let errors = errors.and_then(|(_, rest)| leading_number(rest));
        into.about().lost += errors.unwrap_or(0);
        let lost = into.about().lost - before;
        if said.contains("behind in sampling") {
            let note =
                "py-spy could not keep up with the rate: fewer samples were taken than asked for";
            into.about().notes.push(note.to_owned());
        }
        Ok(SampleBatch {
            samples,
            lost,
            ended: true,
        })
    }

    /// One stack; gives how many samples it stands for.
    fn line(&self, line: &str, into: &mut Builder) -> u64 {
        let Some((stack, count)) = line.rsplit_once(' ') else {
            return 0;
        };
        let Ok(weight) = count.parse::<u64>() else {
            return 0;
        };
        let mut thread: Option<(Option<u64>, String)> = None;
        let mut process: Option<u32> = None;
        let mut frames = Vec::new();
        for part in stack.split(';') {
            if frames.is_empty() && thread.is_none() {
                if let Some(found) = thread_of(part) {
                    thread = Some(found);
                    continue;
                }
                if let Some(pid) = process_of(part) {
                    process = Some(pid);
                    continue;
                }
            }
            frames.push(frame(part));
        }
        let (tid, name) = thread.unwrap_or_default();
        if self.thread.is_some() && self.thread.map(u64::from) != tid {
            return 0;
        }
        let Some(frames) = frames.into_iter().collect::<Option<Vec<_>>>() else {
            into.about().lost += weight;
            return 0;
        };
        let thread: ThreadId = into.thread(Thread {
            pid: Some(process.unwrap_or(self.pid)),
            tid,
            name: if name.is_empty() {
                self.name.as_str()
            } else {
                name.as_str()
            }
            .into(),
        });
        let Some(stack) = into.stack_of_frames(frames) else {
            return 0;
        };
        into.sample(Sample {
            stack,
            thread,
            weight,
            at: Sample::NO_TIME,
        });
        weight
    }
}

/// `thread (0x7F12…)`, `thread (4711)`, or `thread (4711): name` as the outermost frame: its number in the system and its name.
fn thread_of(text: &str) -> Option<(Option<u64>, String)> {
    let rest = text.strip_prefix("thread (")?;
    let (id, name) = rest.split_once(')')?;
    let name = name.trim_start_matches([':', ' ']).trim();
    let tid = id.parse().ok();
    let name = if name.is_empty() {
        format!("thread {id}")
    } else {
        name.to_owned()
    };
    Some((tid, name))
}

/// `process 4711:"python x.py"`.
fn process_of(text: &str) -> Option<u32> {
    let rest = text.strip_prefix("process ")?;
    let (pid, _) = rest.split_once(':')?;
    pid.parse().ok()
}

/// `function (file:line)`; the line is that of the function, or of where it was. `None` for what lay in the memory of a function that was
/// left while it was read, as its program goes on meanwhile.
fn frame(text: &str) -> Option<Frame> {
    // No name of a function has a blank; a path may have anything.
    let parts = text
        .strip_suffix(')')
        .and_then(|rest| rest.split_once(" ("));
    let Some((name, place)) = parts else {
        return Some(Frame::named(text));
    };
    let parts = place.rsplit_once(':');
    let is_torn = name.trim().is_empty()
        || text.chars().any(char::is_control)
        || parts.is_some_and(|(_, line)| line.starts_with('-'));
    if is_torn {
        return None;
    }
    let (file, line) = match parts.map(|(file, line)| (file, line.parse::<u32>())) {
        Some((file, Ok(line))) => (file, Some(line).filter(|line| *line > 0)),
        _ => (place, None),
    };
    Some(Frame {
        file: Some(file.into()),
        line,
        ..Frame::named(name)
    })
}

fn refusal(said: &str) -> Option<SampleError> {
    let refused = [
        "Permission Denied",
        "Permission denied",
        "Operation not permitted",
    ]
    .iter()
    .any(|word| said.contains(word));
    if !refused {
        return None;
    }
    let why = Allowed::look().no_memory().unwrap_or_else(|| {
        "the kernel does not let py-spy look into it: in a container, start that with `--cap-add SYS_PTRACE`"
            .to_owned()
    });
    Some(SampleError::Failed(why))
}

impl Sampler for PySpy {
    fn is_live(&self) -> bool {
        false
    }

    fn take(&mut self, patience: Duration, into: &mut Builder) -> Result<SampleBatch> {
        let begun = Instant::now();
        loop {
            if self.helper.ended().is_some() {
                return self.read(into);
            }
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Ok(SampleBatch::default());
            }
            std::thread::sleep(LOOK.min(left));
        }
    }

    fn finish(mut self: Box<Self>, into: &mut Builder) -> Result<SampleBatch> {
        self.helper.interrupt();
        self.read(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_threads_and_processes_of_its_raw_form() {
        let found = frame("<module> (/srv/my app (2)/x.py:12)").unwrap();
        assert_eq!(&*found.name, "<module>");
        assert_eq!(found.file.as_deref(), Some("/srv/my app (2)/x.py"));
        assert_eq!(found.line, Some(12));
        assert_eq!(&*frame("odd").unwrap().name, "odd");
        assert_eq!(frame("f (<frozen importlib>)").unwrap().line, None);
        for torn in [", (1:-1328277840)", " (x.py:3)", "\u{4} (x.py:3)"] {
            assert_eq!(frame(torn), None, "{torn}");
        }
        assert_eq!(
            thread_of("thread (0x7F1C)"),
            Some((None, "thread 0x7F1C".to_owned()))
        );
        assert_eq!(
            thread_of("thread (4711): worker (1)"),
            Some((Some(4711), "worker (1)".to_owned()))
        );
        assert_eq!(thread_of("thread_main (x.py:1)"), None);
        assert_eq!(process_of("process 12:\"python x.py\""), Some(12));
        assert_eq!(process_of("process (x.py:1)"), None);
    }
}
