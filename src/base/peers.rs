//! Who is at the other end of a connection, and who listens on a port.
//!
//! A port of this machine is open to all of its users, and a debugger does what it is told. So neither is anybody let in nor is anything
//! said before the kernel's own tables (proc(5), `/proc/net/tcp`) name our user for the other end. Where there are none (macOS), nothing
//! is known, and secrets alone decide.

use std::{
    collections::HashSet,
    fs::{read, read_dir, read_link, read_to_string},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    os::fd::RawFd,
    path::Path,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use rustix::{
    net::sockopt::set_tcp_nodelay,
    process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open},
};
use tokio::net::{TcpSocket, TcpStream};

/// A socket as the kernel lists it.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    local: SocketAddr,
    remote: SocketAddr,
    listens: bool,
    uid: u32,
    /// None while no process holds it: it is not accepted yet, or closed already.
    inode: Option<u64>,
}

impl Row {
    /// A line of the table; addresses of IPv4 in the table of IPv6 are what they mean.
    fn of(line: &str) -> Option<Self> {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        let inode = columns.get(9)?.parse().ok()?;
        Some(Self {
            local: address(columns.get(1)?)?,
            remote: address(columns.get(2)?)?,
            listens: *columns.get(3)? == "0A",
            uid: columns.get(7)?.parse().ok()?,
            inode: Some(inode).filter(|inode| *inode != 0),
        })
    }

    fn is_of(&self, uid: u32) -> bool {
        self.inode.is_some() && self.uid == uid
    }
}

/// Words of the machine that hold bytes of the network, and a port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok();
    let ip = match ip.len() {
        8 => IpAddr::from(word(0)?.to_ne_bytes()),
        32 => {
            let mut bytes = [0; 16];
            for (at, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(at)?.to_ne_bytes());
            }
            IpAddr::from(bytes).to_canonical()
        }
        _ => return None,
    };
    let port = u16::from_str_radix(port, 16).ok()?;
    Some(SocketAddr::new(ip, port))
}

/// The sockets in the network of a process; none where the system has no such table.
fn rows(process: &str) -> Option<Vec<Row>> {
    let table = |name| read_to_string(format!("/proc/{process}/net/{name}")).ok();
    let (four, six) = (table("tcp")?, table("tcp6").unwrap_or_default());
    Some(
        four.lines()
            .chain(six.lines())
            .filter_map(Row::of)
            .collect(),
    )
}

/// How often the kernel's tables are read for somebody who listens: what is read in pieces while others come and go may lack a row.
const LOOKS: usize = 3;

/// How long a connection on this machine may take to be refused.
const KNOCK: Duration = Duration::from_millis(200);

/// What is seen at the first look that sees something.
fn seen<T>(look: impl Fn() -> Vec<T>) -> Vec<T> {
    let mut looks = (0..LOOKS).map(|_| look());
    looks.find(|seen| !seen.is_empty()).unwrap_or_default()
}

/// The addresses on which a process listens.
pub fn listening(pid: u32) -> Vec<SocketAddr> {
    seen(|| {
        let held = held(pid);
        let rows = rows(&pid.to_string()).unwrap_or_default().into_iter();
        rows.filter(|row| row.listens && row.inode.is_some_and(|inode| held.contains(&inode)))
            .map(|row| row.local)
            .collect()
    })
}

/// What `/proc/PID/cmdline` or `environ` holds of a process.
fn words(pid: u32, file: &str) -> Vec<String> {
    let text = read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.split('\0').map(str::to_owned).collect()
}

/// The arguments of a process, and those that its environment adds for Node.
pub fn node_arguments(pid: u32) -> Vec<String> {
    let mut all = words(pid, "cmdline");
    for variable in words(pid, "environ") {
        if let Some(options) = variable.strip_prefix("NODE_OPTIONS=") {
            all.extend(options.split_ascii_whitespace().map(str::to_owned));
        }
    }
    all
}

/// The port that an argument such as `--inspect=127.0.0.1:9333` names.
pub fn inspector_port(argument: &str) -> Option<u16> {
    let (name, value) = argument.split_once('=')?;
    let is_it = matches!(
        name,
        "--inspect" | "--inspect-brk" | "--inspect-wait" | "--inspect-port" | "--debug-port"
    );
    let port = value.rsplit(':').next()?;
    is_it.then(|| port.parse().ok())?
}

/// The processes that listen at an address of this machine, and the names of their programs. A process of somebody else is not seen.
pub fn listeners(at: SocketAddr) -> Vec<(u32, String)> {
    seen(|| listeners_now(at))
}

