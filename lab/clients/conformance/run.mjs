// Runs the clients through all scenarios, writes docs/conformance.json and docs/conformance.md, and prints as Markdown
// what differs from before. `make conformance` calls it with a folder that has the program verify, the clients in Go as
// the program goclients, and in the folders before and now the clients with the packages of these folders.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const [built] = process.argv.slice(2);
const here = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const docs = (name) => new URL(`../../../docs/${name}`, import.meta.url);
const surfaces = ["chat/completions", "responses", "messages", "generateContent"];
const [chat, responses, messages, google] = surfaces;

// versionIn returns the version of a package in the lock file of a folder, and goVersion that of a Go module.
const versionIn = (folder, name) => JSON.parse(readFileSync(`${folder}/package-lock.json`, "utf8")).packages[`node_modules/${name}`].version;
const goVersion = (module) => readFileSync(`${here}/../../go.mod`, "utf8").match(`${module} v(\\S+)`)[1];

const node = (name, file, apis, folder = here) => ({
  name, version: versionIn(folder, name), apis, command: `node ${folder.startsWith(here) ? `${folder}/conformance` : folder}/${file}.mjs`,
});
const go = (name, module, apis) => ({ name, version: goVersion(module), apis, command: `${built}/goclients ${name}` });

// fixes are fixes of clients, each with a scenario that tells the versions before and after it apart.
const fixes = [
  { name: "@openai/agents", file: "agents", api: chat, scenario: "quirk-empty-arguments", fix: "openai/openai-agents-js#664" },
  { name: "@ai-sdk/openai-compatible", file: "compatible", api: chat, scenario: "quirk-index-from-one", fix: "vercel/ai#18333, the cause of apache/maka#1967" },
  { name: "@tanstack/ai-openai", file: "tanstack", api: responses, scenario: "stream-thinking", fix: "TanStack/ai#1212" },
];
const fixed = (folder) => fixes.map(({ name, file, api }) => node(name, file, [api], `${built}/${folder}`));

// Of two versions of a client the older one stands first.
const clients = [
  ...fixed("before"),
  node("openai", "openai", [chat, responses]),
  node("@openai/agents", "agents", [chat, responses]),
  node("ai", "ai", surfaces),
  node("@langchain/core", "langchain", surfaces),
  { ...node("@langchain/core", "langchain-events", [chat], `${built}/now`), name: "@langchain/core, streamEvents" },
  node("@anthropic-ai/sdk", "anthropic", [messages]),
  node("@google/genai", "genai", [google]),
  node("@mastra/core", "mastra", [chat, responses], `${here}/frameworks`),
  node("genkit", "genkit", [google], `${here}/frameworks`),
  node("llamaindex", "llamaindex", [chat], `${here}/frameworks`),
  go("openai-go", "github.com/openai/openai-go/v3", [chat, responses]),
  go("anthropic-sdk-go", "github.com/anthropics/anthropic-sdk-go", [messages]),
  go("genai", "google.golang.org/genai", [google]),
  ...fixed("now").filter(({ name, version }) => name !== "@openai/agents" || version !== versionIn(here, name)),
];

// steady leaves out of an explanation what differs from run to run.
const steady = (why) => why.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1").replace(/\b(rs|fc|msg|resp|call|toolu|chatcmpl)([_-])[0-9a-z]{16,}/g, "$1$2…");

// run runs a client on an API.
async function run({ name, version, command }, api) {
  const words = ["conformance", "--command", command, "--surface", api, "--json"];
  const { stdout } = await promisify(execFile)(`${built}/verify`, words, { maxBuffer: 1 << 26 }).catch((error) => {
    if (error.code !== 1) throw error; // 1: a scenario fails
    return error;
  });
  const results = stdout.trim().split("\n").map((line) => JSON.parse(line));
  return {
    client: name, version, api, passed: results.filter(({ outcome }) => outcome === "pass").map(({ scenario }) => scenario),
    others: results.filter(({ outcome }) => outcome !== "pass").map(({ scenario, outcome, why }) => ({ scenario, outcome, why: steady(why) })),
  };
}

