//! What lies where the folder, the sockets and their notes are to be.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use omp_debug::debugger::link::{Hosted, Hosting, Note, SocketFolder, find, join, serve};
use omp_debug::debugger::{Command, Core};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::Signal;

use super::{
    ANOTHER, CaseHome, Client, OURS, PATIENCE, Served, can_be_another, is_socket, mode, procs,
    set_mode, tools,
};

fn make_fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

/// `serve` and `call` do not use the folder, and say why.
fn is_refused(ground: &CaseHome, says: &str) {
    let said = ground.serve().err().expect("it does not serve");
    assert!(said.contains(says), "{said}");
    let said = ground.reaches_nobody(&[]);
    assert!(
        said.contains("not looked at") && said.contains(says),
        "{said}"
    );
}

pub fn another_users(ground: &CaseHome) {
    if can_be_another() {
        let folder = ground.place();
        chown(folder.folder(), Some(ANOTHER), None).unwrap();
        is_refused(ground, "belongs to user 65534, not to you");
        assert!(ground.names().is_empty());
    }
}

pub fn wrong_modes(ground: &CaseHome) {
    let folder = ground.folder();
    ground.place();
    for wrong in [0o701, 0o710, 0o755, 0o770, 0o777, 0o1777, 0o2750] {
        set_mode(&folder, wrong);
        let said = SocketFolder::make_at(&folder).unwrap_err().to_string();
        let says = format!("others may enter it (mode {wrong:04o}); chmod 700");
        assert!(said.contains(&says), "{said}");
    }
    is_refused(ground, "others may enter it (mode 2750)");
    assert!(ground.names().is_empty());
    set_mode(&folder, 0o700);
    ground.serve().unwrap().end();
}

pub fn link(ground: &CaseHome) {
    let good = ground.path("good");
    SocketFolder::make_at(&good).unwrap();
    symlink(&good, ground.folder()).unwrap();
    is_refused(ground, "it is a symbolic link; remove it");
    assert_eq!(fs::read_dir(&good).unwrap().count(), 0);
}

pub fn dangling_link(ground: &CaseHome) {
    let nowhere = ground.path("nowhere");
    symlink(&nowhere, ground.folder()).unwrap();
    is_refused(ground, "it is a symbolic link; remove it");
    assert!(!nowhere.exists());
}

pub fn file(ground: &CaseHome) {
    fs::write(ground.folder(), "text").unwrap();
    is_refused(ground, "it is not a folder; remove it");
    assert_eq!(fs::read_to_string(ground.folder()).unwrap(), "text");
}

pub fn fifo(ground: &CaseHome) {
    make_fifo(&ground.folder());
    is_refused(ground, "it is not a folder; remove it");
}

/// Whatever the umask: folder, socket and note are for their user alone.
fn is_private(ground: &CaseHome, umask: &str) {
    let served = Served::of(ground.after(&format!("umask {umask}"), &["serve"])).unwrap();
    assert_eq!(mode(&ground.folder()), 0o700);
    assert_eq!(mode(&served.socket), 0o600);
    assert_eq!(mode(&served.socket.with_extension("json")), 0o600);
    ground.reaches(&[]);
    served.end();
    assert!(ground.names().is_empty());
}

pub fn open_umask(ground: &CaseHome) {
    is_private(ground, "000");
}

pub fn closed_umask(ground: &CaseHome) {
    is_private(ground, "077");
}

pub fn long_path(ground: &CaseHome) {
    let long = ground.path(&"x".repeat(100));
    fs::create_dir(&long).unwrap();
    let mut command = ground.command(tools::omp_debug());
    command.arg("serve").env("XDG_RUNTIME_DIR", &long);
    // Another folder is taken, and found again.
    let served = Served::of(command).unwrap();
    assert!(
        !served.socket.starts_with(&long),
        "{}",
        served.socket.display()
    );
    let mut call = ground.command(tools::omp_debug());
    call.args(["call", "sessions", "--to", &served.pid()]);
    let called = call.env("XDG_RUNTIME_DIR", &long).output().unwrap();
    assert!(called.status.success(), "{called:?}");
    served.end();
    let wanted = long.join("1.sock");
    let said = ground.reaches_nobody(&["--to", wanted.to_str().unwrap()]);
    assert!(said.contains("no omp-debug listens at"), "{said}");
}

