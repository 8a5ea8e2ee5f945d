// Three functions that take 70, 20 and 10 percent of the time, for profilers.
//
// usage: hot.js SECONDS

function seventy(seed) {
  for (let i = 0; i < 700000; i++) {
    seed = (seed * 33 + 17) % 1000003;
  }
  return seed;
}

function twenty(seed) {
  for (let i = 0; i < 200000; i++) {
    seed = (seed * 33 + 17) % 1000003;
  }
  return seed;
}

function ten(seed) {
  for (let i = 0; i < 100000; i++) {
    seed = (seed * 33 + 17) % 1000003;
  }
  return seed;
}

function main(seconds) {
  const end = performance.now() + seconds * 1000;
  let seed = 1;
  while (performance.now() < end) {
    seed = seventy(twenty(ten(seed)));
  }
  console.log(seed);
}

main(Number(process.argv[2] ?? 5));
