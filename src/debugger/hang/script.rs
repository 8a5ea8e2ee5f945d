//! Languages whose programs are asked in their own words, as they run: a deadlock of theirs has no instruction left at which a debugger could
//! stop them. The question is one expression, which only looks.

use base::peers;

use super::{
    look::{FRAMES, HangScan},
    report::{Hang, Waiter},
};
use crate::{data::code::unquoted, prelude::*};

const PYTHON: &str = include_str!("../../../assets/hang/python.py");
const NODE: &str = include_str!("../../../assets/hang/node.js");
/// Bytes of a heap of JavaScript that is looked through.
const MOST_HEAP: usize = 64 << 20;

/// What a script answers.
#[derive(Deserialize)]
struct Answer {
    waiters: Vec<Waiter>,
    left_out: usize,
    #[serde(default)]
    notes: Vec<String>,
}

/// What is said where threads run something that has no thread of its own, known by the beginnings of their functions.
const UNSEEN: [(&[&str], &str); 2] = [
    (
        &["node::", "v8::"],
        "JavaScript was not looked into, only the engine's threads. ${inspector} `omp-debug hang --port ${port}` or `omp-debug attach \
         --port ${port}`.",
    ),
    (
        &["tokio::runtime::"],
        "Only threads were looked at: tasks of tokio that wait for each other have none, and are not seen.",
    ),
];

/// What of the program cannot be seen from outside, where these are its threads.
pub fn unseen(waiters: &[Waiter], pid: Option<i64>) -> impl Iterator<Item = String> {
    let runs = |beginning: &str| {
        let mut frames = waiters.iter().flat_map(|waiter| &waiter.frames);
        frames.any(|frame| frame.name.starts_with(beginning))
    };
    let rows = UNSEEN.iter();
    rows.filter(move |(beginnings, _)| beginnings.iter().any(|beginning| runs(beginning)))
        .map(move |(_, text)| {
            let ports = pid.map(inspectors).unwrap_or_default();
            let (inspector, port) = match ports.as_slice() {
                [] => {
                    let opens = "Node opens its inspector on `kill -USR1` or when started with --inspect; then use";
                    (opens.to_owned(), "9229".to_owned())
                }
                [port] => (format!("Its inspector listens on port {port}: use"), port.to_string()),
                ports => {
                    let ports = ports.iter().map(u16::to_string).joined(", ");
                    (format!("Its inspector listens on one of the ports {ports}: use"), "N".to_owned())
                }
            };
            text.replace("${inspector}", &inspector).replace("${port}", &port)
        })
}

/// Ports one of which is that of the inspector of a Node. It stands still, so that they cannot be asked.
fn inspectors(pid: i64) -> Vec<u16> {
    const USUAL: u16 = 9229;
    let Ok(pid) = u32::try_from(pid) else {
        return Vec::new();
    };
    let arguments = peers::node_arguments(pid);
    let is_open = |word: &String| word.starts_with("--inspect") || word.starts_with("--debug-port");
    let listening = peers::listening(pid);
    let ports: BTreeSet<u16> = listening.iter().map(std::net::SocketAddr::port).collect();
    let named = arguments
        .iter()
        .filter_map(|word| peers::inspector_port(word));
    match named.chain([USUAL]).find(|port| ports.contains(port)) {
        Some(port) => vec![port],
        None if arguments.iter().any(is_open) => ports.into_iter().collect(),
        None => Vec::new(),
    }
}

/// All that runs in the program, where it answers.
pub async fn ask(
    look: &mut HangScan,
    id: SessionId,
    languages: &[String],
    hang: &mut Hang,
) -> Option<Vec<Waiter>> {
    let is = |name: &str| languages.iter().any(|language| language == name);
    let (most, frames) = (look.most, FRAMES);
    let expression = if is("python") {
        let code = json!(format!("{PYTHON}\nresult = look({most}, {frames})"));
        format!("(lambda names: (exec({code}, names), names['result'])[1])({{}})")
    } else if is("javascript") {
        format!("({NODE})({most}, {MOST_HEAP})")
    } else {
        return None;
    };
    let arguments = json!({"expression": expression, "context": "clipboard"});
    let command = Command::CustomRequest {
        session: Some(id),
        request: "evaluate".to_owned(),
        arguments: Some(arguments),
    };
    let body = match look.ask(command).await {
        Ok(Reply::Answer { body }) => body,
        Ok(_) => return None,
        Err(error) => {
            hang.notes
                .push(format!("The program could not be asked itself: {error}"));
            if error.kind == ErrorKind::Timeout {
                hang.notes.push(
                    "It cannot answer while native code keeps its interpreter busy: `omp-debug profile` shows what that is."
                        .to_owned(),
                );
            }
            return None;
        }
    };
    let answer = unquoted(body.text_of("result")?);
    let answer = serde_json::from_slice(answer.as_bytes()).ok();
    let Some(Answer {
        mut waiters,
        left_out,
        notes,
    }) = answer
    else {
        hang.notes
            .push("What the program said of itself could not be read.".to_owned());
        return None;
    };
    hang.left_out += left_out;
    hang.notes.extend(notes);
    let threads = look
        .state
        .session(id)
        .map(|s| s.threads.clone())
        .unwrap_or_default();
    for waiter in &mut waiters {
        let mut named = threads.iter().filter(|thread| thread.name == waiter.name);
        waiter.thread = named
            .next()
            .map(|t| t.id)
            .filter(|_| named.next().is_none());
    }
    Some(waiters)
}
