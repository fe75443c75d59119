// Prints the types of the results of the library, which packages/npm/results.d.mts has: those of
// docs/schema/rpc.schema.json and of the result lines that it refers to.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const read = (name) => JSON.parse(readFileSync(new URL(`../../../docs/schema/${name}.schema.json`, import.meta.url)));

export function types() {
  const { $defs: lines } = read("result");
  lines.result.title = "ResultLine";
  lines.last.title = "SummaryLine";
  const { $defs: all } = JSON.parse(JSON.stringify(read("rpc")), (key, value) => {
    switch (value?.$ref) {
      case undefined:
        return value;
      case "result.schema.json":
        return { anyOf: [{ $ref: "#/$defs/result" }, { $ref: "#/$defs/last" }] };
      default:
        return { ...value, $ref: value.$ref.replace("result.schema.json", "") };
    }
  });
  const results = Object.keys(all).filter((name) => name.endsWith("Result"));
  const schema = {
    title: "AnyResult",
    description: "The result of a function of the library.",
    anyOf: results.map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: { ...lines, ...Object.fromEntries([...results, "pointer"].map((name) => [name, all[name]])) },
  };
  const bannerComment = "// Made of docs/schema by lab/clients/library/results.js. Do not edit.";
  return compile(schema, "AnyResult", { bannerComment, additionalProperties: false });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(await types());
}
