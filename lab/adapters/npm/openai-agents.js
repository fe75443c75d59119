// The OpenAI Agents SDK, which makes strict functions of the tools of an MCP server where
// convertSchemasToStrict is set, and leaves those that cannot be strict as they are.

import {mcpToFunctionTool} from '@openai/agents'
import {serve} from './protocol.js'

await serve({
  name: '@openai/agents',
  module: '@openai/agents',
  note: 'convertSchemasToStrict; falls back to a function that is not strict',
  surfaces: {
    'openai/chat-strict': tool => {
      const made = mcpToFunctionTool({...tool, inputSchema: structuredClone(tool.parameters)}, {name: 's'}, true)
      return {name: made.name, description: made.description, parameters: made.parameters, strict: made.strict}
    },
    'openai/responses-strict': tool => {
      const made = mcpToFunctionTool({...tool, inputSchema: structuredClone(tool.parameters)}, {name: 's'}, true)
      return {name: made.name, description: made.description, parameters: made.parameters, strict: made.strict}
    },
  },
})
