// verify record, with the providers' own clients: they take their base URLs from the
// environment, send to the emulator through the proxy, and get what it answers. VERIFY is the
// program; make clients sets it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

import { accepted, itemsAsList, name, prompt, url, withoutItems } from "./kit.js";

const key = "sk-planted0123456789planted";
const messages = [{ role: "user", content: prompt }];
const open = { ...accepted };
delete open.additionalProperties; // which Google's own Schema does not have

// clients sends a tool with each client, whole and as a stream.
const clients = {
  openai: async (parameters, stream) => {
    const client = new OpenAI({ maxRetries: 0 });
    const answer = await client.chat.completions.create({ model: "gpt-4o-mini", messages, stream, tools: [{ type: "function", function: { name, parameters } }] });
    if (stream) for await (const _ of answer);
  },
  responses: async (parameters, stream) => {
    const client = new OpenAI({ maxRetries: 0 });
    const answer = await client.responses.create({ model: "gpt-4o-mini", input: prompt, stream, tools: [{ type: "function", name, parameters, strict: false }] });
    if (stream) for await (const _ of answer);
  },
  anthropic: async (input_schema, stream) => {
    const client = new Anthropic({ maxRetries: 0 });
    const answer = await client.messages.create({ model: "claude-sonnet-4-5", max_tokens: 10, messages, stream, tools: [{ name, input_schema }] });
    if (stream) for await (const _ of answer);
  },
  gemini: async (parameters, stream) => {
    const { models } = new GoogleGenAI({ apiKey: key });
    const request = { model: "gemini-2.5-flash", contents: prompt, config: { tools: [{ functionDeclarations: [{ name, parameters }] }] } };
    if (!stream) return void (await models.generateContent(request));
    for await (const _ of await models.generateContentStream(request));
  },
};
const refused = { openai: withoutItems, responses: withoutItems, anthropic: itemsAsList, gemini: { ...withoutItems, additionalProperties: undefined } };

if (process.env.RECORDED) {
  for (const [client, ask] of Object.entries(clients)) {
    for (const stream of [false, true]) {
      await ask(client === "gemini" ? open : accepted, stream);
      await assert.rejects(ask(refused[client], stream), (error) => error.status === 400, client);
    }
  }
  process.exit(7);
} else {
  test("verify record", () => {
    const folder = mkdtempSync(join(tmpdir(), "recorded-"));
    try {
      const environment = {
        ...process.env, RECORDED: "1", OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key,
        OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url, GOOGLE_VERTEX_BASE_URL: url,
      };
      const { status, stderr } = spawnSync(process.env.VERIFY, ["record", "--to", folder, "--", process.execPath, fileURLToPath(import.meta.url)], { env: environment, encoding: "utf8" });
      assert.equal(status, 7, stderr);
      assert.match(stderr, /16 requests answered: 8 declarations accepted, 8 requests refused, 8 new/);
      assert.match(stderr, /the emulator answered/);
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
      const text = files.map((file) => readFileSync(file, "utf8")).join("");
      const surfaces = text.trim().split("\n").map((line) => JSON.parse(line)).map(({ dialect, response }) => `${dialect} ${response.status}`).sort();
      const known = ["anthropic/tools", "gemini/parameters", "openai/chat", "openai/responses-nonstrict"];
      assert.deepEqual(surfaces, known.flatMap((surface) => [`${surface} 200`, `${surface} 400`]));
      for (const word of [key, prompt, name, "city", "Graz"]) assert.ok(!text.includes(word), `${word} is in the recordings`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
