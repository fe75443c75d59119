// Clients that nobody here wrote: the providers' own ones, and those that speak for several
// providers.
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { ApiError, GoogleGenAI } from "@google/genai";
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool as agentTool } from "@openai/agents";
import { APICallError, Output, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";

import { accepted, client, description, itemsAsList, name, prompt, recorder, result, table, url, withoutItems, words } from "./kit.js";

// Google's client, which sends its own Schema; that has no additionalProperties.
function withoutClosing({ additionalProperties, ...parameters }) {
  return parameters;
}

const gemini = { apiKey: "any", httpOptions: { baseUrl: url } };
const google = "gemini-2.5-flash";
const readGoogle = (answer) => (answer.functionCalls ?? []).map((call) => ({ name: call.name, arguments: call.args }));
for (const [service, options] of [["Gemini", gemini], ["Vertex AI", { ...gemini, vertexai: true }]]) {
  const { models } = new GoogleGenAI(options);
  const exchange = async (declared) => {
    const config = { tools: [{ functionDeclarations: [{ name, description, ...declared }] }] };
    const contents = [{ role: "user", parts: [{ text: prompt }] }];
    const first = await models.generateContent({ model: google, contents, config });
    const calls = readGoogle(first);
    contents.push(first.candidates[0].content, { role: "user", parts: [{ functionResponse: { name, response: { result } } }] });
    const second = await models.generateContent({ model: google, contents, config });
    return { calls, text: second.text };
  };
  const expected = {
    stream: async (schema) => {
      const calls = [];
      const config = { tools: [{ functionDeclarations: [{ name, description, parameters: withoutClosing(schema) }] }] };
      for await (const answer of await models.generateContentStream({ model: google, contents: prompt, config })) calls.push(...readGoogle(answer));
      return { calls };
    },
    structured: async (schema) => {
      const config = { responseMimeType: "application/json", responseJsonSchema: schema };
      return JSON.parse((await models.generateContent({ model: google, contents: prompt, config })).text);
    },
    refused: withoutItems, error: ApiError, words: words.gemini,
  };
  client(`@google/genai, ${service}`, { exchange: (schema) => exchange({ parameters: withoutClosing(schema) }), ...expected });
  client(`@google/genai, ${service}, JSON Schema`, {
    exchange: (schema) => exchange({ parametersJsonSchema: schema }), ...expected,
    // An array without items is no fault there.
    refused: "as above", stream: "as above", structured: "as above",
  });
}

const openai = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });
const gpt = "gpt-4o-mini";
const readChat = ({ choices }) =>
  (choices[0].message.tool_calls ?? []).map((call) => ({ name: call.function.name, arguments: JSON.parse(call.function.arguments) }));
const chat = (schema) => ({
  model: gpt,
  messages: [{ role: "user", content: prompt }],
  tools: [{ type: "function", function: { name, description, parameters: schema, strict: true } }],
});
client("openai, chat", {
  exchange: async (schema) => {
    const request = chat(schema);
    const first = await openai.chat.completions.create(request);
    const { message } = first.choices[0];
    request.messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: result });
    const second = await openai.chat.completions.create(request);
    return { calls: readChat(first), text: second.choices[0].message.content };
  },
  stream: async (schema) => ({ calls: readChat(await openai.chat.completions.stream(chat(schema)).finalChatCompletion()) }),
  structured: async (schema) => {
    const format = { type: "json_schema", json_schema: { name: "forecast", schema, strict: true } };
    return (await openai.chat.completions.parse({ ...chat(schema), tools: undefined, response_format: format })).choices[0].message.parsed;
  },
  refused: withoutItems, error: OpenAI.BadRequestError, words: words.openai,
});

const readResponses = ({ output }) =>
  output.filter((item) => item.type === "function_call").map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) }));
const responses = (schema) => ({
  model: gpt,
  input: [{ role: "user", content: prompt }],
  tools: [{ type: "function", name, description, parameters: schema, strict: true }],
});
client("openai, responses", {
  exchange: async (schema) => {
    const request = responses(schema);
    const first = await openai.responses.create(request);
    request.input.push(...first.output, { type: "function_call_output", call_id: first.output[0].call_id, output: result });
    const second = await openai.responses.create(request);
    return { calls: readResponses(first), text: second.output_text };
  },
  stream: async (schema) => ({ calls: readResponses(await openai.responses.stream(responses(schema)).finalResponse()) }),
  structured: async (schema) => {
    const format = { type: "json_schema", name: "forecast", schema, strict: true };
    return (await openai.responses.parse({ ...responses(schema), tools: undefined, text: { format } })).output_parsed;
  },
  refused: withoutItems, error: OpenAI.BadRequestError, words: words.openai,
});

