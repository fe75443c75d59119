// Anthropic's client: the transform that its helpers for structured output run.

import {transformJSONSchema} from '@anthropic-ai/sdk/lib/transform-json-schema'
import {serve} from './protocol.js'

const transform = ({name, description, parameters}) => ({name, description, parameters: transformJSONSchema(structuredClone(parameters)), strict: true})

await serve({
  name: '@anthropic-ai/sdk',
  module: '@anthropic-ai/sdk',
  note: 'transformJSONSchema; nothing falls back',
  surfaces: {'anthropic/output_format': transform, 'anthropic/tools-strict': transform},
})
