import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import { called, client, scenario, tool, url } from "./kit.mjs";

const common = { model: scenario.model, maxRetries: 0, apiKey: "any" };
const openai = (more) => new ChatOpenAI({ ...common, configuration: { baseURL: `${url}/v1` }, ...more });
const models = {
  "chat/completions": () => openai({}), responses: () => openai({ useResponsesApi: true }),
  messages: () => new ChatAnthropic({ ...common, anthropicApiUrl: url }), generateContent: () => new ChatGoogleGenerativeAI({ ...common, baseUrl: url }),
};
await client(async () => {
  const declared = { type: "function", function: { name: tool.name, description: tool.description, parameters: tool.parameters } };
  const model = models[scenario.api]().bindTools([declared]);
  const messages = [new HumanMessage(scenario.prompt)];
  for (;;) {
    let answer;
    if (scenario.stream) {
      for await (const chunk of await model.stream(messages)) answer = answer ? answer.concat(chunk) : chunk;
    } else {
      answer = await model.invoke(messages);
    }
    if (answer.invalid_tool_calls?.length) throw new Error(`invalid tool call: ${answer.invalid_tool_calls[0].error}`);
    if (!answer.tool_calls?.length) return answer.text;
    messages.push(answer, ...answer.tool_calls.map((call) => new ToolMessage({ tool_call_id: call.id, content: called(call.args, call.name) })));
  }
});
