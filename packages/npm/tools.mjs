// What the adapters have in common: the tools of one request, as the target takes them.
import { normalize } from "./index.mjs";

/** The tools of a request, each with a name, a description and an inputSchema. */
export class Tools {
  #set;
  #given; // the normalized tools by the name that the program knows
  #called; // the same by the name that the model calls

  constructor(tools, { target = "portable", ...options } = {}) {
    const declared = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    this.#set = declared.length > 0 ? normalize(declared, { ...options, target }) : { tools: [], wire: () => [] };
    this.#set.wire(); // an error if a tool has no form for the target
    this.#given = new Map(this.#set.tools.map((tool) => [tool.given, tool]));
    this.#called = new Map(this.#set.tools.map((tool) => [tool.name, tool]));
  }

  /** The tools for the model, in the same order: name, description, parameters and strict. */
  get sent() {
    return this.#set.tools.map(({ tool, strict, fallback }) => ({
      ...tool, parameters: tool.parameters ?? { type: "object", properties: {} }, strict, fallback,
    }));
  }

  /** The name that the model knows for a name that the program knows. */
  nameFor(given) {
    return this.#given.get(given)?.name ?? given;
  }

  /** The name that the program knows for a name that the model knows. */
  nameOf(called) {
    return this.#called.get(called)?.given ?? called;
  }

  /** Whether the arguments of a tool are written in another form than the program takes. */
  rewrites(called) {
    return this.#called.get(called)?.restores?.some((rule) => rule !== "tool_name") ?? false;
  }

  /**
   * Returns the call of the program for a call of the model. It is undefined if no tool has the name, or
   * the arguments are not JSON: the framework reports both.
   */
  restore(called, text) {
    if (!this.#called.has(called)) {
      return undefined;
    }
    try {
      return this.#set.restore(called, text, { mend: true });
    } catch (error) {
      if (error.code === "bad_request") {
        return undefined;
      }
      throw error;
    }
  }
}

/** The value of arguments that restore has read. No text at all means no arguments. */
export function parsed(text) {
  return text.trim() === "" ? {} : JSON.parse(text);
}

/** Whether two values are the same JSON. */
export function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}
