// Prints what llama.cpp, as the native module of llama.node has it, answers to tools: it makes a grammar of each schema
// as llama-server does, and reads it. It reads and writes the lines of referee.js. Each tool has a process of its own,
// as a grammar that cannot be read ends the use of the module.
const { readFileSync, writeFileSync, writeSync } = require("node:fs");
const { join } = require("node:path");
const { createInterface } = require("node:readline");
const { spawnSync } = require("node:child_process");

const model = join(__dirname, "model.gguf");
const answers = 3; // the module writes to standard output and standard error

if (process.argv[2] === "one") void judge(JSON.parse(readFileSync(0, "utf8")));
else main();

async function main() {
  writeFileSync(model, require("./model.js").make(readFileSync(join(__dirname, "template.jinja"), "utf8")));
  for await (const line of createInterface({ input: process.stdin })) {
    const most = 20_000; // milliseconds
    const { output, error, signal } = spawnSync(process.execPath, [__filename, "one"], { input: line, timeout: most, stdio: ["pipe", "ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
    let answer = { verdict: "crashes", message: error?.code === "ETIMEDOUT" ? `no answer within ${most / 1000} seconds` : `the process ended (${signal})` };
    if (output[answers]?.length > 0) answer = JSON.parse(output[answers]);
    // The module has other words for a grammar that cannot be read, or goes on without it.
    if (/failed to parse grammar|left recursion detected/.test(output[2])) answer = { verdict: "rejected", message: "failed to parse grammar" };
    process.stdout.write(JSON.stringify({ id: JSON.parse(line).id, ...answer }) + "\n");
  }
}

async function judge({ schema }) {
  const { LlamaContext } = require("@fugood/node-llama-linux-x64");
  const context = new LlamaContext({ model, n_ctx: 64, n_batch: 64, n_threads: 1, n_gpu_layers: 0, use_mmap: false });
  const request = { messages: [{ role: "user", content: "hi" }], jinja: true, tool_choice: "auto", tools: [{ type: "function", function: { name: "f", description: "d", parameters: schema } }], n_predict: 1 };
  const answer = { verdict: "accepted" };
  try {
    context.getFormattedChat(request.messages, undefined, request);
    await context.completion(request, () => {});
  } catch ({ message }) {
    Object.assign(answer, { verdict: "rejected", message });
  }
  writeSync(answers, JSON.stringify(answer));
  process.exit();
}