/// A program's name with its arguments behind it. Where the name is that of the system's loader, which was told what to load, it is that
/// of what it loaded.
pub fn with_arguments(pid: u32, name: &str) -> String {
    let mut arguments = words(pid, "cmdline").into_iter().skip(1);
    let is_program = |word: &String| word.contains('/') && Path::new(word).is_file();
    let loaded = name
        .starts_with("ld-")
        .then(|| arguments.find(is_program))
        .flatten();
    let loaded = loaded.as_deref().and_then(|path| path.rsplit('/').next());
    let rest: Vec<String> = arguments.collect();
    format!("{} {}", loaded.unwrap_or(name), rest.join(" "))
        .trim_end()
        .to_owned()
}

fn listeners_now(at: SocketAddr) -> Vec<(u32, String)> {
    let is_met = |local: SocketAddr| {
        let everywhere = local.ip().is_unspecified() && at.ip().is_loopback();
        local.port() == at.port() && (local.ip() == at.ip() || everywhere)
    };
    let rows = rows("self").unwrap_or_default().into_iter();
    let sockets: HashSet<u64> = rows
        .filter(|row| row.listens && is_met(row.local))
        .filter_map(|row| row.inode)
        .collect();
    if sockets.is_empty() {
        return Vec::new();
    }
    let processes = read_dir("/proc").into_iter().flatten();
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| !held(*pid).is_disjoint(&sockets))
        .filter_map(|pid| {
            let program = read_link(format!("/proc/{pid}/exe")).ok()?;
            let name = program.file_name()?.to_string_lossy();
            // As the kernel calls a program whose file was replaced.
            Some((pid, name.trim_end_matches(" (deleted)").to_owned()))
        })
        .collect()
}

/// A port of this machine that nobody listens on, for a program that is to listen there in a moment. It lies below those that Linux
/// gives to whoever asks for any (unless `ip_local_port_range` was changed), and this process gives it out once, so that nobody else
/// takes it before. It is asked for without listening: a process that is forked at that moment would hold the listener until it runs
/// its own program.
pub fn free_port() -> std::io::Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id().wrapping_mul(61);
    let mut last = None;
    for _ in 0..MOST_TRIES {
        let next = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = 12_000 + (next % 20_000) as u16;
        let there = (Ipv4Addr::LOCALHOST, port).into();
        match TcpSocket::new_v4().and_then(|socket| socket.bind(there)) {
            Ok(()) => return Ok(port),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| std::io::ErrorKind::AddrInUse.into()))
}

/// Ports that are looked at before it is said that none is free.
const MOST_TRIES: usize = 1_000;

/// This machine's own address that a host's name stands for, if it is one.
fn own_address(host: &str) -> Option<IpAddr> {
    let ip = match host {
        "localhost" => Ok(IpAddr::from(Ipv4Addr::LOCALHOST)),
        _ => host.parse(),
    };
    ip.ok().filter(IpAddr::is_loopback)
}

/// Whether the kernel names somebody who listens on a port; `None` of other machines, and where it tells nothing. What is handed on to
/// a container may have no listener here.
pub fn listens(host: &str, port: u16) -> Option<bool> {
    own_address(host)?;
    let is_heard = |row: &Row| row.listens && row.local.port() == port;
    Some(rows("self")?.iter().any(is_heard))
}

/// Whether nobody at all listens on a port of this machine. Of other machines, and where the kernel tells nothing, that is not known.
pub fn nobody_listens(host: &str, port: u16) -> bool {
    let Some(ip) = own_address(host) else {
        return false;
    };
    let is_refused = || {
        let knock = std::net::TcpStream::connect_timeout(&(ip, port).into(), KNOCK);
        knock.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
    };
    // A server that takes one client only is not knocked at.
    (0..LOOKS).all(|_| listens(host, port) == Some(false)) && is_refused()
}

/// The inodes of the sockets that a process holds.
fn held(pid: u32) -> HashSet<u64> {
    sockets(pid).map(|(inode, _)| inode).collect()
}

/// The sockets that a process holds: their inodes, and its descriptors of them.
fn sockets(pid: u32) -> impl Iterator<Item = (u64, RawFd)> {
    let descriptors = read_dir(format!("/proc/{pid}/fd")).into_iter().flatten();
    descriptors.filter_map(|entry| {
        let path = entry.ok()?.path();
        let link = read_link(&path).ok()?;
        let inode = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
        let descriptor = path.file_name()?.to_str()?.parse();
        Some((inode.parse().ok()?, descriptor.ok()?))
    })
}

