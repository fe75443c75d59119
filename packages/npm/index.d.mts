import type { HelloResult, CheckResult, NormalizeResult, RestoreResult, ExplainErrorResult } from "./results.d.mts";

export type {
  Change,
  CheckResult,
  ExplainErrorResult,
  Finding,
  HelloResult,
  NormalizeResult,
  RestoreResult,
  ResultLine,
  SummaryLine,
} from "./results.d.mts";

/** Tools in any form that `verify check` reads: an object or list as JSON has it, or a text. */
export type Tools = string | object;

/** Why a call has no result. */
export type ErrorCode = "bad_request" | "bad_tools" | "unknown_set" | "no_answer" | "canceled" | "fault";

/** An error with a code on which programs can decide. */
export class ToolproofError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string);
}

export interface InitOptions {
  /**
   * The WebAssembly, for edge workers and for files that lie elsewhere: a module, its bytes, a response,
   * or an address. Without it, init reads toolproof.wasm.br beside this file.
   */
  wasm?: WebAssembly.Module | BufferSource | Response | URL | string | Promise<WebAssembly.Module | BufferSource | Response>;
}

/** Starts the engine, once. All other functions are synchronous and throw before it has started. */
export function init(options?: InitOptions): Promise<void>;

/** Says which version answers, and for which targets. */
export function hello(): HelloResult;

export interface CheckOptions {
  /** Names of targets and dialects, patterns, or "all". Default: the surfaces to which clients pass tools on unchanged. */
  targets?: string[];
  /** Judge what the normalizer of each target makes of the tools. */
  normalized?: boolean;
  /** The provider's model. */
  model?: string;
}

/** Judges tools as `verify check --json` does. */
export function check(tools: Tools, options?: CheckOptions): CheckResult;

export interface AdviseOptions {
  /** Targets for which the advice also names what they do not pass on. */
  targets?: string[];
  /** The language that is read where a tool has texts in several. */
  language?: string;
}

/** Finds what models get wrong in tools that every provider takes. */
export function advise(tools: Tools, options?: AdviseOptions): CheckResult;

/** Says what the error of a provider means: the places in the tools that were sent or, without tools, the rules. */
export function explainError(message: string, options?: { tools?: Tools }): ExplainErrorResult;

export interface NormalizeOptions {
  /** The target or dialect, such as "openai-strict", "gemini" or "portable". */
  target: string;
  /** The language to keep of a text in several, such as "de-AT". */
  language?: string;
  /** Whether strict tools keep `title`. */
  keepTitles?: boolean;
  /** Whether objects get `propertyOrdering` where the surface has it. */
  propertyOrdering?: boolean;
  /** Whether descriptions repeat the constraints that stay in the schema. */
  sayConstraints?: boolean;
  /** Whether a strict target falls back to the one that is not strict. */
  neverStrict?: boolean;
}

/** Rewrites the tools of one request for a target. */
export function normalize(tools: Tools, options: NormalizeOptions): Normalized;

/** Tools as a target takes them. */
export class Normalized {
  private constructor();
  /** The surface of the target, such as "openai/chat-strict". */
  readonly dialect: string;
  /** An element for each tool, in the order of the input, with each change and its loss. */
  readonly tools: NormalizeResult["tools"];
  /** The list of tools of a request. A tool that has no form for the target is an error. */
  wire(): Record<string, unknown>[];
  /**
   * Returns the call of a tool as given for a call of the model, with the reasons why the tool does not
   * accept it. Arguments may be a value or its JSON text. With mend, JSON text is also taken in place of a
   * value and null in place of an absent property, where the tool refuses what came and accepts what it
   * becomes.
   */
  restore(name: string, args: unknown, options?: { mend?: boolean }): RestoreResult;
}

/** Options of the adapters. Their target is "portable" by default. */
export type AdapterOptions = Partial<NormalizeOptions>;
