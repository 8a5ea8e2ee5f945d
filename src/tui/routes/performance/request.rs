//! What is to be taken, in words: `1234 99 Hz 10 s wall`, in any order. What is not said is as usual.
//!
//! Said back while it is written, and remembered without the process while the program runs. Taking is left to [`super::progress`].

use diagnostics::profile::{
    sample::{Clock, Options, RATE, RATES, Source},
    take::{ProcessChoice, Request},
};

use crate::prelude::*;

/// All that can be said.
const WORDS: &str = "say: its number, self · 99 Hz · 10 s, 2 min · cpu, wall · all, main, thread 12 · children · inspector, native, perf, py-spy, proc";
/// The longest time, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// The request that words mean; the error is a sentence.
pub fn meant(text: &str, debuggee: Option<u32>) -> Result<Request, String> {
    let mut request = Request::of(ProcessChoice::Own);
    let mut who = None;
    let mut main = false;
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let options = &mut request.options;
        match word {
            "self" => whose(&mut who, ProcessChoice::Own)?,
            "cpu" => options.clock = Clock::Cpu,
            "wall" => options.clock = Clock::Wall,
            "all" => (options.thread, main) = (None, false),
            "main" => (options.thread, main) = (None, true),
            "children" => options.children = true,
            "thread" => {
                let number = words.next().unwrap_or_default();
                let thread = number.parse().ok().filter(|thread| *thread > 0);
                main = false;
                options.thread = Some(thread.ok_or_else(|| {
                    format!(
                        "{:?} is no thread: write its number in the system.",
                        sanitise(number)
                    )
                })?);
            }
            _ => {
                if let Ok(source) = word.parse::<Source>() {
                    request.with = Some(source);
                    continue;
                }
                let end = word.find(|c: char| !c.is_ascii_digit() && c != '.');
                let (number, unit) = word.split_at(end.unwrap_or(word.len()));
                let apart = unit.is_empty();
                let unit = match words.peek() {
                    Some(next) if apart && is_unit(next) => words.next().unwrap_or_default(),
                    _ => unit,
                };
                amount(number, unit, word, &mut who, &mut request)?;
            }
        }
    }
    request.who = match (who, debuggee) {
        (Some(who), _) => who,
        (None, Some(pid)) => ProcessChoice::Pid(pid),
        (None, None) => {
            return Err("Nothing is debugged: write the number of a process, or self.".to_owned());
        }
    };
    if main {
        request.options.thread = Some(pid_of(request.who));
    }
    Ok(request)
}

fn pid_of(who: ProcessChoice) -> u32 {
    match who {
        ProcessChoice::Pid(pid) | ProcessChoice::Chosen { pid, .. } => pid,
        ProcessChoice::Own => std::process::id(),
    }
}

fn is_unit(word: &str) -> bool {
    matches!(word, "hz" | "s" | "sec" | "seconds" | "min" | "minutes")
}

/// A number with its unit; without one it is a process.
fn amount(
    number: &str,
    unit: &str,
    word: &str,
    who: &mut Option<ProcessChoice>,
    request: &mut Request,
) -> Result<(), String> {
    let quoted = format!("{:?}", sanitise(word));
    let seconds = |each: f64| {
        let seconds = number.parse::<f64>().ok().map(|number| number * each);
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
        seconds
            .map(Duration::from_secs_f64)
            .ok_or_else(|| format!("{quoted} is no time to look: more than 0 s and at most a day."))
    };
    match unit {
        "hz" => {
            let rate = number.parse().ok().filter(|rate| RATES.contains(rate));
            let (least, most) = (RATES.start(), RATES.end());
            request.options.rate =
                rate.ok_or_else(|| format!("{quoted} is no rate: {least} Hz to {most} Hz."))?;
        }
        "s" | "sec" | "seconds" => request.duration = Some(seconds(1.0)?),
        "m" | "min" | "minutes" => request.duration = Some(seconds(60.0)?),
        "" if number.parse().is_ok_and(|pid: u32| pid > 0) => {
            whose(who, ProcessChoice::Pid(number.parse().unwrap_or_default()))?;
        }
        _ => {
            return Err(format!(
                "{quoted} is no process: write its number; 99 Hz is a rate, 10 s a time."
            ));
        }
    }
    Ok(())
}

fn whose(who: &mut Option<ProcessChoice>, new: ProcessChoice) -> Result<(), String> {
    match who.replace(new) {
        Some(other) if other != new => Err("These are two processes: name one.".to_owned()),
        _ => Ok(()),
    }
}

