// Data about LLM tool schemas, and the questions that most programs ask of it. A program for browsers imports
// data.json itself.
import { createRequire } from "node:module";

const data = createRequire(import.meta.url)("./data.json");

export default data;

const named = (all, name) => all.find((one) => one.name === name);

export const construct = (name) => named(data.constructs, name);
export const surface = (name) => named(data.surfaces, name);
export const client = (name) => named(data.clients, name);

export function support(name, construct, day = "9999-12-31") {
  return surface(name)?.support[construct]?.find(({ since = "", until }) => since <= day && (until === undefined || day < until));
}

export function who(construct, wanted) {
  return data.surfaces.map(({ name }) => name).filter((name) => support(name, construct)?.support === wanted);
}

export function limit(name, of) {
  return surface(name)?.limits.find((one) => one.of === of);
}
