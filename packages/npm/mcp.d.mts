import type { AdapterOptions } from "./index.mjs";

/**
 * Wraps an McpServer or a Server of the MCP TypeScript SDK before it is connected, and returns it. Clients
 * get all tools in one page, as the target takes them. A call that the tool does not accept is answered with
 * the reason.
 */
export function toolproof<Server extends { connect(transport: any): Promise<void> }>(server: Server, options?: AdapterOptions): Server;