const left = surfaces.flatMap((api) => clients.filter(({ apis }) => apis.includes(api)).map((client) => ({ client, api })));
const runs = new Array(left.length);
const next = left.entries();
await Promise.all(Array.from({ length: availableParallelism() }, async () => {
  for (const [i, { client, api }] of next) runs[i] = await run(client, api);
}));

const outcome = (run, scenario) => (run.passed.includes(scenario) ? "pass" : run.others.find((other) => other.scenario === scenario)?.outcome);
const words = { pass: "yes", told: "told", error: "error", silent: "**silent**", unsupported: "none" };
const table = (head, rows) => [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
const section = (api) => {
  const columns = runs.filter((run) => run.api === api);
  const names = [...new Set(columns.flatMap(({ passed, others }) => [...passed, ...others.map(({ scenario }) => scenario)]))].sort(byQuirk);
  const rows = names.map((name) => [name, ...columns.map((run) => words[outcome(run, name)] ?? "")]);
  return `## ${api}\n\n${table(["scenario", ...columns.map(({ client, version }) => `${client} ${version}`)], rows)}\n`;
};
const byQuirk = (a, b) => Number(a.startsWith("quirk-")) - Number(b.startsWith("quirk-")) || a.localeCompare(b);
const told = fixes.map(({ name, api, scenario, fix }) => {
  const of = (folder) => runs.find((run) => run.client === name && run.api === api && run.version === versionIn(`${built}/${folder}`, name));
  return [fix, scenario, ...["before", "now"].map((folder) => `${name} ${of(folder).version}: ${words[outcome(of(folder), scenario)]}`)];
});
const day = new Date().toISOString().slice(0, 10);
const page = `# What clients make of answers

These clients ran on ${day}, offline, against the emulator; \`make conformance\` repeats that. [Testing a client](commands.md#testing-a-client) says how to run your own.

- yes: the client does what the scenario asks for
- told: the client makes no call, and tells the model that the call was wrong
- error: the user sees an error
- **silent**: something is lost or changed, or a broken stream is taken for a whole one, and nobody sees an error
- none: the client, or its program in lab/clients, does not use such a feature

[conformance.json](conformance.json) has the reasons. A scenario whose name begins with quirk- is a shape that \`verify list quirks\` describes; [the set](../harness/conformance/sets/2026-11.json) describes the others.

## Before and after a fix

${table(["fix", "scenario", "before", "today"], told)}

langchain-ai/langchainjs#11383 was open on 2026-11-24; the row quirk-empty-arguments of @langchain/core with streamEvents shows whether its fix is released.
QwenLM/qwen-code#6249 is about an agent, which \`make agents\` runs, and apache/maka is not on npm.

${surfaces.map(section).join("\n")}`;

const newest = (all) => new Map(all.map((run) => [`${run.client} ${run.api}`, run]));
const before = newest(JSON.parse(readFileSync(docs("conformance.json"), "utf8")).runs);
const changes = [...newest(runs).values()].flatMap((run) => {
  const old = before.get(`${run.client} ${run.api}`);
  const names = [...run.passed, ...run.others.map(({ scenario }) => scenario)];
  return names.filter((name) => old?.passed && outcome(old, name) && outcome(old, name) !== outcome(run, name) && old.version !== run.version)
    .map((name) => [`${run.client}, ${run.api}`, name, `${old.version}: ${words[outcome(old, name)]}`, `${run.version}: ${words[outcome(run, name)]}`]);
});
if (changes.length > 0) process.stdout.write(`## Clients\n\n${table(["client", "scenario", "before", "now"], changes)}\n`);
const lines = runs.map((run) => JSON.stringify({ ...run, others: undefined }).slice(0, -1) + `,"others":[${run.others.map((other) => `\n${JSON.stringify(other)}`).join(",")}]}`);
writeFileSync(docs("conformance.md"), page);
writeFileSync(docs("conformance.json"), `{"day":"${day}","runs":[\n${lines.join(",\n")}\n]}\n`);
