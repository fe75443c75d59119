// The AI SDK's provider for Anthropic: tools, and the format of the output.

import {createAnthropic} from '@ai-sdk/anthropic'
import {read, sent, serve} from './protocol.js'

const model = createAnthropic({apiKey: 'x'})('claude-sonnet-4-5')
const prompt = [{role: 'user', content: [{type: 'text', text: 'x'}]}]

await serve({
  name: '@ai-sdk/anthropic',
  module: '@ai-sdk/anthropic',
  note: 'a schema that output_config cannot say becomes a tool named json; that counts as declined',
  surfaces: {
    'anthropic/tools': async ({name, description, parameters}) =>
      read.anthropic(await sent(() => model.doGenerate({prompt, tools: [{type: 'function', name, description, inputSchema: parameters}]}))),
    'anthropic/output_format': async ({name, description, parameters}) => {
      const body = await sent(() => model.doGenerate({prompt, responseFormat: {type: 'json', name, description, schema: parameters}}))
      const format = body.output_config?.format ?? body.output_format // as the API called it at first
      if (!format) throw new Error('sent as a tool named json, which the model has to call')
      return {name, description, parameters: format.schema, strict: true}
    },
  },
})
