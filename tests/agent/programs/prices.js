// Prices in the buyer's currency, which are looked up once.
const RATES = { EUR: 1, USD: 1.1, SEK: 11.4 };
const BASE = { lamp: 40, desk: 220, chair: 95 };

const known = new Map();

function price(item, currency) {
  const key = item;
  if (!known.has(key)) {
    known.set(key, Math.round(BASE[item] * RATES[currency]));
  }
  return known.get(key);
}

function invoice(order) {
  let total = 0;
  for (const { item, count } of order.lines) {
    const each = price(item, order.currency);
    total += each * count;
  }
  return `${total} ${order.currency}`;
}

const orders = [
  { currency: 'EUR', lines: [{ item: 'lamp', count: 2 }, { item: 'chair', count: 4 }] },
  { currency: 'USD', lines: [{ item: 'desk', count: 1 }] },
  { currency: 'SEK', lines: [{ item: 'chair', count: 1 }, { item: 'desk', count: 1 }] },
];
console.log(orders.map(invoice).join('; '));
