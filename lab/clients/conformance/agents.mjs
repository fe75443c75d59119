import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool as define } from "@openai/agents";
import OpenAI from "openai";
import { called, client, retries, scenario, signal, tool, tools, unsupported, url } from "./kit.mjs";

setTracingDisabled(true);
const models = { "chat/completions": OpenAIChatCompletionsModel, responses: OpenAIResponsesModel };
const picture = () => ({ type: "image", image: { data: tool.image.data, mediaType: tool.image.type } });
const defined = ({ name, description, parameters }) => define({
  name, description, parameters, strict: false, execute: (given) => called(given, name) ?? picture(),
});
await client(async () => {
  if (!models[scenario.api]) unsupported(`no ${scenario.api}`);
  const openai = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: retries });
  const agent = new Agent({
    name: "a", instructions: "Help.", model: new models[scenario.api](openai, scenario.model), tools: tools.map(defined),
    ...(scenario.thinking && { modelSettings: { reasoning: { summary: "auto" } } }),
    ...(scenario.format && { outputType: { type: "json_schema", name: "answer", strict: true, schema: scenario.format } }),
  });
  const answer = await run(agent, scenario.prompt, { stream: scenario.stream, signal, maxTurns: 4 });
  if (scenario.stream) await answer.completed;
  if (answer.error) throw answer.error;
  return scenario.format ? JSON.stringify(answer.finalOutput) : answer.finalOutput;
});
