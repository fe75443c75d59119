// Genkit with its plugin for Gemini.

import {genkit} from 'genkit'
import {googleAI} from '@genkit-ai/google-genai'
import {read, sent, serve} from './protocol.js'

const ai = genkit({plugins: [googleAI({apiKey: 'x'})]})
const model = googleAI.model('gemini-2.5-flash')

await serve({
  name: 'genkit',
  module: '@genkit-ai/google-genai',
  surfaces: {
    'gemini/parameters': async ({name, description, parameters}) => {
      const tool = ai.dynamicTool({name, description, inputJsonSchema: parameters}, async () => 'x')
      return read.gemini(await sent(() => ai.generate({model, prompt: 'x', tools: [tool]})))
    },
  },
})
