//! One variable of every kind that a program has, for debuggers: what each row shows is in a table of the tests.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::error::Error;
use std::ffi::OsString;
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroU32, Wrapping};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Debug, Clone)]
enum Shape {
    Circle { r: f64 },
    Rect(f64, f64),
    Empty,
}

#[derive(Debug, Clone)]
struct Node {
    name: String,
    kids: Vec<Node>,
    shape: Shape,
}

#[derive(Debug)]
struct Order {
    id: u32,
    customer: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Level {
    Low,
    High,
}

struct Unit;

fn main() {
    let count = 42;
    let small = -7i8;
    let huge = 170_141_183_460_469_231_731_687_303_715_884_105_727u128;
    let pi = 3.5;
    let yes = true;
    let letter = 'x';
    let text = "röot 🎉";
    let owned = String::from("hello");
    let long = "ab".repeat(3000);
    let list = vec![3, 1, 2];
    let none_yet: Vec<i32> = Vec::new();
    let words = vec!["one".to_owned(), "two".to_owned()];
    let array = [1u8, 2, 3];
    let slice = &list[1..];
    let tuple = (1, "two", 3.0);
    let mut map = HashMap::new();
    map.insert("a".to_owned(), vec![1u32, 2, 3]);
    let sorted: BTreeMap<i32, &str> = [(1, "x"), (2, "y")].into();
    let set: HashSet<i32> = [5].into();
    let tree_set: BTreeSet<i32> = [1, 2].into();
    let queue: VecDeque<i32> = [1, 2, 3].into();
    let root = Node {
        name: "root".into(),
        kids: vec![Node {
            name: "leaf".into(),
            kids: vec![],
            shape: Shape::Rect(1.0, 2.0),
        }],
        shape: Shape::Empty,
    };
    let orders: Vec<Order> = (0..100)
        .map(|id| Order {
            id,
            customer: format!("cust{id}"),
        })
        .collect();
    let circle = Shape::Circle { r: 3.5 };
    let empty = Shape::Empty;
    let level = Level::High;
    let some = Some(Shape::Circle { r: 3.5 });
    let nothing: Option<i32> = None;
    let number = Some(5);
    let niche: Option<Box<i32>> = Some(Box::new(7));
    let good: Result<i32, String> = Ok(1);
    let bad: Result<i32, String> = Err("bad".into());
    let nested: Option<Result<Level, String>> = Some(Ok(Level::Low));
    let boxed = Box::new(9);
    let boxed_list: Box<[i32]> = Box::new([7, 8]);
    let boxed_text: Box<str> = "bs".into();
    let counted_text: Arc<str> = "ct".into();
    let counted_row: Rc<[i32]> = Rc::new([4, 5]);
    let no_row: Arc<[i32]> = Arc::new([]);
    let place: &Path = Path::new("/tmp/y");
    let local = IpAddr::V6(Ipv6Addr::LOCALHOST);
    let bytes: &[u8; 3] = b"a\x00\xff";
    let shared = Rc::new(5);
    let weak: Weak<i32> = Rc::downgrade(&shared);
    let cell = Cell::new(3);
    let cells = Rc::new(RefCell::new(vec![1, 2]));
    let locked = Arc::new(Mutex::new(vec![1, 2, 3]));
    let borrowed: Cow<'_, str> = Cow::Borrowed("cow");
    let pause = Duration::from_millis(1500);
    let path = PathBuf::from("/tmp/x");
    let os = OsString::from("os");
    let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 1));
    let non_zero = NonZeroU32::new(8).unwrap();
    let wrapping = Wrapping(6u8);
    let range = 1..4;
    let unit = Unit;
    let reference = &root;
    let raw = &raw const count;
    let object: Box<dyn Debug> = Box::new(5i32);
    let failure: Box<dyn Error> = "broken".into();
    let lent = RefCell::new(vec![7]);
    let reads = lent.borrow();
    let given = RefCell::new(vec![8]);
    let writes = given.borrow_mut();
    let closure = |x: i32| x + count;
    println!("{}", closure(1)); // MARK: values
    std::hint::black_box((
        &small, &huge, &pi, &yes, &letter, &text, &owned, &long, &list, &none_yet, &words, &array,
    ));
    std::hint::black_box((
        &slice, &tuple, &map, &sorted, &set, &tree_set, &queue, &root, &orders, &circle, &empty,
    ));
    std::hint::black_box((
        &level, &some, &nothing, &number, &niche, &good, &bad, &nested, &boxed, &weak, &cell,
    ));
    std::hint::black_box((
        &cells, &locked, &borrowed, &pause, &path, &os, &address, &non_zero, &wrapping, &range,
    ));
    std::hint::black_box((&unit, &reference, &raw, &object, &failure));
    std::hint::black_box((&boxed_list, &boxed_text, &bytes));
    std::hint::black_box((&counted_text, &counted_row, &no_row, &place, &local));
    std::hint::black_box((&lent, &reads, &given, &writes));
    std::hint::black_box(count); // MARK: conditions
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    std::hint::black_box(count);
    for round in 0..300 {
        std::hint::black_box(round); // MARK: rounds
    }
}
