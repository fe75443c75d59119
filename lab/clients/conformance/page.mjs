// Writes docs/conformance.json and docs/conformance.md from a folder with one CLIENT.SURFACE.jsonl for each run of
// verify conformance --json, a / in the surface being written as -. `make conformance` runs it.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

const [folder, day] = process.argv.slice(2);
const { devDependencies: versions } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const packages = { openai: "openai", ai: "ai", langchain: "@langchain/openai", anthropic: "@anthropic-ai/sdk", genai: "@google/genai" };
const runs = readdirSync(folder).filter((file) => file.endsWith(".jsonl")).sort().map((file) => {
  const [client] = file.split(".");
  const results = readFileSync(`${folder}/${file}`, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  return { client: packages[client], version: versions[packages[client]], surface: results[0].api, results };
});
const column = (run) => `${run.client} ${run.version}, ${run.surface}`;
const cell = (result) => {
  if (!result) return "";
  if (result.passes) return "yes";
  return result.why.includes("reported an error") ? "error" : "**silent**";
};
const names = [...new Set(runs.flatMap((run) => run.results.map((result) => result.scenario)))];
const rows = names.map((name) => [name, ...runs.map((run) => cell(run.results.find((result) => result.scenario === name)))]);
const table = [["scenario", ...runs.map(column)], Array(runs.length + 1).fill("---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
const text = `# Clients and the shapes of answers

Measured on ${day} by \`make conformance\`, offline against the emulator. yes: the client made each call and ended as it has to; error: the call is lost, and the user
sees an error; **silent**: a call is lost or changed, or a broken stream is taken for a whole one, without an error. [conformance.json](conformance.json) has the reasons.

${table.join("\n")}
`;
writeFileSync(new URL("../../../docs/conformance.md", import.meta.url), text);
writeFileSync(new URL("../../../docs/conformance.json", import.meta.url), `${JSON.stringify({ day, runs }, null, 1)}\n`);
