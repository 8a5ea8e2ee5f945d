//! A warehouse, for debuggers: functions, a loop, nested data, a panic, threads, a counter.
//!
//! usage: prog-rust [stock | caught | uncaught | exit CODE | read | print N | count FILE | threads | child | exec]

use std::collections::BTreeMap;
use std::io::BufRead as _;

#[derive(Clone, Debug)]
#[allow(dead_code, reason = "read by the debugger alone")]
struct Address {
    street: String,
    city: String,
}

#[derive(Clone, Debug)]
#[allow(dead_code, reason = "read by the debugger alone")]
enum Kind {
    Small,
    Heavy { kilos: f64 },
}

#[derive(Clone, Debug)]
#[allow(dead_code, reason = "read by the debugger alone")]
struct Item {
    name: String,
    price: i64,
    quantity: i64,
    kind: Kind,
    from: Option<Address>,
}

#[inline(never)]
fn price_of(item: &Item) -> i64 {
    let price = item.price * item.quantity; // MARK: price
    std::hint::black_box(price) // MARK: price-return
}

#[inline(never)]
fn total_of(items: &[Item]) -> i64 {
    let mut total = 0;
    for item in items {
        let cost = price_of(item); // MARK: loop-call
        total += cost; // MARK: loop
    }
    total // MARK: total
}

fn stock() {
    let from = Address { street: "Main Street 1".to_owned(), city: "Köln".to_owned() };
    let item = |name: &str, price, quantity, kind| Item {
        name: name.to_owned(),
        price,
        quantity,
        kind,
        from: Some(from.clone()),
    };
    let items = vec![
        item("bolt", 2, 10, Kind::Small),
        item("nut", 1, 25, Kind::Small),
        item("gear", 40, 3, Kind::Heavy { kilos: 1.5 }),
    ];
    let nested: BTreeMap<&str, Vec<Option<u8>>> = BTreeMap::from([("a", vec![Some(1), None])]);
    let numbers: Vec<u32> = (0..100_000).collect();
    let total = total_of(&items); // MARK: call
    println!("total {total}"); // MARK: print
    drop((nested, numbers)); // MARK: stock-return
}

fn uncaught() {
    let shelves: Vec<&str> = vec!["bolt"];
    panic!("no such shelf: {}", shelves.len()); // MARK: raise-uncaught
}

fn caught() {
    let result = "seven".parse::<u8>(); // MARK: raise-caught
    println!("caught {result:?}"); // MARK: caught
}

fn read() {
    for line in std::io::stdin().lock().lines() {
        println!("read {}", line.unwrap()); // MARK: read
    }
}

/// Counts in a file until it is ended: for attach and pause, and to see that it runs on.
fn count(path: &str) {
    for number in 1_u64.. {
        std::fs::write(path, number.to_string()).unwrap(); // MARK: count
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

fn threads() {
    let work = |name: &str| {
        for step in 0..3 {
            println!("{name} step {step}"); // MARK: worker
        }
    };
    let spawn = |name: &'static str| {
        let builder = std::thread::Builder::new().name(name.to_owned());
        builder.spawn(move || work(name)).unwrap()
    };
    for worker in [spawn("worker-0"), spawn("worker-1")] {
        worker.join().unwrap(); // MARK: join
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect(); // MARK: main
    let mode = arguments.get(1).map_or("stock", String::as_str);
    let argument = arguments.get(2).map_or("", String::as_str);
    match mode {
        "stock" => stock(),
        "caught" => caught(),
        "uncaught" => uncaught(),
        "exit" => std::process::exit(argument.parse().unwrap()),
        "read" => read(),
        "print" => (0..argument.parse::<u64>().unwrap()).for_each(|n| println!("line {n}")),
        "count" => count(argument),
        "threads" => threads(),
        "child" => {
            let child = std::process::Command::new("/proc/self/exe").arg("stock").status();
            println!("child exited {}", child.unwrap().code().unwrap());
        }
        "exec" => {
            use std::os::unix::process::CommandExt as _;
            let error = std::process::Command::new("/proc/self/exe").arg("stock").exec();
            panic!("exec: {error}");
        }
        _ => std::process::exit(2),
    }
}
