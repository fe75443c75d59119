// OpenAI's client: the zod helpers, for a schema that zod reads from JSON Schema.

import {zodFunction, zodResponseFormat} from 'openai/helpers/zod'
import {z} from 'zod'
import {serve} from './protocol.js'

await serve({
  name: 'openai zod helpers',
  module: 'openai',
  note: 'z.fromJSONSchema of zod reads the tool first, and loses what it cannot say',
  surfaces: {
    'openai/chat-strict': ({name, description, parameters}) => zodFunction({name, description, parameters: z.fromJSONSchema(parameters)}).function,
    'openai/response_format': ({name, description, parameters}) => {
      const {schema, strict} = zodResponseFormat(z.fromJSONSchema(parameters), name).json_schema
      return {name, description, parameters: schema, strict}
    },
  },
})
