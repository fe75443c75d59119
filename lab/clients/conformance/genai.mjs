import { GoogleGenAI } from "@google/genai";
import { answered, client, retries, scenario, signal, tool, tools, url } from "./kit.mjs";

const { models } = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: url, ...(retries && { retryOptions: { attempts: retries + 1 } }) } });
const config = {
  abortSignal: signal, tools: [{ functionDeclarations: tools.map(({ name, description, parameters }) => ({ name, description, parametersJsonSchema: parameters })) }],
  ...(scenario.thinking && { thinkingConfig: { includeThoughts: true } }),
  ...(scenario.format && { responseMimeType: "application/json", responseJsonSchema: scenario.format }),
};
await client(async () => {
  const contents = [{ role: "user", parts: [{ text: scenario.prompt }] }];
  for (;;) {
    const request = { model: scenario.model, contents, config };
    const answers = scenario.stream ? await models.generateContentStream(request) : [await models.generateContent(request)];
    const parts = [];
    let reason;
    for await (const answer of answers) {
      parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
      reason = answer.candidates?.[0]?.finishReason ?? reason;
    }
    const calls = parts.filter((part) => part.functionCall).map((part) => part.functionCall);
    if (calls.length === 0 && reason !== "STOP") throw new Error(`the answer ends with ${reason}`);
    if (calls.length === 0) return parts.map((part) => (part.thought ? "" : part.text ?? "")).join("");
    contents.push({ role: "model", parts });
    contents.push({ role: "user", parts: calls.map((call) => {
      const { text, isError } = answered(call.args ?? {}, call.name);
      if (tool.image) return { functionResponse: { name: call.name, response: {}, parts: [{ inlineData: { mimeType: tool.image.type, data: tool.image.data } }] } };
      return { functionResponse: { name: call.name, response: isError ? { error: text } : { result: text } } };
    }) });
  }
});
