//! Running `xcrun`: no shell, an end in time, an answer that is not endless, and its own words when it fails.

use base::surroundings::{self, Variables};
use tokio::{io::AsyncReadExt as _, process::Command};

use crate::prelude::*;

/// How long a question may take: `simctl` starts a service of its own at its first.
const LIMIT: Duration = Duration::from_secs(20);
/// Bytes of an answer that are read.
const ANSWER: u64 = 8 << 20;
/// Characters of a complaint that are told.
const COMPLAINT: usize = 600;

/// `xcrun`, where it was found.
#[derive(Clone, Debug)]
pub struct Xcrun {
    path: PathBuf,
    cwd: PathBuf,
    env: Arc<Variables>,
    limit: Duration,
}

impl Xcrun {
    /// This one, in these surroundings.
    pub fn new(path: PathBuf, context: &Context) -> Self {
        Self {
            path,
            cwd: context.cwd.clone(),
            env: Arc::clone(&context.env),
            limit: LIMIT,
        }
    }

    /// With another limit for one question.
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// What it prints, when it ends well in time.
    pub async fn run(&self, args: &[&str]) -> Result<String, String> {
        let trouble = |what: String| format!("`xcrun {}` {what}", args.join(" "));
        let mut child = surroundings::question(&self.path, &self.cwd, &self.env)
            .and_then(|mut command| {
                command.args(args).stderr(Stdio::piped());
                Command::from(command).kill_on_drop(true).spawn()
            })
            .map_err(|error| trouble(format!("cannot be started: {error}")))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let ended = timeout(self.limit, async {
            let (answer, complaint) = tokio::join!(read(stdout), read(stderr));
            (answer, complaint, child.wait().await)
        });
        let Ok((answer, complaint, status)) = ended.await else {
            // Dropping the child ends it.
            return Err(trouble(format!(
                "did not end within {} s",
                self.limit.as_secs_f32()
            )));
        };
        let status = status.map_err(|error| trouble(format!("cannot be waited for: {error}")))?;
        if !status.success() {
            let said: String = complaint.trim().chars().take(COMPLAINT).collect();
            let said = if said.is_empty() {
                "and said nothing".to_owned()
            } else {
                format!("and said: {said}")
            };
            return Err(trouble(format!("failed ({status}) {said}")));
        }
        if answer.len() as u64 > ANSWER {
            return Err(trouble(format!(
                "printed more than {ANSWER} bytes, which is no answer"
            )));
        }
        Ok(answer)
    }
}

/// Everything, or a little more than is taken for an answer.
async fn read(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(stream) = stream else {
        return String::new();
    };
    let mut bytes = Vec::new();
    // What came before an error is all there is.
    let _ = stream.take(ANSWER + 1).read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}
