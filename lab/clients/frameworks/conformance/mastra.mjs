import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { called, client, retries, scenario, signal, tool, tools, unsupported, url } from "../../conformance/kit.mjs";

const openai = createOpenAI({ apiKey: "any", baseURL: `${url}/v1` });
const models = { "chat/completions": openai.chat, responses: openai.responses };
const defined = ({ name, description, parameters }) => createTool({ id: name, description, inputSchema: parameters, execute: async (given) => called(given, name) });
await client(async () => {
  if (!models[scenario.api]) unsupported(`no ${scenario.api}`);
  if (tool.image) unsupported("a tool that returns a picture");
  const agent = new Agent({
    id: "a", name: "a", instructions: "Help.", model: models[scenario.api](scenario.model), maxRetries: retries,
    tools: Object.fromEntries(tools.map((declared) => [declared.name, defined(declared)])),
  });
  const options = {
    maxSteps: 4, abortSignal: signal, ...(scenario.thinking && { providerOptions: { openai: { reasoningSummary: "auto" } } }),
    ...(scenario.format && { structuredOutput: { schema: scenario.format } }),
  };
  const answer = scenario.stream ? await agent.stream(scenario.prompt, options) : await agent.generate(scenario.prompt, options);
  if (scenario.stream) await answer.consumeStream();
  if (await answer.error) throw await answer.error;
  const text = await answer.text;
  if (!text) throw new Error(`the answer ends with ${await answer.finishReason}`);
  return text;
});
