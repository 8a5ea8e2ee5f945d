//! Why a program stopped, asked and told: the adapter's word of an exception, the signal and its address, what is thrown, and what the stack
//! and the output say. What of them speaks of which cause is in `causes`.

use base::text::sanitise::sanitise_block;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};

use super::prelude::*;
use crate::{
    causes::{self, STACK_OVERFLOW},
    data::code::unquoted,
    exceptions,
    output::OutputLine,
    runners::{self, problems},
    state::CORE_DUMP,
};
use dap::types::ExceptionBreakMode;

/// Lines of output in which the reason of a stop is looked for, and characters of each.
const LAST_LINES: usize = 100;
const LONGEST_LINE: usize = 2_000;
/// Bytes of a panic's text.
const LONGEST_TEXT: u64 = 4_096;

/// What is told of a thrown object of which no more can be read.
const UNREAD_TYPE: &str = "its type cannot be read";
/// Bytes around the end of the stack in which a fault is the stack's.
const STACK_END: u64 = 64 << 10;
/// Classes that are looked through for one whose text is known.
const BASES: usize = 8;

impl Owner {
    /// Takes over the stop of an exception where only some types are meant, which adapters do not compare.
    pub fn judge_exception(&mut self, id: SessionId, stop: &StoppedEvent) -> bool {
        let types = self.exception_types(id);
        let able = self
            .session(id)
            .filter(|session| session.phase != Phase::Stopped)
            .map(|session| session.capabilities.supports_exception_info_request);
        // What stops a test is judged by what it means for that.
        let is_test = self.typed(id).is_some_and(|typed| typed.exceptions);
        let is_one = stop.reason == "exception" && !types.is_empty() && !is_test;
        let Some((able, thread_id)) = able.zip(stop.thread_id).filter(|_| is_one) else {
            return false;
        };
        let Some(case) = self.case(id, stop) else {
            return false;
        };
        let follow = case.follow.clone();
        let said = stop.text.as_deref();
        let said = said.and_then(|text| Some(case.follow.personality.said_of_exception(text)?.0));
        let wanted = types.clone();
        let asked = async move {
            if follow.personality.reasons.contains_key("thrown") {
                let stack = follow.stack(thread_id, 1).await.ok()?;
                let frame = stack.stack_frames.first().map(|frame| frame.id);
                let is_it = |mangled: &str| {
                    causes::type_name(mangled).is_some_and(|name| is_meant(&wanted, &name))
                };
                let classes = follow.thrown_classes(frame, is_it).await?;
                // What is derived from one that is meant is meant as well.
                return causes::type_name(classes.last()?);
            }
            if !able {
                return said;
            }
            let arguments = ExceptionInfoArguments { thread_id };
            let answer = follow.client.send::<ExceptionInfo>(&arguments);
            let info = answer.await.ok()?;
            let handled = !matches!(
                info.break_mode,
                ExceptionBreakMode::Unhandled | ExceptionBreakMode::UserUnhandled
            );
            exceptions::type_of(&info)
                .filter(|_| handled)
                .map(str::to_owned)
        };
        self.spawn(asked, move |owner, told| {
            if let Some(name) = told {
                return owner.judged(case, is_meant(&types, &name));
            }
            // That nobody handles it was asked for by another filter; of what is not told, nothing is passed over.
            if let Some(live) = owner.after_judgement(id) {
                live.pause_asked = false;
                owner.stand(id, case.stop);
            }
        });
        true
    }

