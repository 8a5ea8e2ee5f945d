//! Clients against an adapter that is played by hand over an in-memory pipe.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf, duplex};
use tokio_util::codec::{FramedRead, FramedWrite};

use bytes::Bytes;

use super::*;
use crate::{
    codec::{DapCodec, Item},
    requests::{Continue, ContinueArguments, Evaluate, EvaluateArguments, Threads},
};

const LONG: Duration = Duration::from_mins(1);

/// The other end, written without the client's own types.
struct Adapter {
    read: FramedRead<ReadHalf<DuplexStream>, DapCodec>,
    write: FramedWrite<WriteHalf<DuplexStream>, DapCodec>,
}

impl Adapter {
    fn pair() -> (Connection, Self) {
        let (ours, theirs) = duplex(64 << 10);
        let (read, write) = tokio::io::split(ours);
        let connection = connect_io(read, write, "fake");
        let (read, write) = tokio::io::split(theirs);
        (
            connection,
            Self {
                read: FramedRead::new(read, DapCodec::server()),
                write: FramedWrite::new(write, DapCodec::server()),
            },
        )
    }

    async fn hears(&mut self) -> Value {
        match timeout(LONG, self.read.next()).await {
            Ok(Some(Ok(Item::Frame(frame)))) => serde_json::from_slice(&frame.bytes).unwrap(),
            other => panic!("no message: {other:?}"),
        }
    }

    async fn says(&mut self, message: Value) {
        self.write
            .send(Bytes::from(message.to_string()))
            .await
            .unwrap();
    }

    async fn answers(&mut self, request_seq: i64, body: Value) {
        self.says(json!({"seq": 0, "type": "response", "request_seq": request_seq, "success": true, "body": body})).await;
    }
}

