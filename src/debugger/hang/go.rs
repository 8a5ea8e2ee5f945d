//! Goroutines: which mutex, `WaitGroup` or channel one waits for is read from the runtime's frames. Nothing there says who could end the wait; that
//! is inferred from the lines of the others: who took the mutex above the line where it is and did not give it back, who sends, receives or closes below.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    Frame, Wait, Waiter,
    collect::Look,
    kinds::{self, calls},
};
use crate::prelude::*;

/// Expressions that are asked for in all, and per frame.
const MOST: usize = 600;
const MOST_OF_FRAME: usize = 24;
/// Lines of one function that are read.
const LINES: usize = 400;

/// What is waited for: the functions that wait with it as this variable, in words, and what the others would have to do.
struct Kind {
    functions: &'static [&'static str],
    variable: &'static str,
    words: &'static str,
    does: Does,
}

#[derive(Clone, Copy, PartialEq)]
enum Does {
    Unlock,
    Done,
    Send,
    Receive,
}

const KINDS: &[Kind] = &[
    Kind {
        functions: &["sync.(*RWMutex).Lock", "sync.(*RWMutex).RLock"],
        variable: "rw",
        words: "the RWMutex",
        does: Does::Unlock,
    },
    Kind {
        functions: &["(*Mutex).lockSlow", "(*Mutex).Lock"],
        variable: "m",
        words: "the Mutex",
        does: Does::Unlock,
    },
    Kind {
        functions: &["sync.(*WaitGroup).Wait"],
        variable: "wg",
        words: "the WaitGroup",
        does: Does::Done,
    },
    Kind {
        functions: &["runtime.chanrecv"],
        variable: "c",
        words: "something from the channel",
        does: Does::Send,
    },
    Kind {
        functions: &["runtime.chansend"],
        variable: "c",
        words: "somebody to take from the channel",
        does: Does::Receive,
    },
];

