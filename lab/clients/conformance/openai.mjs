import OpenAI from "openai";
import { called, client, scenario, tool, url } from "./kit.mjs";

const openai = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });
await client(async () => {
  const options = {
    model: scenario.model, stream: scenario.stream, messages: [{ role: "user", content: scenario.prompt }],
    tools: [{ type: "function", function: { name: tool.name, description: tool.description, parameters: tool.parameters, parse: JSON.parse, function: (given) => called(given) } }],
  };
  return await openai.chat.completions.runTools(options).finalContent();
});