/// What is said back.
pub fn reading(text: &str, debuggee: Option<u32>) -> Vec<String> {
    let whose = |who| match who {
        ProcessChoice::Pid(pid) | ProcessChoice::Chosen { pid, .. } if Some(pid) == debuggee => {
            format!("process {pid}, which is debugged")
        }
        ProcessChoice::Pid(pid) | ProcessChoice::Chosen { pid, .. } => format!("process {pid}"),
        ProcessChoice::Own => "omp-debug itself".to_owned(),
    };
    let mut lines = match meant(text, debuggee) {
        Ok(request) => {
            let mut said = vec![whose(request.who)];
            said.extend(words(&request));
            vec![said.join(" · ")]
        }
        Err(why) => vec![why],
    };
    lines.push(WORDS.to_owned());
    lines
}

/// The words of a request that are not as usual, without the process: for the next time.
pub fn remembered(request: &Request) -> String {
    let mut words = words(request);
    words.retain(|word| !word.starts_with("thread "));
    // So that a number can be written at once.
    if !words.is_empty() {
        words.push(String::new());
    }
    words.join(" ")
}

/// What is not as usual, word by word.
fn words(request: &Request) -> Vec<String> {
    let (options, usual) = (&request.options, Options::default());
    let rate = (options.rate != RATE).then(|| format!("{} Hz", options.rate));
    let time = request.duration;
    let time = time.map(|time| format!("{} s", time.as_secs_f64()));
    let clock = (options.clock != usual.clock).then(|| "wall".to_owned());
    let main = pid_of(request.who);
    let thread = options.thread.map(|thread| match thread {
        thread if thread == main => "main".to_owned(),
        thread => format!("thread {thread}"),
    });
    let children = options.children.then(|| "children".to_owned());
    let source = request.with.map(|source| source.name().to_owned());
    let all = [rate, time, clock, thread, children, source];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_meant_by_its_number_or_by_being_debugged() {
        assert_eq!(meant(" 42 ", None).unwrap().who, ProcessChoice::Pid(42));
        assert_eq!(meant("", Some(7)).unwrap().who, ProcessChoice::Pid(7));
        assert_eq!(meant("self", Some(7)).unwrap().who, ProcessChoice::Own);
        assert!(meant("", None).unwrap_err().contains("Nothing is debugged"));
        for text in ["0", "-1", "cat", "99999999999", "1.5", "7 x"] {
            assert!(
                meant(text, Some(7)).unwrap_err().contains("no process"),
                "{text}"
            );
        }
        assert!(meant("7 8", None).unwrap_err().contains("two processes"));
        assert!(meant("7 self", None).unwrap_err().contains("two processes"));
        assert!(meant("7 7", None).is_ok());
    }

    #[test]
    fn rate_time_clock_and_threads_in_any_order() {
        let request = meant("99 Hz 10 s wall", Some(7)).unwrap();
        assert_eq!(
            (request.who, request.options.rate),
            (ProcessChoice::Pid(7), 99)
        );
        assert_eq!(request.options.clock, Clock::Wall);
        assert_eq!(request.duration, Some(Duration::from_secs(10)));
        let other = meant("wall 10s  99hz 42 main NATIVE children", Some(7)).unwrap();
        assert_eq!(other.options.thread, Some(42));
        assert!(other.options.children && other.with == Some(Source::Native));
        assert_eq!(
            (other.who, other.options.rate, other.duration),
            (ProcessChoice::Pid(42), 99, request.duration)
        );
        let thread = meant("1.5 min thread 12 42 all thread 13", None).unwrap();
        assert_eq!(thread.options.thread, Some(13));
        assert_eq!(thread.duration, Some(Duration::from_secs(90)));
        for (text, why) in [
            ("0 Hz", "\"0\" is no rate: 1 Hz to 1000 Hz"),
            ("1001hz", "\"1001hz\" is no rate"),
            ("0 s", "no time to look"),
            ("1.2.3 s", "no time to look"),
            ("2000 min", "no time to look"),
            ("thread", "\"\" is no thread"),
            ("thread x", "\"x\" is no thread"),
            ("\u{1b}[31m", "no process"),
        ] {
            let error = meant(text, Some(7)).unwrap_err();
            assert!(
                error.contains(why) && !error.contains('\u{1b}'),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn what_is_remembered_means_the_same_for_the_next_process() {
        for text in [
            "",
            "99 Hz 10 s wall ",
            "0.5 s main children native ",
            "1000 Hz 90 s inspector ",
        ] {
            let request = meant(&format!("{text} 42"), None).unwrap();
            assert_eq!(remembered(&request), text);
            let mut next = meant(&format!("{}43", remembered(&request)), None).unwrap();
            next.who = request.who;
            next.options.thread = request.options.thread;
            assert_eq!(next, request);
        }
        let said = reading("99 Hz 10 s wall", Some(7)).join(" ");
        assert!(
            said.contains("process 7, which is debugged · 99 Hz · 10 s · wall"),
            "{said}"
        );
        assert!(
            reading("", None)
                .join(" ")
                .starts_with("Nothing is debugged")
        );
    }
}
