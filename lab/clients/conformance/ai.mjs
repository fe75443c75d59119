import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { Output, generateText, jsonSchema, stepCountIs, streamText, tool as define } from "ai";
import { called, client, retries, scenario, signal, tool, tools, url } from "./kit.mjs";

const openai = createOpenAI({ apiKey: "any", baseURL: `${url}/v1` });
const models = {
  "chat/completions": (name) => openai.chat(name), responses: (name) => openai.responses(name),
  messages: createAnthropic({ apiKey: "any", baseURL: `${url}/v1` }), generateContent: createGoogleGenerativeAI({ apiKey: "any", baseURL: `${url}/v1beta` }),
};
const thinking = { openai: { reasoningSummary: "auto" }, anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } }, google: { thinkingConfig: { includeThoughts: true } } };
const pictured = () => ({ type: "content", value: [{ type: "image-data", data: tool.image.data, mediaType: tool.image.type }] });
const defined = ({ name, description, parameters }) => define({
  description, inputSchema: jsonSchema(parameters), execute: (given) => called(given, name) ?? "a picture", ...(tool.image && { toModelOutput: pictured }),
});
await client(async () => {
  const options = {
    model: models[scenario.api](scenario.model), prompt: scenario.prompt, stopWhen: stepCountIs(4), maxRetries: retries, abortSignal: signal,
    tools: Object.fromEntries(tools.map((declared) => [declared.name, defined(declared)])), ...(scenario.thinking && { providerOptions: thinking }),
    ...(scenario.format && { output: Output.object({ schema: jsonSchema(scenario.format) }) }),
  };
  let failure;
  const answer = scenario.stream ? streamText({ ...options, onError: ({ error }) => { failure = error; } }) : await generateText(options);
  if (scenario.stream) await answer.consumeStream();
  if (failure) throw failure;
  const text = await answer.text;
  if (!text) throw new Error(`the answer ends with ${await answer.finishReason}`);
  return text;
});
