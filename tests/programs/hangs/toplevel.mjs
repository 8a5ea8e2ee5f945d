// A module's own statements await an async function that awaits a promise whose resolve function was thrown away. A server keeps the process there.
import { createServer } from "node:http";

createServer(() => {}).listen(0, "127.0.0.1");
const ready = new Promise(() => {});

async function connect() {
  await ready;
}

await connect();
