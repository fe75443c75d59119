import { openai } from "@llamaindex/openai";
import { tool as define } from "llamaindex";
import { called, client, retries, scenario, tool, tools, unsupported, url } from "../../conformance/kit.mjs";

await client(async () => {
  if (tool.image) unsupported("a tool that returns a picture");
  if (scenario.format) unsupported("an answer of a schema from a model that has tools");
  if (scenario.cancel) unsupported("a request that the user cancels");
  const llm = openai({ model: scenario.model, apiKey: "any", baseURL: `${url}/v1`, maxRetries: retries });
  const offered = tools.map(({ name, description, parameters }) => define({ name, description, parameters, execute: (given) => called(given, name) }));
  const messages = [{ role: "user", content: scenario.prompt }];
  for (;;) {
    const answer = await llm.exec({ messages, tools: offered, stream: scenario.stream });
    let text = "";
    if (scenario.stream) for await (const piece of answer.stream) text += piece.delta ?? "";
    const made = scenario.stream ? answer.newMessages() : answer.newMessages;
    messages.push(...made);
    const { toolCalls } = answer;
    if (!(toolCalls?.length || made.at(-1).options?.toolResult)) return scenario.stream ? text : made.at(-1).content;
  }
});
