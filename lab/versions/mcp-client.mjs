// What a client of the Model Context Protocol says to lists and results of a server. It writes {name, said} for each,
// in which said is null if the client takes it, or its words. The argument is the name of the client's package.
const name = process.argv[2];
const { Client, InMemoryTransport } =
  name === "@modelcontextprotocol/sdk"
    ? { ...(await import(`${name}/client/index.js`)), ...(await import(`${name}/inMemory.js`)) }
    : await import(name);

const object = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const text = { content: [{ type: "text", text: "x" }] };
const draft7 = "http://json-schema.org/draft-07/schema#";

// cases have a name, what the tool has besides its name, and the result of the call.
const cases = {
  "a text": [{}, text],
  "text without text": [{}, { content: [{ type: "text" }] }],
  "image without mimeType": [{}, { content: [{ type: "image", data: "AA==" }] }],
  "image that is not base64": [{}, { content: [{ type: "image", data: "%", mimeType: "image/png" }] }],
  "audio": [{}, { content: [{ type: "audio", data: "AA==", mimeType: "audio/wav" }] }],
  "resource_link": [{}, { content: [{ type: "resource_link", uri: "a:b", name: "n" }] }],
  "content of an unknown type": [{}, { content: [{ type: "json", json: {} }] }],
  "no content": [{}, {}],
  "content that is a string": [{}, { content: "x" }],
  "structuredContent missing": [{ outputSchema: object }, text],
  "structuredContent missing in an error": [{ outputSchema: object }, { ...text, isError: true }],
  "structuredContent wrong": [{ outputSchema: object }, { ...text, structuredContent: { n: "1" } }],
  "structuredContent wrong in an error": [{ outputSchema: object }, { ...text, structuredContent: { n: "1" }, isError: true }],
  "structuredContent right": [{ outputSchema: object }, { ...text, structuredContent: { n: 1 } }],
  "structuredContent without outputSchema": [{}, { ...text, structuredContent: { n: 1 } }],
  "structuredContent that is a list": [{}, { ...text, structuredContent: [1] }],
  "outputSchema of draft-07": [{ outputSchema: { $schema: draft7, ...object } }, { ...text, structuredContent: { n: 1 } }],
  "outputSchema with a reference": [{ outputSchema: { type: "object", properties: { n: { $ref: "#/$defs/n" } }, $defs: { n: { type: "number" } } } }, { ...text, structuredContent: { n: 1 } }],
  "outputSchema with a broken reference": [{ outputSchema: { type: "object", properties: { n: { $ref: "#/$defs/n" } } } }, { ...text, structuredContent: { n: 1 } }],
  "outputSchema of a list": [{ outputSchema: { type: "array" } }, { ...text, structuredContent: [1] }],
  "outputSchema with prefixItems": [{ outputSchema: { type: "object", properties: { l: { type: "array", prefixItems: [{ type: "string" }] } } } }, { ...text, structuredContent: { l: [1] } }],
  "outputSchema with an unknown format": [{ outputSchema: { type: "object", properties: { s: { type: "string", format: "colour" } } } }, { ...text, structuredContent: { s: "x" } }],
  "inputSchema of draft-07": [{ inputSchema: { $schema: draft7, ...object } }, text],
  "inputSchema without a type": [{ inputSchema: { properties: {} } }, text],
  "inputSchema missing": [{ inputSchema: undefined }, text],
  "inputSchema with a property true": [{ inputSchema: { type: "object", properties: { a: true } } }, text],
  "description null": [{ description: null }, text],
  "title null": [{ title: null }, text],
  "annotation of a wrong type": [{ annotations: { readOnlyHint: "true" } }, text],
  "unknown annotation": [{ annotations: { color: "red" } }, text],
  "unknown member": [{ color: "red" }, text],
  "name with a space": [{ name: "a tool" }, text],
};

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

async function ask([more, result]) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const tool = { name: "f", inputSchema: { type: "object" }, ...more };
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
for (const [name, made] of Object.entries(cases)) {
  process.stdout.write(JSON.stringify({ name, said: await ask(made) }) + "\n");
}
process.exit();
