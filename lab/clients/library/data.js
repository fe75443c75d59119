// Prints the types of the package of data, which packages/data/data.d.mts has: those of docs/schema/data.schema.json.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

export function types() {
  const schema = JSON.parse(readFileSync(new URL("../../../docs/schema/data.schema.json", import.meta.url)));
  const bannerComment = "// Made of docs/schema/data.schema.json by lab/clients/library/data.js. Do not edit.";
  return compile(schema, "Data", { bannerComment, additionalProperties: false });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await types());
}
