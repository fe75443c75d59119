// What the clients share: the scenario from standard input, the lines that they print, and a loop that runs calls.
import { readFileSync } from "node:fs";

export const url = process.env.EMULATOR_URL;
export const scenario = JSON.parse(readFileSync(0, "utf8"));
export const [tool] = scenario.tools;
const print = (line) => process.stdout.write(JSON.stringify(line) + "\n");

// called prints a call and returns its result.
export function called(given, name = tool.name) {
  print({ call: { name, arguments: given } });
  return tool.result;
}

// client runs a loop that returns the last text, and prints how it ends.
export async function client(loop) {
  try {
    print({ text: await loop() });
  } catch (error) {
    print({ error: String(error?.message ?? error) });
  }
}
