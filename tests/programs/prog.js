// A warehouse, for debuggers: functions, a loop, nested data, exceptions, a counter, a child.
//
// usage: prog.js [stock | caught | uncaught | exit CODE | read | print N | count FILE | child]
'use strict';
const fs = require('node:fs');

function priceOf(item) {
  const bytes = new Uint8Array([20, 0, 0, 0]);
  let price = item.price * item.quantity; // MARK: price
  return price + (bytes[0] - 20); // MARK: price-return
}

function totalOf(items) {
  let total = 0;
  for (const item of items) {
    const cost = priceOf(item); // MARK: loop-call
    total += cost; // MARK: loop
  }
  return total; // MARK: total
}

function stock() {
  const from = { street: 'Hauptstraße 1', city: 'Köln' };
  const items = [
    { name: 'bolt', price: 2, quantity: 10, from },
    { name: 'nut', price: 1, quantity: 25, from },
    { name: 'gear', price: 40, quantity: 3, from },
  ];
  const nested = { a: { b: { c: [1, [2, 3], { d: null }] } }, empty: {} };
  const numbers = Array.from({ length: 100000 }, (_, i) => i);
  const total = totalOf(items); // MARK: call
  console.log(`total ${total}`); // MARK: print
  return [total, nested, numbers]; // MARK: stock-return
}

function caught() {
  try {
    throw new Error('missing'); // MARK: raise-caught
  } catch (error) {
    console.log(`caught ${error.message}`); // MARK: caught
  }
}

function uncaught() {
  const shelf = ['bolt'];
  throw new Error(`no such shelf: ${shelf.length}`); // MARK: raise-uncaught
}

function read() {
  const lines = require('node:readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => console.log(`read ${line}`)); // MARK: read
}

// Counts in a file until it is ended: for attach and pause, and to see that it runs on.
function count(path) {
  let number = 0;
  setInterval(() => {
    number += 1; // MARK: count
    fs.writeFileSync(path, String(number));
  }, 10);
}

function child() {
  require('node:child_process')
    .fork(__filename, ['stock'])
    .on('exit', (code) => console.log(`child exited ${code}`));
}

const [mode = 'stock', argument = ''] = process.argv.slice(2); // MARK: main
if (mode === 'stock') stock();
else if (mode === 'caught') caught();
else if (mode === 'uncaught') uncaught();
else if (mode === 'exit') process.exit(Number(argument));
else if (mode === 'read') read();
else if (mode === 'print') for (let n = 0; n < Number(argument); n++) console.log(`line ${n}`);
else if (mode === 'count') count(argument);
else if (mode === 'child') child();
else process.exit(2);