/// Makes the connections that were accepted at an address of this machine send small messages at once (`TCP_NODELAY`, tcp(7)), as a
/// debugger may (`pidfd_getfd(2)`). How many there are; none where the system does not let us.
pub fn send_at_once(at: SocketAddr) -> usize {
    let Some((pid, _)) = listeners(at).into_iter().next() else {
        return 0;
    };
    let rows = rows(&pid.to_string()).unwrap_or_default();
    let accepted = |inode| {
        let mut of_it = rows.iter().filter(|row| row.inode == Some(inode));
        of_it.any(|row| !row.listens && row.local.port() == at.port())
    };
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let process = number.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let accepted = sockets(pid).filter(|(inode, _)| accepted(*inode));
    let set = accepted.filter_map(|(_, descriptor)| {
        let ours = pidfd_getfd(process.as_ref()?, descriptor, PidfdGetfdFlags::empty()).ok()?;
        set_tcp_nodelay(ours, true).ok()
    });
    set.count()
}

/// The two ends of a connection of ours: here, and there.
fn ends(stream: &TcpStream) -> Option<(SocketAddr, SocketAddr)> {
    let canonical = |a: SocketAddr| SocketAddr::new(a.ip().to_canonical(), a.port());
    Some((
        canonical(stream.local_addr().ok()?),
        canonical(stream.peer_addr().ok()?),
    ))
}

fn own() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Who made a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A program of our user.
    Ours,
    /// A program of another user.
    Foreign,
    /// It was closed before we knew: nobody is let in for it, and nobody is accused.
    Gone,
}

/// Who made a connection that came to us.
pub fn who(stream: &TcpStream) -> Peer {
    let Some(rows) = rows("self") else {
        return Peer::Ours;
    };
    ends(stream).map_or(Peer::Gone, |ends| of(&rows, ends, own()))
}

fn of(rows: &[Row], (here, there): (SocketAddr, SocketAddr), uid: u32) -> Peer {
    let theirs = |row: &&Row| row.local == there && row.remote == here && row.inode.is_some();
    match rows.iter().find(theirs) {
        Some(row) if row.uid == uid => Peer::Ours,
        Some(_) => Peer::Foreign,
        None => Peer::Gone,
    }
}

/// Whom a connection of ours goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A program of our user.
    Ours,
    /// A program of our user, to which one of another user has a connection too, accepted or not.
    Shared,
    /// A program of another user, or of nobody we know.
    Foreign,
}

/// Whom a connection that we made goes to. The kernel walks its whole table for it, 10 ms of a launch, so all is seen in one look.
pub fn reached(stream: &TcpStream) -> Reached {
    let Some(rows) = rows("self") else {
        return Reached::Ours;
    };
    match ends(stream) {
        Some(ends) if is_to(&rows, ends, own()) => {
            let mut others = rows.iter().filter(|row| row.remote == ends.1);
            if others.any(|row| row.inode.is_some() && row.uid != own()) {
                Reached::Shared
            } else {
                Reached::Ours
            }
        }
        _ => Reached::Foreign,
    }
}

