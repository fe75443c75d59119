// What the official clients say to results. It reads JSON Lines of {id, method, outputSchema, result} from standard
// input and writes {id, v1, v2}: for each client null if it takes the result, or its words.
import { createInterface } from "node:readline";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Client as Client2, InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";

const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
const wait = { timeout: 2000 };

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

// late fails in the place of a client that drops an answer, and would wait for a minute.
const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), 500).unref());

// ask lets a client make the request, and lists one tool to it.
async function ask(Client, Memory, { method, outputSchema, result }) {
  const [near, far] = Memory.createLinkedPair();
  const tool = { name: "f", inputSchema: { type: "object" }, ...(outputSchema && { outputSchema }) };
  const answers = {
    initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: "t", version: "1" } }),
    "tools/list": () => ({ tools: [tool] }),
    [method]: () => result,
  };
  far.onmessage = ({ id, method, params }) => {
    if (id === undefined) return;
    const answer = answers[method];
    void far.send({ jsonrpc: "2.0", id, ...(answer ? { result: answer(params) } : { error: { code: -32601, message: "Method not found" } }) });
  };
  await far.start();
  const client = new Client({ name: "referee", version: "1" });
  try {
    await client.connect(near);
    await Promise.race([requests[method](client), late()]);
    return null;
  } catch (error) {
    return error.message;
  } finally {
    await client.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  const v1 = await ask(Client1, Memory1, question);
  const v2 = await ask(Client2, Memory2, question);
  process.stdout.write(JSON.stringify({ id: question.id, v1, v2 }) + "\n");
}
