// Calls a tool that takes a while at the address that it is given, and prints what comes back.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "resume", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2]), {
  reconnectionOptions: { initialReconnectionDelay: 100, maxReconnectionDelay: 100, reconnectionDelayGrowFactor: 1, maxRetries: 20 },
}));
const progress = [];
const result = await client.callTool(
  { name: "trigger-long-running-operation", arguments: { duration: 2, steps: 4 } }, undefined,
  { onprogress: (step) => progress.push(step.progress) },
);
console.log(JSON.stringify({ progress, text: result.content[0].text }));
await client.close();
