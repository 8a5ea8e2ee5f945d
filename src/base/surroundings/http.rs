//! One question of HTTP to a port that may be anybody's.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// How long a port may take to answer.
const ANSWER: Duration = Duration::from_millis(1500);
/// A socket's timeout may not be 0.
const SHORTEST: Duration = Duration::from_millis(1);
/// Bytes of an answer that are read.
const LARGEST: usize = 1 << 20;

/// The body of what a server of HTTP has there, within 1.5 s and of at most 1 MiB. With a `greeting` it is asked only when it has
/// said nothing for so long: whoever speaks first is no such server, and may not stand the question. It is listened to until it
/// has been quiet for as long, at most 1.5 s: debugpy serves nobody any more when its client leaves in the middle of the greeting.
pub fn get(address: SocketAddr, path: &str, greeting: Option<Duration>) -> Option<Vec<u8>> {
    let (status, body) = answer(address, path, greeting)?;
    (status == "200").then_some(body)
}

/// The same with whatever is answered, and its status.
pub fn answer(
    address: SocketAddr,
    path: &str,
    greeting: Option<Duration>,
) -> Option<(String, Vec<u8>)> {
    let mut stream = TcpStream::connect_timeout(&address, ANSWER).ok()?;
    stream.set_write_timeout(Some(ANSWER)).ok()?;
    stream.set_read_timeout(greeting).ok()?;
    let until = Instant::now() + ANSWER;
    if let Some(quiet) = greeting
        && stream.peek(&mut [0]).is_ok()
    {
        while let Some(left) = until.checked_duration_since(Instant::now())
            && let Ok(()) = stream.set_read_timeout(Some(quiet.min(left.max(SHORTEST))))
            && let Ok(1..) = stream.read(&mut [0; 4096])
        {}
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
        stream.set_read_timeout(Some(left.max(SHORTEST))).ok()?;
        match stream.read(&mut block).ok()? {
            0 => break,
            count => answer.extend_from_slice(block.get(..count)?),
        }
    }
    let (head, body) = parts(&answer)?;
    let mut words = head.lines().next()?.split(' ');
    words.next().filter(|first| first.starts_with("HTTP/"))?;
    Some((words.next()?.to_owned(), body.to_vec()))
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
    fn an_answer_is_whole_when_its_length_is_there() {
        let head = b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\n";
        assert!(!is_whole(&head[..20]) && !is_whole(head));
        assert!(is_whole(&[head.as_slice(), b"[{}]"].concat()));
        assert!(!is_whole(b"HTTP/1.0 200 OK\r\n\r\n[{}]"));
    }

    /// debugpy's listener serves nobody any more after a question of HTTP.
    #[test]
    fn whoever_speaks_first_is_not_asked() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let at = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            client.write_all(b"Content-Length: 2\r\n\r\n{}").unwrap();
            // It stays for the rest of the greeting.
            let moment = Duration::from_millis(100);
            client.set_read_timeout(Some(moment)).unwrap();
            let early = client.read(&mut [0]).unwrap_err();
            assert_eq!(early.kind(), std::io::ErrorKind::WouldBlock);
            client.set_read_timeout(None).unwrap();
            client.write_all(b"Content-Length: 2\r\n\r\n{}").unwrap();
            client.shutdown(std::net::Shutdown::Write).unwrap();
            let mut said = Vec::new();
            // It closes with what was not read: that may come as an error.
            let _ = client.read_to_end(&mut said);
            said
        });
        assert_eq!(get(at, "/json/version", Some(Duration::from_mins(1))), None);
        assert_eq!(server.join().unwrap(), b"");
    }
}
