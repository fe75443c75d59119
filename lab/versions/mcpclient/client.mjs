// What a client of the Model Context Protocol says to the list and the result of each case of cases.json. It writes
// {name, said} for each, in which said is null if the client takes both, or its words. The argument is the name of the
// client's package.
import { readFileSync } from "node:fs";

const name = process.argv[2];
const { Client, InMemoryTransport } =
  name === "@modelcontextprotocol/sdk"
    ? { ...(await import(`${name}/client/index.js`)), ...(await import(`${name}/inMemory.js`)) }
    : await import(name);

const wait = { timeout: 3000 };

// late fails in the place of a client that drops an answer.
const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), 5000).unref());

// inShort returns the places of the issues that a validator lists, of which each of its releases has other words.
function inShort(message) {
  try {
    return "invalid " + JSON.parse(message).map(({ path }) => path.join("/")).join(", ");
  } catch {
    return message;
  }
}

async function ask({ tool, result }) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const answers = {
    initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }),
    "tools/list": () => ({ tools: [tool] }),
    "tools/call": () => result,
  };
  far.onmessage = ({ id, method, params }) => {
    if (id === undefined) return;
    const answer = answers[method];
    void far.send({ jsonrpc: "2.0", id, ...(answer ? { result: answer(params) } : { error: { code: -32601, message: "Method not found" } }) });
  };
  await far.start();
  const client = new Client({ name: "toolproof", version: "1" });
  try {
    await client.connect(near);
    const { tools } = await Promise.race([client.listTools(), late()]);
    if (tools.length === 0) return "the tool is left out of the list";
    const called = name === "@modelcontextprotocol/sdk" ? client.callTool({ name: tool.name, arguments: {} }, undefined, wait) : client.callTool({ name: tool.name, arguments: {} }, wait);
    await Promise.race([called, late()]);
    return null;
  } catch (error) {
    return inShort(error.message);
  } finally {
    await client.close();
  }
}

for (const to of ["log", "info", "warn", "error", "debug"]) console[to] = () => {}; // answers alone go to standard output
for (const made of JSON.parse(readFileSync(new URL("cases.json", import.meta.url)))) {
  process.stdout.write(JSON.stringify({ name: made.name, said: await ask(made) }) + "\n");
}
process.exit();
