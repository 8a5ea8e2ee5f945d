//! Who listens on ports of this machine, by the kernel's tables (proc(5), `/proc/PID/net/tcp`), and what answers there.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How long a port may take to answer.
const ANSWER: Duration = Duration::from_millis(800);
/// Bytes of an answer that are read.
const LARGEST: usize = 1 << 20;

/// The addresses on which a process listens.
pub fn listening(pid: u32) -> Vec<SocketAddr> {
    let held = held(pid);
    let mut found = Vec::new();
    for table in ["tcp", "tcp6"] {
        let text = std::fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        found.extend(
            text.lines()
                .filter_map(listens)
                .filter(|(_, inode)| held.contains(*inode))
                .map(|(address, _)| address),
        );
    }
    found
}

/// The processes that listen at an address of this machine, and the names of their programs. A process of somebody else is not seen.
pub fn listeners(at: SocketAddr) -> Vec<(u32, String)> {
    let is_met = |local: SocketAddr| {
        let ip = local.ip().to_canonical();
        let everywhere = ip.is_unspecified() && at.ip().is_loopback();
        local.port() == at.port() && (ip == at.ip() || everywhere)
    };
    let tables = ["tcp", "tcp6"].map(|table| {
        std::fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default()
    });
    let sockets: HashSet<&str> = tables
        .iter()
        .flat_map(|table| table.lines())
        .filter_map(listens)
        .filter(|(local, _)| is_met(*local))
        .map(|(_, inode)| inode)
        .collect();
    if sockets.is_empty() {
        return Vec::new();
    }
    let processes = std::fs::read_dir("/proc").into_iter().flatten();
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            held(*pid)
                .iter()
                .any(|inode| sockets.contains(inode.as_str()))
        })
        .filter_map(|pid| {
            let program = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
            let name = program.file_name()?.to_string_lossy();
            // As the kernel calls a program whose file was replaced.
            Some((pid, name.trim_end_matches(" (deleted)").to_owned()))
        })
        .collect()
}

/// The inodes of the sockets that a process holds.
fn held(pid: u32) -> HashSet<String> {
    std::fs::read_dir(format!("/proc/{pid}/fd"))
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let link = std::fs::read_link(entry.ok()?.path()).ok()?;
            let inode = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
            Some(inode.to_owned())
        })
        .collect()
}

/// The address and the inode of a line of `/proc/net/tcp`, when somebody listens there.
fn listens(line: &str) -> Option<(SocketAddr, &str)> {
    const LISTENS: &str = "0A";
    let columns: Vec<&str> = line.split_ascii_whitespace().collect();
    let (local, state, inode) = (columns.get(1)?, columns.get(3)?, columns.get(9)?);
    let (ip, port) = local.split_once(':')?;
    let word = |at: usize| u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok();
    // Words of the machine that hold bytes of the network.
    let ip = match ip.len() {
        8 => IpAddr::from(word(0)?.to_ne_bytes()),
        32 => {
            let mut bytes = [0; 16];
            for (at, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(at)?.to_ne_bytes());
            }
            IpAddr::from(bytes)
        }
        _ => return None,
    };
    let port = u16::from_str_radix(port, 16).ok()?;
    (*state == LISTENS).then_some((SocketAddr::new(ip, port), *inode))
}

/// The body of what a server of HTTP has there, within 800 ms and of at most 1 MiB. With a `greeting` it is asked only when it has
/// said nothing for so long: whoever speaks first is no such server, and may not stand the question.
pub fn get(address: SocketAddr, path: &str, greeting: Option<Duration>) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&address, ANSWER).ok()?;
    stream.set_write_timeout(Some(ANSWER)).ok()?;
    stream.set_read_timeout(greeting).ok()?;
    if greeting.is_some() && stream.peek(&mut [0]).is_ok() {
        return None;
    }
    let until = Instant::now() + ANSWER;
    // Of 1.0: nobody may cut the answer into pieces then.
    let request = format!("GET {path} HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let mut block = [0; 4096];
    while answer.len() <= LARGEST && !is_whole(&answer) {
        let left = until.checked_duration_since(Instant::now())?;
        stream
            .set_read_timeout(Some(left.max(Duration::from_millis(1))))
            .ok()?;
        match stream.read(&mut block).ok()? {
            0 => break,
            count => answer.extend_from_slice(block.get(..count)?),
        }
    }
    let (head, body) = parts(&answer)?;
    let status = head.lines().next()?.split(' ').nth(1)?;
    (status == "200").then(|| body.to_vec())
}

/// Head and body of an answer, once its head is there.
fn parts(answer: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memmem::find(answer, b"\r\n\r\n")?;
    let head = std::str::from_utf8(answer.get(..end)?).ok()?;
    Some((head, answer.get(end + 4..)?))
}

/// Whether all is there that its head says.
fn is_whole(answer: &[u8]) -> bool {
    let Some((head, body)) = parts(answer) else {
        return false;
    };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    length.is_some_and(|length| body.len() >= length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    fn lines_of_the_kernels_table() {
        let four = "   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0";
        let six = "   1: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 4712 1";
        let found = |line| listens(line).map(|(address, inode)| (address.to_string(), inode));
        if cfg!(target_endian = "little") {
            assert_eq!(found(four), Some(("127.0.0.1:9229".to_owned(), "4711")));
            assert_eq!(found(six), Some(("[::1]:8080".to_owned(), "4712")));
        }
        let connected = four.replace(" 0A ", " 01 ");
        for none in [
            "",
            "sl local_address rem_address st",
            &connected,
            "0: 01:zz 0 0A 0 0 0 0 0 1",
        ] {
            assert_eq!(listens(none), None, "{none}");
        }
    }

    #[test]
    fn a_listener_of_this_process_is_seen() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        assert!(listening(std::process::id()).contains(&address));
        drop(listener);
        assert!(!listening(std::process::id()).contains(&address));
    }

    #[test]
    fn an_answer_is_whole_when_its_length_is_there() {
        let head = b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n";
        assert!(!is_whole(&head[..20]) && !is_whole(head));
        assert!(is_whole(&[head.as_slice(), b"[{}]"].concat()));
        assert!(!is_whole(b"HTTP/1.0 200 OK\r\n\r\n[{}]"));
    }

    #[test]
    fn who_listens_at_an_address_is_known_by_its_program() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let everywhere = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
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

    /// debugpy's listener serves nobody any more after a question of HTTP.
    #[test]
    fn whoever_speaks_first_is_not_asked() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let at = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            client.write_all(b"Content-Length: 2\r\n\r\n{}").unwrap();
            let mut said = Vec::new();
            // It closes with what was not read: that may come as an error.
            let _ = client.read_to_end(&mut said);
            said
        });
        assert_eq!(get(at, "/json/version", Some(Duration::from_mins(1))), None);
        assert_eq!(server.join().unwrap(), b"");
    }
}
