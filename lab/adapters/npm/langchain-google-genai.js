// LangChain's client for Gemini.

import {tool} from '@langchain/core/tools'
import {ChatGoogleGenerativeAI} from '@langchain/google-genai'
import {read, sent, serve} from './protocol.js'

const model = new ChatGoogleGenerativeAI({model: 'gemini-2.5-flash', apiKey: 'x', maxRetries: 0})

await serve({
  name: '@langchain/google-genai',
  module: '@langchain/google-genai',
  surfaces: {
    'gemini/parameters': async ({name, description, parameters}) =>
      read.gemini(await sent(() => model.bindTools([tool(async () => 'x', {name, description, schema: parameters})]).invoke('x'))),
    'gemini/responseSchema': async ({name, description, parameters}) => {
      const body = await sent(() => model.withStructuredOutput(parameters, {name, method: 'jsonSchema'}).invoke('x'))
      return {name, description, parameters: body.generationConfig.responseSchema}
    },
  },
})
