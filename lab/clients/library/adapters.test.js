// The adapters of the library for JavaScript, with the packages that they are for. The emulator refuses
// the tool as it is and takes it with the adapter; the tool gets arguments that its own schema allows; and
// the next request repeats the call as the model wrote it.
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { Client as Client2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Transport1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Server as Server1 } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { InMemoryTransport as Transport2, McpServer as McpServer2, createMcpHandler } from "@modelcontextprotocol/server";
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool as agentTool } from "@openai/agents";
import { generateText, jsonSchema, stepCountIs, streamText, tool as aiTool, wrapLanguageModel } from "ai";
import Ajv from "ajv/dist/2020.js";
import { createAgent, tool as chainTool } from "langchain";
import OpenAI from "openai";
import { init } from "@owner/toolproof";
import { toolproof as forAI } from "@owner/toolproof/ai-sdk";
import { toolproof as forLangChain } from "@owner/toolproof/langchain";
import { toolproof as forMCP } from "@owner/toolproof/mcp";
import { toolproof as forAgents } from "@owner/toolproof/openai-agents";
import { z } from "zod";
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { prompt, result, url } from "../kit.js";

await init();
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const name = "files.search"; // which only Google allows
const description = "Find files.";
const schema = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1 },
    tags: { type: "array" }, // which only Anthropic allows
    limit: { type: "integer", minimum: 1, maximum: 50 },
    order: { oneOf: [{ const: "name" }, { const: "date" }] },
  },
  required: ["query", "tags"],
};
// A tool that openai-strict declares with strict true: optional properties become nullable.
const closed = {
  type: "object",
  properties: { query: { type: "string" }, limit: { type: "integer" }, order: { type: "string", enum: ["name", "date"] }, deep: { type: "boolean" } },
  required: ["query"],
  additionalProperties: false,
};
const accepts = new Map([schema, closed].map((one) => [one, new Ajv({ strict: false }).compile(one)]));

// What the clients send, and what comes back.
const traffic = [];
const fetched = globalThis.fetch;
globalThis.fetch = async (resource, options) => {
  const response = await fetched(resource, options);
  const body = options?.body ?? (resource instanceof Request ? await resource.clone().text() : undefined);
  traffic.push({ status: response.status, request: JSON.parse(body), response: await response.clone().text() });
  return response;
};

// callsOf returns the calls in a request or an answer of any of the APIs.
function callsOf(value) {
  if (value === null || typeof value !== "object") return [];
  const given = value.functionCall ?? value.function ?? value;
  const text = given.arguments ?? given.args ?? (given.type === "tool_use" ? given.input : undefined);
  if (typeof given.name === "string" && text !== undefined) return [{ name: given.name, arguments: typeof text === "string" ? JSON.parse(text) : text }];
  return Object.values(value).flatMap(callsOf);
}

// checked asserts what an exchange of two requests has to show.
function checked(calls, text, declared, isStream) {
  assert.equal(calls.length, 1, "the tool is called once");
  assert.ok(accepts.get(declared)(calls[0]), `${JSON.stringify(calls[0])}: ${JSON.stringify(accepts.get(declared).errors)}`);
  assert.match(text, /answer of the emulator/);
  assert.deepEqual(traffic.map(({ status }) => status), [200, 200], "the emulator refused nothing");
  const repeated = callsOf(traffic[1].request.messages ?? traffic[1].request.input ?? traffic[1].request.contents);
  assert.equal(repeated.length, 1, "the second request repeats the call");
  assert.ok(JSON.stringify(traffic[0].request.tools).includes(`"${repeated[0].name}"`), `${repeated[0].name} is a name that the provider knows`);
  if (!isStream) assert.deepEqual(repeated, callsOf(JSON.parse(traffic[0].response)), "the second request repeats the call as the model wrote it");
  return repeated[0];
}

