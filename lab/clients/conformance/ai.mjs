import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool as define } from "ai";
import { called, client, scenario, tool, url } from "./kit.mjs";

const openai = createOpenAI({ apiKey: "any", baseURL: `${url}/v1` });
const models = {
  "chat/completions": (name) => openai.chat(name), responses: (name) => openai.responses(name),
  messages: createAnthropic({ apiKey: "any", baseURL: `${url}/v1` }), generateContent: createGoogleGenerativeAI({ apiKey: "any", baseURL: `${url}/v1beta` }),
};
await client(async () => {
  const options = {
    model: models[scenario.api](scenario.model), prompt: scenario.prompt, stopWhen: stepCountIs(3), maxRetries: 0,
    tools: { [tool.name]: define({ description: tool.description, inputSchema: jsonSchema(tool.parameters), execute: (given) => called(given) }) },
  };
  if (!scenario.stream) return (await generateText(options)).text;
  let failure;
  const answer = streamText({ ...options, onError: ({ error }) => { failure = error; } });
  await answer.consumeStream();
  if (failure) throw failure;
  return await answer.text;
});
