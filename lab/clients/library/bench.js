// Prints how long the library takes to start, and the median time that it and converters of other projects
// take for a tool: `node bench.js TOOLS.jsonl`, after make library and npm ci in lab/adapters/npm and its folder zod3.
// A tool is a line {name, description, schema}. Each program sees all tools twice, and the second time counts.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { init, normalize } from "@owner/toolproof";

const tools = readFileSync(process.argv[2], "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const adapters = new URL("../../adapters/npm/", import.meta.url);
const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const row = (name, target, times) => console.log(`| ${name} | ${target} | ${median(times).toFixed(3)} ms |`);

/** Returns the times in ms that work takes for each tool, the second time. */
function timed(work, some = tools) {
  const times = [];
  for (const tool of [...some, ...some]) {
    const start = performance.now();
    work(tool);
    times.push(performance.now() - start);
  }
  return times.slice(some.length);
}

/** Returns the times in ms that an adapter says it took for each tool, the second time. */
async function peer(file, surface) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, adapters))], { stdio: ["pipe", "pipe", "inherit"] });
  const all = [...tools, ...tools].map(({ name, description, schema: parameters }, id) => JSON.stringify({ id, surface, tool: { name, description, parameters } }));
  child.stdin.end(all.join("\n") + "\n");
  const times = [];
  for await (const line of createInterface({ input: child.stdout })) {
    times.push(JSON.parse(line).microseconds / 1000);
  }
  return times.slice(tools.length).filter((time) => !Number.isNaN(time)); // an adapter may refuse a tool
}

const start = performance.now();
await init();
console.log(`ready after ${(performance.now() - start).toFixed(0)} ms, ${tools.length} tools\n\n| library | for | median |\n|---|---|---|`);
for (const target of ["gemini", "openai-strict", "portable"]) {
  row("toolproof, normalize", target, timed((tool) => normalize([tool], { target })));
}
const kept = tools.slice(0, 60); // the engine keeps the sets of 64 requests
const sets = new Map(kept.map((tool) => [tool, normalize([tool], { target: "openai-strict" })]));
row("toolproof, restore", "openai-strict", timed((tool) => {
  const set = sets.get(tool);
  const [{ name }] = set.tools;
  return name && set.restore(name, {});
}, kept));
row("zod-to-json-schema, from zod", "openApi3", await peer("zod3/zod-to-json-schema.js", "gemini/parameters"));
row("AI SDK, a request to Gemini", "parametersJsonSchema", await peer("ai-sdk-google.js", "gemini/parametersJsonSchema"));
row("Mastra", "gemini", await peer("mastra-schema-compat.js", "gemini/parameters"));
row("Mastra", "openai-strict", await peer("mastra-schema-compat.js", "openai/chat-strict"));
