// One page of a value, for whoever looks at it from outside: read, never changed. No getter and no method of the program's own is called.
// It gives JSON.
(value, asked) => {
  const MOST = 300, CELLS = 20000, NAMES = 2000, DISTINCT = 1000;
  const end = Date.now() + asked.seconds * 1000;
  class Refused { constructor(text) { this.text = text; } }
  let ticks = 0;
  const tick = () => { if (!(++ticks & 1023) && Date.now() > end) throw new Refused(`This takes longer than ${asked.seconds} s.`); };
  const ABSENT = Symbol("absent"), GETTER = Symbol("getter");
  const field = (o, key) => {
    const d = Object.getOwnPropertyDescriptor(o, key);
    return !d ? ABSENT : "value" in d ? d.value : GETTER;
  };
  const isList = (v) => Array.isArray(v) || (ArrayBuffer.isView(v) && !(v instanceof DataView));
  const named = (v) => { const c = Object.getPrototypeOf(v); const d = c && Object.getOwnPropertyDescriptor(c, "constructor"); return (d && typeof d.value === "function" && String(field(d.value, "name") === ABSENT ? "" : field(d.value, "name"))) || "Object"; };
  const shown = (v, deep = 2) => {
    if (v === ABSENT) return "";
    if (v === GETTER) return "(getter)";
    if (typeof v === "string") return JSON.stringify(v.slice(0, MOST)) + (v.length > MOST ? "…" : "");
    if (typeof v === "bigint") return `${v}n`;
    if (typeof v === "symbol") return v.toString();
    if (typeof v === "function") return `function ${String(field(v, "name") === ABSENT ? "" : field(v, "name"))}`;
    if (v === null || typeof v !== "object") return Object.is(v, -0) ? "-0" : String(v);
    if (v instanceof Date) return Number.isNaN(Date.prototype.getTime.call(v)) ? "Invalid Date" : Date.prototype.toISOString.call(v);
    if (v instanceof RegExp) return RegExp.prototype.toString.call(v);
    if (isList(v)) {
      const some = deep ? Array.from({ length: Math.min(v.length, 8) }, (_, i) => shown(field(v, i), deep - 1)) : ["…"];
      return `[${some.join(", ")}${v.length > 8 && deep ? ", …" : ""}]`;
    }
    if (v instanceof Map || v instanceof Set) return `${named(v)}(${Object.getOwnPropertyDescriptor((v instanceof Map ? Map : Set).prototype, "size").get.call(v)})`;
    const name = named(v), keys = Object.keys(v);
    const some = deep ? keys.slice(0, 8).map((k) => `${k}: ${shown(field(v, k), deep - 1)}`) : ["…"];
    return `${name === "Object" ? "" : name + " "}{${some.join(", ")}${keys.length > 8 && deep ? ", …" : ""}}`;
  };
  const cell = (v) => {
    if (v === null || v === undefined || typeof v === "boolean") return v === undefined ? { shown: "undefined" } : v;
    if (typeof v === "number" && Number.isFinite(v)) return v;
    if (typeof v === "string") return v.length <= MOST ? v : { shown: v.slice(0, MOST) + "…" };
    return { shown: shown(v) };
  };
  const text = (v) => { const c = cell(v); return c === null ? "" : typeof c === "object" ? c.shown : String(c); };
  const number = (v) => typeof v === "number" && !Number.isNaN(v) ? v : typeof v === "bigint" ? Number(v) : null;
  const isNull = (v) => v === null || v === undefined || v === ABSENT || (typeof v === "number" && Number.isNaN(v));
  const isRecord = (v) => v !== null && typeof v === "object" && !isList(v) && !(v instanceof Date) && !(v instanceof RegExp) && !(v instanceof Map) && !(v instanceof Set);

  const listed = (list, labels) => {
    const first = Array.from({ length: Math.min(list.length, 50) }, (_, i) => field(list, i));
    const some = first.find((v) => v !== null && v !== undefined && v !== ABSENT);
    const rows = { n: list.length, labels };
    const isPlain = (v) => { tick(); return v !== null && v !== undefined && v !== ABSENT && !isRecord(v) && !isList(v); };
    // What has no columns would have an empty row; of very many only the first are looked at.
    let mixed = some === undefined || isPlain(some);
    for (let i = 0; !mixed && i < Math.min(list.length, 100000); i++) mixed = isPlain(field(list, i));
    if (!mixed) {
      const keys = new Set();
      for (const v of first) if (v !== null && typeof v === "object") for (const k of Object.keys(v)) keys.add(k);
      rows.names = [...keys];
      rows.at = (i, j) => { const v = field(list, i); return v !== null && typeof v === "object" ? field(v, rows.names[j]) : ABSENT; };
    } else {
      rows.names = ["value"];
      rows.at = (i) => field(list, i);
    }
    return rows;
  };
  const tableOf = (v) => {
    if (v === null || typeof v !== "object") return null;
    if (isList(v)) return listed(v);
    if (v instanceof Set) return listed([...Set.prototype.values.call(v)]);
    if (v instanceof Map) { const all = [...Map.prototype.entries.call(v)]; return listed(all.map((e) => e[1]), (i) => text(all[i][0])); }
    if (!isRecord(v)) return null;
    const keys = Object.keys(v);
    if (!keys.length) return null;
    const size = (k) => { const e = field(v, k); return isList(e) ? e.length : null; };
    const n = size(keys[0]);
    if (n && keys.slice(0, 1000).every((k) => size(k) === n)) return { n, names: keys, at: (i, j) => { const e = field(v, keys[j]); return isList(e) ? field(e, i) : ABSENT; } };
    return listed(keys.map((k) => field(v, k)), (i) => keys[i]);
  };
  const kind = (rows, j) => {
    const seen = new Set();
    for (let i = 0; i < Math.min(rows.n, 50); i++) { const v = rows.at(i, j); if (!isNull(v)) seen.add(v === GETTER ? "getter" : typeof v === "object" ? named(v) : typeof v); }
    return [...seen].slice(0, 3).join("|");
  };
  const find = (rows, name) => { const j = rows.names.indexOf(name); if (j < 0) throw new Refused(`There is no column '${name}'.`); return j; };
  const rank = (v) => { const f = number(v); return f === null ? [1, text(v)] : [0, f]; };
  const compare = (a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0);
  const holds = (v, op, wanted) => {
    if (op === "~") return text(v).toLowerCase().includes(wanted.toLowerCase());
    const f = number(v), w = wanted.trim() === "" ? NaN : Number(wanted);
    if (isNull(v)) return op === (["None", "null", "nil", "undefined", "NaN"].includes(wanted) ? "=" : "!=");
    const c = f !== null && !Number.isNaN(w) ? f - w : compare([0, text(v)], [0, wanted]);
    return { "=": c === 0, "!=": c !== 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0 }[op];
  };
  const order = (rows) => {
    if (!asked.sort && !asked.filter.length) return null;
    let at = [];
    const terms = asked.filter.map(([name, op, wanted]) => [name ? [find(rows, name)] : rows.names.slice(0, 50).map((_, j) => j), op, wanted]);
    for (let i = 0; i < rows.n; i++) { tick(); if (terms.every(([js, op, wanted]) => js.some((j) => holds(rows.at(i, j), op, wanted)))) at.push(i); }
    if (asked.sort) {
      const j = find(rows, asked.sort[0]), sign = asked.sort[1] ? -1 : 1;
      const keys = new Map(at.map((i) => [i, isNull(rows.at(i, j)) ? null : rank(rows.at(i, j))]));
      const good = at.filter((i) => keys.get(i)), none = at.filter((i) => !keys.get(i));
      at = good.sort((a, b) => { tick(); return sign * compare(keys.get(a), keys.get(b)) || a - b; }).concat(none);
    }
    return at;
  };
  const limits = ([a, b], total, most) => { a = Math.min(Math.max(a, 0), total); return [a, Math.max(a, Math.min(b, total, a + most))]; };
  const summary = (rows, j, at) => {
    const n = at ? at.length : rows.n, seen = new Set(), good = [];
    let none = 0, low = null, high = null;
    for (let k = 0; k < n; k++) {
      tick();
      const v = rows.at(at ? at[k] : k, j);
      if (isNull(v)) { none++; continue; }
      const r = rank(v);
      if (!low || compare(r, low[0]) < 0) low = [r, v];
      if (!high || compare(r, high[0]) > 0) high = [r, v];
      if (r[0] === 0 && Number.isFinite(r[1])) good.push(r[1]);
      if (seen.size <= DISTINCT) seen.add(`${r}`);
    }
    const s = { name: rows.names[j], type: kind(rows, j), count: n, none, distinct: Math.min(seen.size, DISTINCT), distinct_more: seen.size > DISTINCT };
    if (low) Object.assign(s, { min: cell(low[1]), max: cell(high[1]) });
    if (good.length && good.length === n - none) {
      s.mean = good.reduce((a, b) => a + b, 0) / good.length;
      s.deviation = Math.sqrt(good.reduce((a, b) => a + (b - s.mean) ** 2, 0) / good.length);
    }
    return [s, good];
  };
  const ofNumbers = (rows) => rows.names.slice(0, 50).findIndex((_, j) => Array.from({ length: Math.min(rows.n, 20) }).some((_, i) => number(rows.at(i, j)) !== null));
  const show = {
    table: (rows) => {
      const at = order(rows), total = at ? at.length : rows.n;
      const [c, d] = limits(asked.columns, rows.names.length, NAMES), [a, b] = limits(asked.rows, total, Math.max(1, Math.floor(CELLS / Math.max(1, d - c))));
      const some = Array.from({ length: b - a }, (_, k) => (at ? at[a + k] : a + k));
      const columns = Array.from({ length: d - c }, (_, k) => ({ name: rows.names[c + k], type: kind(rows, c + k) }));
      return { columns, first_column: c, width: rows.names.length, first: a, total, all: rows.n, labels: some.map((i) => (rows.labels ? rows.labels(i) : String(i))), rows: some.map((i) => columns.map((_, k) => { tick(); return cell(rows.at(i, c + k)); })) };
    },
    stats: (rows) => { const at = order(rows), [c, d] = limits(asked.columns, rows.names.length, 200); return Array.from({ length: d - c }, (_, k) => summary(rows, c + k, at)[0]); },
    series: (rows) => {
      const j = asked.column ? find(rows, asked.column) : ofNumbers(rows), at = order(rows);
      const [s, good] = summary(rows, j, at);
      if (!good.length) throw new Refused("There are no numbers in this column.");
      const n = at ? at.length : rows.n, step = Math.ceil(n / Math.max(1, asked.points >> 1)), points = [];
      for (let k = 0; k < n; k += step) {
        let low = Infinity, high = -Infinity;
        for (let i = k; i < Math.min(n, k + step); i++) { tick(); const f = number(rows.at(at ? at[i] : i, j)); if (f !== null && Number.isFinite(f)) { low = Math.min(low, f); high = Math.max(high, f); } }
        points.push(low <= high ? [low, high] : null);
      }
      const low = good.reduce((a, b) => Math.min(a, b)), high = good.reduce((a, b) => Math.max(a, b)), bins = new Array(40).fill(0), wide = (high - low) / bins.length || 1;
      for (const f of good) bins[Math.min(Math.floor((f - low) / wide), bins.length - 1)]++;
      return { ...s, step, points, bins, low, high };
    },
    text: () => {
      const [a, b] = limits(asked.rows, value.length, 200000), is = (i, bits) => (value.charCodeAt(i) & 0xfc00) === bits;
      // A surrogate pair is not cut in two.
      const cut = (i) => (is(i - 1, 0xd800) && is(i, 0xdc00) ? i - 1 : i), data = value.slice(cut(a), cut(b));
      return { first: a, end: b, total: value.length, data: data.toWellFormed ? data.toWellFormed() : data };
    },
    bytes: () => {
      const raw = new Uint8Array(value.buffer, value.byteOffset, value.byteLength), [a, b] = limits(asked.rows, raw.length, 200000);
      let out = "";
      for (let i = a; i < b; i++) out += String.fromCharCode(raw[i]);
      return { first: a, total: raw.length, data: btoa(out) };
    },
  };
  const out = { kind: value === null ? "null" : typeof value === "object" ? named(value) : typeof value, views: [], notes: [] };
  try {
    const rows = tableOf(value);
    if (typeof value === "string") { out.views.push("text"); out.shape = `${value.length}`; }
    if (rows) { out.views.push("table", "stats"); if (ofNumbers(rows) >= 0) out.views.push("series"); out.shape = rows.names.length === 1 ? `${rows.n}` : `${rows.n} × ${rows.names.length}`; }
    if (ArrayBuffer.isView(value)) out.views.push("bytes");
    out.view = asked.view || out.views[0] || "tree";
    if (out.view !== "tree" && !out.views.includes(out.view)) throw new Refused(`This ${out.kind} cannot be shown as ${out.view}${out.views.length ? "; it can as " + out.views.join(", ") : ""}.`);
    if (out.view !== "tree") out.content = show[out.view](rows);
  } catch (why) {
    out.error = why instanceof Refused ? why.text : `${why}`;
  }
  return JSON.stringify(out);
}
