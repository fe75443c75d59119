// zod-to-json-schema with the target openApi3, as it was used for Gemini: of a schema of
// zod 3 that @n8n/json-schema-to-zod reads from JSON Schema.

import {createRequire} from 'node:module'

import {zodToJsonSchema} from 'zod-to-json-schema'
import {serve} from '../protocol.js'

const {jsonSchemaToZod} = createRequire(import.meta.url)('@n8n/json-schema-to-zod') // its modules cannot be imported

// Gemini's Schema has no additionalProperties, so its users leave them out.
const options = {target: 'openApi3', $refStrategy: 'none', allowedAdditionalProperties: undefined, rejectedAdditionalProperties: undefined}

await serve({
  name: 'zod-to-json-schema openApi3',
  module: 'zod-to-json-schema',
  root: new URL('.', import.meta.url),
  note: '@n8n/json-schema-to-zod reads the tool first, and loses what it cannot say',
  surfaces: {
    'gemini/parameters': ({name, description, parameters}) => ({
      name, description, parameters: zodToJsonSchema(jsonSchemaToZod(parameters), options),
    }),
  },
})
