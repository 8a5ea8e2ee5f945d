use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::recording::Recording;
use dap::client::{Client, Incoming};

/// Two stops, a second apart, looked at for ten minutes; then the end.
const TEXT: &str = r#"{"omp_debug_recording":1,"adapter":"x","program":"a.py"}
{"from":"adapter","at":10,"message":{"seq":2,"type":"event","event":"stopped","body":{"reason":"entry"}}}
{"from":"client","at":600010,"message":{"seq":3,"type":"request","command":"next"}}
{"from":"adapter","at":601010,"message":{"seq":4,"type":"event","event":"output","body":{"category":"stdout","output":"x"}}}
{"session":2,"adapter":"x","program":"child.py","parent":1}
{"from":"adapter","session":2,"at":601015,"message":{"seq":1,"type":"event","event":"stopped","body":{}}}
{"from":"adapter","at":601020,"message":{"seq":4,"type":"event","event":"stopped","body":{"reason":"step"}}}
{"from":"client","at":601022,"message":{"seq":9,"type":"request","command":"evaluate","arguments":{"context":"watch","expression":"n*2","frameId":1}}}
{"from":"adapter","at":601023,"message":{"seq":9,"type":"response","request_seq":9,"success":true,"command":"evaluate","body":{"result":"10","variablesReference":0}}}
{"from":"client","at":601030,"message":{"seq":3,"type":"request","command":"next"}}
{"from":"adapter","at":601040,"message":{"seq":4,"type":"event","event":"terminated"}}
"#;

async fn ask(client: &Client, command: &str) -> bool {
    let answer = client
        .within(Duration::from_secs(5))
        .send_raw(command, json!({}));
    answer.await.is_ok()
}

async fn until(connection: &mut Connection, name: &str) -> Vec<String> {
    let mut names = Vec::new();
    while names.last().is_none_or(|last| last != name) {
        match connection.incoming.recv().await {
            Some(Incoming::Event(event)) => names.push(event.event),
            Some(Incoming::Closed(why)) => panic!("closed before {name}: {why}; {names:?}"),
            _ => {}
        }
    }
    names
}

#[tokio::test(start_paused = true)]
async fn at_speed_it_goes_on_by_itself_and_shortens_long_looks() {
    let recording = Recording::parse(TEXT, Path::new("/f")).unwrap();
    let playback = Playback::new(Arc::new(recording));
    let mut connection = playback.clone().play();
    let client = connection.client.clone();
    assert!(ask(&client, "initialize").await);
    drop(
        client
            .within(Duration::from_secs(5))
            .send_raw("launch", json!({})),
    );
    assert!(ask(&client, "configurationDone").await);
    let told = until(&mut connection, "stopped").await;
    assert_eq!(told, ["initialized", CHILD, "stopped"]);
    assert_eq!(playback.at().load(Ordering::Relaxed), 1);
    assert_eq!((playback.here(), playback.places().len()), (1, 3));

    // The child has a player of its own.
    let child = playback.other(1).unwrap();
    assert_eq!((child.program(), child.parent()), ("child.py", Some(0)));
    assert!(!child.has_begun() && playback.other(2).is_none());
    let mut born = child.clone().play();
    let its_client = born.client.clone();
    assert!(ask(&its_client, "configurationDone").await);

    let began = Instant::now();
    playback.set_speed(2);
    let told = until(&mut born, "stopped").await;
    assert_eq!(told, [LIFE, "stopped"]);
    assert!(child.is_here() && child.has_begun());
    let told = until(&mut connection, "stopped").await;
    assert_eq!(told, ["continued", "output", "stopped"]);
    let took = began.elapsed();
    // Three seconds instead of ten minutes, and the second that it ran: half of each.
    assert!(
        (Duration::from_millis(1_990)..Duration::from_millis(2_100)).contains(&took),
        "{took:?}"
    );
    assert_eq!(playback.at().load(Ordering::Relaxed), 2);
    // The child stands to the end, and that is of the recording and not of its own.
    let told = until(&mut connection, "terminated").await;
    assert_eq!(told, ["continued", "terminated"]);
    until(&mut born, "terminated").await;
    assert!(playback.is_over() && !child.ending().ended);
}

#[tokio::test(start_paused = true)]
async fn a_pause_leads_to_the_next_stop_at_once() {
    let alone: Vec<_> = TEXT
        .lines()
        .filter(|line| !line.contains("session\":2"))
        .collect();
    let recording = Recording::parse(&alone.join("\n"), Path::new("/f")).unwrap();
    let playback = Playback::new(Arc::new(recording));
    playback.set_speed(1);
    let mut connection = playback.clone().play();
    let client = connection.client.clone();
    assert!(ask(&client, "initialize").await);
    drop(
        client
            .within(Duration::from_secs(5))
            .send_raw("launch", json!({})),
    );
    assert!(ask(&client, "configurationDone").await);
    until(&mut connection, "continued").await;
    let began = Instant::now();
    playback.set_speed(0);
    until(&mut connection, "stopped").await;
    assert!(began.elapsed() < Duration::from_millis(500));
    // Asked for as a watch then, and at a prompt now.
    let evaluated = async |expression: &str| {
        let arguments = json!({"context": "repl", "expression": expression, "frameId": 1});
        let answer = client
            .within(Duration::from_secs(5))
            .send_raw("evaluate", arguments);
        answer.await.is_ok()
    };
    assert!(evaluated("n*2").await);
    assert!(!evaluated("n*3").await);
    assert!(ask(&client, "stepBack").await);
    until(&mut connection, "stopped").await;
    assert_eq!(playback.at().load(Ordering::Relaxed), 1);
    assert!(!ask(&client, "stepBack").await, "this is the first");
    assert!(!ask(&client, "scopes").await, "not recorded");
}
