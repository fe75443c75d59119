// The library as it is installed from its file, compared with the command. `make library` builds both.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { advise, check, explainError, hello, init, normalize, ToolproofError } from "@owner/toolproof";
import { types as typesOfData } from "./data.js";
import { types } from "./results.js";

const { VERIFY, TOOLS, EVERY = "1" } = process.env;
assert.ok(VERIFY, "VERIFY is not set: run make library");
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const trip = [{ name: "plan/trip", description: "Plans a trip.", inputSchema: { type: "object", properties: { days: { type: "integer" }, unit: { const: "km" } } } }];

test("without init every function says so", () => {
  assert.throws(() => check(trip), (error) => error instanceof ToolproofError && error.code === "fault" && /init\(\)/.test(error.message));
});

test("init starts the engine once, and leaves nothing global", async () => {
  const before = Object.getOwnPropertyNames(globalThis).sort();
  await Promise.all([init(), init()]);
  await init();
  assert.deepEqual(Object.getOwnPropertyNames(globalThis).sort(), before);
  assert.equal(hello().protocol, 1);
  assert.ok(hello().targets.length > 50);
});

test("CommonJS has the same library", () => {
  const program = `const { init, check } = require("@owner/toolproof"); init().then(() => console.log(check('{"name":"f"}').conforms));`;
  assert.equal(execFileSync(process.execPath, ["-e", program], { cwd: here("."), encoding: "utf8" }), "false\n");
});

test("tools are rewritten, and calls of them come back", () => {
  const set = normalize(trip, { target: "openai-strict" });
  assert.equal(set.dialect, "openai/chat-strict");
  assert.equal(set.wire()[0].function.name, "plan_trip");
  assert.deepEqual(set.restore("plan_trip", { days: null, unit: null }), { name: "plan/trip", arguments: {}, valid: true });
  assert.deepEqual(set.restore("plan_trip", '{"days": 2, "unit": "km"}').arguments, { days: 2, unit: "km" });
  assert.deepEqual(set.restore("plan_trip", undefined).arguments, {});
  assert.equal(set.restore("plan_trip", { days: "2" }).problems[0].at, "/days");
  assert.deepEqual(set.restore("plan_trip", { days: "2" }, { mend: true }).arguments, { days: 2 });
  assert.throws(() => set.restore("other", {}), { code: "bad_request" });
  assert.throws(() => normalize(trip, { target: "nobody" }), { code: "bad_request" });
  assert.throws(() => normalize("[]", { target: "gemini" }), { code: "bad_tools" });
  assert.throws(() => normalize([{ name: "f", parameters: { type: "object" } }, { name: 3 }], { target: "gemini" }).wire(), { code: "bad_tools" });
});

test("a set that the engine has forgotten is made again", () => {
  const tools = structuredClone(trip);
  const first = normalize(tools, { target: "openai-strict" });
  tools[0].name = "another"; // which must not matter
  for (let i = 0; i < 70; i++) {
    normalize([{ name: `f${i}`, parameters: { type: "object" } }], { target: "gemini" });
  }
  assert.equal(first.restore("plan_trip", {}).name, "plan/trip");
});

test("a message is explained with the tools that were sent", () => {
  const message = `Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[1].value': Cannot find field.`;
  const { dialect, lines } = explainError(message, { tools: trip });
  assert.equal(dialect, "gemini/parameters");
  assert.equal(lines[0].raw.findings[0].at, "/inputSchema/properties/unit/const");
  assert.throws(() => explainError("good morning", { tools: trip }), { code: "no_answer" });
});

test("what is too large or too deep is an error, and the engine goes on", () => {
  assert.throws(() => check(" ".repeat(33 << 20)), { code: "bad_request" });
  assert.equal(check(`{"name":"f","parameters":${'{"items":'.repeat(20_000)}{}${"}".repeat(20_000)}}`).conforms, false);
  assert.equal(check([{ name: "f", description: "x", parameters: { type: "object", properties: {} } }], { targets: ["gemini"] }).lines.length, 2);
});

