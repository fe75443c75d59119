import { googleAI } from "@genkit-ai/google-genai";
import { genkit } from "genkit";
import { called, client, scenario, signal, tool, tools, unsupported, url } from "../../conformance/kit.mjs";

const ai = genkit({ plugins: [googleAI({ apiKey: "any", baseUrl: url })] });
await client(async () => {
  if (tool.image) unsupported("a tool that returns a picture");
  if (scenario.retries) unsupported("requests that are sent again");
  const request = {
    model: googleAI.model(scenario.model), prompt: scenario.prompt, abortSignal: signal, config: scenario.thinking ? { thinkingConfig: { includeThoughts: true } } : {},
    tools: tools.map(({ name, description, parameters }) => ai.dynamicTool({ name, description, inputJsonSchema: parameters }, async (given) => called(given, name))),
    ...(scenario.format && { output: { jsonSchema: scenario.format } }),
  };
  if (!scenario.stream) return (await ai.generate(request)).text;
  const { stream, response } = ai.generateStream(request);
  for await (const piece of stream) void piece;
  return (await response).text;
});
