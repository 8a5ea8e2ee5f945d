//! Values to look at as data.

use std::borrow::Cow;
use std::collections::BTreeMap;

pub struct Order {
    pub id: u32,
    pub customer: String,
    pub price: f64,
}

fn main() {
    let orders: Vec<Order> = (0..300)
        .map(|id| Order { id, customer: format!("cust{id}"), price: f64::from(id) * 1.5 })
        .collect();
    let counts: BTreeMap<&str, i32> = [("a", 1), ("b", 2)].into();
    let line = vec![1.0, 4.0, 2.5];
    let names: Vec<Cow<str>> = vec!["a".into(), String::from("b").into(), "c".into(), "a".into()];
    let chosen: Vec<&Order> = orders.iter().skip(1).take(2).collect();
    let sum: f64 = chosen.iter().map(|o| o.price + f64::from(o.id) + o.customer.len() as f64).sum();
    println!("{} {} {} {} {sum}", orders.len(), counts.len(), line.len(), names.len()); // MARK: stop
}
