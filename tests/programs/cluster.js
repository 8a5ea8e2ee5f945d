// A cluster of two workers, for debuggers: each computes something, tells it to the primary and leaves.
'use strict';
const cluster = require('node:cluster');

function share(number) {
  const part = number * 100;
  return part; // MARK: share
}

if (cluster.isPrimary) {
  let total = 0;
  for (let i = 0; i < 2; i++) {
    cluster.fork().on('message', (part) => {
      total += part; // MARK: sum
    });
  }
  let left = 2;
  cluster.on('exit', () => {
    left -= 1;
    if (left === 0) {
      console.log(`together ${total}`); // MARK: end
    }
  });
} else {
  process.send(share(cluster.worker.id), () => process.disconnect());
}