// adapter tests an adapter: ask(wrapped, schema, execute) makes an exchange, and returns the text at its end.
function adapter(title, { ask, stream, targets = ["portable", "openai-strict"] }) {
  describe(title, () => {
    for (const [kind, exchange] of [["exchange", ask], ["stream", stream]]) {
      for (const target of targets) {
        for (const [form, declared] of [["open", schema], ["closed", closed]]) {
          test(`${kind}, ${target}, ${form}`, async () => {
            traffic.length = 0;
            const calls = [];
            const text = await exchange({ target }, declared, (given) => { calls.push(given); return result; });
            const call = checked(calls, text, declared, kind === "stream");
            if (target === "openai-strict" && declared === closed) {
              assert.equal(traffic[0].request.tools.map((tool) => (tool.function ?? tool).strict)[0], true, "the tool is strict");
              assert.deepEqual(Object.keys(call.arguments).sort(), Object.keys(closed.properties).sort(), "strict arguments have every property");
            }
          });
        }
      }
      test(`${kind} without the adapter`, async () => {
        traffic.length = 0;
        await assert.rejects(async () => { await exchange(undefined, schema, () => result); });
        assert.equal(traffic[0].status, 400);
      });
    }
  });
}

const strictOnly = (provider) => (provider.startsWith("openai") ? ["portable", "openai-strict"] : ["portable"]);

const vercel = {
  google: createGoogleGenerativeAI({ apiKey: "any", baseURL: `${url}/v1beta` })("gemini-2.5-flash"),
  "openai, responses": createOpenAI({ apiKey: "any", baseURL: `${url}/v1` })("gpt-4o-mini"),
  "openai, chat": createOpenAI({ apiKey: "any", baseURL: `${url}/v1` }).chat("gpt-4o-mini"),
  anthropic: createAnthropic({ apiKey: "any", baseURL: `${url}/v1` })("claude-sonnet-5"),
};
for (const [provider, model] of Object.entries(vercel)) {
  const request = (options, declared, execute) => ({
    model: options ? wrapLanguageModel({ model, middleware: forAI(options) }) : model,
    prompt, maxRetries: 0, stopWhen: stepCountIs(3), tools: { [name]: aiTool({ description, inputSchema: jsonSchema(declared), execute }) },
  });
  adapter(`ai and @ai-sdk/${provider}`, {
    targets: strictOnly(provider),
    ask: async (...asked) => (await generateText(request(...asked))).text,
    stream: async (...asked) => {
      let failure;
      const streamed = streamText({ ...request(...asked), onError: ({ error }) => { failure = error; } });
      const pieces = new Map();
      for await (const part of streamed.fullStream) {
        if (part.type === "tool-input-start") pieces.set(part.id, "");
        if (part.type === "tool-input-delta") pieces.set(part.id, pieces.get(part.id) + part.delta);
        if (part.type === "tool-call") assert.deepEqual(JSON.parse(pieces.get(part.toolCallId)), part.input, "the pieces make the call");
      }
      if (failure) throw failure;
      return await streamed.text;
    },
  });
}

setTracingDisabled(true);
const openai = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });
for (const [api, model] of [["responses", new OpenAIResponsesModel(openai, "gpt-4o-mini")], ["chat", new OpenAIChatCompletionsModel(openai, "gpt-4o-mini")]]) {
  const agent = (options, declared, execute) => new Agent({
    name: "a", instructions: "Help.", model: options ? forAgents(model, options) : model,
    tools: [agentTool({ name, description, parameters: declared, strict: false, execute, errorFunction: null })],
  });
  adapter(`@openai/agents, ${api}`, {
    ask: async (...asked) => (await run(agent(...asked), prompt)).finalOutput,
    stream: async (...asked) => {
      const streamed = await run(agent(...asked), prompt, { stream: true });
      let text = "";
      for await (const piece of streamed.toTextStream()) text += piece;
      await streamed.completed;
      return text;
    },
  });
}