/// Lines that do such things, with the path of the value as the first group.
static LOCKS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([\w.]+)\.R?Lock\(\)").ok());
static DONES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"([\w.]+)\.Done\(\)").ok());
static SENDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([\w.]+) <- |close\(([\w.]+)\)").ok());
static RECEIVES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<-([\w.]+)|range ([\w.]+)").ok());
/// Whatever is given to a call may be used there.
static ARGUMENTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[(,] ?([A-Za-z_]\w*)\b").ok());

/// Finds out what goroutines wait for.
pub(super) async fn waits(look: &mut Look, id: SessionId, waiters: &mut Vec<Waiter>) {
    let mut wanted: Vec<(usize, &Kind)> = Vec::new();
    let mut asked = Vec::new();
    for waiter in waiters.iter_mut() {
        waiter.wait = kinds::wait(&waiter.frames, true).map(Wait::of);
    }
    // The runtime's own say nothing of the program.
    let is_own = |w: &Waiter| {
        w.wait
            .as_ref()
            .is_some_and(|wait| wait.what == kinds::RUNTIME)
    };
    waiters.retain(|w| !is_own(w) || w.frames.iter().any(|f| f.own));
    for (at, waiter) in waiters.iter_mut().enumerate() {
        "goroutine".clone_into(&mut waiter.kind);
        if let Some((number, _)) = waiter
            .name
            .trim_start_matches("* ")
            .strip_prefix("[Go ")
            .and_then(|n| n.split_once(']'))
        {
            // The innermost function, which is told beside it, is the runtime's.
            waiter.name = format!("goroutine {number}");
        }
        let found = KINDS.iter().find_map(|kind| {
            let frame = kind.functions.iter().find_map(|f| {
                waiter
                    .frames
                    .iter()
                    .take(12)
                    .find(|frame| frame.name.ends_with(f))
            })?;
            Some((kind, frame))
        });
        if let Some((kind, frame)) = found.filter(|_| !calls(&waiter.frames, "runtime.selectgo")) {
            wanted.push((at, kind));
            asked.push(expression(id, frame, format!("uintptr({})", kind.variable)));
        }
    }
    let addresses = look.many(asked).await;
    let wanted: Vec<_> = wanted
        .into_iter()
        .zip(addresses)
        .filter_map(|((at, kind), answer)| Some((at, kind, address(answer)?)))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let able = able(look, id, waiters).await;
    for (at, kind, address) in wanted {
        let Some(waiter) = waiters.get_mut(at) else {
            continue;
        };
        let may = able.iter().filter(|able| {
            able.does == kind.does
                && able.address == address
                && (able.waiter != waiter.key || kind.does == Does::Unlock)
        });
        let mut holders: BTreeMap<String, String> = BTreeMap::new();
        for able in may {
            holders
                .entry(able.waiter.clone())
                .or_insert_with(|| able.how.clone());
        }
        let how: Vec<_> = holders.values().cloned().collect();
        waiter.wait = Some(Wait {
            holders: holders.into_keys().collect(),
            // A WaitGroup needs all of them; one that sends is enough.
            all: matches!(kind.does, Does::Done | Does::Unlock),
            how: how.join("; "),
            ..Wait::of(if address == 0 {
                "a nil channel, on which nothing ever comes".to_owned()
            } else {
                format!("{} {address:#x}", kind.words)
            })
        });
    }
}

/// That one can end a wait for what is at an address.
struct Able {
    waiter: String,
    does: Does,
    address: u64,
    how: String,
}

async fn able(look: &mut Look, id: SessionId, waiters: &[Waiter]) -> Vec<Able> {
    let (mut asked, mut whose) = (Vec::new(), Vec::new());
    for waiter in waiters {
        for frame in waiter.frames.iter().filter(|f| f.own) {
            let path = frame.path.as_deref().unwrap_or_default();
            let lines = look.source(id, path).await;
            let file = path.rsplit('/').next().unwrap_or_default();
            for (does, value, line) in uses(&lines, frame.line).into_iter().take(MOST_OF_FRAME) {
                let forms: &[&str] = match does {
                    Does::Unlock | Does::Done => &[
                        "uintptr(&{})",
                        "uintptr({})",
                        "uintptr(&{}.Mutex)",
                        "uintptr(&{}.RWMutex)",
                    ],
                    Does::Send | Does::Receive => &["*(*uintptr)(uintptr(&{}))"],
                };
                let word = match does {
                    Does::Unlock => "locked",
                    Does::Done => "calls Done",
                    Does::Send => "may send",
                    Does::Receive => "may receive",
                };
                for form in forms {
                    asked.push(expression(id, frame, form.replace("{}", &value)));
                    whose.push((waiter.key.clone(), does, format!("{word} at {file}:{line}")));
                }
            }
        }
    }
    asked.truncate(MOST);
    let answers = look.many(asked).await;
    let found = whose
        .into_iter()
        .zip(answers)
        .filter_map(|((waiter, does, how), answer)| {
            let address = address(answer)?;
            Some(Able {
                waiter,
                does,
                address,
                how,
            })
        });
    found.collect()
}

/// What a function did by this line and has still to do, by its text: with which value, and at which line.
fn uses(lines: &[String], line: i64) -> Vec<(Does, String, usize)> {
    let now = usize::try_from(line).unwrap_or(0);
    let indent = |text: &str| text.len() - text.trim_start().len();
    let Some(here) = lines.get(now.wrapping_sub(1)) else {
        return Vec::new();
    };
    // The function begins at a line further left that says so; a loop around the line makes all of the loop lie ahead.
    let (mut least, mut ahead, mut first) = (indent(here), now, now);
    if here.trim_start().starts_with("for ") {
        ahead = now;
    }
    for at in (1..now).rev().take(LINES) {
        let Some(text) = lines.get(at - 1).filter(|text| !text.trim().is_empty()) else {
            continue;
        };
        if indent(text) < least {
            least = indent(text);
            if text.contains("func") && text.trim_end().ends_with('{') {
                first = at;
                break;
            }
            if text.trim_start().starts_with("for") {
                ahead = at;
            }
        }
    }
    let is_end = |text: &&String| {
        text.trim_start().starts_with('}')
            && indent(text) <= least
            && !text.trim_end().ends_with('{')
    };
    let end = lines
        .iter()
        .skip(now)
        .take(LINES)
        .position(|text| is_end(&text))
        .map_or(now + LINES, |at| now + at);
    let numbered = |from: usize, to: usize| {
        (from..=to.min(lines.len())).filter_map(|n| Some((n, lines.get(n - 1)?.as_str())))
    };
    let mut found = Vec::new();
    let paths = |pattern: &LazyLock<Option<Regex>>, text: &str| -> Vec<String> {
        let all = pattern.iter().flat_map(|p| p.captures_iter(text));
        all.filter_map(|c| {
            c.iter()
                .skip(1)
                .flatten()
                .next()
                .map(|m| m.as_str().to_owned())
        })
        .collect()
    };
    for (at, text) in numbered(first, now.saturating_sub(1)) {
        for path in paths(&LOCKS, text) {
            let given = |(_, later): (usize, &str)| {
                let later = later.trim_start();
                !later.starts_with("defer")
                    && [".Unlock()", ".RUnlock()"]
                        .iter()
                        .any(|end| later.contains(&format!("{path}{end}")))
            };
            if !numbered(at + 1, now.saturating_sub(1)).any(given) {
                found.push((Does::Unlock, path, at));
            }
        }
        if text.trim_start().starts_with("defer") {
            found.extend(
                paths(&DONES, text)
                    .into_iter()
                    .map(|path| (Does::Done, path, at)),
            );
        }
    }
    for (at, text) in numbered(ahead, end) {
        found.extend(
            paths(&DONES, text)
                .into_iter()
                .map(|path| (Does::Done, path, at)),
        );
        found.extend(
            paths(&SENDS, text)
                .into_iter()
                .map(|path| (Does::Send, path, at)),
        );
        found.extend(
            paths(&RECEIVES, text)
                .into_iter()
                .map(|path| (Does::Receive, path, at)),
        );
        if at > now {
            for path in paths(&ARGUMENTS, text) {
                found.push((Does::Send, path.clone(), at));
                found.push((Does::Receive, path, at));
            }
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|(does, path, _)| seen.insert((*does as u8, path.clone())));
    found
}

fn expression(id: SessionId, frame: &Frame, expression: String) -> Command {
    Command::Evaluate {
        session: Some(id),
        frame_id: frame.id,
        expression,
        context: "watch".to_owned(),
    }
}

/// `824634425376 = 0xc0000ac020`, or `0`.
fn address(answer: Option<Reply>) -> Option<u64> {
    let Some(Reply::Value { value }) = answer else {
        return None;
    };
    value.result.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "\
func work(a *account, items chan int) {
\tfor {
\t\ta.mu.Lock()
\t\tv := <-items
\t\ta.mu.Unlock()
\t\tsend(items, v)
\t}
}

func once() {
\tb.Lock()
\tb.Unlock()
\tdefer wg.Done()
\t<-items
\tclose(done)
}";

    fn names(line: i64) -> Vec<String> {
        let lines: Vec<_> = PROGRAM.lines().map(str::to_owned).collect();
        let found = uses(&lines, line).into_iter();
        found
            .map(|(does, path, at)| {
                format!(
                    "{}{path}:{at}",
                    ["unlock ", "done ", "send ", "receive "][does as usize]
                )
            })
            .collect()
    }

    #[test]
    fn what_is_held_lies_above_and_what_may_be_done_below_or_in_the_loop() {
        let found = names(4);
        assert!(found.contains(&"unlock a.mu:3".to_owned()), "{found:?}");
        assert!(found.contains(&"receive items:4".to_owned()), "{found:?}");
        assert!(found.contains(&"send items:6".to_owned()), "{found:?}");
        let found = names(14);
        assert!(found.contains(&"done wg:13".to_owned()), "{found:?}");
        assert!(found.contains(&"send done:15".to_owned()), "{found:?}");
        assert!(!found.iter().any(|f| f.starts_with("unlock")), "{found:?}");
    }
}
