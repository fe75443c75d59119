// The engine in its worker: a program of Go as WebAssembly, which answers one question after
// the other. The page starts the worker inside its own policy, as engine.js says.
"use strict";

// opened returns the program as a stream that the browser compiles while it comes. It is
// compressed in its file, so that it is small from any server. Some servers say of such a
// file that it is encoded, and the browser has decompressed it then.
async function opened(url, tell) {
  const answer = await fetch(url, { cache: "force-cache" }); // its address has its content
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  const total = Number(answer.headers.get("Content-Length")) || 0;
  let done = 0;
  let isPacked = true;
  const [first, rest] = answer.body.tee();
  const reader = first.getReader();
  const { value } = await reader.read();
  reader.cancel();
  isPacked = value?.[0] === 0x1f && value[1] === 0x8b;
  const counted = rest.pipeThrough(
    new TransformStream({
      transform(chunk, out) {
        done += chunk.length;
        tell({ loaded: done, total: isPacked ? total : 0 });
        out.enqueue(chunk);
      },
    }),
  );
  const plain = isPacked ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  return new Response(plain, { headers: { "Content-Type": "application/wasm" } });
}

// start runs the program, of a module that was compiled before or of its address.
async function start({ program, support, module }) {
  importScripts(support);
  const go = new Go();
  const ready = new Promise((resolve) => {
    globalThis.toolproofReady = resolve;
  });
  let instance;
  if (module) {
    instance = await WebAssembly.instantiate(module, go.importObject);
  } else {
    ({ instance, module } = await WebAssembly.instantiateStreaming(opened(program, postMessage), go.importObject));
  }
  go.run(instance).then(() => postMessage({ ended: "the engine stopped" }));
  await ready;
  postMessage({ ready: true, module });
}

onmessage = async ({ data }) => {
  try {
    if (data.question === undefined) await start(data);
    else postMessage({ answer: toolproof(data.question) });
  } catch (problem) {
    postMessage({ ended: String(problem?.message ?? problem) });
  }
};
