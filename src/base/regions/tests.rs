//! The ring is shared by all tests of this process, so each looks only for names of its own.

use super::*;

fn of(root: &str) -> Vec<Ended> {
    ended_within(Duration::from_mins(1))
        .into_iter()
        .filter(|ended| ended.path.first() == Some(&root))
        .collect()
}

fn spin(time: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < time {
        std::hint::spin_loop();
    }
}

#[test]
fn what_is_inside_is_told_from_what_a_region_took_itself() {
    {
        let _outer = crate::region!("test nested");
        spin(Duration::from_millis(4));
        for _ in 0..2 {
            let _inner = crate::region!("inner");
            spin(Duration::from_millis(3));
        }
    }
    let found = of("test nested");
    let [first, second, outer] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(first.path, ["test nested", "inner"]);
    assert_eq!(outer.path, ["test nested"]);
    assert_eq!((first.own, first.busy), (first.duration, first.duration));
    assert_eq!(outer.own + first.duration + second.duration, outer.duration);
    assert!(outer.own >= Duration::from_millis(4), "{outer:?}");
    assert!(outer.duration >= Duration::from_millis(10), "{outer:?}");
}

#[tokio::test]
async fn tasks_that_take_turns_on_a_thread_keep_their_own_regions() {
    let one = during(Label::of("test turns a"), async {
        for _ in 0..3 {
            drop(crate::region!("step a"));
            tokio::task::yield_now().await;
        }
    });
    let other = during(Label::of("test turns b"), async {
        for _ in 0..3 {
            drop(crate::region!("step b"));
            tokio::task::yield_now().await;
        }
    });
    tokio::join!(one, other);
    for (root, step) in [("test turns a", "step a"), ("test turns b", "step b")] {
        let found = of(root);
        let steps = found.iter().filter(|e| e.path == [root, step]).count();
        assert_eq!((steps, found.len()), (3, 4), "{found:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_task_that_changes_threads_keeps_its_region_and_its_waiting_is_not_busy() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let task = crate::tasks::spawn(during(Label::of("test moves"), async move {
        let answer = during(Label::of("wait"), receiver).await;
        crate::tasks::blocking(|| spin(Duration::from_millis(20)))
            .await
            .unwrap();
        answer.unwrap()
    }));
    crate::tasks::blocking(|| spin(Duration::from_millis(30)))
        .await
        .unwrap();
    sender.send(7).unwrap();
    assert_eq!(task.await.unwrap(), 7);
    let found = of("test moves");
    let [wait, outer] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(wait.path, ["test moves", "wait"]);
    assert!(wait.busy < wait.duration / 2, "{wait:?}");
    assert_eq!(outer.own + wait.duration, outer.duration);
    assert!(outer.own >= Duration::from_millis(20), "{outer:?}");
}

#[tokio::test]
async fn what_is_awaited_together_is_counted_once() {
    let task = during(Label::of("test together"), async {
        tokio::join!(
            during(Label::of("left"), async {
                tokio::task::yield_now().await;
                spin(Duration::from_millis(5));
                tokio::task::yield_now().await;
                spin(Duration::from_millis(5));
            }),
            during(Label::of("right"), async {
                spin(Duration::from_millis(5));
                tokio::task::yield_now().await;
            }),
        );
        spin(Duration::from_millis(8));
    });
    task.await;
    let found = of("test together");
    let outer = found.iter().find(|e| e.path.len() == 1).unwrap();
    let inside = |name| found.iter().find(|e| e.path.last() == Some(&name)).unwrap();
    let (left, right) = (inside("left"), inside("right"));
    assert!(left.duration + right.duration + outer.own > outer.duration);
    let (from, to) = (left.start.min(right.start), left.end().max(right.end()));
    assert_eq!(outer.own + to, outer.duration + from);
    assert!(outer.own >= Duration::from_millis(8), "{outer:?}");
}

#[tokio::test]
async fn a_future_that_is_dropped_halfway_is_recorded_and_leaves_nothing_behind() {
    let mut halfway = Box::pin(during(Label::of("test dropped"), async {
        let _inside = during(Label::of("never"), std::future::pending::<()>()).await;
    }));
    let polled = futures_util::poll!(halfway.as_mut());
    assert!(polled.is_pending());
    drop(halfway);
    let found = of("test dropped");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(HERE.get().id, 0);
}

#[test]
fn regions_that_are_too_deep_take_the_place_of_the_innermost() {
    let path = (0..12).fold(Path::default(), |path, _| path.with(Label::of("test deep")));
    let path = path.with(Label::of("test last"));
    let names = path.names();
    assert_eq!(names.len(), DEPTH);
    assert_eq!(names.last(), Some(&"test last"));
}

#[test]
fn many_writers_and_a_reader_see_whole_records_only() {
    static RING: ring::Ring = ring::Ring::new();
    let writers: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                for number in 0..30_000_u64 {
                    RING.record(Record {
                        path: u128::from(number),
                        start: number,
                        duration: number + 1,
                        own: number + 2,
                        busy: number + 3,
                    });
                }
            })
        })
        .collect();
    let mut seen = 0;
    while writers.iter().any(|writer| !writer.is_finished()) || seen == 0 {
        for record in RING.all() {
            seen += 1;
            assert_eq!(record.path, u128::from(record.start));
            let wanted = [1, 2, 3].map(|more| record.start + more);
            assert_eq!([record.duration, record.own, record.busy], wanted);
        }
    }
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(RING.all().count(), CAPACITY);
}
