// Programs that the types of the adapters must take. adapters.test.js compiles it.
import { createOpenAI } from "@ai-sdk/openai";
import { ChatOpenAI } from "@langchain/openai";
import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { Agent, type Model } from "@openai/agents";
import { toolproof as forAI } from "@owner/toolproof/ai-sdk";
import { toolproof as forLangChain } from "@owner/toolproof/langchain";
import { toolproof as forMCP } from "@owner/toolproof/mcp";
import { toolproof as forAgents } from "@owner/toolproof/openai-agents";
import { wrapLanguageModel } from "ai";

wrapLanguageModel({ model: createOpenAI()("gpt-4o-mini"), middleware: forAI({ target: "openai-strict", language: "de" }) });
export const chat: ChatOpenAI = forLangChain(new ChatOpenAI());
export const older: McpServer1 = forMCP(new McpServer1({ name: "s", version: "1.0.0" }));
export const newer: McpServer2 = forMCP(new McpServer2({ name: "s", version: "1.0.0" }), { target: "gemini" });
export const agent = (model: Model) => new Agent({ name: "a", model: forAgents(model) });
// @ts-expect-error a target is a name
forAI({ target: ["gemini"] });
