// The AI SDK's provider for Gemini, one major before: it writes the older forms.

import {createGoogleGenerativeAI} from 'ai-sdk-google-3'
import {read, sent, serve} from './protocol.js'

const model = createGoogleGenerativeAI({apiKey: 'x'})('gemini-2.5-flash')
const prompt = [{role: 'user', content: [{type: 'text', text: 'x'}]}]

await serve({
  name: '@ai-sdk/google 3',
  module: 'ai-sdk-google-3',
  surfaces: {
    'gemini/parameters': async ({name, description, parameters}) =>
      read.gemini(await sent(() => model.doGenerate({prompt, tools: [{type: 'function', name, description, inputSchema: parameters}]}))),
    'gemini/responseSchema': async ({name, description, parameters}) => {
      const body = await sent(() => model.doGenerate({prompt, responseFormat: {type: 'json', name, description, schema: parameters}}))
      return {name, description, parameters: body.generationConfig.responseSchema}
    },
  },
})
