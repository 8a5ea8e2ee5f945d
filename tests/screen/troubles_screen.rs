//! What cannot be had is said where it was asked for, and the screen goes on: each thing that the menu offers, in surroundings
//! that allow none of it.

use crate::support;

use std::fs;

use support::desk::Desk;
use support::omp_home::{self, Size};
use support::pty::Pty;

/// Takes an entry of the menu, and waits for what is said there.
fn choose<'p>(pty: &'p Pty, key: &str, title: &str, says: &str) -> &'p Pty {
    pty.key(key);
    pty.wait_until(&format!("{title}: {says}"), |screen| {
        screen.row(0).contains(title) && screen.contains(says)
    });
    pty
}

/// A frame may be seen half drawn: what stands at the top tells that Esc was heard. With a key right behind it, it is Alt.
fn back(pty: &Pty) {
    pty.key("Esc");
    pty.wait_until("back at home", |screen| {
        screen.row(0).contains("Home") && screen.contains("Take the tour")
    });
}

/// Where omp's folders would be, there are files.
#[test]
fn each_trouble_is_said_on_its_screen_and_none_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join(".omp");
    fs::create_dir_all(root.join("agent")).unwrap();
    for name in ["logs", "reports", "agent/sessions"] {
        fs::write(root.join(name), "no folder").unwrap();
    }
    let desk = Desk::with(|builder| {
        builder
            .env("PATH", "/nowhere")
            .args(args!["--omp-dir", root])
    });
    let pty = &desk.pty;
    pty.wait_for("Take the tour");

    // Logs: none is a state, and says where they were looked for.
    choose(pty, "l", "Logs", "omp has no logs in ");
    back(pty);
    choose(pty, "f", "Artifacts", "is not a folder any more");
    back(pty);
    choose(pty, "x", "Clear cache", "is not a folder any more");
    back(pty);
    choose(pty, "r", "Raw SSE", "cannot read the folder ");
    back(pty);
    choose(pty, "c", "Transcript", "there are no sessions of omp in ");
    back(pty);
    choose(pty, "s", "Sessions", "cannot be listed: ");
    back(pty);
    // The machine is looked at without any program's help.
    choose(pty, "y", "System", "Arch");
    back(pty);

    // A profile of nobody, and none to end.
    choose(pty, "p", "Performance", "No profile is open");
    pty.key("T").wait_for("its number, or self");
    pty.type_text("4194304").key("Enter");
    pty.wait_for("there is no process 4194304");
    back(pty);

    // A bundle says what it lacks, and why it cannot be written.
    choose(pty, "b", "Report", "left out: there is no session");
    pty.wait_for("cannot be read: ");
    pty.wait_for("no secrets found");
    pty.key("w").wait_for("write to ");
    pty.key("Enter").wait_for("no file can be made in ");
    // The first Esc takes the sentence away.
    pty.key("Esc").wait_gone("no file can be made in ");
    back(pty);
    desk.leave();
}

/// Artifacts are there, and no program that a folder could be handed to.
#[test]
fn a_folder_that_nothing_opens_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let home = omp_home::write(dir.path(), Size::default());
    let desk = Desk::with(|builder| {
        builder
            .env("PATH", "/nowhere")
            .env("DISPLAY", ":0")
            .env_remove("SSH_CONNECTION")
            .args(args!["--omp-dir", home.dir.join(".omp")])
    });
    let pty = &desk.pty;
    pty.wait_for("Take the tour");
    choose(pty, "f", "Artifacts", "newest first");
    pty.wait_for("16 files");
    pty.key("o").wait_for("could not be handed");
    back(pty);
    desk.leave();
}
