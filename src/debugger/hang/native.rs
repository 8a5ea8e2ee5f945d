//! Locks of native programs: a thread that waits for one sits in a system call with its address. glibc writes who holds a mutex or has a
//! read-write lock for writing into the lock itself; Rust's locks do not say, and a guard among the locals of a thread says it.

use std::collections::hash_map::Entry;

use base::threads::FUTEX;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use dap::requests::{ReadMemory, ReadMemoryArguments};

use super::{
    collect::AllThreads,
    kinds::{self, calls},
    look::{HangScan, local_pid},
    report::{Wait, Waiter},
};
use crate::{adapters::variable_at, prelude::*, state::ScopeVariables};

/// Registers that its first argument is in.
const FIRST_ARGUMENT: [&str; 2] = ["rdi", "x0"];
/// Frames of a thread whose locals are looked through for guards, and threads.
const GUARD_FRAMES: usize = 8;
const GUARD_THREADS: usize = 64;

/// What glibc writes of a mutex's kind when it is of one process, and not robust.
const KINDS_OF_ONE_PROCESS: u32 = 0x303;

/// Guards by their types.
const GUARDS: [&str; 4] = [
    "MutexGuard<",
    "RwLockReadGuard<",
    "RwLockWriteGuard<",
    "ReentrantLockGuard<",
];

