// OpenAI's client: the zod helpers, for a schema that zod reads from JSON Schema.

import {zodFunction, zodResponseFormat} from 'openai/helpers/zod'
import {z} from 'zod'
import {serve} from './protocol.js'

// read makes a type of zod, whose objects are closed where the schema says nothing, as
// those of z.object are.
const read = schema => z.fromJSONSchema(closed(schema))

function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return all.type === 'object' && all.properties && !('additionalProperties' in all) ? {...all, additionalProperties: false} : all
}

await serve({
  name: 'openai zod helpers',
  module: 'openai',
  note: 'z.fromJSONSchema of zod reads the tool first, with objects closed, and loses what it cannot say; an optional property has to be nullable',
  surfaces: {
    'openai/chat-strict': ({name, description, parameters}) => zodFunction({name, description, parameters: read(parameters)}).function,
    'openai/response_format': ({name, description, parameters}) => {
      const {schema, strict} = zodResponseFormat(read(parameters), name).json_schema
      return {name, description, parameters: schema, strict}
    },
  },
})
