import Anthropic from "@anthropic-ai/sdk";
import { called, client, scenario, tool, url } from "./kit.mjs";

const anthropic = new Anthropic({ apiKey: "any", baseURL: url, maxRetries: 0 });
await client(async () => {
  const messages = [{ role: "user", content: scenario.prompt }];
  const tools = [{ name: tool.name, description: tool.description, input_schema: tool.parameters }];
  for (;;) {
    const request = { model: scenario.model, max_tokens: 1024, messages, tools };
    const answer = await (scenario.stream ? anthropic.messages.stream(request).finalMessage() : anthropic.messages.create(request));
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return answer.content.map((block) => block.text ?? "").join("");
    messages.push({ role: "assistant", content: answer.content });
    messages.push({ role: "user", content: calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: called(call.input, call.name) })) });
  }
});
