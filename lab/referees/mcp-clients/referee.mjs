// What each release of the official clients says to tools and to results. It reads JSON Lines from standard input:
//
//   {id, tools}                            a list, whose tools are then called
//   {id, method, outputSchema, result}     a result
//
// and writes {id, answers} with an answer for each release, and for those that speak the protocol of 2026-07-28 one more,
// named such as "client-2.4.0 2026-07-28". The answer to a list is {list, left, calls}: why the client refuses the list, the
// warnings about tools that it leaves out, and why it does not call each of the tools that are left; to a result it is why the
// client refuses it. null means that it does not.
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const names = Object.keys(JSON.parse(readFileSync("package.json")).dependencies).filter((name) => /^(sdk|client)-/.test(name));
const clients = [];
for (const name of names) {
  const { Client } = await import(name.startsWith("sdk-") ? `${name}/client/index.js` : name);
  clients.push({ name, Client, era: "2025-11-25" });
  if (/^client-(?!.*alpha)/.test(name)) clients.push({ name: `${name} 2026-07-28`, Client, era: "2026-07-28" });
}

const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
const server = { name: "t", version: "1" };
const wait = { timeout: 2000 };
const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

// requests let a client ask for the result of a method.
const requests = {
  "tools/call": async (client) => {
    await client.listTools();
    await client.callTool({ name: "f", arguments: {} }, undefined, wait);
  },
  "prompts/list": (client) => client.listPrompts({}, wait),
  "prompts/get": (client) => client.getPrompt({ name: "f" }, wait),
  "resources/list": (client) => client.listResources({}, wait),
  "resources/templates/list": (client) => client.listResourceTemplates({}, wait),
  "resources/read": (client) => client.readResource({ uri: "a:b" }, wait),
  "completion/complete": (client) => client.complete({ ref: { type: "ref/prompt", name: "f" }, argument: { name: "a", value: "" } }, wait),
};

// Server is a transport to a server in this program, which answers with the results of methods.
class Server {
  constructor(results) {
    this.results = results;
  }
  async start() {}
  async close() {
    this.onclose?.();
  }
  async send({ id, method, params }) {
    if (id === undefined) return;
    const result = this.results[method];
    const answer = result ? { result: result(params) } : { error: { code: -32601, message: "Method not found" } };
    queueMicrotask(() => this.onmessage?.(structuredClone({ jsonrpc: "2.0", id, ...answer })));
  }
}

// late fails in the place of a client that drops an answer, and would wait for a minute.
const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), 500).unref());

// words returns why a promise is refused, or null.
const words = (promise) => Promise.race([promise, late()]).then(() => null, (error) => error.message);

// connected returns a client of a server with the results.
async function connected({ Client, era }, results) {
  const isModern = era === "2026-07-28";
  const client = new Client({ name: "referee", version: "1" }, isModern ? { versionNegotiation: { mode: { pin: era } } } : {});
  await client.connect(
    new Server({
      initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities, serverInfo: server }),
      "server/discover": () => ({ ...complete, supportedVersions: [era], capabilities, serverInfo: server }),
      ...results,
    }),
  );
  return client;
}

// warnings has the list of warnings about tools that a client leaves out.
const warnings = new AsyncLocalStorage();
console.warn = (text) => /^\[mcp-sdk\] excluding/.test(text) && warnings.getStore()?.push(text);

// list lets a client list tools, and call those that it has.
async function list(one, { tools }) {
  const added = one.era === "2026-07-28" ? complete : {};
  const left = [];
  warnings.enterWith(left);
  const client = await connected(one, {
    "tools/list": () => ({ ...added, tools }),
    // An isError is called without structuredContent.
    "tools/call": () => ({ ...added, content: [], isError: true }),
  });
  const calls = [];
  let kept = [];
  const refused = await words(client.listTools().then((listed) => (kept = listed.tools)));
  for (const { name } of kept) calls.push(await words(client.callTool({ name, arguments: {} })));
  await client.close();
  return { list: refused, left, calls };
}

// result lets a client make a request, and lists one tool to it.
async function result(one, { method, outputSchema, result }) {
  const tool = { name: "f", inputSchema: { type: "object" }, ...(outputSchema && { outputSchema }) };
  const client = await connected(one, { "tools/list": () => ({ tools: [tool] }), [method]: () => result });
  const refused = await words(requests[method](client));
  await client.close();
  return refused;
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  const asked = clients.filter(({ era }) => question.tools || era !== "2026-07-28");
  const answers = Object.fromEntries(
    await Promise.all(asked.map(async (one) => [one.name, await (question.tools ? list : result)(one, question)])),
  );
  process.stdout.write(JSON.stringify({ id: question.id, answers }) + "\n");
}
