// A memory in Node that speaks wire/1: one JSON-RPC message a line. memgauge systems check "wire:command=node examples/toy.mjs"
import { createInterface } from "node:readline";

const scopes = new Map();
const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const kept = ({ scope }) => {
  const key = JSON.stringify([scope.tenant, scope.user, scope.agent, scope.session]);
  return scopes.get(key) ?? scopes.set(key, []).get(key);
};
const methods = {
  hello: () => ({ protocol: "wire/1", name: "toy-node", version: "1", offers: ["erasable"],
                  capabilities: { reports_changes: true, declares_sources: true } }),
  ingest: (given) => ({ changes: given.turns.map((turn) => {
    kept(given).push({ id: turn.id, text: turn.text, sources: [turn.id] });
    return { op: "add", memory: turn.id };
  }) }),
  flush: () => ({}),
  search: (given) => {
    const asked = new Set(words(given.query));
    const scored = kept(given).map((memory) => ({ memory, score: words(memory.text).filter((w) => asked.has(w)).length }));
    return { score_kind: "similarity", hits: scored.sort((a, b) => b.score - a.score).slice(0, given.k) };
  },
  dump: (given) => ({ memories: kept(given) }),
  erase: (given) => (kept(given).length = 0, {}),
  reset: () => (scopes.clear(), {}),
  close: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  let reply = { error: { code: -32601, message: `there is no method ${method}` } };
  try { if (method in methods) reply = { result: methods[method](params) }; }
  catch (error) { reply = { error: { code: -32000, message: String(error) } }; }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
}
