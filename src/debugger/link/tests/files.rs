//! The folder, the sockets in it and what is left of dead hosts.

// suite: T9 asked 24 present 6

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::{PATIENCE, Puppet};
use crate::adapters::Context;
use crate::error::ErrorKind;
use crate::link::{Note, SocketFolder, find, join, place};

#[tokio::test]
async fn socket_and_folder_are_ours_alone() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let mode = |path: &Path| path.symlink_metadata().unwrap().mode() & 0o777;
    assert_eq!(mode(host.path()), 0o600);
    assert_eq!(mode(host.path().parent().unwrap()), 0o700);
    let names = || {
        let entries = std::fs::read_dir(puppet.folder.path().join("run")).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let pid = std::process::id();
    assert_eq!(
        names(),
        [format!("{pid}.json").as_str(), &format!("{pid}.sock")]
    );
    assert_eq!(mode(&host.path().with_extension("json")), 0o600);
    drop(host);
    assert!(names().is_empty());
    assert!(place::allow(1000, 1000).is_ok());
    assert_eq!(
        place::allow(1001, 1000).unwrap_err(),
        "This debugger belongs to user 1000, and you are user 1001."
    );
}

#[test]
fn a_folder_that_is_not_safe_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let refusal = |path: &Path| SocketFolder::make_at(path).unwrap_err().to_string();

    std::fs::create_dir(path("open")).unwrap();
    std::fs::set_permissions(path("open"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(refusal(&path("open")).contains("others may enter it (mode 0755); chmod 700"));

    SocketFolder::make_at(&path("good")).unwrap();
    symlink(path("good"), path("link")).unwrap();
    assert!(refusal(&path("link")).contains("symbolic link"));
    symlink(path("nowhere"), path("dangling")).unwrap();
    assert!(refusal(&path("dangling")).contains("symbolic link"));

    std::fs::write(path("file"), "").unwrap();
    assert!(refusal(&path("file")).contains("not a folder"));

    if rustix::process::geteuid().is_root() {
        SocketFolder::make_at(&path("theirs")).unwrap();
        std::os::unix::fs::chown(path("theirs"), Some(4242), None).unwrap();
        assert!(refusal(&path("theirs")).contains("belongs to user 4242"));
    }
}

#[test]
fn the_folder_is_the_first_that_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let context = |runtime: Option<&str>, state: &Path| {
        let mut env = BTreeMap::from([(
            "XDG_STATE_HOME".to_owned(),
            state.to_str().unwrap().to_owned(),
        )]);
        env.extend(runtime.map(|path| ("XDG_RUNTIME_DIR".to_owned(), path.to_owned())));
        Context::new(folder.path().to_path_buf(), env)
    };
    let state = folder.path().join("state");
    let made = |context: &Context| SocketFolder::make(context).unwrap().folder().to_path_buf();
    let in_state = state.join("omp-debug/run");
    assert_eq!(made(&context(None, &state)), in_state);
    assert_eq!(made(&context(Some("/nonexistent/run"), &state)), in_state);
    let runtime = folder.path().join("runtime");
    std::fs::create_dir(&runtime).unwrap();
    let with_runtime = context(runtime.to_str(), &state);
    assert_eq!(made(&with_runtime), runtime.join("omp-debug"));
    // A folder that someone else could have opened is not passed over in silence.
    std::fs::set_permissions(
        runtime.join("omp-debug"),
        std::fs::Permissions::from_mode(0o770),
    )
    .unwrap();
    let error = SocketFolder::make(&with_runtime).unwrap_err().to_string();
    assert!(error.contains("others may enter it"), "{error}");
    let (places, troubles) = SocketFolder::existing(&with_runtime);
    assert!(places.iter().any(|place| place.folder() == in_state));
    assert_eq!(troubles.len(), 1);
    // A path too long for a socket's address.
    let long = folder.path().join("x".repeat(120));
    assert!(made(&context(None, &long)).starts_with("/tmp"));
}