const anthropic = new Anthropic({ apiKey: "any", baseURL: url, maxRetries: 0 });
const claude = "claude-sonnet-5";
const readMessage = ({ content }) => content.filter((block) => block.type === "tool_use").map((call) => ({ name: call.name, arguments: call.input }));
const messages = (schema) => ({
  model: claude, max_tokens: 1024, messages: [{ role: "user", content: prompt }], tools: [{ name, description, input_schema: schema }],
});
client("@anthropic-ai/sdk", {
  exchange: async (schema) => {
    const request = messages(schema);
    const first = await anthropic.messages.create(request);
    const call = first.content.find((block) => block.type === "tool_use");
    request.messages.push({ role: "assistant", content: first.content }, { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: result }] });
    const second = await anthropic.messages.create(request);
    return { calls: readMessage(first), text: second.content[0].text };
  },
  stream: async (schema) => ({ calls: readMessage(await anthropic.messages.stream(messages(schema)).finalMessage()) }),
  structured: async (schema) => {
    const request = { ...messages(schema), tools: undefined, output_config: { format: jsonSchemaOutputFormat(schema) } };
    return (await anthropic.messages.parse(request)).parsed_output;
  },
  refused: itemsAsList, error: Anthropic.BadRequestError, words: words.anthropic,
});

// Agents of OpenAI, which run the tool themselves. A tool that is not strict may have any
// schema.
setTracingDisabled(true);
for (const [api, model] of [["responses", new OpenAIResponsesModel(openai, gpt)], ["chat", new OpenAIChatCompletionsModel(openai, gpt)]]) {
  const agent = (schema, execute) =>
    new Agent({ name: "a", instructions: "Help.", model, tools: [agentTool({ name, description, parameters: schema, strict: false, execute, errorFunction: null })] });
  const output = { type: "json_schema", name: "forecast", strict: true, schema: accepted };
  client(`@openai/agents, ${api}`, {
    exchange: async (schema) => {
      const { calls, run: execute } = recorder();
      return { calls, text: (await run(agent(schema, execute), prompt)).finalOutput };
    },
    stream: async (schema) => {
      const { calls, run: execute } = recorder();
      const streamed = await run(agent(schema, execute), prompt, { stream: true });
      let text = "";
      for await (const piece of streamed.toTextStream()) text += piece;
      await streamed.completed;
      return { calls, text };
    },
    structured: async () => (await run(new Agent({ name: "a", instructions: "Help.", model, outputType: output }), prompt)).finalOutput,
    refused: withoutItems, error: OpenAI.BadRequestError, words: words.openai,
  });
}

// The AI SDK runs the tool itself.
const vercel = {
  google: createGoogleGenerativeAI({ apiKey: "any", baseURL: `${url}/v1beta` })(google),
  "openai, responses": createOpenAI({ apiKey: "any", baseURL: `${url}/v1` })(gpt),
  "openai, chat": createOpenAI({ apiKey: "any", baseURL: `${url}/v1` }).chat(gpt),
  anthropic: createAnthropic({ apiKey: "any", baseURL: `${url}/v1` })(claude),
};
for (const [provider, model] of Object.entries(vercel)) {
  const request = (schema, execute) => ({
    model, prompt, maxRetries: 0, stopWhen: stepCountIs(3), tools: { [name]: tool({ description, inputSchema: jsonSchema(schema), execute }) },
  });
  client(`ai and @ai-sdk/${provider}`, {
    exchange: async (schema) => {
      const { calls, run: execute } = recorder();
      return { calls, text: (await generateText(request(schema, execute))).text };
    },
    stream: async (schema) => {
      const { calls, run: execute } = recorder();
      let failure;
      const streamed = streamText({ ...request(schema, execute), onError: ({ error }) => { failure = error; } });
      const text = await Promise.resolve(streamed.text).catch((error) => { throw failure ?? error; });
      if (failure) throw failure;
      return { calls, text };
    },
    structured: async (schema) => (await generateText({ model, prompt, maxRetries: 0, output: Output.object({ schema: jsonSchema(schema) }) })).output,
    refused: provider === "anthropic" ? itemsAsList : withoutItems,
    error: APICallError, words: words[provider === "google" ? "gemini" : provider.split(",")[0]], status: (error) => error.statusCode,
  });
}

const langchain = {
  "google-genai": {
    model: new ChatGoogleGenerativeAI({ model: google, apiKey: "any", baseUrl: url, maxRetries: 0 }),
    refused: withoutItems, error: "GoogleGenerativeAIFetchError", words: words.gemini,
  },
  openai: {
    model: new ChatOpenAI({ model: gpt, apiKey: "any", configuration: { baseURL: `${url}/v1` }, maxRetries: 0 }),
    refused: withoutItems, error: "BadRequestError", words: words.openai,
  },
  anthropic: {
    model: new ChatAnthropic({ model: claude, apiKey: "any", anthropicApiUrl: url, maxRetries: 0 }),
    refused: itemsAsList, error: "BadRequestError", words: words.anthropic,
  },
};
for (const [provider, { model, ...expected }] of Object.entries(langchain)) {
  const bound = (schema) => model.bindTools([{ name, description, schema }]);
  const read = (message) => message.tool_calls.map((call) => ({ name: call.name, arguments: call.args }));
  client(`@langchain/${provider}`, {
    exchange: async (schema) => {
      const asked = [new HumanMessage(prompt)];
      const first = await bound(schema).invoke(asked);
      const second = await bound(schema).invoke([...asked, first, new ToolMessage({ content: result, tool_call_id: first.tool_calls[0].id, name })]);
      return { calls: read(first), text: second.text };
    },
    stream: async (schema) => {
      let whole;
      for await (const piece of await bound(schema).stream(prompt)) whole = whole ? whole.concat(piece) : piece;
      return { calls: read(whole) };
    },
    structured: (schema) => model.withStructuredOutput({ title: "forecast", ...schema }).invoke(prompt),
    ...expected,
  });
}

table("clients");
