//! What was captured of event streams goes nowhere but into its own member, and not even there unasked.

use std::fs;

use super::Desk;

const SAID: &str = "only-ever-said-in-the-stream-7731";

#[test]
fn a_stream_is_in_its_own_member_alone() {
    let desk = Desk::new();
    let stream = format!("event: message\ndata: {{\"text\":\"{SAID}\"}}\n\n");
    fs::write(desk.path().join("sse.txt"), stream).unwrap();
    let holders = |args: &[&str]| -> Vec<String> {
        let unpacked = desk.unpacked(args);
        let holds = |name: &&String| {
            let bytes = unpacked.bytes(name);
            String::from_utf8_lossy(&bytes).contains(SAID)
        };
        let found = unpacked.names.iter().filter(holds).cloned().collect();
        fs::remove_file(&unpacked.file).unwrap();
        found
    };
    assert_eq!(holders(&["--raw-sse", "sse.txt"]), ["raw-sse.txt"]);
    assert_eq!(holders(&[]), Vec::<String>::new());
}
