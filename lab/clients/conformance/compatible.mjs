import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Output, jsonSchema, stepCountIs, streamText, generateText, tool as define } from "ai";
import { called, client, retries, scenario, signal, tool, tools, url } from "./kit.mjs";

const compatible = createOpenAICompatible({ name: "emulator", apiKey: "any", baseURL: `${url}/v1`, supportsStructuredOutputs: true });
await client(async () => {
  const options = {
    model: compatible(scenario.model), prompt: scenario.prompt, stopWhen: stepCountIs(4), maxRetries: retries, abortSignal: signal,
    tools: Object.fromEntries(tools.map(({ name, description, parameters }) => [
      name, define({ description, inputSchema: jsonSchema(parameters), execute: (given) => called(given, name) }),
    ])),
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
