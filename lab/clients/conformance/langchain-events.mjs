// LangChain by the events of a stream in their third version, which parses arguments by itself.
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { answered, client, retries, scenario, signal, tool, tools, unsupported, url } from "./kit.mjs";

await client(async () => {
  if (!scenario.stream) unsupported("an answer without a stream");
  const declared = tools.map(({ name, description, parameters }) => ({ type: "function", function: { name, description, parameters } }));
  const model = new ChatOpenAI({ model: scenario.model, maxRetries: retries, apiKey: "any", configuration: { baseURL: `${url}/v1` } }).bindTools(declared);
  const messages = [new HumanMessage(scenario.prompt)];
  for (;;) {
    const answer = await model.streamEvents(messages, { version: "v3", signal });
    if (answer.invalid_tool_calls?.length) throw new Error(`invalid tool call: ${answer.invalid_tool_calls[0].error}`);
    if (!answer.tool_calls?.length) return answer.text || answer.additional_kwargs.refusal;
    messages.push(answer, ...answer.tool_calls.map((call) => new ToolMessage({ tool_call_id: call.id, name: call.name, content: answered(call.args, call.name).text })));
  }
});