pub fn replaced(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    let mut client = Client::agent(&served.socket, "first");
    client.is_served();
    fs::rename(ground.folder(), ground.path("moved")).unwrap();
    ground.place();
    // What somebody else put under its name is not what listens.
    let impostor = UnixListener::bind(&served.socket).unwrap();
    client.is_served();
    let moved = ground.path("moved").join(format!("{}.sock", served.pid()));
    ground.reaches(&["--to", moved.to_str().unwrap()]);
    drop(impostor);
    // What another test forks has the listener, too, until it is another program.
    while UnixStream::connect(&served.socket).is_ok() {
        std::thread::yield_now();
    }
    let said = ground.reaches_nobody(&[]);
    assert!(said.contains("no debugger is running"), "{said}");
    let other = ground.serve().unwrap();
    ground.reaches(&[]);
    served.end();
    ground.reaches(&[]);
    other.end();
    assert!(ground.names().is_empty());
}

/// A host whose socket is to be where something else lies already.
fn hosting_at(ground: &CaseHome, pid: u32) -> Hosting {
    let hosting = ground.hosting();
    let note = Note {
        pid,
        ..hosting.note.clone()
    };
    Hosting { note, ..hosting }
}

/// A socket takes the place of what lies there; what a link there led to stays as it was.
fn takes_the_place(ground: &CaseHome, put: impl Fn(&Path)) {
    let pid = std::process::id();
    let place = ground.place();
    let paths = [
        place.socket(pid),
        place.folder().join(format!(".{pid}.sock")),
    ];
    for path in &paths {
        put(path);
    }
    let (_core, host) = ground.host(hosting_at(ground, pid));
    assert!(is_socket(host.path()), "{}", host.path().display());
    assert_eq!(mode(host.path()), 0o600);
    Client::agent(host.path(), "first").is_served();
    drop(host);
    assert!(ground.names().is_empty(), "{:?}", ground.names());
}

pub fn socket_is_a_link(ground: &CaseHome) {
    let precious = ground.home.file("precious", "text");
    takes_the_place(ground, |path| symlink(&precious, path).unwrap());
    assert_eq!(fs::read_to_string(precious).unwrap(), "text");
}

pub fn socket_is_dangling(ground: &CaseHome) {
    let nowhere = ground.path("nowhere");
    takes_the_place(ground, |path| symlink(&nowhere, path).unwrap());
    assert!(!is_socket(&nowhere) && !nowhere.exists());
}

pub fn socket_is_a_file(ground: &CaseHome) {
    takes_the_place(ground, |path| fs::write(path, "text").unwrap());
}

pub fn socket_is_a_fifo(ground: &CaseHome) {
    takes_the_place(ground, make_fifo);
}

pub fn socket_is_a_folder(ground: &CaseHome) {
    let pid = std::process::id();
    let path = ground.place().socket(pid);
    fs::create_dir(&path).unwrap();
    let refused = ground.runtime.block_on(async {
        let core = Core::start(ground.home.config(PATIENCE));
        serve(core, hosting_at(ground, pid)).await.unwrap_err()
    });
    let said = refused.to_string();
    assert!(said.contains("cannot be made private"), "{said}");
    assert_eq!(ground.names(), [format!("{pid}.sock")]);
    assert!(path.is_dir());
}

pub fn removed(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    let mut client = Client::agent(&served.socket, "first");
    fs::remove_file(&served.socket).unwrap();
    client.is_served();
    let said = ground.reaches_nobody(&[]);
    assert!(said.contains("no debugger is running"), "{said}");
    client.is_served();
    served.end();
    assert!(ground.names().is_empty());
}

pub fn stale(ground: &CaseHome) {
    let mut killed = ground.serve().unwrap();
    procs::signal(killed.child.id(), Signal::KILL);
    killed.child.wait().unwrap();
    let left = [
        format!("{}.json", killed.pid()),
        format!("{}.sock", killed.pid()),
    ];
    assert_eq!(ground.names(), left);
    // The next one takes it away, whether it looks or serves.
    let next = ground.serve().unwrap();
    let own = [
        format!("{}.json", next.pid()),
        format!("{}.sock", next.pid()),
    ];
    assert_eq!(ground.names(), own);
    ground.reaches(&[]);
    next.end();
}

