//! Values to look at as data.

use std::borrow::Cow;
use std::collections::BTreeMap;

pub struct Order {
    pub id: u32,
    pub customer: String,
    pub price: f64,
}

pub enum Shape {
    Round(i32),
    Wide(i32, i32),
    Flat,
}

fn main() {
    let orders: Vec<Order> = (0..120)
        .map(|id| Order { id, customer: format!("cust{id}"), price: f64::from(id) * 1.5 })
        .collect();
    let counts: BTreeMap<&str, i32> = [("a", 1), ("b", 2)].into();
    let line = vec![1.0, 4.0, 2.5];
    let names: Vec<Cow<str>> = vec!["a".into(), String::from("b").into(), "c".into(), "a".into()];
    let grid = vec![vec![1, 2], vec![], vec![3]];
    let shapes = vec![Shape::Round(1), Shape::Wide(2, 3), Shape::Flat];
    let wide = |s: &Shape| match s { Shape::Round(n) => *n, Shape::Wide(a, b) => a + b, Shape::Flat => 0 };
    println!("{}", shapes.iter().map(wide).sum::<i32>());
    let chosen: Vec<&Order> = orders.iter().skip(1).take(2).collect();
    let sum: f64 = chosen.iter().map(|o| o.price + f64::from(o.id) + o.customer.len() as f64).sum();
    println!("{} {} {} {} {} {sum}", orders.len(), counts.len(), line.len(), names.len(), grid.len()); // MARK: stop
}
