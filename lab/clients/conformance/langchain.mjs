import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { answered, client, retries, scenario, signal, tool, tools, unsupported, url } from "./kit.mjs";

const common = { model: scenario.model, maxRetries: retries, apiKey: "any" };
const openai = (more) => new ChatOpenAI({ ...common, configuration: { baseURL: `${url}/v1` }, ...more });
const models = {
  "chat/completions": () => openai({}), responses: () => openai({ useResponsesApi: true, ...(scenario.thinking && { reasoning: { summary: "auto" } }) }),
  messages: () => new ChatAnthropic({ ...common, anthropicApiUrl: url, ...(scenario.thinking && { maxTokens: 4096, thinking: { type: "enabled", budget_tokens: 1024 } }) }),
  generateContent: () => new ChatGoogleGenerativeAI({ ...common, baseUrl: url, ...(scenario.thinking && { thinkingConfig: { includeThoughts: true } }) }),
};
const isOpenAI = scenario.api === "chat/completions" || scenario.api === "responses";
await client(async () => {
  if (scenario.format && !isOpenAI) unsupported("an answer of a schema from a model that has tools");
  const declared = tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } }));
  const format = { type: "json_schema", json_schema: { name: "answer", schema: scenario.format, strict: true } };
  const model = models[scenario.api]().bindTools(declared, scenario.format && { response_format: format });
  const messages = [new HumanMessage(scenario.prompt)];
  for (;;) {
    let answer;
    if (scenario.stream) {
      for await (const chunk of await model.stream(messages, { signal })) answer = answer ? answer.concat(chunk) : chunk;
    } else {
      answer = await model.invoke(messages, { signal });
    }
    if (answer.invalid_tool_calls?.length) throw new Error(`invalid tool call: ${answer.invalid_tool_calls[0].error}`);
    if (!answer.tool_calls?.length) return answer.text || answer.additional_kwargs.refusal;
    messages.push(answer, ...answer.tool_calls.map((call) => {
      const { text, isError } = answered(call.args, call.name);
      const content = tool.image ? [{ type: "image", mimeType: tool.image.type, data: tool.image.data }] : text;
      return new ToolMessage({ tool_call_id: call.id, name: call.name, content, status: isError ? "error" : "success" });
    }));
  }
});