/// What lies at the address, by the functions that wait.
#[derive(Clone, Copy, PartialEq)]
enum Lock {
    Mutex,
    ReadWrite,
    Rust(&'static str),
    Thread,
}

fn lock_of(waiter: &Waiter) -> Option<Lock> {
    let has = |name| calls(&waiter.frames, name);
    Some(match () {
        () if has("pthread_cond_") && !has("mutex_cond_lock") => return None,
        () if has("mutex::futex::Mutex") => Lock::Rust("Mutex"),
        () if has("rwlock::futex::RwLock") => Lock::Rust("RwLock"),
        () if has("pthread_rwlock_") => Lock::ReadWrite,
        () if has("pthread_mutex_") || has("mutex_cond_lock") => Lock::Mutex,
        () if has("pthread_join") || has("clockjoin") || has("timedjoin") => Lock::Thread,
        () if has("lll_lock_wait_private") => return None,
        () if has("lll_lock_wait") => Lock::Mutex,
        () => return None,
    })
}

/// Functions that wait for a time only have one of these in their names.
const LIMITED: [&str; 4] = ["_timed", "_clocklock", "_clockrd", "_clockwr"];

/// Finds out what threads wait for.
pub async fn waits(asker: &mut HangScan, id: SessionId, waiters: &mut [Waiter], all: &AllThreads) {
    let pid = asker.state.session(id).and_then(local_pid);
    let keys = all.keys(id);
    let mut named = HashMap::new();
    let (mut rust, mut read) = (Vec::new(), HashMap::new());
    for waiter in waiters.iter_mut() {
        let Some(lock) = lock_of(waiter) else {
            waiter.wait = kinds::wait(&waiter.frames, false).map(Wait::of);
            continue;
        };
        let address = match waiter.lwp.and_then(|lwp| all.tasks.get(&lwp)?.call) {
            Some([FUTEX, address, ..]) => Some(address),
            // It is on its way, and does not sleep.
            Some(_) => None,
            None => register(asker, id, waiter).await,
        };
        let Some(address) = address else {
            continue;
        };
        let base = match lock {
            // Readers wait at its word for phases, writers there or at the one behind it.
            Lock::ReadWrite if address % 8 == 4 => address.wrapping_sub(12),
            Lock::ReadWrite => address.wrapping_sub(8),
            _ => address,
        };
        if let Entry::Vacant(unread) = read.entry(base) {
            unread.insert(memory(asker, id, base).await);
        }
        let words = read.get(&base).map_or(&[][..], Vec::as_slice);
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        let key = |lwp: u32| keys.get(&lwp).cloned();
        let name = named.entry(base).or_insert_with(|| {
            let name = pid.and_then(|pid| variable_at(pid, base));
            name.map(|name| format!(" <{name}>")).unwrap_or_default()
        });
        let is_limited = LIMITED.iter().any(|name| calls(&waiter.frames, name));
        // Who holds it by what is written in it, and is no more.
        let mut ended = None;
        let mut is_held = lock != Lock::Thread;
        let (what, holder, how) = match lock {
            Lock::Mutex => {
                let owner = key(word(2)).or_else(|| {
                    // Other kinds of mutexes have it in the first word, where these have whether it is locked, and wanted.
                    let first = word(0) & 0x3fff_ffff;
                    key(first).filter(|_| first > 2)
                });
                is_held = word(0) != 0 || words.is_empty();
                let owner = owner.filter(|_| is_held);
                // Another process may have one that is shared, and the system looks after those that are robust.
                let is_plain = is_held && word(4) & !KINDS_OF_ONE_PROCESS == 0;
                ended = Some(word(2)).filter(|_| is_plain);
                (
                    format!("the mutex {base:#x}{name}"),
                    owner,
                    "its owner field",
                )
            }
            Lock::ReadWrite => {
                let what = format!("the read-write lock {base:#x}{name}");
                // The word behind it says whether processes share it.
                ended = Some(word(6)).filter(|_| word(7) == 0);
                (what, key(word(6)), "its field of the writer")
            }
            Lock::Thread => {
                let what = "the end of a thread".to_owned();
                (what, key(word(0)), "the number it waits on")
            }
            Lock::Rust(kind) => {
                rust.push((waiter.key.clone(), address));
                (format!("the {kind} {address:#x}{name}"), None, "")
            }
        };
        let ended = ended.filter(|lwp| *lwp != 0 && !is_limited && all.has_ended(*lwp));
        waiter.wait = Some(Wait {
            holders: holder.filter(|_| !is_limited).into_iter().collect(),
            never: ended.is_some(),
            how: match ended {
                Some(lwp) => format!("its owner, thread {lwp}, has ended without unlocking it"),
                None => how.to_owned(),
            },
            certain: true,
            lock: is_held && !is_limited,
            ..Wait::of(what)
        });
    }
    if !rust.is_empty() {
        let guards = guards(asker, id, waiters).await;
        for (key, address) in rust {
            let held = guards
                .iter()
                .filter(|g| (g.lock..g.lock.saturating_add(8)).contains(&address));
            let (holders, hows): (Vec<_>, Vec<_>) =
                held.map(|g| (g.holder.clone(), g.how.clone())).unzip();
            let wait = waiters
                .iter_mut()
                .find(|w| w.key == key)
                .and_then(|w| w.wait.as_mut());
            if let Some(wait) = wait {
                // A lock for writing waits for all who read.
                (wait.all, wait.holders, wait.how, wait.certain) =
                    (true, holders, hows.join("; "), false);
            }
        }
    }
}

/// What the first argument of the system call was, as the innermost frame's registers have it.
async fn register(asker: &mut HangScan, id: SessionId, waiter: &Waiter) -> Option<u64> {
    let frame_id = waiter.frames.first()?.id;
    let stop = asker.state.session(id)?.stop_id()?;
    let scopes = asker
        .ask(Command::Scopes {
            session: Some(id),
            frame_id,
        })
        .await
        .ok()?;
    let Reply::Scopes { scopes } = scopes else {
        return None;
    };
    let is_registers = |s: &&ScopeVariables| s.scope.name.contains("Register");
    let mut reference = scopes
        .scopes
        .iter()
        .find(is_registers)?
        .scope
        .variables_reference;
    // Some adapters have them in groups, of which the first holds those of every program.
    for _ in 0..2 {
        let variables = children(asker, id, stop, reference).await;
        let found = variables
            .iter()
            .find(|v| FIRST_ARGUMENT.contains(&v.name.as_str()));
        if let Some(found) = found {
            let digits = found.value.split_whitespace().next()?;
            return address_in(digits)
                .or_else(|| digits.parse::<i64>().ok().map(i64::cast_unsigned));
        }
        reference = variables.first()?.variables_reference;
    }
    None
}

async fn children(
    asker: &mut HangScan,
    id: SessionId,
    stop: StopId,
    reference: i64,
) -> Vec<Variable> {
    let command = Command::Variables {
        session: Some(id),
        stop,
        reference,
        page: None,
    };
    match asker.ask(command).await {
        Ok(Reply::Variables { variables }) => variables,
        _ => Vec::new(),
    }
}

/// The 32-bit words of a lock.
async fn memory(asker: &mut HangScan, id: SessionId, address: u64) -> Vec<u32> {
    let words = ReadMemoryArguments {
        memory_reference: format!("{address:#x}"),
        offset: None,
        count: 32,
    };
    let command = Command::request::<ReadMemory>(Some(id), &words);
    let answer = asker.ask(command).await;
    if let Ok(read) = answer.and_then(|reply| reply.answer::<ReadMemory>()) {
        let bytes = BASE64.decode(read.data.unwrap_or_default());
        let bytes = bytes.unwrap_or_default();
        let words = bytes
            .chunks_exact(4)
            .filter_map(|word| word.try_into().ok());
        return words.map(u32::from_le_bytes).collect();
    }
    // Some adapters read memory in expressions only.
    let word = |at: u64| Command::Evaluate {
        session: Some(id),
        frame_id: None,
        expression: format!("*(unsigned int*){:#x}", address.wrapping_add(at * 4)),
        context: "watch".to_owned(),
    };
    let words = asker.many((0..8).map(word).collect()).await.into_iter();
    let value = |answer: Option<Reply>| match answer {
        Some(Reply::Value { value }) => value.result.trim().parse().ok(),
        _ => None,
    };
    words.map(|word| value(word).unwrap_or_default()).collect()
}

/// A guard of a lock, among a thread's locals.
struct Guard {
    lock: u64,
    holder: String,
    how: String,
}

async fn guards(asker: &mut HangScan, id: SessionId, waiters: &[Waiter]) -> Vec<Guard> {
    let Some(stop) = asker
        .state
        .session(id)
        .and_then(Session::current_stop)
        .map(|s| s.id)
    else {
        return Vec::new();
    };
    let frames = waiters.iter().take(GUARD_THREADS).flat_map(|waiter| {
        let own = waiter.frames.iter().filter(|f| f.own).take(GUARD_FRAMES);
        own.map(move |frame| (waiter, frame))
    });
    let frames: Vec<_> = frames.collect();
    let mut found = Vec::new();
    // One after the other: some adapters number the scopes of every frame alike.
    for (waiter, frame) in frames {
        let (session, frame_id) = (Some(id), frame.id);
        let Ok(Reply::Scopes { scopes }) = asker.ask(Command::Scopes { session, frame_id }).await
        else {
            continue;
        };
        let variables = scopes
            .scopes
            .into_iter()
            .filter_map(|s| s.variables)
            .flatten();
        let is_guard = |v: &Variable| {
            let kind = v.type_.as_deref().unwrap_or_default();
            GUARDS.iter().any(|guard| kind.contains(guard))
        };
        let variables: Vec<_> = variables.filter(is_guard).collect();
        for variable in variables {
            let name = variable.name.as_str();
            let path = frame.path.as_deref().unwrap_or_default();
            let lines = asker.source(id, path).await;
            let until = usize::try_from(frame.line)
                .unwrap_or_default()
                .saturating_sub(1);
            let given = format!("drop({name})");
            // What was dropped stays among the locals as it was.
            if lines
                .iter()
                .take(until)
                .rev()
                .take(200)
                .take_while(|l| !l.contains(" fn ") && !l.starts_with("fn "))
                .any(|l| l.contains(&given))
            {
                continue;
            }
            let parts = children(asker, id, stop, variable.variables_reference).await;
            let lock = parts
                .iter()
                .find(|part| part.name.trim_start_matches('_').ends_with("lock"));
            let lock = lock.and_then(|lock| {
                address_in(&lock.value).or_else(|| address_in(lock.memory_reference.as_deref()?))
            });
            if let Some(lock) = lock {
                let file = path.rsplit('/').next().unwrap_or_default();
                found.push(Guard {
                    lock,
                    holder: waiter.key.clone(),
                    how: format!("its guard {name} at {file}:{}", frame.line),
                });
            }
        }
    }
    found
}

/// The first address in a text.
fn address_in(text: &str) -> Option<u64> {
    let digits = text.get(text.find("0x").or_else(|| text.find("0X"))? + 2..)?;
    let end = digits
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(digits.len());
    u64::from_str_radix(digits.get(..end)?, 16).ok()
}
