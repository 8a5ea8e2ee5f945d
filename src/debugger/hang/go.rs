//! Goroutines: which mutex, `WaitGroup` or channel one waits for is read from the runtime's frames. Nothing there says who could end the wait; that
//! is inferred from the lines of the others: who took the mutex above the line where it is and did not give it back, who sends, receives or closes below.

use super::{
    kinds::{self, calls},
    look::HangScan,
    report::{Frame, Wait, Waiter},
};
use crate::{ext::split_at_closing_brace, prelude::*};

/// Expressions that are asked for in all, and per frame.
const MOST: usize = 600;
const MOST_OF_FRAME: usize = 24;
/// Lines of one function that are read.
const LINES: usize = 400;

/// What one would have to do to end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Does {
    Unlock,
    Done,
    Send,
    Receive,
}

/// Functions that wait, the variable of theirs that they wait with, what that is, in words, and what another would have to do.
const KINDS: [(&str, &str, &str, Does); 7] = [
    ("sync.(*RWMutex).Lock", "rw", "the RWMutex", Does::Unlock),
    ("sync.(*RWMutex).RLock", "rw", "the RWMutex", Does::Unlock),
    ("(*Mutex).lockSlow", "m", "the Mutex", Does::Unlock),
    ("(*Mutex).Lock", "m", "the Mutex", Does::Unlock),
    ("sync.(*WaitGroup).Wait", "wg", "the WaitGroup", Does::Done),
    (
        "runtime.chanrecv",
        "c",
        "something from the channel",
        Does::Send,
    ),
    (
        "runtime.chansend",
        "c",
        "somebody to take from the channel",
        Does::Receive,
    ),
];

/// How lines do such things; the first group that took part is the value's path. Whatever is given to a call may be used there.
const USES: [(&str, Does); 6] = [
    (r"([\w.]+)\.R?Lock\(\)", Does::Unlock),
    (r"([\w.]+)\.Done\(\)", Does::Done),
    (r"([\w.]+) <- |close\(([\w.]+)\)", Does::Send),
    (r"<-([\w.]+)|range ([\w.]+)", Does::Receive),
    (r"[(,] ?([A-Za-z_]\w*)\b", Does::Send),
    (r"[(,] ?([A-Za-z_]\w*)\b", Does::Receive),
];

static PATTERNS: LazyLock<Vec<(Regex, Does)>> = LazyLock::new(|| {
    let read = |(pattern, does): (&str, Does)| Some((Regex::new(pattern).ok()?, does));
    USES.into_iter().filter_map(read).collect()
});

