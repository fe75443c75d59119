import type { AdapterOptions } from "./index.mjs";

/**
 * Middleware for wrapLanguageModel of the AI SDK. The provider gets the tools as the target takes them,
 * and the program gets its own calls, in streams too. A call that the tool does not accept is not run: the
 * model is told why.
 */
export function toolproof(options?: AdapterOptions): {
  readonly specificationVersion: "v3";
  wrapGenerate(call: any): Promise<any>;
  wrapStream(call: any): Promise<any>;
};
