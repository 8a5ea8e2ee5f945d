//! Where a runtime can be spoken to: a port of this machine on which the process itself listens, and that answers as an inspector does.
//!
//! Ports are taken from the kernel's tables (proc(5), `/proc/PID/net/tcp`), so that whoever answers is the process that is meant and no other.
//! An inspector tells its name at `/json/version` and where to speak to it at `/json/list`
//! (<https://chromedevtools.github.io/devtools-protocol/#endpoints>). A program that is debugged here keeps that to itself: it wrote both
//! into a file beside the script that we had it load (`exit_report` of an adapter). Opening one that is closed is left to [`mod@super::opening`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use base::{
    peers::{inspector_port, listening, node_arguments},
    surroundings::http::get,
};

use crate::profile::sample::{prelude::*, target::read};

/// The port that inspectors take when nobody says.
pub const USUAL: u16 = 9229;
/// How long all of them may take together.
const ANSWERS: Duration = Duration::from_secs(3);
/// Ports of a process that are asked.
const ASKED: usize = 16;
/// How often one is asked again that should answer.
const AGAIN: usize = 4;
/// The longest path that is spoken to.
const LONGEST: usize = 512;

/// An inspector that answers.
#[derive(Debug)]
pub struct InspectorPort {
    /// Where it listens.
    pub address: SocketAddr,
    /// What is asked for there: begins with `/`.
    pub path: String,
    /// What it calls itself: `node.js/v20.20.2`; without control characters.
    pub runtime: String,
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "Browser")]
    runtime: String,
}

#[derive(Deserialize)]
struct InspectorTarget {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(rename = "webSocketDebuggerUrl", default)]
    url: String,
}

/// The door of a process, if one of its ports is an inspector's. Ports of `known` are not asked.
pub fn find(target: &Target, known: &[SocketAddr]) -> Result<Option<InspectorPort>> {
    check_network(target)?;
    let arguments = node_arguments(target.pid);
    let named: Vec<u16> = arguments
        .iter()
        .filter_map(|text| inspector_port(text))
        .collect();
    let is_usual = |port: u16| port == USUAL || named.contains(&port);
    let mut addresses: Vec<SocketAddr> = listening(target.pid)
        .into_iter()
        .filter(|address| !known.contains(address))
        .filter_map(|address| {
            if address.ip().is_loopback() {
                return Some(address);
            }
            // What listens for the world is a server, unless somebody made the inspector do so.
            let is_meant = address.ip().is_unspecified() && is_usual(address.port());
            let own: IpAddr = match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            };
            is_meant.then(|| SocketAddr::new(own, address.port()))
        })
        .collect();
    addresses.sort_by_key(|address| {
        let port = address.port();
        (!named.contains(&port), port != USUAL, port)
    });
    if let Some(door) = arguments.iter().find_map(|word| written(word, &addresses)) {
        return Ok(Some(door));
    }
    // One that the arguments name is there: on a busy machine its answer may come late.
    let again: Vec<SocketAddr> = addresses
        .iter()
        .filter(|address| named.contains(&address.port()))
        .flat_map(|address| [*address; AGAIN])
        .collect();
    let until = Instant::now() + ANSWERS;
    Ok(addresses
        .into_iter()
        .take(ASKED)
        .chain(again)
        .take_while(|_| Instant::now() < until)
        .find_map(ask))
}

/// A process with a network of its own listens on addresses that mean something else here.
fn check_network(target: &Target) -> Result<()> {
    let network = |pid: &str| std::fs::read_link(format!("/proc/{pid}/ns/net")).ok();
    let theirs = network(&target.pid.to_string());
    if theirs.is_some() && theirs != network("self") {
        return Err(SampleError::Failed(format!(
            "{} has a network of its own, as in a container: its inspector is met from inside only; run omp-debug there",
            target.title()
        )));
    }
    Ok(())
}

/// What a program wrote down beside the script that it was made to load, if that is at one of its own ports.
fn written(script: &str, addresses: &[SocketAddr]) -> Option<InspectorPort> {
    let file = format!("{}.inspector", script.trim_matches('"'));
    let path = Path::new(&file);
    let text = (path.is_absolute() && path.is_file()).then(|| read(path).ok())??;
    let (url, runtime) = text.split_once('\n')?;
    let host = url.strip_prefix("ws://")?.split('/').next()?;
    Some(InspectorPort {
        address: host.parse().ok().filter(|at| addresses.contains(at))?,
        path: path_of(url)?,
        runtime: named_runtime(runtime),
    })
}

/// What answers at an address, if it is an inspector.
fn ask(address: SocketAddr) -> Option<InspectorPort> {
    let version: Version = serde_json::from_slice(&get(address, "/json/version", None)?).ok()?;
    let listed: Vec<InspectorTarget> =
        serde_json::from_slice(&get(address, "/json/list", None)?).ok()?;
    // A browser lists pages, which are not the process that is meant.
    let path = listed
        .into_iter()
        .filter(|listed| listed.kind == "node")
        .find_map(|listed| path_of(&listed.url))?;
    Some(InspectorPort {
        address,
        path,
        runtime: named_runtime(&version.runtime),
    })
}

fn named_runtime(text: &str) -> String {
    beginning(&sanitise(text), 60)
}

/// The path of a `ws:` URL. Its host is what the runtime takes itself for, and not of use: the address is known.
fn path_of(url: &str) -> Option<String> {
    let rest = url.strip_prefix("ws://")?;
    let path = rest.get(rest.find('/')?..)?;
    let is_plain = path.len() <= LONGEST && path.bytes().all(|byte| byte.is_ascii_graphic());
    is_plain.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arguments_name_and_what_a_url_asks_for() {
        assert_eq!(inspector_port("--inspect=9333"), Some(9333));
        assert_eq!(inspector_port("--inspect-brk=127.0.0.1:9334"), Some(9334));
        assert_eq!(inspector_port("--inspect=[::1]:9335"), Some(9335));
        for none in [
            "--inspect",
            "--port=80",
            "--inspect=here",
            "--inspect=99999",
        ] {
            assert_eq!(inspector_port(none), None, "{none}");
        }
        let path = |url| path_of(url);
        assert_eq!(path("ws://0.0.0.0:1/a-b").as_deref(), Some("/a-b"));
        for none in ["", "http://h/p", "ws://h", "ws://h/a b", "ws://h/a\r\nX: y"] {
            assert_eq!(path(none), None, "{none}");
        }
        assert_eq!(path(&format!("ws://h/{}", "a".repeat(LONGEST))), None);
    }
}
