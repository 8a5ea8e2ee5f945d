// A warehouse, for debuggers of translated code: what runs is JavaScript, what is debugged is this.
//
// usage: prog.ts [stock | caught | uncaught | exit CODE | read | print N | count FILE | child]
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

// Types that leave nothing behind, so that lines differ from those that run.
interface Address {
  street: string;
  city: string;
}

interface Item {
  name: string;
  price: number;
  quantity: number;
  from: Address;
}

type Mode = 'stock' | 'caught' | 'uncaught' | 'exit' | 'read' | 'print' | 'count' | 'child';

function priceOf(item: Item): number {
  const bytes: Uint8Array = new Uint8Array([20, 0, 0, 0]);
  let price: number = item.price * item.quantity; // MARK: price
  return price + (bytes[0]! - 20); // MARK: price-return
}

function totalOf(items: readonly Item[]): number {
  let total = 0;
  for (const item of items) {
    const cost = priceOf(item); // MARK: loop-call
    total += cost; // MARK: loop
  }
  return total; // MARK: total
}

function stock(): unknown[] {
  const from: Address = { street: 'Hauptstraße 1', city: 'Köln' };
  const items: Item[] = [
    { name: 'bolt', price: 2, quantity: 10, from },
    { name: 'nut', price: 1, quantity: 25, from },
    { name: 'gear', price: 40, quantity: 3, from },
  ];
  const nested = { a: { b: { c: [1, [2, 3], { d: null }] } }, empty: {} };
  const numbers: number[] = Array.from({ length: 100000 }, (_, i) => i);
  const total = totalOf(items); // MARK: call
  console.log(`total ${total}`); // MARK: print
  return [total, nested, numbers]; // MARK: stock-return
}

function caught(): void {
  try {
    throw new Error('missing'); // MARK: raise-caught
  } catch (error) {
    console.log(`caught ${(error as Error).message}`); // MARK: caught
  }
}

function uncaught(): never {
  const shelf: string[] = ['bolt'];
  throw new Error(`no such shelf: ${shelf.length}`); // MARK: raise-uncaught
}

function read(): void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line: string) => console.log(`read ${line}`)); // MARK: read
}

/** Counts in a file until it is ended: for attach and pause, and to see that it runs on. */
function count(path: string): void {
  let number = 0;
  setInterval(() => {
    number += 1; // MARK: count
    writeFileSync(path, String(number));
  }, 10);
}

function child(): void {
  fork(__filename, ['stock']).on('exit', (code: number | null) => console.log(`child exited ${code}`));
}

const mode = (process.argv[2] ?? 'stock') as Mode; // MARK: main
const argument: string = process.argv[3] ?? '';
switch (mode) {
  case 'stock':
    stock();
    break;
  case 'caught':
    caught();
    break;
  case 'uncaught':
    uncaught();
    break;
  case 'exit':
    process.exit(Number(argument));
    break;
  case 'read':
    read();
    break;
  case 'print':
    for (let n = 0; n < Number(argument); n++) console.log(`line ${n}`);
    break;
  case 'count':
    count(argument);
    break;
  case 'child':
    child();
    break;
}