async fn next(connection: &mut Connection) -> Incoming {
    timeout(LONG, connection.incoming.recv())
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn answers_find_their_questions_in_any_order() {
    let (connection, mut adapter) = Adapter::pair();
    let client = &connection.client;
    let first = client.send::<Threads>(&());
    let second = client.send::<Continue>(&ContinueArguments {
        thread_id: 5,
        ..ContinueArguments::default()
    });
    assert_eq!((first.seq(), second.seq()), (1, 2));
    assert_eq!(
        adapter.hears().await,
        json!({"seq": 1, "type": "request", "command": "threads"})
    );
    assert_eq!(adapter.hears().await["arguments"], json!({"threadId": 5}));
    adapter
        .answers(2, json!({"allThreadsContinued": false}))
        .await;
    adapter
        .answers(1, json!({"threads": [{"id": 5, "name": "main"}]}))
        .await;
    assert_eq!(second.await.unwrap().all_threads_continued, Some(false));
    assert_eq!(first.await.unwrap().threads[0].name, "main");
}

#[tokio::test]
async fn answers_nobody_waits_for_are_ignored() {
    let (connection, mut adapter) = Adapter::pair();
    let client = &connection.client;
    drop(client.send_raw("forgotten", Value::Null));
    let kept = client.send_raw("kept", json!([1]));
    for seq in [1, 99, 0, -3, 2, 2] {
        adapter.answers(seq, json!(seq)).await;
    }
    assert_eq!(kept.await.unwrap().raw(), "2");
    let again = client.send_raw("again", Value::Null);
    adapter.answers(3, Value::Null).await;
    again.await.unwrap();
}

#[tokio::test]
async fn a_refusal_speaks_for_itself() {
    let (connection, mut adapter) = Adapter::pair();
    let asked = connection
        .client
        .send::<Evaluate>(&EvaluateArguments::default());
    let error = json!({"error": {"id": 1, "format": "no {name}", "variables": {"name": "\u{1b}[31mx\u{1b}]52;c;eA==\u{7}\nand more"}}});
    adapter
        .says(json!({"type": "response", "request_seq": 1, "success": false, "body": error}))
        .await;
    let error = asked.await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("no ") && text.ends_with("\nand more"),
        "{text:?}"
    );
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    assert!(matches!(error, RequestError::Failed { command, .. } if command == "evaluate"));

    let asked = connection.client.send::<Threads>(&());
    adapter.answers(2, json!([])).await;
    assert!(
        matches!(asked.await, Err(RequestError::BadBody { command, .. }) if command == "threads")
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_times_out_and_its_late_answer_is_ignored() {
    let (connection, mut adapter) = Adapter::pair();
    let error = connection
        .client
        .within(Duration::from_millis(1500))
        .send::<Threads>(&())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "DAP request threads timed out after 1500ms"
    );
    adapter.answers(1, Value::Null).await;
    let asked = connection.client.within(Duration::MAX).send::<Threads>(&());
    adapter.answers(2, Value::Null).await;
    assert!(asked.await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_takes_nothing_is_given_up() {
    let (mut connection, _adapter) = Adapter::pair();
    let big = Value::String("x".repeat(1 << 20));
    // Who asks waits for longer than the adapter may take to read.
    let client = connection.client.within(LONG);
    let error = client.send_raw("big", big).await.unwrap_err();
    assert_eq!(
        error,
        RequestError::Stalled {
            name: "fake".into(),
            seconds: 30
        }
    );
    assert!(
        matches!(next(&mut connection).await, Incoming::Closed(closed) if closed.reason.contains("30 s"))
    );
}

#[tokio::test]
async fn cancelling_does_not_wait_for_the_adapter() {
    let (connection, mut adapter) = Adapter::pair();
    let client = &connection.client;
    let asked = client.send_raw("slow", Value::Null);
    client.cancel(asked.seq());
    assert_eq!(asked.await.unwrap_err(), RequestError::Cancelled);
    client.set_can_cancel(true);
    let asked = client.send_raw("slow", Value::Null);
    client.cancel(asked.seq());
    client.cancel(asked.seq());
    client.cancel(77);
    assert_eq!(asked.await.unwrap_err(), RequestError::Cancelled);
    assert_eq!(adapter.hears().await["seq"], 1);
    assert_eq!(adapter.hears().await["seq"], 2);
    let cancel = adapter.hears().await;
    assert_eq!(
        (&cancel["seq"], &cancel["command"], &cancel["arguments"]),
        (&json!(3), &json!("cancel"), &json!({"requestId": 2}))
    );
    adapter.answers(3, Value::Null).await;
}

#[tokio::test]
async fn an_event_is_queued_before_the_answer_that_followed_it() {
    let (mut connection, mut adapter) = Adapter::pair();
    let asked = connection.client.send::<Threads>(&());
    adapter
        .says(json!({"type": "event", "event": "stopped"}))
        .await;
    adapter.answers(1, Value::Null).await;
    asked.await.unwrap();
    assert!(
        matches!(connection.incoming.try_recv(), Ok(Incoming::Event(event)) if event.event == "stopped")
    );
}

#[tokio::test]
async fn a_flood_slows_the_adapter_and_loses_nothing() {
    let (mut connection, mut adapter) = Adapter::pair();
    let asked = connection.client.send::<Threads>(&());
    let total = INCOMING_CAPACITY * 2;
    let flood = tasks::spawn(async move {
        for number in 0..total {
            adapter
                .says(json!({"seq": number, "type": "event", "event": "output"}))
                .await;
        }
        adapter.answers(1, Value::Null).await;
        adapter
    });
    let mut seen = Vec::new();
    while seen.len() < total {
        if let Incoming::Event(event) = next(&mut connection).await {
            seen.push(event.seq);
        }
    }
    assert!(seen.iter().enumerate().all(|(at, seq)| at as i64 == *seq));
    asked.await.unwrap();
    drop(flood.await.unwrap());
    assert!(matches!(next(&mut connection).await, Incoming::Closed(_)));
    assert!(connection.incoming.recv().await.is_none());
}

#[tokio::test]
async fn reverse_requests_are_answered_under_their_number() {
    let (mut connection, mut adapter) = Adapter::pair();
    for seq in [40, 41] {
        adapter.says(json!({"seq": seq, "type": "request", "command": "runInTerminal", "arguments": {"args": ["a"]}})).await;
        let Incoming::Request(request) = next(&mut connection).await else {
            panic!("no request")
        };
        let result = if seq == 40 {
            Ok(json!({"processId": 5}))
        } else {
            Err("not here".to_owned())
        };
        connection.client.respond(&request, result);
    }
    let granted = adapter.hears().await;
    assert_eq!(
        (
            &granted["request_seq"],
            &granted["success"],
            &granted["body"]
        ),
        (&json!(40), &json!(true), &json!({"processId": 5}))
    );
    let refused = adapter.hears().await;
    assert_eq!(
        (
            &refused["request_seq"],
            &refused["success"],
            &refused["message"]
        ),
        (&json!(41), &json!(false), &json!("not here"))
    );
}

#[tokio::test]
async fn the_end_wakes_everybody_once() {
    let (mut connection, mut adapter) = Adapter::pair();
    let client = connection.client.clone();
    let first = client.send::<Threads>(&());
    let second = client.send_raw("x", Value::Null);
    adapter.hears().await;
    adapter.says(json!({"oops": 1})).await;
    drop(adapter);
    let sentence = "DAP adapter fake closed the connection";
    assert_eq!(first.await.unwrap_err().to_string(), sentence);
    assert_eq!(second.await.unwrap_err().to_string(), sentence);
    assert!(
        matches!(next(&mut connection).await, Incoming::Noise(text) if text.contains(r#"{"oops":1}"#))
    );
    assert!(
        matches!(next(&mut connection).await, Incoming::Closed(closed) if closed.to_string() == sentence)
    );
    assert!(connection.incoming.recv().await.is_none());
    assert!(client.is_closed());
    let late = client.send::<Threads>(&());
    assert_eq!(late.seq(), 0);
    assert_eq!(
        late.await.unwrap_err().to_string(),
        "DAP adapter fake closed the connection"
    );
}

#[tokio::test]
async fn closing_our_half_is_heard_after_what_was_sent() {
    let (mut connection, mut adapter) = Adapter::pair();
    let client = connection.client.clone();
    drop(client.send_raw("last", Value::Null));
    client.close();
    assert_eq!(adapter.hears().await["command"], "last");
    assert!(adapter.read.next().await.is_none());
    adapter
        .says(json!({"type": "event", "event": "terminated"}))
        .await;
    assert!(matches!(next(&mut connection).await, Incoming::Event(_)));
    let late = client.send::<Threads>(&()).await.unwrap_err();
    assert_eq!(late.to_string(), "DAP adapter fake is not running");
}

#[tokio::test]
async fn dropping_every_client_closes_our_half() {
    let (connection, mut adapter) = Adapter::pair();
    drop(connection.client.clone());
    drop(connection.client.send_raw("still here", Value::Null));
    assert_eq!(adapter.hears().await["command"], "still here");
    drop(connection);
    assert!(adapter.read.next().await.is_none());
}

#[tokio::test]
async fn a_tap_sees_both_directions() {
    let (mut connection, mut adapter) = Adapter::pair();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    connection
        .client
        .set_tap(Some(Arc::new(move |tapped: Tapped<'_>| {
            log.lock().unwrap().push((
                tapped.direction,
                String::from_utf8_lossy(tapped.content).into_owned(),
            ));
        })));
    drop(connection.client.send_raw("a", Value::Null));
    adapter.hears().await;
    adapter.says(json!({"type": "event", "event": "e"})).await;
    next(&mut connection).await;
    connection.client.set_tap(None);
    drop(connection.client.send_raw("b", Value::Null));
    let seen = seen.lock().unwrap();
    assert_eq!(
        seen[0],
        (
            Direction::Sent,
            r#"{"seq":1,"type":"request","command":"a"}"#.to_owned()
        )
    );
    assert_eq!(seen[1].0, Direction::Received);
    assert_eq!(seen.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_waits_long_is_told_when_it_begins_to_and_when_it_no_longer_does() {
    const PATIENCE: Duration = Duration::from_secs(3);
    let (connection, mut adapter) = Adapter::pair();
    let client = &connection.client;
    let mut late = client.late(PATIENCE);
    // While nothing is asked there is nothing to tell, however long.
    let hour = Duration::from_hours(1);
    assert!(timeout(hour, late.changed()).await.is_err());
    let began = Instant::now();
    let first = client
        .within(Duration::MAX)
        .send_raw("evaluate", Value::Null);
    let told = late.changed().await.unwrap();
    assert!(began.elapsed() >= PATIENCE && began.elapsed() < PATIENCE * 2);
    let names: Vec<_> = told.iter().map(|w| (w.seq, w.command.as_str())).collect();
    assert_eq!(names, [(1, "evaluate")]);
    // Another one that is answered soon is no news, one that is not is.
    let soon = client
        .within(Duration::MAX)
        .send_raw("threads", Value::Null);
    let slow = client.within(Duration::MAX).send_raw("scopes", Value::Null);
    adapter.answers(2, Value::Null).await;
    assert!(soon.await.is_ok());
    let told = late.changed().await.unwrap();
    assert_eq!(told.iter().map(|w| w.seq).collect::<Vec<_>>(), [1, 3]);
    // Answered, and given up.
    adapter.answers(1, Value::Null).await;
    assert!(first.await.is_ok());
    assert_eq!(late.changed().await.unwrap().len(), 1);
    drop(slow);
    assert_eq!(late.changed().await, Some(Vec::new()));
    drop(connection);
    assert_eq!(late.changed().await, None);
}
