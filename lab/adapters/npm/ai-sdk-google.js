// The AI SDK's provider for Gemini: what it sends for a tool, and for a response schema.

import {createGoogleGenerativeAI} from '@ai-sdk/google'
import {read, sent, serve} from './protocol.js'

const model = createGoogleGenerativeAI({apiKey: 'x'})('gemini-2.5-flash')
const prompt = [{role: 'user', content: [{type: 'text', text: 'x'}]}]

await serve({
  name: '@ai-sdk/google',
  module: '@ai-sdk/google',
  surfaces: {
    'gemini/parametersJsonSchema': async ({name, description, parameters}) =>
      read.geminiJSON(await sent(() => model.doGenerate({prompt, tools: [{type: 'function', name, description, inputSchema: parameters}]}))),
    'gemini/responseJsonSchema': async ({name, description, parameters}) => {
      const body = await sent(() => model.doGenerate({prompt, responseFormat: {type: 'json', name, description, schema: parameters}}))
      return {name, description, parameters: body.generationConfig.responseJsonSchema}
    },
  },
})
