// A server of the MCP TypeScript SDK, 1.x or 2.x, whose clients get tools as the target takes them.
import { init } from "./index.mjs";
import { Tools } from "./tools.mjs";

/**
 * Wraps an McpServer or a Server before it is connected, and returns it. The clients of each later
 * connection are told portable tools, and their calls reach the tools as they are registered.
 */
export function toolproof(server, options) {
  const inner = server.server ?? server; // the Server in an McpServer
  const connect = inner.connect.bind(inner);
  inner.connect = async (transport) => {
    await init();
    return connect(new Connection(transport, options).transport);
  };
  return server;
}

/** Stands between a server and its transport, and changes tools/list and tools/call. */
class Connection {
  #transport;
  #options;
  #receive; // gives a message to the server
  #tools; // as the target takes them; undefined until they are listed
  #asked = new Map(); // what takes the server's answer in place of the client, by the id of the request

  constructor(transport, options) {
    this.#transport = transport;
    this.#options = options;
  }

  /** The transport for the server. */
  get transport() {
    return new Proxy(this.#transport, {
      get: (transport, member) => {
        if (member === "send") {
          return (message, options) => this.#send(message, options);
        }
        const value = transport[member];
        return typeof value === "function" && !String(member).startsWith("on") ? value.bind(transport) : value;
      },
      set: (transport, member, value) => {
        if (member === "onmessage") {
          this.#receive = value;
          value = (message, extra) => this.#onmessage(message, extra);
        }
        transport[member] = value;
        return true;
      },
    });
  }

  #onmessage(message, extra) {
    const answer = { "tools/list": () => this.#list(message, extra), "tools/call": () => this.#call(message, extra) }[message.method];
    if (!answer || message.id === undefined) {
      this.#receive(message, extra);
      return;
    }
    answer()
      .catch((error) => ({ error: { code: -32603, message: error.message } }))
      .then((answered) => answered && this.#transport.send({ jsonrpc: "2.0", id: message.id, ...answered }))
      .catch((error) => this.#transport.onerror?.(error));
  }

  async #send(message, options) {
    if (message.method === "notifications/tools/list_changed") {
      this.#tools = undefined;
    }
    const take = message.method === undefined ? this.#asked.get(message.id) : undefined;
    if (take) {
      this.#asked.delete(message.id);
      take(message);
      return;
    }
    await this.#transport.send(message, options);
  }

  /** Lists the tools of all pages, because what one page is told depends on the names in the others. */
  async #list({ params: { cursor: _, ...params } = {}, ...message }, extra) {
    const listed = [];
    for (let cursor; ; ) {
      const answered = new Promise((resolve) => this.#asked.set(message.id, resolve));
      this.#receive({ ...message, params: cursor === undefined ? params : { ...params, cursor } }, extra);
      const { result, error } = await answered;
      if (error) {
        return { error };
      }
      listed.push(...result.tools);
      cursor = result.nextCursor;
      if (cursor === undefined) {
        this.#tools = new Tools(listed, this.#options);
        return { result: { ...result, tools: this.#tools.sent.map((tool, i) => declare(listed[i], tool)) } };
      }
    }
  }

  /** Gives the server a call of its own tool. The answer to one that the tool does not accept is the reason. */
  async #call(message, extra) {
    const { name, arguments: given, _meta } = message.params;
    if (!this.#tools) { // the client knows them from another connection, or before they changed
      await this.#list({ ...message, method: "tools/list", params: _meta && { _meta } }, extra);
    }
    const call = this.#tools?.restore(name, given);
    if (call && !call.valid) {
      const result = { content: [{ type: "text", text: call.message }], isError: true };
      return { result: _meta?.["io.modelcontextprotocol/protocolVersion"] ? { resultType: "complete", ...result } : result }; // since 2026-07-28
    }
    this.#receive(call ? { ...message, params: { ...message.params, name: call.name, arguments: call.arguments } } : message, extra);
    return undefined; // the server answers
  }
}

/** A tool as clients are told it. */
function declare(given, { name, description, parameters }) {
  return { ...given, name, description, inputSchema: parameters };
}
