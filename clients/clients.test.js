// Clients that nobody here wrote call a tool through the emulator, and tell its refusal
// as an error of their own with the provider's words. EMULATOR_URL says where it is;
// `make clients` starts one.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { ApiError, GoogleGenAI } from "@google/genai";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { APICallError, generateText, jsonSchema, streamText, tool } from "ai";
import OpenAI from "openai";

const url = process.env.EMULATOR_URL;
assert.ok(url, "EMULATOR_URL is not set: run make clients");

const name = "get_forecast";
const description = "The forecast for a city.";
const prompt = "What will the weather be in Graz?";
// What each of the clients passes on as it is; @ai-sdk/google drops minimum and maximum.
const accepted = {
  type: "object",
  properties: { city: { type: "string", enum: ["Graz", "Wien"] }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
};
const refused = { type: "object", properties: { tags: { type: "array" } }, required: ["tags"], additionalProperties: false };

// assertCall checks what came back for the accepted tool.
function assertCall(call, calls = 1) {
  assert.equal(calls, 1, "one call comes back");
  assert.equal(call.name, name);
  assert.deepEqual(Object.keys(call.arguments).sort(), ["city", "days"]);
  assert.ok(accepted.properties.city.enum.includes(call.arguments.city), `city is ${call.arguments.city}`);
  assert.ok(Number.isInteger(call.arguments.days), `days is ${call.arguments.days}`);
}

// both runs a client with the accepted tool and with the refused one. The type of its
// error is a class, or the name of one that is not exported.
function both(title, ask, ErrorType, words, status = (error) => error.status) {
  describe(title, () => {
    test("accepted", async () => {
      const calls = await ask(accepted);
      assertCall(calls[0], calls.length);
    });
    test("refused", async () => {
      await assert.rejects(ask(refused), (error) => {
        assert.ok(typeof ErrorType === "string" ? error.constructor.name === ErrorType : error instanceof ErrorType,
          `the error is a ${error.constructor.name}: ${error}`);
        assert.equal(status(error), 400);
        assert.match(error.message, words);
        return true;
      });
    });
  });
}

const model = "gemini-2.5-flash";
const missing = /properties\[tags\]\.items: missing field/;

// As Google's Schema, which has no additionalProperties.
function withoutClosing({ additionalProperties, ...parameters }) {
  return parameters;
}

const gemini = { apiKey: "any", httpOptions: { baseUrl: url } };
for (const [service, options] of [["Gemini", gemini], ["Vertex AI", { ...gemini, vertexai: true }]]) {
  const client = new GoogleGenAI(options);
  const request = (schema) => ({
    model,
    contents: prompt,
    config: { tools: [{ functionDeclarations: [{ name, description, parameters: withoutClosing(schema) }] }] },
  });
  const read = (answer) => (answer.functionCalls ?? []).map((call) => ({ name: call.name, arguments: call.args }));
  both(`@google/genai, ${service}`, async (schema) => read(await client.models.generateContent(request(schema))), ApiError, missing);
  both(`@google/genai, ${service}, streaming`, async (schema) => {
    const calls = [];
    for await (const answer of await client.models.generateContentStream(request(schema))) calls.push(...read(answer));
    return calls;
  }, ApiError, missing);
}

test("@google/genai, JSON Schema and the result of a call", async () => {
  const client = new GoogleGenAI(gemini);
  const config = { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: accepted }] }] };
  const contents = [{ role: "user", parts: [{ text: prompt }] }];
  const first = await client.models.generateContent({ model, contents, config });
  const [call] = first.functionCalls;
  assertCall({ name: call.name, arguments: call.args });
  contents.push(first.candidates[0].content, { role: "user", parts: [{ functionResponse: { name, response: { result: "sun" } } }] });
  const second = await client.models.generateContent({ model, contents, config });
  assert.equal(second.functionCalls, undefined);
  assert.ok(second.text.length > 0);
});

const openai = new OpenAI({ apiKey: "any", baseURL: `${url}/v1` });
const chat = (schema) => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: prompt }],
  tools: [{ type: "function", function: { name, description, parameters: schema, strict: true } }],
});
const readChat = ({ choices }) =>
  (choices[0].message.tool_calls ?? []).map((call) => ({ name: call.function.name, arguments: JSON.parse(call.function.arguments) }));
both("openai, chat", async (schema) => readChat(await openai.chat.completions.create(chat(schema))),
  OpenAI.BadRequestError, /array schema missing items/);
both("openai, chat, streaming", async (schema) => readChat(await openai.chat.completions.stream(chat(schema)).finalChatCompletion()),
  OpenAI.BadRequestError, /array schema missing items/);

const responses = (schema) => ({
  model: "gpt-4o-mini",
  input: prompt,
  tools: [{ type: "function", name, description, parameters: schema, strict: true }],
});
const readResponses = ({ output }) =>
  output.filter((item) => item.type === "function_call").map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) }));
both("openai, responses", async (schema) => readResponses(await openai.responses.create(responses(schema))),
  OpenAI.BadRequestError, /array schema missing items/);
both("openai, responses, streaming", async (schema) => readResponses(await openai.responses.stream(responses(schema)).finalResponse()),
  OpenAI.BadRequestError, /array schema missing items/);

const vercel = createGoogleGenerativeAI({ apiKey: "any", baseURL: `${url}/v1beta` });
const generate = (schema) => ({
  model: vercel(model), prompt, maxRetries: 0, tools: { [name]: tool({ description, inputSchema: jsonSchema(schema) }) },
});
const readVercel = (calls) => calls.map((call) => ({ name: call.toolName, arguments: call.input }));
both("ai and @ai-sdk/google", async (schema) => readVercel((await generateText(generate(schema))).toolCalls),
  APICallError, missing, (error) => error.statusCode);
both("ai and @ai-sdk/google, streaming", async (schema) => {
  let failure;
  const result = streamText({ ...generate(schema), onError: ({ error }) => { failure = error; } });
  const calls = await Promise.resolve(result.toolCalls).catch((error) => { throw failure ?? error; });
  if (failure) throw failure;
  return readVercel(calls);
}, APICallError, missing, (error) => error.statusCode);

const langchain = (schema) =>
  new ChatGoogleGenerativeAI({ model, apiKey: "any", baseUrl: url, maxRetries: 0 }).bindTools([{ name, description, schema }]);
const readLangchain = (message) => message.tool_calls.map((call) => ({ name: call.name, arguments: call.args }));
both("@langchain/google-genai", async (schema) => readLangchain(await langchain(schema).invoke(prompt)),
  "GoogleGenerativeAIFetchError", missing);
both("@langchain/google-genai, streaming", async (schema) => {
  let whole;
  for await (const piece of await langchain(schema).stream(prompt)) whole = whole ? whole.concat(piece) : piece;
  return readLangchain(whole);
}, "GoogleGenerativeAIFetchError", missing);
