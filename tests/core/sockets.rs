//! What is connected to while a program is debugged: adapters and debuggees of this machine, the port that a person named, and
//! nothing else. The sockets are read from `/proc`, of omp-debug and of all that it started.

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use support::desk::{Desk, free_port, wait_debugpy};
use support::{line_of, procs, tools};

/// From one look at the sockets to the next.
const LOOKS: Duration = Duration::from_millis(5);

/// A socket that a process holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Socket {
    /// `tcp`, `udp6`, `raw`, …: the table of the kernel that it stands in.
    table: &'static str,
    local: SocketAddr,
    remote: SocketAddr,
}

impl Socket {
    fn is_of_this_machine(&self) -> bool {
        let is_here = |address: SocketAddr| address.ip().to_canonical().is_loopback();
        // One that listens has nobody at its other end.
        is_here(self.local) && (is_here(self.remote) || self.remote.ip().is_unspecified())
    }
}

/// An address of the kernel's tables: words of four bytes in the machine's own order, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let mut bytes = Vec::new();
    for word in ip.as_bytes().chunks(8) {
        let word = u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()?;
        bytes.extend(word.to_ne_bytes());
    }
    let ip = match bytes.len() {
        4 => IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?)),
        _ => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)),
    };
    Some(SocketAddr::new(ip, port))
}

/// The internet's sockets of a process, as far as it is still there.
fn sockets(pid: u32) -> Vec<Socket> {
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd"));
    let held: BTreeSet<String> = descriptors
        .into_iter()
        .flatten()
        .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|link| {
            let inode = link.to_str()?.strip_prefix("socket:[")?;
            Some(inode.strip_suffix(']')?.to_owned())
        })
        .collect();
    let mut found = Vec::new();
    for table in ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"] {
        let text = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let columns: Vec<&str> = line.split_whitespace().collect();
            if columns.get(9).is_some_and(|inode| held.contains(*inode)) {
                found.push(Socket {
                    table,
                    local: address(columns[1]).unwrap(),
                    remote: address(columns[2]).unwrap(),
                });
            }
        }
    }
    found
}

/// What was seen of one kind of process.
#[derive(Default)]
struct Seen {
    /// Of omp-debug itself.
    ours: BTreeSet<Socket>,
    /// Of everything that it started.
    others: BTreeSet<Socket>,
}

/// Looks at the sockets again and again until it is asked what it saw.
struct Watch {
    end: Arc<AtomicBool>,
    /// How often it has looked.
    looks: Arc<AtomicUsize>,
    looking: JoinHandle<Seen>,
}

impl Watch {
    fn begin(desk: &Desk) -> Self {
        let (ours, end) = (desk.pty.pid(), Arc::new(AtomicBool::new(false)));
        let looks = Arc::new(AtomicUsize::new(0));
        let (over, count) = (Arc::clone(&end), Arc::clone(&looks));
        let looking = std::thread::spawn(move || {
            let mut seen = Seen::default();
            while !over.load(Ordering::SeqCst) {
                seen.ours.extend(sockets(ours));
                for process in procs::descendants(ours) {
                    seen.others.extend(sockets(process.pid));
                }
                count.fetch_add(1, Ordering::SeqCst);
                std::thread::park_timeout(LOOKS);
            }
            seen
        });
        Self {
            end,
            looks,
            looking,
        }
    }

    /// Waits for whole looks at how things stand now. One is under way already, and of a table that is read in pieces, while others come
    /// and go, a row may be missing.
    fn look(&self) {
        let enough = self.looks.load(Ordering::SeqCst) + 4;
        while self.looks.load(Ordering::SeqCst) < enough && !self.looking.is_finished() {
            std::thread::park_timeout(LOOKS);
        }
    }

    fn end(self) -> Seen {
        self.end.store(true, Ordering::SeqCst);
        self.looking.join().unwrap()
    }
}

/// An adapter that is spoken to through pipes: none of our sockets is of the internet, and its own stay on this machine.
#[test]
fn nothing_leaves_the_machine_while_a_program_is_debugged() {
    require!(debugpy);
    let seen = sockets_of_a_story("stdio");
    assert!(seen.ours.is_empty(), "{:#?}", seen.ours);
    // The adapter and the program that it debugs have one between them: what is looked at can be seen.
    assert!(!seen.others.is_empty());
    stays_here(&seen.others);
}

/// A debug server that comes to us: where we listen for it and what is said to it stay on this machine, too.
#[test]
fn nothing_leaves_the_machine_while_a_server_comes_to_us() {
    require!(debugpy);
    let seen = sockets_of_a_story("servers");
    assert!(!seen.ours.is_empty() && !seen.others.is_empty());
    stays_here(&seen.ours);
    stays_here(&seen.others);
}

fn stays_here(sockets: &BTreeSet<Socket>) {
    for socket in sockets {
        assert!(socket.is_of_this_machine(), "{socket:?}");
        assert!(socket.table.starts_with("tcp"), "{socket:?}");
    }
}

fn sockets_of_a_story(way: &str) -> Seen {
    let program = tools::python_program();
    let name = program.file_name().unwrap().to_str().unwrap().to_owned();
    let desk = Desk::with(|builder| builder.env("OMP_DEBUG_CONNECT", way).args(args![program]));
    let watch = Watch::begin(&desk);
    desk.wait_header("stopped: entry");
    let line = line_of(&program, "loop-call");
    desk.break_at(&name, line);
    desk.pty.key("F5");
    desk.wait_at(&name, line);
    desk.wait_value("Scopes", "total", "0");
    watch.look();
    desk.leave_live("Enter");
    watch.end()
}

/// A program under a debug server, which a test has to end.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A debug server that a person named: its port, and no other, is connected to.
#[test]
fn the_port_that_was_named_is_the_only_one_connected_to() {
    let python = require!(debugpy);
    let port = free_port();
    let folder = tempfile::tempdir().unwrap();
    let server = Command::new(python)
        .args([
            "-m",
            "debugpy",
            "--listen",
            &port.to_string(),
            "--wait-for-client",
        ])
        .arg(tools::python_program())
        .arg("count")
        .arg(folder.path().join("count"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _server = Server(server);
    wait_debugpy(port);
    let desk = Desk::open(args!["attach", "--port", port.to_string()]);
    let watch = Watch::begin(&desk);
    desk.wait_header("running");
    desk.pty.key("F6");
    desk.wait_header("stopped: pause");
    watch.look();
    desk.leave_live("Enter");
    let seen = watch.end();
    assert!(!seen.ours.is_empty(), "the connection was seen");
    for socket in &seen.ours {
        assert!(socket.is_of_this_machine(), "{socket:?}");
        assert_eq!((socket.table, socket.remote.port()), ("tcp", port));
    }
}
