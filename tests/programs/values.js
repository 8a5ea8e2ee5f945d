// One variable of every kind that a program has, for debuggers: what each row shows is in a table of the tests.
class Node {
  constructor(name, kids) {
    this.name = name;
    this.kids = kids;
  }
}

function main() {
  const count = 42;
  const big = 9007199254740993n;
  const pi = 3.5;
  const yes = true;
  const none = null;
  const missing = undefined;
  const text = 'röot 🎉';
  const list = [3, 1, 2];
  const many = Array.from({ length: 100 }, (_, i) => i);
  const bytes = new Uint8Array([1, 2, 3]);
  const plain = { a: [1, 2, 3], b: 'x' };
  const map = new Map([['a', 1]]);
  const set = new Set([5]);
  const root = new Node('root', [new Node('leaf', [])]);
  const day = new Date(2026, 10, 24);
  const pattern = /a+/g;
  const failure = new RangeError('bad');
  const symbol = Symbol('tag');
  const done = Promise.resolve(7);
  const arrow = (x) => x + count;
  const nothing = NaN;
  console.log(count); // MARK: values
  return [big, pi, yes, none, missing, text, list, many, bytes, plain, map, set, root, day, pattern, failure, symbol, done, arrow, nothing];
}

main();
