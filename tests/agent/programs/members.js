// What members pay, by the plan that their record names.
const PLANS = { basic: { price: 5 }, plus: { price: 9 }, team: { price: 25 } };

function records(count) {
  const names = Object.keys(PLANS);
  const lines = [];
  for (let number = 0; number < count; number += 1) {
    const plan = names[(number * 7) % names.length];
    lines.push(`${number};${number === 613 ? `${plan} ` : plan};${1 + (number % 12)}`);
  }
  return lines;
}

function parse(line) {
  const [id, plan, months] = line.split(';');
  return { id: Number(id), plan, months: Number(months) };
}

function due(member) {
  const plan = PLANS[member.plan];
  return plan.price * member.months;
}

function total(lines) {
  return lines.map(parse).reduce((sum, member) => sum + due(member), 0);
}

console.log('due:', total(records(1000)));
