// A judge of instances: it reads JSON Lines of {id, schema, instances} from standard input
// and writes {id, answers} of true and false in the same order, or {id, error} for a schema
// that ajv does not read. An answer in words says why ajv cannot judge that instance.
//
// The schema may be in JSON Schema, by its $schema in draft 4 to 2020-12, or in the form of
// Google's Schema message. It is read here and not by the program that asks.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import Ajv from "ajv";
import Ajv2019 from "ajv/dist/2019.js";
import Ajv2020 from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";

const require = createRequire(import.meta.url);

const options = {
  strict: false, // what a validator does not know it passes over
  validateFormats: false, // formats are annotations in 2020-12
  allErrors: true, // without it a required property of an empty name is passed over
  multipleOfPrecision: 9, // 0.3 is a multiple of 0.1
  logger: false,
  code: { optimize: false }, // each schema is used for some instances only
};

// In the drafts before 2019-09 what stands beside $ref is passed over.
const old = { ...options, ignoreKeywordsWithRef: true };

const drafts = {
  "https://json-schema.org/draft/2020-12/schema": (more) => new Ajv2020.default({ ...options, ...more }),
  "https://json-schema.org/draft/2019-09/schema": (more) => new Ajv2019.default({ ...options, ...more }),
  "http://json-schema.org/draft-07/schema": (more) => new Ajv.default({ ...old, ...more }),
  "http://json-schema.org/draft-06/schema": (more) =>
    new Ajv.default({ ...old, ...more }).addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json")),
  "http://json-schema.org/draft-04/schema": (more) => new AjvDraft04.default({ ...old, ...more }),
};
const latest = "https://json-schema.org/draft/2020-12/schema";

const validators = new Map();

// validatorOf returns the ajv of a draft. A regular expression is one of Unicode first;
// one that only the older form reads, such as [\w-.], is read so.
function validatorOf(draft, unicodeRegExp) {
  const key = `${draft} ${unicodeRegExp}`;
  if (!validators.has(key)) {
    validators.set(key, drafts[draft]({ unicodeRegExp }));
  }
  return validators.get(key);
}

// draftOf returns the draft that a schema names; https and # make no difference.
function draftOf(schema) {
  const name = schema?.$schema;
  if (name === undefined) {
    return latest;
  }
  const plain = String(name).replace(/#$/, "");
  return [plain, plain.replace(/^https:/, "http:"), plain.replace(/^http:/, "https:")].find((known) => known in drafts);
}

function compile(schema) {
  const draft = draftOf(schema);
  if (draft === undefined) {
    throw new Error(`a draft that is not known: ${schema.$schema}`);
  }
  read(schema, draft, schema?.type === "OBJECT");
  let refusal;
  for (const unicodeRegExp of [true, false]) {
    const ajv = validatorOf(draft, unicodeRegExp);
    try {
      return ajv.compile(schema);
    } catch (error) {
      refusal ??= error;
    } finally {
      ajv.removeSchema(); // so that an $id may come again
    }
  }
  throw refusal;
}

const single = [
  "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
  "unevaluatedItems", "unevaluatedProperties",
];
// Annotations refuse no instance. One of a wrong type would cost the whole schema.
const annotations = ["default", "deprecated", "description", "examples", "format", "readOnly", "title", "writeOnly"];
const lists = ["allOf", "anyOf", "oneOf", "items", "prefixItems"];
const maps = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

// read turns the words of Google's Schema message in a schema, and below it, into those of
// JSON Schema, and the tuples of older drafts into those of 2020-12. The names that the
// message has besides count where the root is an OBJECT.
function read(schema, draft, isMessage) {
  const isLatest = draft === latest, isDraft04 = draft.includes("draft-04");
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    return;
  }
  for (const name of Object.keys(schema)) {
    const keyword = protoNames[name];
    if (isMessage && keyword !== undefined && !(keyword in schema)) {
      schema[keyword] = schema[name];
      delete schema[name];
    }
  }
  for (const keyword of annotations) {
    delete schema[keyword];
  }
  if (isLatest && Array.isArray(schema.enum) && schema.enum.length === 0) {
    delete schema.enum; // ajv writes no code for what nothing satisfies
    schema.allOf = [...(schema.allOf ?? []), false];
  }
  if (!isDraft04) {
    delete schema.id; // no keyword any more, and ajv refuses it
  }
  for (const keyword of single) {
    read(schema[keyword], draft, isMessage);
  }
  for (const keyword of lists) {
    if (Array.isArray(schema[keyword])) {
      schema[keyword].forEach((below) => read(below, draft, isMessage));
    }
  }
  for (const keyword of maps) {
    const map = schema[keyword];
    if (typeof map === "object" && map !== null && !Array.isArray(map)) {
      Object.values(map).forEach((below) => read(below, draft, isMessage));
    }
  }
  if (isLatest && Array.isArray(schema.items) && !("prefixItems" in schema)) {
    const first = schema.items;
    delete schema.items;
    if ("additionalItems" in schema) {
      schema.items = schema.additionalItems;
      delete schema.additionalItems;
    }
    if (first.length > 0) {
      schema.prefixItems = first;
    }
  }
  if (Array.isArray(schema.required)) {
    schema.required = [...new Set(schema.required)];
  }
  if (typeof schema.type === "string") {
    schema.type = schema.type.toLowerCase();
  }
  const { nullable } = schema;
  delete schema.nullable;
  if (nullable === true || nullable === "true") {
    acceptNull(schema);
  }
}

const protoNames = {
  any_of: "anyOf", max_items: "maxItems", min_items: "minItems", max_length: "maxLength", min_length: "minLength",
  max_properties: "maxProperties", min_properties: "minProperties", additional_properties: "additionalProperties",
};

// What null has to satisfy besides the type, and what is no part of what a schema asks.
const asked = ["enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "$ref", "$dynamicRef", "$recursiveRef"];
const outside = ["$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$defs", "definitions"];

// acceptNull makes a schema accept null beside what it accepts. Where its type alone speaks
// against null, all stays in its place, so that references go on to lead to it.
function acceptNull(schema) {
  if (!asked.some((keyword) => keyword in schema)) {
    if (schema.type !== undefined) {
      schema.type = [...new Set([schema.type, "null"].flat())];
    }
    return;
  }
  const content = {};
  for (const keyword of Object.keys(schema)) {
    if (!outside.includes(keyword)) {
      content[keyword] = schema[keyword];
      delete schema[keyword];
    }
  }
  schema.anyOf = [content, { type: "null" }];
}

function judge({ id, schema, instances }) {
  let validate;
  try {
    validate = compile(schema);
  } catch (error) {
    return { id, error: String(error.message) };
  }
  return {
    id,
    answers: instances.map((instance) => {
      try {
        return validate(instance);
      } catch (error) {
        return String(error.message);
      }
    }),
  };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(JSON.stringify(judge(JSON.parse(line))) + "\n");
}
