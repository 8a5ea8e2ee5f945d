// An account with a store that answers later, and three who take from it at once.
const store = { balance: 100 };

const later = (value) => new Promise((done) => setTimeout(() => done(value), 5));

async function read() {
  return later(store.balance);
}

async function write(balance) {
  await later();
  store.balance = balance;
}

async function withdraw(name, amount) {
  const balance = await read();
  const left = balance - amount;
  await write(left);
}

async function day() {
  await Promise.all([withdraw('rent', 40), withdraw('food', 25), withdraw('bus', 10)]);
  return store.balance;
}

day().then((balance) => console.log(`left: ${balance}`));
