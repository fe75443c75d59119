import OpenAI from "openai";
import { answered, called, client, retries, scenario, signal, tool, tools, unsupported, url } from "./kit.mjs";

const openai = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: retries });
const schema = { name: "answer", schema: scenario.format, strict: true };

async function chat() {
  const options = {
    model: scenario.model, stream: scenario.stream, messages: [{ role: "user", content: scenario.prompt }],
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function", function: { name, description, parameters, parse: JSON.parse, function: (given) => called(given, name) },
    })),
    ...(scenario.format && { response_format: { type: "json_schema", json_schema: schema } }),
  };
  const message = await openai.chat.completions.runTools(options, { signal }).finalMessage();
  return message.content ?? message.refusal;
}

async function responses() {
  const input = [{ role: "user", content: scenario.prompt }];
  const common = {
    model: scenario.model, tools: tools.map(({ name, description, parameters }) => ({ type: "function", name, description, parameters, strict: false })),
    ...(scenario.format && { text: { format: { type: "json_schema", ...schema } } }), ...(scenario.thinking && { reasoning: { summary: "auto" } }),
  };
  for (;;) {
    const request = { ...common, input };
    const answer = await (scenario.stream ? openai.responses.stream(request, { signal }).finalResponse() : openai.responses.create(request, { signal }));
    const calls = answer.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return answer.output_text || answer.output.at(-1).content?.[0].refusal;
    input.push(...answer.output);
    for (const call of calls) {
      const { text } = answered(JSON.parse(call.arguments), call.name);
      const output = tool.image ? [{ type: "input_image", image_url: `data:${tool.image.type};base64,${tool.image.data}`, detail: "auto" }] : text;
      input.push({ type: "function_call_output", call_id: call.call_id, output });
    }
  }
}

const loops = { "chat/completions": chat, responses };
await client(loops[scenario.api] ?? (() => unsupported(`no ${scenario.api}`)));
