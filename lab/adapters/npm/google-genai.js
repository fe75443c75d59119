// Google's own client: what it makes of a JSON Schema in the older members.

import {GoogleGenAI} from '@google/genai'
import {read, sent, serve} from './protocol.js'

const {models} = new GoogleGenAI({apiKey: 'x'})
const generate = config => sent(() => models.generateContent({model: 'gemini-2.5-flash', contents: 'x', config}))

await serve({
  name: '@google/genai',
  module: '@google/genai',
  surfaces: {
    'gemini/parameters': async ({name, description, parameters}) =>
      read.gemini(await generate({tools: [{functionDeclarations: [{name, description, parameters}]}]})),
    'gemini/parametersJsonSchema': async ({name, description, parameters}) =>
      read.geminiJSON(await generate({tools: [{functionDeclarations: [{name, description, parametersJsonSchema: parameters}]}]})),
    'gemini/responseSchema': async ({name, description, parameters}) => {
      const body = await generate({responseMimeType: 'application/json', responseSchema: parameters})
      return {name, description, parameters: body.generationConfig.responseSchema}
    },
  },
})
