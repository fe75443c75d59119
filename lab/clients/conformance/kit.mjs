// What the clients share: the scenario from standard input, the lines that they print, and the end of a loop of calls.
import { text as read } from "node:stream/consumers";

export const url = process.env.EMULATOR_URL;
export const scenario = JSON.parse(await read(process.stdin));
export const { tools } = scenario; // of which the first is called
export const [tool] = tools;
export const retries = scenario.retries ?? 0;

console.log = console.info = console.debug = console.error; // standard output is for what this module prints

const user = new AbortController();
export const { signal } = user; // the user cancels

const print = (line) => process.stdout.write(JSON.stringify(line) + "\n");

const mostCalls = 20;
let calls = 0;

// called is the function of a tool: it prints the call, and returns the result or throws.
export function called(given, name = tool.name) {
  print({ call: { name, arguments: given } });
  if (++calls > mostCalls) process.exit(0); // the loop does not end
  if (scenario.cancel) user.abort();
  if (tool.error) throw new Error(tool.result);
  return tool.result;
}

// answered is called for a loop that tells the model of an error itself.
export function answered(given, name) {
  try {
    return { text: called(given, name), isError: false };
  } catch (error) {
    return { text: error.message, isError: true };
  }
}

// unsupported ends a client that cannot do what the scenario asks for.
export function unsupported(why) {
  print({ unsupported: why });
  process.exit(0);
}

// client runs a loop that returns the last text, and prints how it ends.
export async function client(loop) {
  try {
    const text = await loop();
    if (!text) throw new Error("the model says nothing");
    print({ text });
  } catch (error) {
    print({ error: String(error?.message ?? error) });
  }
  process.exit(0); // some clients keep connections open
}