/// Finds out what goroutines wait for.
pub async fn waits(look: &mut HangScan, id: SessionId, waiters: &mut Vec<Waiter>) {
    for waiter in waiters.iter_mut() {
        waiter.wait = kinds::wait(&waiter.frames, true).map(Wait::of);
    }
    // The runtime's own say nothing of the program.
    let is_own = |w: &Waiter| w.wait.as_ref().is_some_and(|w| w.what == kinds::RUNTIME);
    waiters.retain(|w| !is_own(w) || w.frames.iter().any(|f| f.own));
    let (mut wanted, mut asked) = (Vec::new(), Vec::new());
    for (at, waiter) in waiters.iter_mut().enumerate() {
        "goroutine".clone_into(&mut waiter.kind);
        let number = waiter
            .name
            .split_once("[Go ")
            .and_then(|(_, rest)| rest.split_once(']'));
        if let Some((number, _)) = number {
            // The innermost function, which is told beside it, is the runtime's.
            waiter.name = format!("goroutine {number}");
        }
        let innermost = || waiter.frames.iter().take(12);
        let found = KINDS.iter().find_map(|kind| {
            let frame = innermost().find(|frame| frame.name.ends_with(kind.0))?;
            Some((kind, frame))
        });
        if let Some((kind, frame)) = found.filter(|_| !calls(&waiter.frames, "runtime.selectgo")) {
            wanted.push((at, kind));
            asked.push(expression(id, frame, format!("uintptr({})", kind.1)));
        }
    }
    let addresses = look.many(asked).await;
    let able = able(look, id, waiters).await;
    for ((at, (_, _, words, does)), answer) in wanted.into_iter().zip(addresses) {
        let (Some(waiter), Some(address)) = (waiters.get_mut(at), address(answer)) else {
            continue;
        };
        let may = able.iter().filter(|able| {
            let is_other = able.waiter != waiter.key || *does == Does::Unlock;
            able.does == *does && able.address == address && is_other
        });
        // One reason each is enough.
        let holders: BTreeMap<_, _> = may.map(|a| (a.waiter.clone(), a.how.clone())).collect();
        let (holders, hows): (Vec<_>, Vec<_>) = holders.into_iter().unzip();
        waiter.wait = Some(Wait {
            holders,
            // A WaitGroup needs all of them; one that sends is enough.
            all: matches!(does, Does::Done | Does::Unlock),
            lock: *does == Does::Unlock,
            how: hows.join("; "),
            ..Wait::of(match address {
                0 => "a nil channel, on which nothing ever comes".to_owned(),
                _ => format!("{words} {address:#x}"),
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

async fn able(look: &mut HangScan, id: SessionId, waiters: &[Waiter]) -> Vec<Able> {
    let (mut asked, mut whose) = (Vec::new(), Vec::new());
    // One of each place first: a thousand that stand at one leave nothing to ask for of the others.
    let mut alike = HashMap::new();
    let nth = waiters.iter().map(|waiter| {
        let places = waiter.frames.iter().map(|f| (&f.name, f.line));
        let nth = alike.entry(places.collect::<Vec<_>>()).or_insert(0);
        *nth += 1;
        (*nth, waiter)
    });
    let mut nth: Vec<_> = nth.collect();
    nth.sort_by_key(|(nth, _)| *nth);
    for (_, waiter) in nth {
        if asked.len() >= MOST {
            break;
        }
        for frame in waiter.frames.iter().filter(|f| f.own) {
            let path = frame.path.as_deref().unwrap_or_default();
            let lines = look.source(id, path).await;
            let file = path.rsplit('/').next().unwrap_or_default();
            let used = uses(&lines, frame.line, &frame.name).into_iter();
            for (does, value, line) in used.take(MOST_OF_FRAME) {
                let value_at: &[&str] = match does {
                    Does::Send | Does::Receive => &["*(*uintptr)(uintptr(&{}))"],
                    _ => &[
                        "uintptr(&{})",
                        "uintptr({})",
                        "uintptr(&{}.Mutex)",
                        "uintptr(&{}.RWMutex)",
                    ],
                };
                let word = match does {
                    Does::Unlock => "locked",
                    Does::Done => "calls Done",
                    Does::Send => "may send",
                    Does::Receive => "may receive",
                };
                for form in value_at {
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

/// A line before and behind the body of a function literal in it; nothing is behind it where it does not end in the line.
fn literal(text: &str) -> Option<(&str, Option<&str>)> {
    // The types of parameters may have braces, too, without a blank before them.
    let from = text.find("func(")?;
    let from = from + text.get(from..)?.find(" {")? + 2;
    let (head, body) = text.split_at_checked(from)?;
    Some((head, split_at_closing_brace(body).map(|(_, tail)| tail)))
}

/// The lines of a function that are not of one within it, with their numbers.
fn own_lines(lines: &[String], first: usize, end: usize) -> BTreeMap<usize, String> {
    let (mut own, mut inner) = (BTreeMap::new(), None);
    for (at, line) in lines.iter().enumerate().take(end).skip(first.max(1) - 1) {
        if let Some(left) = inner {
            if indent(line) <= left && line.trim_start().starts_with('}') {
                inner = None;
            }
            continue;
        }
        let text = line.trim_start();
        let text = match literal(text).filter(|_| at + 1 != first) {
            Some((head, Some(tail))) => format!("{head}}}{tail}"),
            Some((head, None)) => {
                inner = Some(indent(line));
                head.to_owned()
            }
            None => text.to_owned(),
        };
        own.insert(at + 1, text);
    }
    own
}

/// What a function did by this line and has still to do, by its text: with which value, and at which line.
fn uses(lines: &[String], line: i64, function: &str) -> Vec<(Does, String, usize)> {
    let now = usize::try_from(line).unwrap_or(0);
    let Some(here) = lines.get(now.wrapping_sub(1)) else {
        return Vec::new();
    };
    // The function begins at a line further left that says so; a loop around the line makes all of the loop lie ahead.
    let (mut least, mut ahead, mut first) = (indent(here), now, now);
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
    // A function that is a part of one line (Go's compiler calls it so): Delve knows none of the variables that it has from outside.
    let is_in_one = first < now
        && lines
            .get(first - 1)
            .is_some_and(|line| line.contains("func("));
    if function.contains(".func")
        && !is_in_one
        && literal(here).is_some_and(|(_, tail)| tail.is_some())
    {
        return Vec::new();
    }
    let own = own_lines(lines, first, end);
    let is_given_back = |path: &str, from: usize| {
        let ends = [format!("{path}.Unlock()"), format!("{path}.RUnlock()")];
        // A deferred one comes at the end.
        own.range(from..now)
            .any(|(_, text)| ends.iter().any(|end| text.starts_with(end)))
    };
    let mut found = Vec::new();
    let all = lines.iter().enumerate().take(end).skip(first.max(1) - 1);
    for (at, text) in all.map(|(at, text)| (at + 1, text.trim_start())) {
        for (pattern, does) in PATTERNS.iter() {
            // What is taken in a function within it is that one's; what it will do may end a wait all the same.
            let text = match does {
                Does::Unlock => own.get(&at).map_or("", String::as_str),
                _ => text,
            };
            let paths = pattern
                .captures_iter(text)
                .filter_map(|c| c.iter().skip(1).flatten().next());
            for path in paths.map(|path| path.as_str()) {
                let counts = match does {
                    Does::Unlock => at < now && !is_given_back(path, at + 1),
                    Does::Done => at >= ahead || text.starts_with("defer"),
                    Does::Send | Does::Receive => at >= ahead,
                };
                if counts {
                    found.push((*does, path.to_owned(), at));
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|(does, path, _)| seen.insert((*does, path.clone())));
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
        let found = uses(&lines, line, "main.once").into_iter();
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
    fn what_stands_in_a_function_literal_is_its_own() {
        let text = "func main() {\n\tgo func() {\n\t\ta.Lock()\n\t\tb.Lock()\n\t}()\n\tgo func(c chan struct{}) { b.Lock(); a.Lock() }(c)\n\twg.Wait()\n}";
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let taken = |line, function| {
            let found = uses(&lines, line, function).into_iter();
            let found = found.filter(|(does, ..)| *does == Does::Unlock);
            found
                .map(|(_, path, at)| format!("{path}:{at}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(taken(7, "main.main"), [""; 0]);
        assert_eq!(taken(4, "main.main.func1"), ["a:3"]);
        assert_eq!(taken(6, "main.main.func2"), [""; 0]);
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