    /// Asked only after an exception: some adapters print a traceback into the program's output otherwise, or fail.
    pub fn ask_exception(
        &mut self,
        id: SessionId,
        stop: StopId,
        thread: Option<i64>,
        frame: Option<i64>,
    ) {
        let able = self
            .session(id)
            .is_some_and(|s| s.capabilities.supports_exception_info_request);
        if (!able || thread.is_none())
            && let Some((name, text)) = self.said_of_exception(id)
        {
            return self.tell_exception(id, stop, name, Some(text));
        }
        let client = self.client(id).filter(|_| able);
        let (Some(client), Some(thread_id)) = (client, thread) else {
            return;
        };
        let answer = client.send::<ExceptionInfo>(&ExceptionInfoArguments { thread_id });
        let questions = self.questions(id);
        let personality = self.personality(id);
        let typed = self.session(id).filter(|session| session.typed.is_some());
        let cwd = typed.map(|session| session.cwd.clone());
        // Some say nothing better than that it was thrown.
        let nobody_handles = self.session(id).is_some_and(|session| {
            let filters = self.filters_on(id, &session.capabilities);
            !filters.is_empty() && filters.iter().all(|f| f.filter == exceptions::UNCAUGHT)
        });
        let asked = async move {
            let mut exception = answer.await.ok()?;
            if nobody_handles && exception.break_mode != ExceptionBreakMode::UserUnhandled {
                exception.break_mode = ExceptionBreakMode::Unhandled;
            }
            if let Some(personality) = personality {
                exception.description = personality.said(exception.description);
                if let Some(details) = &mut exception.details {
                    details.message = personality.said(details.message.take());
                    if let Some(trace) = &mut details.stack_trace {
                        let plain = trace.split('\n').map(|line| personality.plain_name(line));
                        *trace = plain.joined("\n");
                    }
                }
            }
            if let Some(questions) = &questions {
                questions.name_thrown_anew(&mut exception, thread_id).await;
            }
            name_signal(&mut exception);
            name_text(&mut exception);
            let told = exception.description.as_mut().zip(questions);
            if let Some((told, questions)) = told
                && let Some((_, at)) = told.split_once("fault address")
                && let Some(at) = address(at)
                && questions.is_stack_end(at, frame).await
            {
                *told = format!("{STACK_OVERFLOW}: {told}");
            }
            let unread = exception.description.clone().zip(cwd);
            let look = |(said, cwd): (String, PathBuf)| {
                tasks::blocking(move || problems::unread(&said, &cwd))
            };
            let unread = match unread.map(look) {
                Some(found) => found.await.unwrap_or_default(),
                None => Vec::new(),
            };
            Some((Box::new(exception), unread))
        };
        self.spawn(asked, move |owner, told| {
            if let Some((exception, unread)) = told
                && !owner.is_told(id, stop)
            {
                owner.tell_problems(id, unread);
                let personality = owner.personality(id);
                if personality.is_some_and(|p| p.end_of_input.fit(&exception.exception_id)) {
                    owner.tell_of_no_input(id);
                }
                owner.change(id, Change::Exception { stop, exception });
            }
        });
    }

    /// The type and the text of the exception that a session stands at, as the text of its stop has them.
    fn said_of_exception(&self, id: SessionId) -> Option<(String, String)> {
        let stop = self.current_stop(id)?;
        let text = stop.text.as_deref()?;
        let said = self.personality(id)?.said_of_exception(text);
        // In quotes it is what was said, and the description is what it is.
        let quoted = || {
            let name = stop.description.clone()?;
            text.starts_with('"').then(|| (name, unquoted(text)))
        };
        said.or_else(quoted)
    }

    /// Asks for the signal of a stop whose adapter does not name it.
    pub fn ask_signal(&self, id: SessionId, stop: StopId) {
        let Some(questions) = self.follow(id).filter(|f| f.personality.asks_signal()) else {
            return;
        };
        let asked = async move {
            let number: i32 = questions.ask_for("signal", None).await?.parse().ok()?;
            let Some((name, meaning)) = signal(number) else {
                return Some((number, format!("signal {number}"), None));
            };
            let mut told = meaning.to_owned();
            if matches!(number, libc::SIGSEGV | libc::SIGBUS)
                && let Some(fault) = questions.address_of("fault", None).await
            {
                told = format!("{told} at address {fault:#x}");
                if questions.is_stack_end(fault, None).await {
                    told = format!("{STACK_OVERFLOW}: {told}");
                }
            }
            Some((number, name.to_owned(), Some(told)))
        };
        self.spawn(asked, move |owner, answer| {
            if let Some(live) = owner.live_mut(id) {
                live.signal = answer.as_ref().map(|(number, ..)| *number);
            }
            // Whoever waits for it learns that it cannot be known.
            let answer = answer.map(|(_, name, told)| (name, told));
            let (name, told) = answer.unwrap_or_else(|| ("signal".to_owned(), None));
            if !owner.is_told(id, stop) {
                owner.tell_exception(id, stop, name, told);
            }
        });
    }

