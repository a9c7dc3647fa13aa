// Mastra's memory behind lines of JSON: {"op": …} comes in, {"result": …} or {"error": …} goes out.
// Where Mastra wants vectors, {"embed": [texts]} goes out in between, and a line with their vectors comes in.
const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");

const [packages] = process.argv.slice(2);
const installed = createRequire(packages + "/");
const { Memory } = installed("@mastra/memory");
const { LibSQLStore, LibSQLVector } = installed("@mastra/libsql");

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
let last = Promise.resolve();

// Mastra asks for the vectors of several messages at once: one question after the other.
function embed(values) {
  const vectors = last.then(async () => {
    say({ embed: values });
    return JSON.parse((await lines.next()).value);
  });
  last = vectors.catch(() => {});
  return vectors;
}

const embedder = {
  specificationVersion: "v2",
  provider: "memgauge",
  modelId: "memgauge",
  maxEmbeddingsPerCall: 1000,
  supportsParallelCalls: false,
  doEmbed: async ({ values }) => ({ embeddings: await embed(values), usage: { tokens: 0 } }),
};
const semanticRecall = { topK: 10, messageRange: 0, scope: "resource" };
const stores = new Map(); // by the file in which they lie

async function store(file) {
  if (!stores.has(file)) stores.set(file, await openOn(file));
  return stores.get(file);
}

async function openOn(file) {
  const url = "file:" + file;
  const storage = new LibSQLStore({ id: "messages", url });
  const vector = new LibSQLVector({ id: "vectors", url });
  const opened = { storage, vector, ranked: [] }; // what recall() found, before it puts messages in the order of time
  const query = vector.query.bind(vector);
  vector.query = async (asked) => {
    const rows = await query(asked);
    opened.ranked.push(...rows);
    return rows;
  };
  opened.memory = new Memory({ storage, vector, embedder, options: { lastMessages: false, semanticRecall } });
  await storage.init();
  opened.messages = await storage.getStore("memory");
  return opened;
}

const content = (text, metadata) => ({ format: 2, parts: [{ type: "text", text }], metadata });
const shown = (message) => ({
  id: message.id,
  text: message.content.parts.map((part) => part.text ?? "").join(""),
  metadata: message.content.metadata ?? {},
});
const stored = async ({ messages }, ids) => (await messages.listMessagesById({ messageIds: ids })).messages;

const ops = {
  async open() {},
  async close({ memory, storage, vector }, { file }) {
    stores.delete(file);
    await memory.settled();
    await vector.close?.();
    await storage.close?.();
  },
  async put({ memory, messages }, { scope, rows }) {
    if (!(await memory.getThreadById({ threadId: scope }))) {
      const now = new Date();
      const thread = { id: scope, resourceId: scope, title: "", createdAt: now, updatedAt: now, metadata: {} };
      await memory.saveThread({ thread });
    }
    const known = new Set((await stored({ messages }, rows.map((row) => row.id))).map((message) => message.id));
    const again = rows.filter((row) => known.has(row.id));
    const fresh = rows.filter((row) => !known.has(row.id));
    const changed = again.map(({ id, text, metadata }) => ({ id, content: content(text, metadata) }));
    const added = fresh.map(({ id, text, metadata, role, at }) => ({
      id, role, threadId: scope, resourceId: scope, type: "text", createdAt: new Date(at), content: content(text, metadata),
    }));
    if (changed.length) await memory.updateMessages({ messages: changed });
    if (added.length) await memory.saveMessages({ messages: added });
    await memory.settled();
  },
  async search(opened, { scope, query: vectorSearchString, k }) {
    opened.ranked = [];
    const threadConfig = { lastMessages: false, semanticRecall: { ...semanticRecall, topK: k } };
    const recalled = await opened.memory.recall({ threadId: scope, resourceId: scope, vectorSearchString, threadConfig });
    const scores = Object.fromEntries(opened.ranked.reverse().map((row) => [row.metadata.message_id, row.score]));
    return recalled.messages.map((message) => ({ ...shown(message), score: scores[message.id] ?? null }));
  },
  async list({ memory, messages }, { scope, ids }) {
    if (ids) return (await stored({ messages }, ids)).filter((message) => message.resourceId === scope).map(shown);
    return (await memory.recall({ threadId: scope, resourceId: scope, perPage: false })).messages.map(shown);
  },
  async drop({ memory }, { ids }) {
    await memory.deleteMessages(ids);
    await memory.settled();
  },
  async erase({ memory }, { scope }) {
    await memory.deleteThread(scope);
    await memory.settled();
  },
};

(async () => {
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const { op, ...given } = JSON.parse(line.value);
    try {
      say({ result: (await ops[op](await store(given.file), given)) ?? null });
    } catch (error) {
      say({ error: String(error?.message ?? error) });
    }
  }
})();
