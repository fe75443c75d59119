import type { AdapterOptions } from "./index.mjs";

/**
 * Wraps a chat model of LangChain, whose bindTools then sends tools as the target takes them. The calls in
 * its messages are those of the tools as given. Tools are bound synchronously: await init() first.
 */
export function toolproof<Model extends object>(model: Model, options?: AdapterOptions): Model;