#[tokio::test]
async fn what_nobody_listens_behind_is_removed_and_what_lives_is_found() {
    let puppet = Puppet::new();
    let host = puppet.host(PATIENCE).await;
    let place = puppet.place();
    // Killed hosts: a socket with its note, a note alone, a socket that was not finished.
    let dead = 4_194_305;
    drop(std::os::unix::net::UnixListener::bind(place.socket(dead)).unwrap());
    let note = Note {
        pid: dead,
        ..Note::default()
    };
    note.write(&place).unwrap();
    // Our own id, but of a process that started at another time.
    let impostor = Note {
        pid: dead + 1,
        start_time: Some(1),
        ..Note::default()
    };
    impostor.write(&place).unwrap();
    drop(std::os::unix::net::UnixListener::bind(place.unfinished_socket(dead + 2)).unwrap());
    // Not ours to touch: a link, whatever it points to.
    let precious = puppet.folder.path().join("precious");
    std::fs::write(&precious, "text").unwrap();
    symlink(&precious, place.socket(dead + 3)).unwrap();
    std::fs::write(place.folder().join("README"), "").unwrap();

    let env = BTreeMap::from([(
        "XDG_RUNTIME_DIR".to_owned(),
        puppet.folder.path().to_str().unwrap().to_owned(),
    )]);
    std::fs::rename(place.folder(), puppet.folder.path().join("omp-debug")).unwrap();
    let context = Context::new(puppet.folder.path().to_path_buf(), env);
    let found = find(&context).await;
    let pids: Vec<u32> = found
        .hosts
        .iter()
        .filter(|host| host.path.starts_with(puppet.folder.path()))
        .map(|host| host.pid)
        .collect();
    assert_eq!(pids, [std::process::id()]);
    assert_eq!(
        found.hosts[0].note.as_ref().unwrap().program.as_deref(),
        Some("app.py")
    );
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "text");
    let mut left: Vec<_> = std::fs::read_dir(puppet.folder.path().join("omp-debug"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let pid = std::process::id();
    assert_eq!(
        left,
        [
            format!("{pid}.json"),
            format!("{pid}.sock"),
            "README".to_owned()
        ]
    );
    drop(host);
}

#[tokio::test]
async fn hosts_that_cannot_be_spoken_with_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = SocketFolder::make_at(&folder.path().join("run")).unwrap();
    let nobody = join(&place.socket(1)).await.unwrap_err();
    assert!(nobody.to_string().contains("omp-debug serve"), "{nobody}");
    assert_eq!(nobody.kind, ErrorKind::Usage);
    // Something else listens there.
    let path = place.socket(2);
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let speak = async {
        for line in [
            &b"SSH-2.0-OpenSSH\r\n"[..],
            b"{\"hello\":{\"protocol\":9,\"version\":\"7.0\"}}\n",
            b"{\"ended\":\"no room\"}\n",
            b"",
        ] {
            let (stream, _) = listener.accept().await.unwrap();
            let (read, mut write) = stream.into_split();
            // Its hello is taken: a connection that is closed with unread bytes is reset.
            BufReader::new(read).lines().next_line().await.unwrap();
            write.write_all(line).await.unwrap();
        }
    };
    let listen = async {
        let mut said = Vec::new();
        for _ in 0..4 {
            said.push(join(&path).await.unwrap_err().to_string());
        }
        said
    };
    let ((), said) = tokio::join!(speak, listen);
    assert!(said[0].contains("SSH-2.0-OpenSSH"), "{said:#?}");
    assert!(
        said[1].contains("omp-debug 7.0 and speaks protocol 9"),
        "{said:#?}"
    );
    assert!(said[2].contains("no room"), "{said:#?}");
    assert!(said[3].contains("it has ended"), "{said:#?}");
}

#[test]
fn the_suite_holds_what_its_head_says() {
    let source = include_str!("files.rs");
    crate::suite::assert_present(source, "T9", crate::suite::tests_in(source));
}
