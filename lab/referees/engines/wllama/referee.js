// Prints what llama.cpp's own server, compiled to WebAssembly, answers to tools. It reads JSON
// Lines of {id, schema}, of which the schema is the last member, and answers each with {id,
// verdict, message?}. The verdict is accepted, rejected or crashes; a schema that takes more than
// twenty seconds counts as a crash, and standard error says of which tool and why. With the argument response_format each schema is that of an
// answer.
const { readFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { createInterface } = require("node:readline");
const { fork } = require("node:child_process");

if (process.send) serve();
else main();

async function main() {
  let child;
  for await (const line of createInterface({ input: process.stdin })) {
    child ??= fork(__filename, process.argv.slice(2), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const answer = await ask(child, line);
    const { id } = JSON.parse(line);
    if (answer.verdict === "crashes") {
      console.error(`wllama: ${id}: ${answer.message}; counted as a crash, neither accepted nor rejected`);
      child.kill("SIGKILL");
      child = undefined;
    }
    process.stdout.write(JSON.stringify({ id, ...answer }) + "\n");
  }
  child?.disconnect();
}

function ask(child, line) {
  const most = 20_000; // milliseconds
  return new Promise((resolve) => {
    const end = (answer) => {
      clearTimeout(timer);
      child.off("message", end).off("exit", crash);
      resolve(answer);
    };
    const crash = () => end({ verdict: "crashes", message: "the process ended" });
    const timer = setTimeout(() => end({ verdict: "crashes", message: `no answer within ${most / 1000} seconds` }), most);
    child.once("message", end).once("exit", crash);
    child.send(line);
  });
}

// serve loads the server and answers the process that started this one.
async function serve() {
  const waiting = [];
  const wait = (line) => waiting.push(line);
  process.on("message", wait);
  const files = join(dirname(require.resolve("@wllama/wllama-compat/package.json")), "wasm");
  const protocol = readProtocol();
  const said = [];
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { hardwareConcurrency: 1, gpu: { requestAdapter: async () => null } } });
  const module = await load(files, said);
  module.FS.mkdir("/models");
  module.FS.mount(module.MEMFS, { root: "." }, "/models");
  module.FS.writeFile("/models/model.gguf", require("./model.js").make(readFileSync(join(__dirname, "template.jinja"), "utf8")));
  const room = module.cwrap("wllama_malloc", "number", ["number", "number"]);
  const action = module.cwrap("wllama_action", "number", ["string", "number"], { async: true });
  await module.cwrap("wllama_start", "string", [], { async: true })();

  // act sends a message of the protocol, and returns the answer, or null where it failed.
  const act = async (name, message) => {
    said.length = 0;
    const sent = protocol.write(message);
    const at = room(sent.length, 0);
    new Uint8Array(module.wasmMemory.buffer).set(sent, at);
    const from = await action(name, at);
    if (!from) return null;
    const size = new DataView(module.wasmMemory.buffer).getUint32(at, true);
    return protocol.read(Buffer.from(new Uint8Array(module.wasmMemory.buffer).slice(from, from + size)));
  };
  const loaded = await act("load", {
    _name: "load_req", model_paths: ["/models/model.gguf"], n_ctx_auto: false, use_mmap: false, use_mlock: false, n_gpu_layers: 0,
    n_ctx: 64, n_threads: 1, n_batch: 64, n_ubatch: 64, n_parallel: 1, jinja: true, warmup: false, flash_attn: false,
  });
  if (!loaded) throw new Error("the model is not loaded: " + said.join("\n"));
  const errors = () => said.filter((line) => line.startsWith("@@ERROR@@")).map((line) => line.slice("@@ERROR@@".length));

  for (const line of waiting) await hear(line); // what came while the server was loaded
  process.off("message", wait).on("message", hear);

  async function hear(line) {
    try {
      process.send(await judge(line));
    } catch (thrown) {
      process.send({ verdict: "crashes", message: String(thrown) });
    }
  }

  async function judge(line) {
    // The server has a rule of its own with the name that a tool called "call" would get.
    const name = "f";
    // The text of the schema stays as it is: JavaScript would write 2.0 as 2, and 1e400 as null.
    const [, schema] = /"schema":(.*)\}$/s.exec(line) ?? [];
    const body = { messages: [{ role: "user", content: "hi" }], max_tokens: 1 };
    const given = schema === undefined ? undefined : "the text of the schema";
    if (process.argv[2] === "response_format") body.response_format = { type: "json_schema", json_schema: { name, strict: true, schema: given } };
    else body.tools = [{ type: "function", function: { name, description: "d", parameters: given } }];
    const data_json = JSON.stringify(body).replace(JSON.stringify(given), () => schema);
    const begun = await act("completion", { _name: "cmpl_req", is_chat: true, data_json, files: [] });
    if (!begun) return { verdict: "rejected", message: errors().concat(said.filter((line) => !line.startsWith("@@"))).join("\n") };
    for (let more = true; more; ) {
      const result = await act("get_result", { _name: "gres_req", req_id: begun.req_id });
      more = result.has_more;
      if (!result.is_error) continue;
      const { message } = JSON.parse(result.data_json);
      // The grammar was made and read: it is the prompt that is too long for so small a model.
      if (/exceeds the available context size/.test(message)) break;
      return { verdict: "rejected", message };
    }
    return { verdict: "accepted" };
  }
}

