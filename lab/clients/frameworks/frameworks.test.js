// Larger clients that nobody here wrote, which bring many packages with them.
import { createOpenAI } from "@ai-sdk/openai";
import { googleAI } from "@genkit-ai/google-genai";
import Instructor from "@instructor-ai/instructor";
import { openai as llamaModel } from "@llamaindex/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { genkit } from "genkit";
import { tool as llamaTool } from "llamaindex";
import OpenAI from "openai";
import { z } from "zod";

import { accepted, client, description, name, prompt, recorder, result, table, url, withoutItems, words } from "../kit.js";

const gpt = "gpt-4o-mini";
const zod = z.object({ city: z.enum(["Graz", "Wien"]), days: z.number().int() });

// Mastra runs the tool itself.
{
  const model = createOpenAI({ apiKey: "any", baseURL: `${url}/v1` }).chat(gpt);
  const agent = (schema, execute) => new Agent({
    id: "a", name: "a", instructions: "Help.", model, maxRetries: 0,
    tools: { [name]: createTool({ id: name, description, inputSchema: schema, execute }) },
  });
  client("@mastra/core", {
    exchange: async (schema) => {
      const { calls, run } = recorder();
      return { calls, text: (await agent(schema, run).generate(prompt)).text };
    },
    stream: async (schema) => {
      const { calls, run } = recorder();
      const streamed = await agent(schema, run).stream(prompt);
      return { calls, text: await streamed.text };
    },
    structured: async () => (await agent(accepted, () => result).generate(prompt, { structuredOutput: { schema: zod }, toolChoice: "none" })).object,
    refused: withoutItems, error: "AI_APICallError", words: words.openai, status: (error) => error.statusCode,
  });
}

// Genkit runs the tool itself.
{
  const ai = genkit({ plugins: [googleAI({ apiKey: "any", baseUrl: url })] });
  const request = (schema, run) => ({
    model: googleAI.model("gemini-2.5-flash"), prompt, tools: [ai.dynamicTool({ name, description, inputJsonSchema: schema }, async (given) => run(given))],
  });
  client("genkit and @genkit-ai/google-genai", {
    exchange: async (schema) => {
      const { calls, run } = recorder();
      return { calls, text: (await ai.generate(request(schema, run))).text };
    },
    stream: async (schema) => {
      const { calls, run } = recorder();
      const { stream, response } = ai.generateStream(request(schema, run));
      for await (const piece of stream) void piece;
      return { calls, text: (await response).text };
    },
    structured: async (schema) => (await ai.generate({ model: googleAI.model("gemini-2.5-flash"), prompt, output: { jsonSchema: schema } })).output,
    refused: withoutItems, error: "GenkitError", words: words.gemini, status: (error) => error.code,
  });
}

// instructor makes the tool of the schema that it is asked for. An array of anything has no
// items there.
{
  const instructor = Instructor({ client: new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 }), mode: "TOOLS" });
  const request = (schema) => ({
    model: gpt, messages: [{ role: "user", content: prompt }], max_retries: 0,
    response_model: { name: "Forecast", schema: schema === withoutItems ? z.object({ tags: z.array(z.any()) }) : zod },
  });
  client("@instructor-ai/instructor", {
    exchange: "none: the arguments of the call are the answer",
    stream: async (schema) => {
      let last;
      for await (const piece of await instructor.chat.completions.create({ ...request(schema), stream: true })) last = piece;
      return { value: { city: last.city, days: last.days } };
    },
    structured: async (schema) => {
      const { _meta, ...value } = await instructor.chat.completions.create(request(schema));
      return value;
    },
    refused: withoutItems, error: OpenAI.BadRequestError, words: words.openai,
  });
}

{
  const llm = llamaModel({ model: gpt, apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });
  const offered = (schema, run) => [llamaTool({ name, description, parameters: schema, execute: run })];
  client("llamaindex and @llamaindex/openai", {
    exchange: async (schema) => {
      const { calls, run } = recorder();
      const messages = [{ role: "user", content: prompt }];
      let text = "";
      for (let isOver = false; !isOver;) {
        const { newMessages, toolCalls } = await llm.exec({ messages, tools: offered(schema, run) });
        messages.push(...newMessages);
        isOver = toolCalls.length === 0;
        text = newMessages.at(-1).content;
      }
      return { calls, text };
    },
    stream: async (schema) => {
      const { calls, run } = recorder();
      const { stream, newMessages } = await llm.exec({ messages: [{ role: "user", content: prompt }], tools: offered(schema, run), stream: true });
      for await (const piece of stream) void piece;
      newMessages();
      return { calls };
    },
    structured: async () => (await llm.exec({ messages: [{ role: "user", content: prompt }], responseFormat: zod })).object,
    refused: withoutItems, error: "BadRequestError", words: words.openai,
  });
}

table("frameworks");
