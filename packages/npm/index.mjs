// Toolproof in the same process: WebAssembly that answers the requests of docs/schema/rpc.schema.json.
// After one await init() every function is synchronous.

/** An error with a code on which programs can decide. */
export class ToolproofError extends Error {
  name = "ToolproofError";

  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

let answer; // the function of the engine; undefined until it runs
let starting; // the promise of init

/** Starts the engine, once. */
export function init(options = {}) {
  starting ??= start(options).catch((error) => {
    starting = undefined; // the next call tries again
    throw error;
  });
  return starting;
}

async function start({ wasm }) {
  const module = await compiled(await wasm);
  // What is made for Go's runtime must not stay: other libraries take a global process for Node.
  const absent = ["Go", "fs", "path", "process", "toolproofReady"].filter((name) => !(name in globalThis));
  try {
    await import("./wasm_exec.mjs");
    const go = new globalThis.Go();
    go.env = { GOGC: "200" }; // half of the collections, for twice the memory of what is kept
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await new Promise((resolve, reject) => {
      globalThis.toolproofReady = (started) => {
        answer = started;
        resolve();
      };
      go.run(instance).then(() => {
        answer = starting = undefined;
        reject(new ToolproofError("fault", "the engine has ended: call init again"));
      }, reject);
    });
  } finally {
    for (const name of absent) {
      delete globalThis[name];
    }
  }
}

/** Returns a module of what the caller gave, or of the file of this package. */
async function compiled(wasm) {
  if (wasm instanceof WebAssembly.Module) {
    return wasm;
  }
  if (wasm === undefined || wasm instanceof URL || typeof wasm === "string") {
    wasm = await read(new URL(wasm ?? "./toolproof.wasm.br", import.meta.url));
  } else if (typeof Response !== "undefined" && wasm instanceof Response) {
    wasm = await wasm.arrayBuffer();
  }
  return WebAssembly.compile(await decompressed(wasm));
}

async function read(url) {
  if (url.protocol === "file:") {
    return globalThis.process.getBuiltinModule("node:fs").readFileSync(url);
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new ToolproofError("fault", `fetching ${url}: ${response.status} ${response.statusText}`);
  }
  return response.arrayBuffer();
}

/** Returns WebAssembly as it is, and decompresses what a server sent as it is stored. */
async function decompressed(data) {
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) {
    return bytes;
  }
  const zlib = globalThis.process?.getBuiltinModule?.("node:zlib");
  if (zlib) {
    return zlib.brotliDecompressSync(bytes);
  }
  try {
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("brotli"))).arrayBuffer();
  } catch (cause) {
    const error = new ToolproofError(
      "fault",
      "this browser does not decompress Brotli by itself: send toolproof.wasm.br with the header Content-Encoding: br, or pass init({ wasm }) the decompressed file",
    );
    error.cause = cause;
    throw error;
  }
}

/** Asks the engine. */
function ask(method, params) {
  if (!answer) {
    throw new ToolproofError("fault", "await init() first");
  }
  const { result, error } = JSON.parse(answer(JSON.stringify({ id: 1, method, params })));
  if (error) {
    throw new ToolproofError(error.code, error.message);
  }
  return result;
}

/** Says which version answers, and for which targets. */
export const hello = () => ask("hello");

/** Judges tools as verify check --json does. */
export const check = (tools, { targets, normalized, model } = {}) => ask("check", { tools, targets, normalized, model });

/** Finds what models get wrong in tools that every provider takes. */
export const advise = (tools, { targets, language } = {}) => ask("advise", { tools, targets, language });

/** Says what the error of a provider means: the places in the tools that were sent, or the rules. */
export const explainError = (message, { tools } = {}) => ask("explain_error", { message, tools });

/** Rewrites tools for a target. */
export function normalize(tools, { target, language, keepTitles, propertyOrdering, sayConstraints, neverStrict }) {
  const params = {
    tools: typeof tools === "string" ? tools : JSON.stringify(tools), // as it is now, whatever the caller changes later
    target,
    options: {
      language,
      keep_titles: keepTitles,
      property_ordering: propertyOrdering,
      say_constraints: sayConstraints,
      never_strict: neverStrict,
    },
  };
  return new Normalized(params, ask("normalize", params));
}

/** Tools as a target takes them. */
export class Normalized {
  #params;
  #set;

  constructor(params, { set, dialect, tools }) {
    this.#params = params;
    this.#set = set;
    this.dialect = dialect;
    this.tools = tools;
  }

  /** The list of tools of a request. A tool that has no form for the target is an error. */
  wire() {
    return this.tools.map(({ given, wire, error }) => {
      if (error !== undefined) {
        throw new ToolproofError("bad_tools", `${given}: ${error}`);
      }
      return wire;
    });
  }

  /** Returns the call of a tool as given for a call of the model. */
  restore(name, args, { mend = false } = {}) {
    const params = { set: this.#set, name, arguments: args ?? "", mend };
    try {
      return ask("restore", params);
    } catch (error) {
      if (error.code !== "unknown_set") {
        throw error;
      }
      ask("normalize", this.#params); // the engine has forgotten the tools
      return ask("restore", params);
    }
  }
}