const langchain = {
  "google-genai": new ChatGoogleGenerativeAI({ model: "gemini-2.5-flash", apiKey: "any", baseUrl: url, maxRetries: 0 }),
  "openai, chat": new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "any", configuration: { baseURL: `${url}/v1` }, maxRetries: 0 }),
  "openai, responses": new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "any", useResponsesApi: true, configuration: { baseURL: `${url}/v1` }, maxRetries: 0 }),
  anthropic: new ChatAnthropic({ model: "claude-sonnet-5", apiKey: "any", anthropicApiUrl: url, maxRetries: 0 }),
};
for (const [provider, model] of Object.entries(langchain)) {
  const exchange = async (options, declared, execute, answer) => {
    const bound = (options ? forLangChain(model, options) : model).bindTools([{ name, description, schema: declared }]);
    const asked = [new HumanMessage(prompt)];
    const first = await answer(bound, asked);
    for (const call of first.tool_calls) {
      assert.equal(call.name, name);
      asked.push(first, new ToolMessage({ content: execute(call.args), tool_call_id: call.id, name: call.name }));
    }
    return (await answer(bound, asked)).text;
  };
  adapter(`@langchain/${provider}`, {
    targets: strictOnly(provider),
    ask: (...asked) => exchange(...asked, (bound, messages) => bound.invoke(messages)),
    stream: (...asked) => exchange(...asked, async (bound, messages) => {
      let whole;
      for await (const piece of await bound.stream(messages)) whole = whole ? whole.concat(piece) : piece;
      return whole;
    }),
  });
}

// LangChain's agent, which runs the tool itself.
{
  const model = new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "any", configuration: { baseURL: `${url}/v1` }, maxRetries: 0 });
  const agent = (options, declared, execute) => createAgent({
    model: options ? forLangChain(model, options) : model, tools: [chainTool(execute, { name, description, schema: declared })],
  });
  const input = { messages: [{ role: "user", content: prompt }] };
  adapter("langchain, createAgent", {
    ask: async (...asked) => (await agent(...asked).invoke(input)).messages.at(-1).text,
    stream: async (...asked) => {
      let last;
      for await (const [message] of await agent(...asked).stream(input, { streamMode: "messages" })) {
        last = last?.id === message.id ? last.concat(message) : message;
      }
      return last.text;
    },
  });
}

