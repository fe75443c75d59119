import { chat, maxIterations, toolDefinition } from "@tanstack/ai";
import { createOpenaiChat } from "@tanstack/ai-openai";
import { called, client, retries, scenario, signal, tool, tools, unsupported, url } from "./kit.mjs";

await client(async () => {
  if (tool.image) unsupported("a tool that returns a picture");
  const user = new AbortController();
  signal.addEventListener("abort", () => user.abort());
  const options = {
    adapter: createOpenaiChat(scenario.model, "any", { baseURL: `${url}/v1`, maxRetries: retries }),
    messages: [{ role: "user", content: scenario.prompt }], agentLoopStrategy: maxIterations(4), abortController: user,
    tools: tools.map(({ name, description, parameters }) => toolDefinition({ name, description, inputSchema: parameters }).server(async (given) => called(given, name))),
    ...(scenario.thinking && { modelOptions: { reasoning: { summary: "auto" } } }), ...(scenario.format && { outputSchema: scenario.format }),
  };
  if (scenario.format) return JSON.stringify(await chat(options));
  if (!scenario.stream) return await chat({ ...options, stream: false });
  let text = "";
  for await (const event of chat(options)) {
    if (event.type === "RUN_ERROR") throw new Error(event.message ?? event.error?.message);
    if (event.type === "TEXT_MESSAGE_CONTENT") text += event.delta;
  }
  return text;
});
