// A chat model of LangChain that sends tools as the target takes them.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { RunnableBinding } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { Tools, same } from "./tools.mjs";

/** Wraps a chat model. Tools are bound synchronously: await init() first. */
export function toolproof(model, options) {
  return derived(model, {
    withConfig(config) {
      const made = model.withConfig(config); // another model in some classes, and a binding without bindTools in others
      return made.bindTools ? toolproof(made, options) : made;
    },

    bindTools(given, settings) {
      const functions = given.filter(isFunction);
      const declared = functions.map((tool) => convertToOpenAITool(tool).function);
      const tools = new Tools(declared.map(({ parameters, ...tool }) => ({ ...tool, inputSchema: parameters })), options);
      const sent = tools.sent;
      const bound = given.map((tool) => (isFunction(tool) ? { type: "function", function: declare(sent[functions.indexOf(tool)]) } : tool));
      const strict = sent.length > 0 && sent.every((tool) => tool.strict); // some models read this, and not each tool's
      return restoring(model.bindTools(bound, { ...chosen(settings, tools), ...(strict ? { strict } : {}) }), tools);
    },
  });
}

/** An object that is the model but for some members. */
function derived(model, members) {
  return Object.create(model, Object.getOwnPropertyDescriptors(members));
}

/** Whether a tool is a function of the program, and not one that the provider runs. */
function isFunction(tool) {
  return "schema" in tool || tool.type === "function" || "input_schema" in tool || "lc_runnable" in tool;
}

function declare({ name, description, parameters, strict }) {
  return { name, description, parameters, ...(strict ? { strict } : {}) };
}

/** The settings of bindTools, with the tool to choose under the name that the model knows. */
function chosen(settings, tools) {
  const choice = settings?.tool_choice;
  if (typeof choice === "string") {
    return { ...settings, tool_choice: tools.nameFor(choice) };
  }
  if (choice?.function) {
    return { ...settings, tool_choice: { ...choice, function: { ...choice.function, name: tools.nameFor(choice.function.name) } } };
  }
  return choice?.name ? { ...settings, tool_choice: { ...choice, name: tools.nameFor(choice.name) } } : settings;
}

/** The model with tools, or a binding of it, which gives the program its own calls. */
function restoring(model, tools) {
  if (RunnableBinding.isRunnableBinding(model)) {
    return derived(model, { bound: restoring(model.bound, tools) });
  }
  return derived(model, {
    withConfig: (config) => restoring(model.withConfig(config), tools), // which makes another model in some classes

    async _generate(messages, options, manager) {
      const result = await model._generate(known(messages, tools), options, manager);
      for (const { message } of result.generations) {
        const written = {};
        message.tool_calls = (message.tool_calls ?? []).map((call) => restored(call, tools, written));
        keep(message, written);
      }
      return result;
    },

    // Pieces of calls wait until the end of the stream, when their arguments are complete.
    async *_streamResponseChunks(messages, options, manager) {
      let calls;
      for await (const chunk of model._streamResponseChunks(known(messages, tools), options, manager)) {
        if (chunk.message.tool_call_chunks?.length > 0) {
          const piece = new AIMessageChunk({ content: "", tool_call_chunks: chunk.message.tool_call_chunks });
          calls = calls ? calls.concat(piece) : piece;
          chunk.message.tool_call_chunks = [];
          chunk.message.tool_calls = [];
          chunk.message.invalid_tool_calls = [];
        }
        yield chunk;
      }
      if (calls) {
        const written = {};
        const message = new AIMessageChunk({
          content: "",
          tool_call_chunks: calls.tool_call_chunks.map((piece) => {
            const call = calls.tool_calls.find(({ id }) => id === piece.id);
            if (!call) {
              return piece; // its arguments are not JSON
            }
            const { name, args } = restored(call, tools, written);
            return { ...piece, name, args: JSON.stringify(args) };
          }),
        });
        keep(message, written);
        yield new ChatGenerationChunk({ text: "", message });
      }
    },

    _streamChatModelEvents: BaseChatModel.prototype._streamChatModelEvents, // which makes the events of the chunks
  });
}

/** The call of the program. What the model wrote is added to written, by the id of the call. */
function restored(call, tools, written) {
  const made = tools.restore(call.name, call.args);
  if (!made || (made.name === call.name && same(made.arguments, call.args))) {
    return call;
  }
  written[call.id] = { name: call.name, args: call.args };
  return { ...call, name: made.name, args: made.arguments };
}

/** Keeps with a message what the model wrote, for the next request. */
function keep(message, written) {
  if (Object.keys(written).length > 0) {
    message.response_metadata = { ...message.response_metadata, toolproof: written };
  }
}

/** The messages with the calls as the model wrote them. */
function known(messages, tools) {
  const names = new Map(); // by the id of a call
  return messages.map((message) => {
    if (AIMessage.isInstance(message) && message.tool_calls?.length > 0) {
      const { toolproof: written } = message.response_metadata;
      const calls = message.tool_calls.map((call) => ({ ...call, name: tools.nameFor(call.name), ...written?.[call.id] }));
      for (const { id, name } of calls) {
        names.set(id, name);
      }
      return derived(message, { tool_calls: calls });
    }
    if (ToolMessage.isInstance(message) && message.name !== undefined) {
      return derived(message, { name: names.get(message.tool_call_id) ?? tools.nameFor(message.name) });
    }
    return message;
  });
}
