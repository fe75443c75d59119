import type { Client, Construct, Data, Limit, Statement, Surface } from "./data.d.mts";

export type * from "./data.d.mts";

declare const data: Data;
export default data;

/** The construct with a name, such as oneOf. */
export function construct(name: string): Construct | undefined;

/** The surface with a name, such as gemini/parameters. */
export function surface(name: string): Surface | undefined;

/** The client with a name, such as gemini-cli. */
export function client(name: string): Client | undefined;

/** What a surface does with a construct, on a day such as 2025-03-01, or today. */
export function support(surface: string, construct: string, day?: string): Statement | undefined;

/** The names of the surfaces with a support for a construct today, in the order of the data. */
export function who(construct: string, support: Statement["support"]): string[];

/** How much a surface takes of something, such as "tools in a request"; undefined if no limit is known. */
export function limit(surface: string, of: string): Limit | undefined;
