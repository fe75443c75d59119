// What the official clients say to what servers ask of them, and what the official server says before it asks. It reads
// JSON Lines of {id, method, params} from standard input and writes {id, v1, v2, server, seen}: for each null if it takes
// the request, or its words, and the schema of a form as the client 1.x hands it to the application.
import { createInterface } from "node:readline";
import { Client as Client1 } from "sdk-1.32.2/client/index.js";
import { Server as Server1 } from "sdk-1.32.2/server/index.js";
import { InMemoryTransport as Memory1 } from "sdk-1.32.2/inMemory.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "sdk-1.32.2/types.js";
import { Client as Client2, InMemoryTransport as Memory2 } from "client-2.4.0";

const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} } };
const info = { name: "referee", version: "1" };
const sampled = { role: "assistant", model: "m", content: { type: "text", text: "a" } };

// handle lets a client take what it is asked, and keeps the last parameters that it is handed.
function handle(client, methods, kept) {
  client.setRequestHandler(methods[0], (request) => ((kept.params = request.params), { action: "decline" }));
  client.setRequestHandler(methods[1], (request) => ((kept.params = request.params), sampled));
}

// connected returns a function that asks a client, which is connected once for all questions.
async function connected(Client, Memory, methods) {
  const [near, far] = Memory.createLinkedPair();
  const waiting = new Map();
  far.onmessage = ({ id, method, params, error }) => {
    if (method === "initialize") {
      void far.send({ jsonrpc: "2.0", id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: info } });
    } else {
      waiting.get(id)?.(error ? `MCP error ${error.code}: ${error.message}` : null);
    }
  };
  await far.start();
  const client = new Client(info, { capabilities });
  const kept = {};
  handle(client, methods, kept);
  await client.connect(near);
  return async ({ id, method, params }) => {
    delete kept.params;
    const said = await new Promise((resolve) => {
      waiting.set(`q${id}`, resolve);
      void far.send({ jsonrpc: "2.0", id: `q${id}`, method, params });
    });
    return { said, seen: kept.params?.requestedSchema };
  };
}

// serving returns a function that lets the server ask a client for a message of a model.
async function serving() {
  const [near, far] = Memory1.createLinkedPair();
  const client = new Client1(info, { capabilities });
  handle(client, [ElicitRequestSchema, CreateMessageRequestSchema], {});
  const server = new Server1(info, { capabilities: {} });
  await Promise.all([server.connect(far), client.connect(near)]);
  return async ({ method, params }) => {
    if (method !== "sampling/createMessage" || !Array.isArray(params.messages)) return null;
    try {
      await server.createMessage(params);
      return null;
    } catch (error) {
      return error.message;
    }
  };
}

const ask1 = await connected(Client1, Memory1, [ElicitRequestSchema, CreateMessageRequestSchema]);
const ask2 = await connected(Client2, Memory2, ["elicitation/create", "sampling/createMessage"]);
const serve = await serving();
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  const [v1, v2, server] = [await ask1(question), await ask2(question), await serve(question)];
  process.stdout.write(JSON.stringify({ id: question.id, v1: v1.said, v2: v2.said, server, seen: v1.seen }) + "\n");
}
