// An async function awaits a promise whose resolve function was thrown away, and another one awaits it. A server keeps the process there.
const { createServer } = require("node:http");

createServer(() => {}).listen(0, "127.0.0.1");
const ready = new Promise(() => {});

async function connect() {
  await ready;
}

async function main() {
  await connect();
}

main();
