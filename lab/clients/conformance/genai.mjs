import { GoogleGenAI } from "@google/genai";
import { called, client, scenario, tool, url } from "./kit.mjs";

const { models } = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: url } });
await client(async () => {
  const contents = [{ role: "user", parts: [{ text: scenario.prompt }] }];
  const config = { tools: [{ functionDeclarations: [{ name: tool.name, description: tool.description, parametersJsonSchema: tool.parameters }] }] };
  for (;;) {
    const request = { model: scenario.model, contents, config };
    const answers = scenario.stream ? await models.generateContentStream(request) : [await models.generateContent(request)];
    const parts = [];
    for await (const answer of answers) parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
    const calls = parts.filter((part) => part.functionCall).map((part) => part.functionCall);
    if (calls.length === 0) return parts.map((part) => part.text ?? "").join("");
    contents.push({ role: "model", parts });
    contents.push({ role: "user", parts: calls.map((call) => ({ functionResponse: { name: call.name, response: { result: called(call.args ?? {}, call.name) } } })) });
  }
});