/// It has a socket without its name yet, and a note that is not written to its end: both are left alone as long as it lives.
pub fn unfinished(ground: &CaseHome) {
    let place = ground.place();
    let (living, dead) = (std::process::id(), 4_194_305);
    let mut left = Vec::new();
    for pid in [living, dead] {
        let names = [format!(".{pid}.sock"), format!("{pid}.json")];
        drop(UnixListener::bind(place.folder().join(&names[0])).unwrap());
        fs::write(place.folder().join(&names[1]), "{\"pid\":").unwrap();
        left.push(names);
    }
    let found = ground.runtime.block_on(find(&ground.context()));
    let here = |host: &&Hosted| host.path.starts_with(ground.home.path());
    assert_eq!(found.hosts.iter().filter(here).count(), 0);
    assert_eq!(ground.names(), left[0]);
}

pub fn race(ground: &CaseHome) {
    let serve = |_| {
        let mut command = ground.command(tools::omp_debug());
        command.arg("serve");
        std::thread::spawn(move || Served::of(command).unwrap())
    };
    let begun: Vec<_> = (0..12).map(serve).collect();
    let served: Vec<_> = begun.into_iter().map(|one| one.join().unwrap()).collect();
    let found = ground.runtime.block_on(find(&ground.context()));
    for one in &served {
        let known = found.hosts.iter().find(|host| host.path == one.socket);
        let note = known.expect("it is found").note.as_ref();
        assert_eq!(note.map(|note| note.pid), Some(one.child.id()));
    }
    assert_eq!(ground.names().len(), 2 * served.len());
    served.into_iter().for_each(Served::end);
    assert!(ground.names().is_empty());
}

/// Whoever cannot connect because it has no descriptors left has not found out that nobody is there.
pub fn descriptors(ground: &CaseHome) {
    let served = ground.serve().unwrap();
    let mut failed = 0;
    for limit in 4..24 {
        let first = format!("ulimit -n {limit}");
        let mut call = ground.after(&first, &["call", "sessions"]);
        failed += usize::from(!call.output().unwrap().status.success());
        assert!(is_socket(&served.socket), "gone with {limit} descriptors");
    }
    assert!(failed > 0, "they were enough");
    ground.reaches(&[]);
    served.end();
}

/// A host is found and reached whatever is in its note's place; what is told of it is what the note says, if it is one.
fn is_reached(ground: &CaseHome, put: impl Fn(&Path)) {
    let (first, second) = (ground.serve().unwrap(), ground.serve().unwrap());
    let note = first.socket.with_extension("json");
    fs::remove_file(&note).unwrap();
    put(&note);
    ground.reaches(&["--to", &first.pid()]);
    let said = ground.reaches_nobody(&[]);
    let line = |pid: &str| said.lines().find(|line| line.trim_start().starts_with(pid));
    let (first_line, second_line) = (line(&first.pid()), line(&second.pid()));
    let (first_line, second_line) = (first_line.expect(&said), second_line.expect(&said));
    assert!(
        first_line.contains(" ? ") && second_line.contains(" serve "),
        "{said}"
    );
    ground.runtime.block_on(async {
        let joined = join(&first.socket).await.unwrap();
        assert_eq!(joined.note, None);
        let done = joined.core.request(Command::ClearBreakpoints).await;
        done.unwrap();
    });
    first.end();
    second.end();
    assert!(ground.names().is_empty(), "{:?}", ground.names());
}

pub fn no_note(ground: &CaseHome) {
    is_reached(ground, |_| {});
}

pub fn note_is_garbage(ground: &CaseHome) {
    is_reached(ground, |path| {
        fs::write(path, b"\xff\xfe{\"pid\":\x1b[31m").unwrap();
    });
}

pub fn note_is_huge(ground: &CaseHome) {
    is_reached(ground, |path| {
        let note = format!("{{\"pid\":1,\"cwd\":\"/{}\"}}", "x".repeat(1 << 20));
        fs::write(path, note).unwrap();
        // Sparse: a terabyte that takes no room.
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_len(1 << 40).unwrap();
    });
}

pub fn note_is_a_link(ground: &CaseHome) {
    let theirs = ground
        .home
        .file("theirs", "{\"pid\":1,\"cwd\":\"/elsewhere\"}");
    is_reached(ground, |path| symlink(&theirs, path).unwrap());
    assert!(theirs.exists() && ground.folder().ends_with(OURS));
}

pub fn note_is_a_fifo(ground: &CaseHome) {
    is_reached(ground, make_fifo);
}