    /// Asks for the type of what is thrown, and for the text of an exception of the standard library.
    fn ask_thrown(&self, id: SessionId, stop: StopId, frame: Option<i64>) {
        let questions = self.questions(id);
        let asked = async move { questions?.thrown(frame).await };
        self.spawn(asked, move |owner, answer| {
            let (name, text) = match answer {
                Some((name, text)) => (name, text.unwrap_or_else(|| causes::THROWN.to_owned())),
                None => (causes::THROWN.to_owned(), UNREAD_TYPE.to_owned()),
            };
            let (name, text) = (sanitise_block(&name), sanitise_block(&text));
            owner.tell_exception(id, stop, name, Some(text));
        });
    }

    /// Asks for the text that a panic carries: of a test it is printed only when all of them are over.
    fn ask_panic(&self, id: SessionId, stop: StopId, frame: Option<i64>) {
        let questions = self.questions(id);
        let asked = async move { questions?.panic_text(frame).await };
        self.spawn(asked, move |owner, text| {
            let now = owner.current_stop(id).filter(|now| now.id == stop);
            let now = now.and_then(|now| now.exception.as_deref());
            // Where it cannot be read, what was printed meanwhile stays.
            if text.is_some() || now.is_some_and(causes::is_asked) {
                let text = Some(sanitise_block(&text.unwrap_or_default()));
                owner.tell_exception(id, stop, causes::PANIC.to_owned(), text);
            }
        });
    }

    /// Asks for the error that is about to be printed.
    fn ask_returned(&self, id: SessionId, stop: StopId, frame: Option<i64>) {
        let questions = self.questions(id);
        let asked = async move {
            let follow = questions?;
            let error = follow.watched("err", frame);
            let answer = follow.client.send::<Evaluate>(&error).await;
            let value = follow.value(answer.ok()?).await;
            Some(value.preview.unwrap_or(value.result))
        };
        self.spawn(asked, move |owner, error| {
            let text = sanitise_block(&error.unwrap_or_default());
            owner.tell_exception(id, stop, causes::RETURNED.to_owned(), Some(text));
        });
    }

    pub fn tell_exception(
        &mut self,
        id: SessionId,
        stop: StopId,
        exception_id: String,
        description: Option<String>,
    ) {
        let exception = Box::new(ExceptionInfoResponse {
            exception_id,
            description,
            ..ExceptionInfoResponse::default()
        });
        self.change(id, Change::Exception { stop, exception });
    }

    /// What can be asked of this debugger, if anything.
    pub fn questions(&self, id: SessionId) -> Option<Follow> {
        let follow = self.follow(id);
        follow.filter(|follow| !follow.personality.reasons.is_empty())
    }

    /// Whether the stack told already why the program stopped, and so more than the adapter can.
    fn is_told(&self, id: SessionId, stop: StopId) -> bool {
        let told = self.live(id).and_then(|live| live.cause_told);
        told == Some(stop)
    }

