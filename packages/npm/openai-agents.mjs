// A model of the OpenAI Agents SDK that sends tools as the target takes them.
import { init } from "./index.mjs";
import { Tools, parsed, same } from "./tools.mjs";

const mostCalls = 10_000; // that a model keeps as they were written

/** Wraps a model of @openai/agents. */
export function toolproof(model, options) {
  const written = new Map(); // what the model wrote, by the id of the call
  return new Proxy(model, {
    get(_, member) {
      switch (member) {
        case "getResponse":
          return async (request) => {
            const { sent, tools } = await prepare(request, written, options);
            const response = await model.getResponse(sent);
            return { ...response, output: restored(response.output, tools, written) };
          };
        case "getStreamedResponse":
          return async function* (request) {
            const { sent, tools } = await prepare(request, written, options);
            for await (const event of model.getStreamedResponse(sent)) {
              yield event.type === "response_done"
                ? { ...event, response: { ...event.response, output: restored(event.response.output, tools, written) } }
                : event;
            }
          };
        default: {
          const value = model[member];
          return typeof value === "function" ? value.bind(model) : value;
        }
      }
    },
  });
}

async function prepare(request, written, options) {
  await init();
  const functions = request.tools.filter((tool) => tool.type === "function");
  const tools = new Tools(functions.map(({ parameters, ...tool }) => ({ ...tool, inputSchema: parameters })), options);
  const declared = tools.sent;
  const { toolChoice } = request.modelSettings;
  return {
    tools,
    sent: {
      ...request,
      tools: request.tools.map((tool) => {
        if (tool.type !== "function") {
          return tool;
        }
        const { name, description, parameters, strict } = declared[functions.indexOf(tool)];
        return { ...tool, name, description: description ?? "", parameters, strict };
      }),
      input: typeof request.input === "string" ? request.input : request.input.map((item) => known(item, tools, written)),
      modelSettings: toolChoice === undefined ? request.modelSettings : { ...request.modelSettings, toolChoice: tools.nameFor(toolChoice) },
    },
  };
}

/** An item of the conversation as the model wrote it. */
function known(item, tools, written) {
  switch (item.type) {
    case "function_call":
      return { ...item, name: tools.nameFor(item.name), ...written.get(item.callId) };
    case "function_call_result":
      return { ...item, name: written.get(item.callId)?.name ?? tools.nameFor(item.name) };
    default:
      return item;
  }
}

/**
 * The output with the calls of the program. A call that the tool refuses gets the reason in place of its
 * arguments, so that the SDK does not run it.
 */
function restored(output, tools, written) {
  return output.map((item) => {
    const call = item.type === "function_call" ? tools.restore(item.name, item.arguments) : undefined;
    if (!call || (call.valid && call.name === item.name && same(parsed(item.arguments), call.arguments))) {
      return item;
    }
    written.set(item.callId, { name: item.name, arguments: item.arguments });
    if (written.size > mostCalls) {
      written.delete(written.keys().next().value);
    }
    return { ...item, name: call.name, arguments: call.valid ? JSON.stringify(call.arguments) : call.message };
  });
}