/** Returns what the command prints for tools. */
function command(words, input) {
  const { stdout, stderr, error } = spawnSync(VERIFY, words, { input, maxBuffer: 1 << 30, encoding: "utf8" });
  assert.ifError(error);
  assert.ok(stdout, stderr);
  return stdout;
}

const lines = (text) => text.trimEnd().split("\n").map((line) => JSON.parse(line));

const texts = {
  "the example": readFileSync(here("../../../docs/example-tools.json"), "utf8"),
  "the tricky tools": readFileSync(here("../agents/tricky-tools.json"), "utf8"),
};
// All lines of the corpus for all targets at once are more than WebAssembly can hold.
const mostTools = 500;
if (TOOLS) {
  const chosen = gunzipSync(readFileSync(TOOLS)).toString().split("\n").filter((line, i) => line && i % EVERY === 0);
  for (let i = 0; i < chosen.length; i += mostTools) {
    texts[`one in ${EVERY} of the corpus, from the ${i + 1}th of these`] = chosen.slice(i, i + mostTools).join("\n");
  }
}

for (const [name, text] of Object.entries(texts)) {
  test(`${name}: the library says what the command says`, () => {
    assert.deepEqual(check(text).lines, lines(command(["check", "--no-config", "--json", "-"], text)));
    assert.deepEqual(advise(text).lines, lines(command(["advise", "--no-config", "--json", "-"], text)));
    assert.deepEqual(check(text, { targets: ["all"], normalized: true }).lines, lines(command(["check", "--no-config", "--json", "--normalized", "--target", "all", "-"], text)));
    for (const target of ["gemini", "openai-strict", "portable"]) {
      const wire = normalize(text, { target }).tools.flatMap(({ wire }) => wire ?? []);
      assert.deepEqual(wire, JSON.parse(command(["normalize", "--target", target, "-"], text)));
    }
  });
}

test("the file may come from a server, compressed or not", async () => {
  const file = fileURLToPath(import.meta.resolve("@owner/toolproof/toolproof.wasm.br"));
  const server = createServer((request, response) => {
    if (request.url === "/encoded") {
      response.setHeader("Content-Encoding", "br");
    }
    response.statusCode = request.url === "/none" ? 404 : 200;
    response.end(readFileSync(file));
  }).listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => server.once("listening", resolve));
    for (const path of ["encoded", "stored", "none"]) {
      const url = `http://127.0.0.1:${server.address().port}/${path}`;
      const program = `import { init, hello } from "@owner/toolproof"; await init({ wasm: ${JSON.stringify(url)} }); console.log(hello().protocol);`;
      const child = await new Promise((resolve) => {
        execFile(process.execPath, ["--input-type=module", "-e", program], { cwd: here(".") }, (_, stdout, stderr) => resolve({ stdout, stderr }));
      });
      if (path === "none") {
        assert.match(child.stderr, /404/);
      } else {
        assert.equal(child.stdout, "1\n", child.stderr);
      }
    }
  } finally {
    server.close();
  }
});

test("the types are those of the published schemas, and programs compile with them", async () => {
  assert.equal(readFileSync(here("../../../packages/npm/results.d.mts"), "utf8"), await types(), "run node results.js >../../../packages/npm/results.d.mts");
  assert.equal(readFileSync(here("../../../packages/data/data.d.mts"), "utf8"), await typesOfData(), "run node data.js >../../../packages/data/data.d.mts");
  const compiler = here("node_modules/.bin/tsc");
  const words = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--lib", "es2024,dom", "types.test.mts"];
  const { status, stdout } = spawnSync(compiler, words, { cwd: here("."), encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

test("the examples of docs/typescript.md run", () => {
  const page = readFileSync(here("../../../docs/typescript.md"), "utf8");
  const examples = [...page.matchAll(/```js\n(.*?)```\n(?:\n```text\n(.*?)```)?/gs)].filter(([, , output]) => output);
  assert.ok(examples.length >= 2, "there are too few examples");
  for (const [, program, output] of examples) {
    const file = here(`example-${process.pid}.mjs`);
    writeFileSync(file, program);
    try {
      assert.equal(execFileSync(process.execPath, [file], { encoding: "utf8" }), output);
    } finally {
      rmSync(file);
    }
  }
});
