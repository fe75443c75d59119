// The converters of claude-code-router: a request of Messages becomes one of Gemini's or
// of Chat Completions.

import {createRequire} from 'node:module'

import {read, sent, serve} from './protocol.js'

const {default: Server} = createRequire(import.meta.url)('./node_modules/@musistudio/llms/dist/cjs/server.cjs') // its modules cannot be imported
let app // made at the first question, because it takes a while
const asked = async (model, {name, description, parameters}) => {
  app ??= await start()
  const payload = {model, max_tokens: 10, messages: [{role: 'user', content: 'x'}], tools: [{name, description, input_schema: parameters}]}
  let answer
  return sent(async () => {
    answer = await app.inject({method: 'POST', url: '/v1/messages', payload})
    throw new Error(answer.body)
  })
}

async function start() {
  const provider = (name, url, transformer) => ({name, api_base_url: url, api_key: 'x', models: ['m'], transformer})
  const server = new Server({
    logger: false,
    useJsonFile: false,
    useEnvFile: false,
    initialConfig: {
      providers: [
        provider('gemini', 'http://127.0.0.1:9/v1beta/models/', {use: ['gemini']}),
        provider('openai', 'http://127.0.0.1:9/v1/chat/completions', {use: []}),
      ],
    },
  })
  server.app.listen = async () => '' // it is asked without a port
  await server.start()
  return server.app
}

await serve({
  name: '@musistudio/llms',
  module: '@musistudio/llms',
  note: 'a request of Messages is put into its server, and read where it goes on',
  surfaces: {
    'gemini/parametersJsonSchema': async tool => read.geminiJSON(await asked('gemini,m', tool)),
    'openai/chat': async tool => read.chat(await asked('openai,m', tool)),
  },
})
