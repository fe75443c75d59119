import {createInterface} from 'node:readline'

type Tool = {name: string; description?: string; parameters?: unknown}

class Unsupported extends Error {}

/** Returns the tool as you would send it; throws Unsupported for one that you do not take. */
function normalize(surface: string, tool: Tool): Tool {
  return tool
}

for await (const line of createInterface({input: process.stdin})) {
  const {id, surface, tool} = JSON.parse(line) as {id: number; surface: string; tool: Tool}
  let answer: object
  try {
    answer = {id, tool: normalize(surface, tool)}
  } catch (error) {
    answer = error instanceof Unsupported ? {id, unsupported: error.message} : {id, error: String(error)}
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
