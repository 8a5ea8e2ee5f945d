// Runs inside the debuggee, and only looks: which async functions are suspended, what each of them awaits, and what keeps the event loop alive. It
// asks the engine for the heap as it is, and its inspector, which a debugger has loaded already, for files; a promise that no code can reach the
// resolve or reject function of, and no native work holds, is never settled. The answer is JSON.
(mostWaiters, mostBytes) => {
  const notes = [];
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo?.() ?? []) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const alive = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
  notes.push(alive ? `What keeps the event loop alive: ${alive}.` : "Nothing keeps the event loop alive.");
  const done = (waiters) => JSON.stringify({ waiters: waiters.slice(0, mostWaiters), left_out: Math.max(0, waiters.length - mostWaiters), notes });
  const builtin = process.getBuiltinModule ?? process.mainModule?.require.bind(process.mainModule) ?? (typeof require === "function" ? require : undefined);
  const used = process.memoryUsage().heapUsed;
  if (!builtin || used > mostBytes) {
    notes.push(builtin ? `Promises were not looked at: the heap has ${used >> 20} MiB, which takes too long.` : "Promises were not looked at: this Node has no way to ask its inspector.");
    return done([]);
  }
  const session = new (builtin("inspector").Session)();
  const scripts = new Map();
  let text = "";
  session.connect();
  try {
    session.on("Debugger.scriptParsed", ({ params }) => scripts.set(+params.scriptId, params.url));
    session.post("Debugger.enable");
  } finally {
    session.disconnect();
  }
  // The inspector hands its own out later, from Node 24 on.
  const snapshot = builtin("v8").getHeapSnapshot();
  for (let chunk; (chunk = snapshot.read()) !== null;) text += chunk;
  const { snapshot: { meta }, nodes, edges, strings, locations } = JSON.parse(text);
  const [nodeSize, edgeSize, nodeTypes, edgeTypes] = [meta.node_fields.length, meta.edge_fields.length, meta.node_types[0], meta.edge_types[0]];
  const name = (node) => strings[nodes[node + 1]];
  const isPromise = (node) => nodeTypes[nodes[node]] === "object" && name(node) === "Promise";
  // What goes out of the few nodes that matter, and what comes into promises.
  const out = new Map(), into = new Map(), generators = [];
  let edge = 0;
  for (let node = 0; node < nodes.length; node += nodeSize) {
    const isOne = name(node) === "system / WeakFixedArray" && nodes[node + 4] < 4;
    const keep = isOne || /^(Generator|Promise|system \/ (PromiseReaction|Context))$/.test(name(node)) ? [] : undefined;
    for (let count = nodes[node + 4]; count > 0; count--, edge += edgeSize) {
      const to = edges[edge + 2], type = edgeTypes[edges[edge]];
      const label = type === "element" || type === "hidden" ? edges[edge + 1] : strings[edges[edge + 1]];
      keep?.push({ to, type, label });
      if (isPromise(to)) (into.get(to) ?? into.set(to, []).get(to)).push({ from: node, type, label });
    }
    if (keep) out.set(node, keep);
    if (name(node) === "Generator" && keep.some((e) => e.label === "function")) generators.push(node);
  }
  const target = (node, label) => out.get(node)?.find((e) => e.label === label)?.to;
  const places = new Map();
  for (let at = 0; at < locations.length; at += 4) places.set(locations[at], [locations[at + 1], locations[at + 2] + 1, locations[at + 3]]);
  // Where among its fields the engine keeps it differs.
  const result = new Map(generators.map((node) => [out.get(node).find((e) => e.type === "hidden" && isPromise(e.to))?.to, node]));
  const pathOf = (code) => (scripts.get(places.get(code)?.[0]) ?? "").replace(/^file:\/\//, "");
  /** An async function's name; a module's own statements have none. */
  const nameOf = (code) => {
    const [, line, column] = places.get(code) ?? [];
    return name(code) || (line === 1 && column === 0 ? `the top level of ${decodeURI(pathOf(code)).split("/").pop()}` : "");
  };
  const reactionOf = new Map();
  for (const promise of into.keys()) reactionOf.set(target(promise, "reactions_or_result"), promise);
  /** The promise that a generator awaits: newer engines have a weak reference between the two. */
  const awaited = (generator) => {
    for (const promise of into.keys()) {
      const leads = (e) => e.label === "<symbol>" && (e.to === generator || name(e.to) === "system / WeakFixedArray" && target(e.to, "0") === generator);
      if (out.get(promise)?.some(leads)) return promise;
    }
  };
  /** Who settles a promise, or why nobody does. */
  const settled = (promise, depth = 0) => {
    if (promise === undefined || depth > 50) return { what: "a promise" };
    const of = result.get(promise);
    if (of !== undefined) {
      const code = target(of, "function"), what = name(code) ? `${name(code)}()` : nameOf(code) || "an async function";
      return { what, holders: [`async ${nodes[of + 2]}`], how: "it awaits its result", certain: true };
    }
    for (const { from, type, label } of into.get(promise) ?? []) {
      if (type === "weak" || label === "<symbol>" || type === "context" || type === "element" || name(from) === "Generator") continue;
      if (type === "property" && name(from) === "Object") continue;
      if (name(from) === "system / PropertyArray" || name(from) === "(Global handles)" && type === "weak") continue;
      const parent = name(from) === "system / PromiseReaction" ? reactionOf.get(from) : undefined;
      if (parent !== undefined && parent !== promise) return settled(parent, depth + 1);
      return { what: "a promise that was not settled yet" };
    }
    return { what: "a promise that nothing can settle any more", how: "nothing has its resolve or reject function", never: true, certain: true };
  };
  const waiters = [];
  for (const generator of generators) {
    const code = target(generator, "function");
    const [, line] = places.get(code) ?? [];
    const path = pathOf(code);
    const promise = awaited(generator);
    if (!path || path.startsWith("node:") || promise === undefined) continue;
    const called = nameOf(code) || "(anonymous)";
    waiters.push({
      key: `async ${nodes[generator + 2]}`, kind: "async function", name: called,
      frames: [{ name: called, path: decodeURI(path), line, own: !path.includes("/node_modules/") }],
      wait: settled(promise),
    });
  }
  if (!waiters.length) notes.push("No waiting async function was found. One that began to wait before the debugger came is not seen, and one that awaits a promise which nothing holds (`await new Promise(() => {})`) is gone from memory and never goes on.");
  return done(waiters);
}
