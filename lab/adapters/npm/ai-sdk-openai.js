// The AI SDK's provider for OpenAI: strict functions, and a response schema.

import {createOpenAI} from '@ai-sdk/openai'
import {read, sent, serve} from './protocol.js'

const openai = createOpenAI({apiKey: 'x'})
const prompt = [{role: 'user', content: [{type: 'text', text: 'x'}]}]

await serve({
  name: '@ai-sdk/openai',
  module: '@ai-sdk/openai',
  note: 'strict: true is what the user sets; nothing falls back',
  surfaces: {
    'openai/chat-strict': async ({name, description, parameters}) =>
      read.chat(await sent(() => openai.chat('gpt-4o').doGenerate({prompt, tools: [{type: 'function', name, description, inputSchema: parameters, strict: true}]}))),
    'openai/response_format': async ({name, description, parameters}) => {
      const body = await sent(() => openai.chat('gpt-4o').doGenerate({prompt, responseFormat: {type: 'json', name, description, schema: parameters}}))
      const {schema, strict} = body.response_format.json_schema
      return {name, description, parameters: schema, strict}
    },
  },
})
