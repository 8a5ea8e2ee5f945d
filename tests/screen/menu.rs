//! The menu of everything there is: each entry leads to its screen, and each screen leads back.

use crate::support;

use support::desk::Desk;

#[test]
fn every_entry_of_the_menu_leads_to_its_screen_and_back() {
    let home = tempfile::tempdir().unwrap();
    let desk = Desk::with(|builder| builder.args(args!["--omp-dir", home.path().join(".omp")]));
    let pty = &desk.pty;
    pty.wait_for("Take the tour");
    for (key, title) in [
        ("f", "Artifacts"),
        ("p", "Performance"),
        ("w", "Work"),
        ("b", "Report"),
        ("m", "Memory"),
        ("l", "Logs"),
        ("y", "System"),
        ("r", "Raw SSE"),
        ("c", "Transcript"),
        ("x", "Clear cache"),
        ("s", "Sessions"),
        ("e", "Terminal"),
    ] {
        pty.key(key);
        pty.wait_until(&format!("{key} leads to {title}"), |screen| {
            screen.row(0).contains(title)
        });
        pty.key("Esc");
        // A frame may be seen half drawn: what stands at the top tells that Esc was heard. With a key right behind it, it is Alt.
        pty.wait_until(&format!("back from {title}"), |screen| {
            screen.row(0).contains("Home") && screen.contains("Take the tour")
        });
    }
    desk.leave();
}