    /// Says why the program stopped, as its stack and what it printed tell. What it printed may come behind its stop.
    pub fn tell_cause(&mut self, id: SessionId) {
        let Some((session, live)) = self.session(id).zip(self.live(id)) else {
            return;
        };
        let Some(now) = session.current_stop() else {
            return;
        };
        let is_one = matches!(now.reason.as_str(), "exception" | CORE_DUMP);
        let is_one = is_one || now.reason.contains("signal");
        let told = now.exception.as_deref();
        let description = told.and_then(|told| told.description.as_deref());
        let is_whole = description.is_some_and(|text| !text.is_empty());
        let stack = now.thread_id.and_then(|thread| now.stacks.get(&thread));
        let innermost = stack.and_then(|stack| stack.frames.first());
        let is_one = is_one || innermost.is_some_and(|frame| causes::is_hook(&frame.name));
        let is_one = is_one && !(is_whole && live.cause_told == Some(now.id));
        let Some(stack) = stack.filter(|_| is_one && live.personality.own_filters) else {
            return;
        };
        let names = stack.frames.iter().map(|frame| frame.name.as_str());
        let printed = || {
            let lines = session.output.lines();
            let last = lines.iter().skip(lines.len().saturating_sub(LAST_LINES));
            let cut = |line: &OutputLine| line.text.chars().take(LONGEST_LINE).collect();
            sanitise_block(&last.map(cut).collect::<Vec<String>>().join("\n"))
        };
        let stop = now.id;
        let frame = innermost.map(|frame| frame.id);
        let Some(cause) = causes::cause(names, printed) else {
            if now.reason == "exception" && live.exception_asked != Some(stop) {
                self.ask_exception(id, stop, now.thread_id, frame);
                if let Some(live) = self.live_mut(id) {
                    live.exception_asked = Some(stop);
                }
            }
            return;
        };
        let is_asked = live.cause_told == Some(stop);
        if cause.name == causes::THROWN && !is_asked {
            self.ask_thrown(id, stop, frame);
        } else if cause.name == causes::PANIC && !is_asked {
            self.ask_panic(id, stop, frame);
        } else if cause.name == causes::RETURNED && !is_asked {
            let mut callers = stack.frames.iter();
            let reports = callers.find(|frame| frame.name.contains("report"));
            self.ask_returned(id, stop, reports.map(|frame| frame.id));
        }
        let is_new = told.is_none_or(|told| {
            let says = cause.message.is_some() && told.description != cause.message;
            told.exception_id != cause.name || says
        });
        if is_new {
            self.tell_exception(id, stop, cause.name, cause.message);
        }
        if let Some(live) = self.live_mut(id) {
            live.cause_told = Some(stop);
        }
    }
}

impl Follow {
    /// The value of the personality's expression for this, without blanks; nothing where it has none, or it fails.
    async fn ask_for(&self, what: &str, frame: Option<i64>) -> Option<String> {
        let expression = self.personality.reasons.get(what)?.clone();
        self.ask(expression, frame).await
    }

    /// Of an exception of which nothing was told: what the runtime has of it that throws it anew, for another thread of the program's.
    async fn name_thrown_anew(
        &self,
        exception: &mut ExceptionInfoResponse,
        thread_id: i64,
    ) -> Option<()> {
        self.personality.reasons.get("error")?;
        let details = exception.details.get_or_insert_default();
        if exception.description.is_some()
            || details.message.is_some()
            || details.stack_trace.is_some()
        {
            return None;
        }
        let stack = self.stack(thread_id, 1).await.ok()?;
        let frame = stack.stack_frames.first().map(|frame| frame.id);
        exception.exception_id = sanitise_block(&unquoted(&self.ask_for("error", frame).await?));
        let text = self.ask_for("error_text", frame).await;
        exception.description = text.map(|text| sanitise_block(&unquoted(&text)));
        let trace = self.ask_for("error_stack", frame).await;
        // The adapter spells the ends of its lines out.
        let trace = trace.map(|trace| unquoted(&trace.replace("\\n", "\n")));
        details.stack_trace = trace.map(|trace| sanitise_block(&trace));
        Some(())
    }

    /// What a test said last that fails in this frame, without the place before it; nothing where that is not asked for.
    pub async fn failure(&self, frame: i64) -> Option<String> {
        self.personality.reasons.get("failure")?;
        let end = self.ask_for("failure", Some(frame)).await;
        let is_end = end.is_some();
        let quoted = match end {
            Some(end) => end,
            None => { self.ask_for("failure_whole", Some(frame)).await }.unwrap_or_default(),
        };
        Some(sanitise_block(&runners::failure_said(&quoted, is_end)))
    }

    async fn address_of(&self, what: &str, frame: Option<i64>) -> Option<u64> {
        address(&self.ask_for(what, frame).await?)
    }