fn is_to(rows: &[Row], (here, there): (SocketAddr, SocketAddr), uid: u32) -> bool {
    let theirs = |row: &&Row| row.local == there && row.remote == here;
    match rows.iter().find(theirs) {
        Some(row) if row.inode.is_some() => row.uid == uid,
        // Whoever listens has yet to accept it. Who listens at this very address is before who listens at all of them.
        _ => {
            let at = |ip: IpAddr| {
                let on = SocketAddr::new(ip, there.port());
                let mut all = rows.iter().filter(|row| row.listens && row.local == on);
                let first = all.next()?;
                Some(first.is_of(uid) && all.all(|row| row.is_of(uid)))
            };
            let anywhere = [IpAddr::from([0_u8; 4]), IpAddr::from([0_u8; 16])];
            at(there.ip()).unwrap_or_else(|| {
                let all: Vec<bool> = anywhere.into_iter().filter_map(at).collect();
                !all.is_empty() && all.into_iter().all(|ours| ours)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn what_was_accepted_on_a_port_sends_at_once() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let connecting = std::net::TcpStream::connect(at).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        assert!(!accepted.nodelay().unwrap());
        assert_eq!(send_at_once(at), 1);
        assert!(accepted.nodelay().unwrap() && !connecting.nodelay().unwrap());
    }

    const FOUR: &str = "   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0";

    #[test]
    fn lines_of_the_kernels_table() {
        let mapped = "   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:240D 01 0:0 0:0 0 1001 0 0 1";
        if cfg!(target_endian = "little") {
            let row = Row::of(FOUR).unwrap();
            assert_eq!(row.local.to_string(), "127.0.0.1:9229");
            assert!(row.listens && row.is_of(1000) && !row.is_of(0));
            let row = Row::of(mapped).unwrap();
            assert_eq!(row.local.to_string(), "127.0.0.1:8080");
            assert_eq!(row.remote.to_string(), "127.0.0.1:9229");
            assert_eq!((row.listens, row.uid, row.inode), (false, 1001, None));
        }
        for none in [
            "",
            "sl local_address rem_address st",
            "0: 01:zz 0 0A 0 0 0 0 0 1",
        ] {
            assert_eq!(Row::of(none), None, "{none}");
        }
    }

    fn row(local: &str, remote: &str, uid: u32, inode: u64) -> Row {
        Row {
            local: local.parse().unwrap(),
            remote: remote.parse().unwrap(),
            listens: remote == "0.0.0.0:0",
            uid,
            inode: Some(inode).filter(|inode| *inode != 0),
        }
    }

    #[test]
    fn a_connection_is_of_the_user_of_its_other_end() {
        let (ours, theirs) = ("127.0.0.1:1", "127.0.0.1:2");
        let ends = (ours.parse().unwrap(), theirs.parse().unwrap());
        // Our own end says nothing, and a closed one counts as root's in the table.
        let mine = row(ours, theirs, 0, 7);
        assert_eq!(of(&[mine], ends, 0), Peer::Gone);
        assert_eq!(of(&[row(theirs, ours, 0, 0)], ends, 0), Peer::Gone);
        assert_eq!(of(&[row(theirs, ours, 65534, 8)], ends, 0), Peer::Foreign);
        assert_eq!(of(&[row(theirs, ours, 0, 8)], ends, 0), Peer::Ours);
    }

    #[test]
    fn what_is_not_accepted_yet_is_of_who_listens() {
        let (ours, theirs, nobody) = ("127.0.0.1:1", "127.0.0.1:2", "0.0.0.0:0");
        let ends = (ours.parse().unwrap(), theirs.parse().unwrap());
        let waiting = || row(theirs, ours, 0, 0);
        let listens = |local, uid| row(local, nobody, uid, 9);
        let to = |rows: &[Row]| is_to(rows, ends, 1000);
        assert!(!to(&[]) && !to(&[waiting()]));
        assert!(to(&[listens(theirs, 1000), waiting()]));
        assert!(!to(&[listens(theirs, 1001), waiting()]));
        assert!(to(&[listens("0.0.0.0:2", 1000), waiting()]));
        assert!(!to(&[
            listens("0.0.0.0:2", 1000),
            listens("[::]:2", 1001),
            waiting()
        ]));
        assert!(to(&[
            listens(theirs, 1000),
            listens("[::]:2", 1001),
            waiting()
        ]));
        // Who accepted it is who matters, whoever listens now.
        assert!(!to(&[listens(theirs, 1000), row(theirs, ours, 1001, 8)]));
        assert!(to(&[row(theirs, ours, 1000, 8)]));
    }

    #[test]
    fn a_listener_of_this_process_is_seen() {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        assert!(listening(std::process::id()).contains(&address));
        assert!(!nobody_listens("localhost", address.port()));
        drop(listener);
        assert!(!listening(std::process::id()).contains(&address));
    }

    #[test]
    fn who_listens_at_an_address_is_known_by_its_program() {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let everywhere = std::net::TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let own = std::env::current_exe().unwrap();
        let name = own.file_name().unwrap().to_string_lossy().into_owned();
        for port in [&listener, &everywhere].map(|at| at.local_addr().unwrap().port()) {
            let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            let found = listeners(at);
            assert_eq!(found, [(std::process::id(), name.clone())]);
        }
        let elsewhere = SocketAddr::from(([192, 0, 2, 1], listener.local_addr().unwrap().port()));
        assert_eq!(listeners(elsewhere), []);
    }

    #[tokio::test]
    async fn both_ends_of_our_own_connections_are_ours() {
        for there in ["127.0.0.1:0", "[::]:0"] {
            let Ok(listener) = tokio::net::TcpListener::bind(there).await else {
                continue;
            };
            let port = listener.local_addr().unwrap().port();
            let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap();
            assert_eq!(reached(&stream), Reached::Ours, "{there}: not accepted yet");
            let (accepted, _) = listener.accept().await.unwrap();
            assert_eq!(who(&accepted), Peer::Ours, "{there}");
            drop(listener);
            assert_eq!(reached(&stream), Reached::Ours, "{there}: accepted");
        }
    }
}
