// Makes the smallest model that llama.cpp loads: one layer, and a vocabulary of single bytes.
// Its weights mean nothing: a request is refused before the model is asked.
const u32 = (value) => { const out = Buffer.alloc(4); out.writeUInt32LE(value); return out; };
const u64 = (value) => { const out = Buffer.alloc(8); out.writeBigUInt64LE(BigInt(value)); return out; };
const f32 = (value) => { const out = Buffer.alloc(4); out.writeFloatLE(value); return out; };
const text = (value) => { const bytes = Buffer.from(value); return Buffer.concat([u64(bytes.length), bytes]); };

// The types of values in a GGUF file.
const UINT32 = 4, INT32 = 5, FLOAT32 = 6, STRING = 8, ARRAY = 9;
const list = (type, values) => Buffer.concat([u32(type), u64(values.length), ...values]);

exports.make = function make(template) {
  const width = 32, alignment = 32;
  const tokens = ["<unk>", "<s>", "</s>"], types = [2, 3, 3];
  for (let byte = 0; byte < 256; byte++) {
    tokens.push(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
    types.push(6);
  }
  tokens.push("\u2581");
  types.push(1);
  const values = [
    ["general.architecture", STRING, text("llama")],
    ["general.alignment", UINT32, u32(alignment)],
    ["llama.context_length", UINT32, u32(1 << 22)],
    ["llama.embedding_length", UINT32, u32(width)],
    ["llama.block_count", UINT32, u32(1)],
    ["llama.feed_forward_length", UINT32, u32(width)],
    ["llama.attention.head_count", UINT32, u32(2)],
    ["llama.attention.head_count_kv", UINT32, u32(2)],
    ["llama.attention.layer_norm_rms_epsilon", FLOAT32, f32(1e-5)],
    ["llama.rope.dimension_count", UINT32, u32(width / 2)],
    ["llama.vocab_size", UINT32, u32(tokens.length)],
    ["tokenizer.ggml.model", STRING, text("llama")],
    ["tokenizer.ggml.tokens", ARRAY, list(STRING, tokens.map(text))],
    ["tokenizer.ggml.scores", ARRAY, list(FLOAT32, tokens.map((_, i) => f32(-i)))],
    ["tokenizer.ggml.token_type", ARRAY, list(INT32, types.map(u32))],
    ["tokenizer.ggml.bos_token_id", UINT32, u32(1)],
    ["tokenizer.ggml.eos_token_id", UINT32, u32(2)],
    ["tokenizer.ggml.unknown_token_id", UINT32, u32(0)],
    ["tokenizer.chat_template", STRING, text(template)],
  ];
  const square = [width, width], vocabulary = [width, tokens.length];
  const tensors = [["token_embd", vocabulary], ["output_norm", [width]], ["output", vocabulary]];
  for (const name of ["attn_norm", "ffn_norm"]) tensors.push([`blk.0.${name}`, [width]]);
  for (const name of ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_down", "ffn_up"]) tensors.push([`blk.0.${name}`, square]);
  const parts = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(values.length)];
  for (const [key, type, value] of values) parts.push(text(key), u32(type), value);
  let size = 0;
  for (const [name, shape] of tensors) {
    parts.push(text(`${name}.weight`), u32(shape.length), ...shape.map(u64), u32(0), u64(size));
    size += 4 * shape.reduce((a, b) => a * b); // a multiple of the alignment, as the width is
  }
  const head = Buffer.concat(parts);
  return Buffer.concat([head, Buffer.alloc((alignment - (head.length % alignment)) % alignment), Buffer.alloc(size, 0)]);
};