    async fn ask(&self, expression: String, frame_id: Option<i64>) -> Option<String> {
        let prefix = self.personality.reasons.get("prefix");
        let prefix = prefix.map_or("", String::as_str);
        let arguments = self.watched(&format!("{prefix}{expression}"), frame_id);
        let answer = self.client.send::<Evaluate>(&arguments).await;
        Some(answer.ok()?.result.trim().to_owned())
    }

    async fn number_at(&self, at: u64, frame: Option<i64>) -> Option<u64> {
        let expression = format!("*(unsigned long*){at}");
        address(&self.ask(expression, frame).await?)
    }

    /// The type of what is thrown in this frame, and the text of an exception of the standard library.
    async fn thrown(&self, frame: Option<i64>) -> Option<(String, Option<String>)> {
        let object = self.address_of("thrown", frame).await?;
        let classes = self.thrown_classes(frame, causes::has_text).await?;
        let text = match classes.last()?.as_str() {
            base if causes::has_text(base) => self.text_at(object.wrapping_add(8), frame).await,
            "PKc" | "Pc" => self.text_at(object, frame).await,
            "i" => self.ask(format!("*(int*){object}"), frame).await,
            _ => None,
        };
        Some((causes::type_name(classes.first()?)?, text))
    }

    /// The class of what is thrown in this frame and those that it is derived from, mangled, up to one that is looked for. Of a class with
    /// several bases none is told.
    async fn thrown_classes(
        &self,
        frame: Option<i64>,
        is_it: impl Fn(&str) -> bool,
    ) -> Option<Vec<String>> {
        let mut class = self.address_of("thrown_type", frame).await?;
        let mut classes = vec![self.text_at(class.wrapping_add(8), frame).await?];
        // What is no class has no bases, and what lies behind it may be anything.
        let is_class =
            |name: &str| name.starts_with(|c: char| c.is_ascii_digit() || "*NS".contains(c));
        while let Some(last) = classes.last()
            && is_class(last)
            && !is_it(last)
            && classes.len() <= BASES
        {
            let base = self.number_at(class.wrapping_add(16), frame).await;
            class = base.unwrap_or_default();
            let base = self.text_at(class.wrapping_add(8), frame).await;
            match base.filter(|base| is_class(base) && causes::type_name(base).is_some()) {
                Some(base) => classes.push(base),
                None => break,
            }
        }
        Some(classes)
    }

    /// The text of the panic that is begun with the first argument of this frame.
    pub async fn panic_text(&self, frame: Option<i64>) -> Option<String> {
        let mut at = None;
        for register in ["panic", "panic_aarch64"] {
            at = at.or(self.address_of(register, frame).await);
        }
        let mut words = [0; 3];
        for (word, offset) in words.iter_mut().zip([0, 8, 16]) {
            let at = at?.wrapping_add(offset);
            *word = match self.bytes_at(at, 8).await {
                Some(bytes) => u64::from_ne_bytes(bytes.try_into().ok()?),
                None => self.number_at(at, frame).await?,
            };
        }
        let (at, length) = causes::panic_text(words)?;
        let length = length.min(LONGEST_TEXT);
        if let Some(bytes) = self.bytes_at(at, length).await {
            return Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        let quoted = self.ask(format!("*(char(*)[{length}]){at}"), frame).await?;
        serde_json::from_slice(quoted.as_bytes()).ok()
    }

    async fn bytes_at(&self, at: u64, count: u64) -> Option<Vec<u8>> {
        let arguments = ReadMemoryArguments {
            memory_reference: format!("{at:#x}"),
            count: i64::try_from(count).ok()?,
            ..ReadMemoryArguments::default()
        };
        self.reads_memory.then_some(())?;
        let answer = self.client.send::<ReadMemory>(&arguments).await;
        BASE64.decode(answer.ok()?.data?).ok()
    }

    /// The text that a pointer there points to, as debuggers quote one.
    async fn text_at(&self, at: u64, frame: Option<i64>) -> Option<String> {
        let value = self.ask(format!("*(char**){at}"), frame).await?;
        let (begin, end) = (value.find('"')?, value.rfind('"')?);
        value.get(begin + 1..end).map(str::to_owned)
    }

    /// Whether an address lies where the stack has run out.
    async fn is_stack_end(&self, at: u64, frame: Option<i64>) -> bool {
        let stack = self.address_of("stack", frame).await;
        stack.is_some_and(|stack| stack.abs_diff(at) < STACK_END)
    }
}

/// Whether an exception is of one of these types.
fn is_meant(types: &[String], name: &str) -> bool {
    types.iter().any(|wanted| exceptions::is_of(name, wanted))
}

/// The first number of a value: `(void *) 0x10`, `93824992329520`.
fn address(value: &str) -> Option<u64> {
    let mut words = value.split(|c: char| !c.is_ascii_alphanumeric());
    words.find_map(|word| match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    })
}

