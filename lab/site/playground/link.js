// A link carries the input in its fragment, which a browser sends nowhere.

const longest = 60_000; // characters of a link that mail and chat still take
const most = 8 << 20; // bytes that a link unfolds to

const toText = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

// gathered reads a stream to its end, or to the limit.
async function gathered(stream) {
  const parts = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) {
      reader.cancel();
      throw new Error("The link holds too much.");
    }
    parts.push(value);
  }
}

// pack returns the fragment for an input: 1 and the compressed JSON, or 0 and the JSON alone.
export async function pack(input) {
  const plain = new TextEncoder().encode(JSON.stringify(input));
  let fragment;
  if (globalThis.CompressionStream) {
    fragment = "1" + toText(await gathered(new Blob([plain]).stream().pipeThrough(new CompressionStream("deflate-raw"))));
  } else {
    fragment = "0" + toText(plain);
  }
  if (fragment.length > longest) throw new Error("The tools are too long for a link.");
  return fragment;
}

// unpack returns the input of a fragment; undefined where it has none.
export async function unpack(fragment) {
  if (!/^[01][\w-]+$/.test(fragment)) return undefined;
  let bytes = toBytes(fragment.slice(1));
  if (fragment[0] === "1") bytes = await gathered(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
  const input = JSON.parse(new TextDecoder().decode(bytes));
  const text = (value) => (typeof value === "string" ? value : "");
  return { tools: text(input?.tools), error: text(input?.error), surface: text(input?.surface) };
}
