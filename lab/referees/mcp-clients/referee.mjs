// What the official clients say to results of tools/call. It reads JSON Lines of {id, outputSchema, result} from
// standard input and writes {id, v1, v2}: for each client null if it takes the result, or its words.
import { createInterface } from "node:readline";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Memory1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { Client as Client2, InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";

// ask lets a client list one tool and call it.
async function ask(Client, Memory, { outputSchema, result }) {
  const [near, far] = Memory.createLinkedPair();
  const tool = { name: "f", inputSchema: { type: "object" }, ...(outputSchema && { outputSchema }) };
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
  const client = new Client({ name: "referee", version: "1" });
  try {
    await client.connect(near);
    await client.listTools();
    await client.callTool({ name: "f", arguments: {} }, undefined, { timeout: 2000 });
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