// Servers of the MCP SDK. A program lists their tools, sends them to OpenAI as they are listed, and passes
// on the call.
const shape = { query: z.string().min(1), limit: z.number().int().min(1).max(50).optional(), order: z.union([z.literal("name"), z.literal("date")]).optional(), tags: z.array(z.any()) };
const server2 = (execute) => {
  const server = new McpServer2({ name: "files", version: "1.0.0" });
  server.registerTool(name, { description, inputSchema: z.object(shape) }, async (given) => execute(given));
  server.registerTool("files/search", { description: "Another tool." }, async () => execute({}));
  return server;
};
const paired = async (Transport, server, client) => {
  const [near, far] = Transport.createLinkedPair();
  await Promise.all([server.connect(near), client.connect(far)]);
};
const servers = {
  "@modelcontextprotocol/sdk, McpServer": {
    make: (execute) => {
      const server = new McpServer1({ name: "files", version: "1.0.0" });
      server.registerTool(name, { description, inputSchema: shape }, async (given) => execute(given));
      server.registerTool("files/search", { description: "Another tool." }, async () => execute({}));
      return server;
    },
    Client: Client1, connect: (make, client) => paired(Transport1, make(), client),
  },
  "@modelcontextprotocol/sdk, Server with pages": {
    make: (execute) => {
      const server = new Server1({ name: "files", version: "1.0.0" }, { capabilities: { tools: {} } });
      const pages = [[{ name, title: "Search", description, inputSchema: schema }], [{ name: "files/search", description: "Another tool.", inputSchema: closed }]];
      server.setRequestHandler(ListToolsRequestSchema, ({ params }) => (params?.cursor ? { tools: pages[1] } : { tools: pages[0], nextCursor: "1" }));
      server.setRequestHandler(CallToolRequestSchema, ({ params }) => execute(params.name === name ? params.arguments : {}));
      return server;
    },
    Client: Client1, connect: (make, client) => paired(Transport1, make(), client),
  },
  "@modelcontextprotocol/server, McpServer": { make: server2, Client: Client2, connect: (make, client) => paired(Transport2, make(), client) },
  // A server for each request, which knows nothing of the list that the client has seen.
  "@modelcontextprotocol/server, createMcpHandler": {
    make: server2, Client: Client2,
    connect: (make, client) => {
      const handler = createMcpHandler(make);
      return client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: (address, options) => handler.fetch(new Request(address, options)) }));
    },
  },
};
for (const [title, { make, Client, connect }] of Object.entries(servers)) {
  // connected returns a client of the server, and the arguments of the calls that reach its tools.
  const connected = async (isWrapped) => {
    const calls = [];
    const made = () => make((given) => { calls.push(given); return { content: [{ type: "text", text: result }] }; });
    const client = new Client({ name: "c", version: "1.0.0" });
    await connect(isWrapped ? () => forMCP(made()) : made, client);
    return { client, calls };
  };
  const listed = async (client) => {
    const tools = [];
    let cursor;
    do {
      const page = await client.listTools({ cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor);
    return tools;
  };
  const ask = async (tools, messages) => openai.chat.completions.create({
    model: "gpt-4o-mini", messages,
    tools: tools.map((tool) => ({ type: "function", function: { name: tool.name, description: tool.description, parameters: tool.inputSchema } })),
    tool_choice: messages.length === 1 ? { type: "function", function: { name: tools[0].name } } : "auto",
  });
  describe(title, () => {
    test("a call, its result, the text", async () => {
      traffic.length = 0;
      const { client, calls } = await connected(true);
      const tools = await listed(client);
      assert.equal(new Set(tools.map((tool) => tool.name)).size, 2, "names are unique in all pages");
      const messages = [{ role: "user", content: prompt }];
      const [{ message }] = (await ask(tools, messages)).choices;
      const [call] = message.tool_calls;
      const answered = await client.callTool({ name: call.function.name, arguments: JSON.parse(call.function.arguments) });
      assert.equal(answered.content[0].text, result);
      messages.push(message, { role: "tool", tool_call_id: call.id, content: answered.content[0].text });
      checked(calls, (await ask(tools, messages)).choices[0].message.content, schema);
    });
    test("a call that the tool refuses", async () => {
      const { client, calls } = await connected(true);
      const [{ name: known }] = await listed((await connected(true)).client);
      const answered = await client.callTool({ name: known, arguments: { query: "" } }); // not listed on this connection
      assert.ok(answered.isError);
      assert.match(answered.content[0].text, /query/);
      assert.match(answered.content[0].text, /tags/);
      assert.equal(calls.length, 0);
    });
    test("without the adapter", async () => {
      const { client } = await connected(false);
      await assert.rejects(async () => { await ask(await listed(client), [{ role: "user", content: prompt }]); }, OpenAI.BadRequestError);
    });
  });
}

test("the types fit those of the frameworks", () => {
  const words = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024", "adapters.test.mts"];
  const { status, stdout } = spawnSync(here("node_modules/.bin/tsc"), words, { cwd: here("."), encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

// The examples read where OpenAI is from the environment. The one for MCP is a server.
describe("the examples of docs/typescript.md", () => {
  const page = readFileSync(here("../../../docs/typescript.md"), "utf8");
  const examples = [...page.matchAll(/```js\n(.*?)```\n/gs)].map(([, program]) => program).filter((program) => program.includes("@owner/toolproof/"));
  test("there are four", () => assert.equal(examples.length, 4));
  for (const [i, program] of examples.entries()) {
    const adapter = /@owner.toolproof.([a-z-]+)/g;
    const title = [...program.matchAll(adapter)].at(-1)[1];
    test(title, async () => {
      const file = here(`adapter-${process.pid}-${i}.mjs`);
      writeFileSync(file, program);
      try {
        if (title === "mcp") {
          const client = new Client2({ name: "c", version: "1.0.0" });
          await client.connect(new StdioClientTransport({ command: process.execPath, args: [file] }));
          assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ["weather_forecast"]);
          assert.equal((await client.callTool({ name: "weather_forecast", arguments: { city: "Rome" } })).content[0].text, "sun in Rome");
          await client.close();
          return;
        }
        const env = { ...process.env, OPENAI_API_KEY: "any", OPENAI_BASE_URL: `${url}/v1`, OPENAI_AGENTS_DISABLE_TRACING: "1" };
        const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
        assert.equal(stdout, "This is an answer of the emulator.\n");
      } finally {
        rmSync(file);
      }
    });
  }
});