/// `Signal` is no name: the text behind it has one, as in `signal SIGSEGV: address not mapped to object`.
fn name_signal(exception: &mut ExceptionInfoResponse) {
    static NAME: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\b(SIG[A-Z0-9]{2,})\b").ok());
    let told = exception.description.as_deref().zip(NAME.as_ref());
    let name = told.and_then(|(told, name)| Some(name.find(told)?.as_str().to_owned()));
    if let Some(name) = name.filter(|_| exception.exception_id.eq_ignore_ascii_case("signal")) {
        exception.exception_id = name;
    }
}

/// Takes apart `Error: text` where the text has no field of its own, and remarks of the adapter's behind a wide gap.
fn name_text(exception: &mut ExceptionInfoResponse) {
    let bare = |name: &str| {
        let bare = name.split("  ").next().filter(|bare| !bare.is_empty());
        bare.unwrap_or(name).to_owned()
    };
    let mut has_text = exception.description.is_some();
    if let Some(details) = &mut exception.details {
        has_text |= details.message.is_some();
        for name in [&mut details.type_name, &mut details.full_type_name] {
            *name = name.as_deref().map(bare);
        }
    }
    exception.exception_id = bare(&exception.exception_id);
    // A text that was thrown may have a colon as well.
    let is_name = |name: &str| {
        let (name, code) = name.split_once(' ').unwrap_or((name, "[]"));
        let is_word = |c: char| c.is_alphanumeric() || "_.$:".contains(c);
        name.chars().all(is_word) && code.starts_with('[') && code.ends_with(']')
    };
    if let Some((name, text)) = exception
        .exception_id
        .split_once(": ")
        .filter(|(name, _)| !has_text && is_name(name))
    {
        (exception.description, exception.exception_id) = (Some(text.to_owned()), name.to_owned());
    }
}

/// A signal's name and meaning, by its number on this machine.
fn signal(number: i32) -> Option<(&'static str, &'static str)> {
    Some(match number {
        libc::SIGHUP => ("SIGHUP", "hangup"),
        libc::SIGINT => ("SIGINT", "interrupt"),
        libc::SIGQUIT => ("SIGQUIT", "quit"),
        libc::SIGILL => ("SIGILL", "illegal instruction"),
        libc::SIGTRAP => ("SIGTRAP", "trap"),
        libc::SIGABRT => ("SIGABRT", "aborted"),
        libc::SIGBUS => ("SIGBUS", "bus error"),
        libc::SIGFPE => ("SIGFPE", "arithmetic exception"),
        libc::SIGUSR1 => ("SIGUSR1", "user-defined signal 1"),
        libc::SIGSEGV => ("SIGSEGV", "segmentation fault"),
        libc::SIGUSR2 => ("SIGUSR2", "user-defined signal 2"),
        libc::SIGPIPE => ("SIGPIPE", "broken pipe"),
        libc::SIGALRM => ("SIGALRM", "alarm clock"),
        libc::SIGTERM => ("SIGTERM", "terminated"),
        libc::SIGCHLD => ("SIGCHLD", "child status changed"),
        libc::SIGSTOP => ("SIGSTOP", "stopped"),
        libc::SIGTSTP => ("SIGTSTP", "stopped at the terminal"),
        libc::SIGSYS => ("SIGSYS", "bad system call"),
        _ => return None,
    })
}
