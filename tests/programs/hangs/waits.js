// Merely waits: for a timer, through two async functions and a promise of all.
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function nap() {
  await pause(1_000_000);
}

async function main() {
  await Promise.all([nap(), pause(2_000_000)]);
}

main();