// load runs the script of the module, which is made for browsers.
function load(files, said) {
  const source = readFileSync(join(files, "wllama.js"), "utf8");
  return new Promise((resolve, reject) => {
    const module = {
      noInitialRun: true,
      wasmBinary: readFileSync(join(files, "wllama.wasm")),
      locateFile: (name) => join(files, name),
      pthreadPoolSize: 0,
      print: (line) => said.push(line),
      printErr: (line) => said.push(line),
      onAbort: (reason) => reject(new Error(String(reason))),
      onRuntimeInitialized: () => resolve(module),
    };
    new Function("Module", "require", "__filename", "__dirname", source)(module, require, join(files, "wllama.js"), files);
  });
}

// readProtocol reads the messages that the module takes from the source of its package.
function readProtocol() {
  const source = readFileSync(join(dirname(require.resolve("@wllama/wllama/package.json")), "src/glue/messages.ts"), "utf8");
  const version = Number(/GLUE_VERSION = (\d+)/.exec(source)[1]);
  const from = source.indexOf("= {", source.indexOf("GLUE_MESSAGE_PROTOTYPES")) + 2;
  let to = from, depth = 0;
  do {
    if (source[to] === "{") depth++;
    if (source[to] === "}") depth--;
    to++;
  } while (depth > 0);
  const messages = JSON.parse(source.slice(from, to));
  const types = { bool: 1, int: 2, float: 3, str: 4, raw: 5, arr_bool: 6, arr_int: 7, arr_float: 8, arr_str: 9, arr_raw: 10 };
  const magic = "GLUE", nameBytes = 8;

  function write(message) {
    const parts = [Buffer.from(magic), u32(version), Buffer.from(message._name)];
    for (const { name, type } of messages[message._name].fields) {
      const value = message[name];
      if (value === undefined) {
        parts.push(u32(0));
        continue;
      }
      parts.push(u32(types[type]));
      if (!type.startsWith("arr_")) {
        parts.push(...one(type, value));
        continue;
      }
      parts.push(u32(value.length));
      for (const element of value) parts.push(...one(type.slice("arr_".length), element));
    }
    return Buffer.concat(parts);
  }
  function one(type, value) {
    if (type === "str") return [u32(Buffer.byteLength(value)), Buffer.from(value)];
    return [u32(Number(value))];
  }
  function u32(value) {
    const out = Buffer.alloc(4);
    out.writeInt32LE(value);
    return out;
  }
  // read reads the numbers, truths and texts of a message, up to its first list.
  function read(bytes) {
    let at = 2 * 4 + nameBytes;
    const message = {};
    const number = () => bytes.readInt32LE((at += 4) - 4);
    for (const { name, type } of messages[bytes.toString("latin1", 8, at)].fields) {
      if (type.startsWith("arr_")) break;
      if (number() === 0) continue;
      if (type === "str") {
        const size = number();
        message[name] = bytes.toString("utf8", at, at + size);
        at += size;
      } else {
        message[name] = number();
      }
    }
    return message;
  }
  return { write, read };
}
