import type { AdapterOptions } from "./index.mjs";

/**
 * Wraps a model of the OpenAI Agents SDK. The provider gets the tools as the target takes them, and agents
 * get the calls of their own tools, in streams too. A call that the tool does not accept gets the reason
 * in place of its arguments, so that the SDK does not run it.
 */
export function toolproof<Model extends object>(model: Model, options?: AdapterOptions): Model;
