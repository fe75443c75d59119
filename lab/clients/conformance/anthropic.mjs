import Anthropic from "@anthropic-ai/sdk";
import { answered, client, retries, scenario, signal, tool, tools, url } from "./kit.mjs";

const anthropic = new Anthropic({ apiKey: "any", baseURL: url, maxRetries: retries });
const common = {
  model: scenario.model, max_tokens: 4096, tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  ...(scenario.thinking && { thinking: { type: "enabled", budget_tokens: 1024 } }),
  ...(scenario.format && { output_config: { format: { type: "json_schema", schema: scenario.format } } }),
};
await client(async () => {
  const messages = [{ role: "user", content: scenario.prompt }];
  for (;;) {
    const request = { ...common, messages };
    const answer = await (scenario.stream ? anthropic.messages.stream(request, { signal }).finalMessage() : anthropic.messages.create(request, { signal }));
    if (answer.stop_reason === "refusal") throw new Error("the model refuses");
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return answer.content.map((block) => block.text ?? "").join("");
    const results = calls.map((call) => {
      const { text, isError } = answered(call.input, call.name);
      const content = tool.image ? [{ type: "image", source: { type: "base64", media_type: tool.image.type, data: tool.image.data } }] : text;
      return { type: "tool_result", tool_use_id: call.id, content, ...(isError && { is_error: true }) };
    });
    messages.push({ role: "assistant", content: answer.content }, { role: "user", content: results });
  }
});
