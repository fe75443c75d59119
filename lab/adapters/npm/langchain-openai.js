// LangChain's client for OpenAI, strict.

import {tool} from '@langchain/core/tools'
import {ChatOpenAI} from '@langchain/openai'
import {read, sent, serve} from './protocol.js'

const model = new ChatOpenAI({model: 'gpt-4o', apiKey: 'x', maxRetries: 0})

await serve({
  name: '@langchain/openai',
  module: '@langchain/openai',
  note: 'strict: true is what the user sets; nothing falls back',
  surfaces: {
    'openai/chat-strict': async ({name, description, parameters}) =>
      read.chat(await sent(() => model.bindTools([tool(async () => 'x', {name, description, schema: parameters})], {strict: true}).invoke('x'))),
    'openai/response_format': async ({name, description, parameters}) => {
      const body = await sent(() => model.withStructuredOutput(parameters, {name, method: 'jsonSchema', strict: true}).invoke('x'))
      const {schema, strict} = body.response_format.json_schema
      return {name, description, parameters: schema, strict}
    },
  },
})
