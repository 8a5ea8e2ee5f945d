//! Two threads that lock two mutexes in opposite order; one of them dropped a guard of a third before.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

fn main() {
    let (left, right, third) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)), Arc::new(Mutex::new(3)));
    let both = Arc::new(Barrier::new(2));
    let (l, r, b) = (left.clone(), right.clone(), both.clone());
    let seller = thread::Builder::new().name("seller".to_owned());
    let seller = seller.spawn(move || {
        let early = third.lock().unwrap();
        drop(early);
        let first = l.lock().unwrap();
        b.wait();
        let second = r.lock().unwrap();
        *first + *second
    });
    let buyer = thread::Builder::new().name("buyer".to_owned());
    let buyer = buyer.spawn(move || {
        let first = right.lock().unwrap();
        both.wait();
        let second = left.lock().unwrap();
        *first + *second
    });
    println!("{}", seller.unwrap().join().unwrap() + buyer.unwrap().join().unwrap());
}
