// Values to look at as data.
const orders = Array.from({ length: 120 }, (_, id) => ({ id, customer: `cust${id}`, price: id * 1.5 }));
const counts = new Map([["a", 1], ["b", 2]]);
const line = new Float64Array([1, 4, 2.5]);
const chosen = { a: [1, 2], b: ["x", "y"] };
const mixed = { list: [1, 2, 3], n: 5, o: { k: 1 }, on: new Date(0), get total() { throw new Error("called"); } };
const text = '{"a": [1, 2]}';
const hostile = [{ get total() { throw new Error("called"); }, name: "\u001b[31mred" }];

function look() {
  const all = [orders, counts, line, chosen, mixed, text, hostile];
  return all.length; // MARK: stop
}
look();
