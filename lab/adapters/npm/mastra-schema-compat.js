// Mastra's layers for the schemas of providers.

import {AnthropicSchemaCompatLayer, applyCompatLayer, GoogleSchemaCompatLayer, OpenAISchemaCompatLayer, prepareJsonSchemaForOpenAIStrictMode} from '@mastra/schema-compat'
import {serve} from './protocol.js'

const layer = (Layer, modelId, provider) => ({name, description, parameters}) => {
  const compatLayers = [new Layer({modelId, provider, supportsStructuredOutputs: false})]
  return {name, description, parameters: applyCompatLayer({schema: structuredClone(parameters), compatLayers, mode: 'jsonSchema'})}
}
const strict = ({name, description, parameters}) => ({name, description, parameters: prepareJsonSchemaForOpenAIStrictMode(structuredClone(parameters)), strict: true})

await serve({
  name: '@mastra/schema-compat',
  module: '@mastra/schema-compat',
  surfaces: {
    'gemini/parameters': layer(GoogleSchemaCompatLayer, 'gemini-2.5-flash', 'google.generative-ai'),
    'openai/chat': layer(OpenAISchemaCompatLayer, 'gpt-4o', 'openai.chat'),
    'openai/chat-strict': strict,
    'openai/response_format': strict,
    'anthropic/tools': layer(AnthropicSchemaCompatLayer, 'claude-sonnet-4-5', 'anthropic.messages'),
  },
})
