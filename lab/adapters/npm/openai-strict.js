// OpenAI's client: the transform that its zod helpers run on a JSON Schema.

import {toStrictJsonSchema} from 'openai/lib/transform'
import {serve} from './protocol.js'

const strict = ({name, description, parameters}) => ({name, description, parameters: toStrictJsonSchema(structuredClone(parameters)), strict: true})

await serve({
  name: 'openai toStrictJsonSchema',
  module: 'openai',
  note: 'a deep import; nothing falls back',
  surfaces: {'openai/chat-strict': strict, 'openai/response_format': strict},
})
