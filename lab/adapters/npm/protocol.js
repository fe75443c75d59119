// The loop that every adapter of this folder runs: the protocol of verify test --exec, as
// docs/normalizers.md describes it. An adapter is one file that calls serve.

import {readFileSync} from 'node:fs'
import {createInterface} from 'node:readline'

/**
 * Serves the converters of a package.
 *
 * surfaces has a function for each surface. It is given a tool {name, description,
 * parameters}, and returns the tool as the package would send it; for a strict surface
 * with strict true beside it: {name, description, parameters, strict}.
 *
 * An error that the package throws on purpose means that it refuses the tool. One of the
 * language's own means that it crashed, and LeftOut that the request has no tool.
 *
 * With --describe it prints the row of the adapter instead.
 */
export async function serve({name, module: installed, root = new URL('.', import.meta.url), note, surfaces}) {
  if (process.argv.includes('--describe')) {
    const {version} = JSON.parse(readFileSync(new URL(`node_modules/${installed}/package.json`, root), 'utf8'))
    console.log(JSON.stringify({name, version, language: 'JavaScript', surfaces: Object.keys(surfaces), note}))
    return
  }
  for (const to of ['log', 'info', 'warn', 'error', 'debug']) console[to] = () => {} // answers alone go to standard output
  for await (const line of createInterface({input: process.stdin, crlfDelay: Infinity})) {
    const {id, surface, tool} = JSON.parse(line)
    process.stdout.write(JSON.stringify({id, ...(await answer(surfaces[surface], surface, tool))}) + '\n')
  }
  process.exit() // a client may hold the process
}

async function answer(convert, surface, tool) {
  if (!convert) return {unsupported: `no converter for ${surface}`}
  const started = performance.now()
  ended = undefined
  try {
    const {strict, ...made} = await convert(tool)
    return {tool: made, strict: strict === true, microseconds: 1000 * ((ended ?? performance.now()) - started)}
  } catch (error) {
    const text = error?.message || String(error)
    return error instanceof LeftOut || isCrash(error, text) ? {error: `${error.name}: ${text}`} : {unsupported: text}
  }
}

/** The client sends the request without the tool, and says nothing. */
export class LeftOut extends Error {
  name = 'LeftOut'
}

// isCrash tells an error of the language from one that a package throws on purpose, which
// may be a TypeError as well.
function isCrash(error, text) {
  if (error instanceof TypeError) return /^Cannot |^undefined|is not (a|an|iterable|defined)\b|not iterable|^Reduce of empty|^Converting circular/.test(text)
  return [RangeError, ReferenceError, SyntaxError].some(kind => error instanceof kind)
}

let ended // when the request was made

/**
 * Returns the body of the request that send makes, which goes nowhere.
 */
export async function sent(send) {
  let body
  globalThis.fetch = async (input, init) => {
    ended ??= performance.now()
    body ??= JSON.parse(init?.body ?? (await input.text()))
    return new Response('{"error":{"message":"read, and not sent"}}', {status: 400, headers: {'content-type': 'application/json'}})
  }
  try {
    await send()
  } catch (error) {
    if (body === undefined) throw error // the client refused the tool
  }
  return body
}

// read has where each API has a function or a schema in its requests.
export const read = {
  gemini: body => pick([body.tools].flat()[0]?.functionDeclarations?.[0], 'parameters'), // some send one object and no list
  geminiJSON: body => pick(body.tools?.[0]?.functionDeclarations?.[0], 'parametersJsonSchema'),
  chat: body => pick(body.tools?.[0]?.function, 'parameters'),
  anthropic: body => pick(body.tools?.[0], 'input_schema'),
}

function pick(declaration, schema) {
  if (!declaration) throw new LeftOut('the request has no tool, and nothing says so')
  return made(declaration, schema)
}

function made({name, description, strict, ...rest}, schema) {
  return {name, description, parameters: rest[schema], strict}
}
