// Middleware for the language models of the AI SDK.
import { init } from "./index.mjs";
import { Tools, parsed, same } from "./tools.mjs";

/** Middleware that sends tools as the target takes them, and gives the program its own calls. */
export function toolproof(options) {
  return {
    specificationVersion: "v3",
    async wrapGenerate({ params, model }) {
      const request = await prepare(params, options);
      const result = await model.doGenerate(request.params);
      return { ...result, content: result.content.map((part) => (part.type === "tool-call" ? request.restored(part) : part)) };
    },
    async wrapStream({ params, model }) {
      const request = await prepare(params, options);
      const result = await model.doStream(request.params);
      return { ...result, stream: result.stream.pipeThrough(restoring(request)) };
    },
  };
}

async function prepare(params, options) {
  await init();
  const functions = (params.tools ?? []).filter((tool) => tool.type === "function");
  const tools = new Tools(functions, options);
  const sent = tools.sent;
  const declared = params.tools?.map((tool) => (tool.type === "function" ? declare(tool, sent[functions.indexOf(tool)]) : tool));
  const { toolChoice } = params;
  return {
    tools,
    params: {
      ...params, tools: declared, prompt: known(params.prompt, tools),
      toolChoice: toolChoice?.type === "tool" ? { ...toolChoice, toolName: tools.nameFor(toolChoice.toolName) } : toolChoice,
    },
    restored: (part) => restored(part, tools),
  };
}

/** A tool as the model gets it. One that is no longer strict says so. */
function declare({ strict: wanted, ...given }, { name, description, parameters, strict, fallback }) {
  const tool = { ...given, name, description, inputSchema: parameters };
  if (strict || wanted || fallback !== undefined) {
    tool.strict = strict;
  }
  return tool;
}

/** The prompt with the calls as the model wrote them. */
function known(prompt, tools) {
  const names = new Map(); // by the id of a call
  const part = (given) => {
    switch (given.type) {
      case "tool-call": {
        const { toolproof: written, ...others } = given.providerOptions ?? {};
        const call = written
          ? { ...given, toolName: written.toolName, input: written.input, providerOptions: others }
          : { ...given, toolName: tools.nameFor(given.toolName) };
        names.set(call.toolCallId, call.toolName);
        return call;
      }
      case "tool-result":
        return { ...given, toolName: names.get(given.toolCallId) ?? tools.nameFor(given.toolName) };
      default:
        return given;
    }
  };
  return prompt.map((message) => (Array.isArray(message.content) ? { ...message, content: message.content.map(part) } : message));
}

/**
 * The call of the program. What the model wrote goes with it, for the next request. A call that the tool
 * refuses gets the reason in place of its arguments: the AI SDK does not run such a call, and tells the
 * model the reason.
 */
function restored(part, tools) {
  const call = part.providerExecuted ? undefined : tools.restore(part.toolName, part.input);
  if (!call) {
    return part;
  }
  const input = parsed(part.input);
  if (call.valid && call.name === part.toolName && same(input, call.arguments)) {
    return part;
  }
  return {
    ...part, toolName: call.name, input: call.valid ? JSON.stringify(call.arguments) : call.message,
    providerMetadata: { ...part.providerMetadata, toolproof: { toolName: part.toolName, input } },
  };
}

/** Restores the calls of a stream. Pieces of arguments in another form wait until the call is complete. */
function restoring({ tools, restored }) {
  const held = new Set(); // the ids of calls
  return new TransformStream({
    transform(part, controller) {
      switch (part.type) {
        case "tool-input-start":
          if (tools.rewrites(part.toolName)) {
            held.add(part.id);
          }
          controller.enqueue({ ...part, toolName: tools.nameOf(part.toolName) });
          return;
        case "tool-input-delta":
        case "tool-input-end":
          if (!held.has(part.id)) {
            controller.enqueue(part);
          }
          return;
        case "tool-call": {
          const call = restored(part);
          if (held.delete(part.toolCallId)) {
            controller.enqueue({ type: "tool-input-delta", id: part.toolCallId, delta: call.input });
            controller.enqueue({ type: "tool-input-end", id: part.toolCallId });
          }
          controller.enqueue(call);
          return;
        }
        default:
          controller.enqueue(part);
      }
    },
  });
}
