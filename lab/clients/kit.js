// What every client is tested for, and the table of it in README.md. A client that lacks a
// feature says why in a sentence, which stands in the table. EMULATOR_URL says where the
// emulator is; `make clients` starts one.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";

export const url = process.env.EMULATOR_URL;
assert.ok(url, "EMULATOR_URL is not set: run make clients");

export const name = "get_forecast";
export const description = "The forecast for a city.";
export const prompt = "What will the weather be in Graz?";
export const result = "sun";

// What each of the clients passes on as it is; @ai-sdk/google drops minimum and maximum.
export const accepted = {
  type: "object",
  properties: { city: { type: "string", enum: ["Graz", "Wien"] }, days: { type: "integer" } },
  required: ["city", "days"],
  additionalProperties: false,
};
// An array without items, which Gemini and OpenAI refuse; and items as a list, which
// Anthropic refuses.
export const withoutItems = { type: "object", properties: { tags: { type: "array" } }, required: ["tags"], additionalProperties: false };
export const itemsAsList = {
  type: "object", properties: { tags: { type: "array", items: [{ type: "string" }] } }, required: ["tags"], additionalProperties: false,
};

// The words of the providers' refusals.
export const words = {
  gemini: /properties\[tags\]\.items: missing field/,
  openai: /array schema missing items/,
  anthropic: /input_schema: JSON schema is invalid/,
};

// recorder is a tool that a client runs itself: it keeps the calls.
export function recorder() {
  const calls = [];
  return { calls, run: (given) => { calls.push({ name, arguments: given }); return result; } };
}

// called checks the calls of the accepted tool.
function called(calls) {
  assert.equal(calls.length, 1, "one call comes back");
  assert.equal(calls[0].name, name);
  valid(calls[0].arguments);
}

// valid checks an object of the accepted schema.
function valid(value) {
  assert.deepEqual(Object.keys(value).sort(), ["city", "days"]);
  assert.ok(accepted.properties.city.enum.includes(value.city), `city is ${value.city}`);
  assert.ok(Number.isInteger(value.days), `days is ${value.days}`);
}

const columns = ["exchange", "stream", "structured", "refusal"];
const rows = [];

// client tests a client:
//
//   exchange(schema)  offers a tool, gives the result of its call, and returns the calls
//                     and the text after it
//   stream(schema)    returns the same in pieces: the calls, the text if the client goes on
//                     to it, or the value where the client makes one of the call
//   structured(schema) returns an object of the schema
//   refused           a schema that the provider refuses; words are in the error, error is
//                     its class or the name of one that is not exported, status reads its
//                     status
//
// In place of each of the first three, a sentence says why the client has no such thing.
export function client(title, { exchange, stream, structured, refused, ...expected }) {
  const cell = (feature) => (typeof feature === "string" ? feature : "yes");
  const asks = Object.entries({ exchange, stream }).filter(([, ask]) => typeof ask !== "string");
  if (typeof structured !== "string" && asks.length === 0) asks.push(["structured", structured]);
  rows.push([title, cell(exchange), cell(stream), cell(structured), typeof refused === "string" ? refused : `\`${expected.error.name ?? expected.error}\``]);
  describe(title, () => {
    if (typeof exchange !== "string") {
      test("a call, its result, the text", async () => {
        const { calls, text } = await exchange(accepted);
        called(calls);
        assert.match(text, /answer of the emulator/);
      });
    }
    if (typeof stream !== "string") {
      test("the stream", async () => {
        const { calls, text, value } = await stream(accepted);
        if (value) valid(value);
        else called(calls);
        if (text !== undefined) assert.match(text, /answer of the emulator/);
      });
    }
    if (typeof structured !== "string") test("structured output", async () => valid(await structured(accepted)));
    for (const [kind, ask] of typeof refused === "string" ? [] : asks) {
      test(`a refused schema, ${kind}`, async () => {
        await assert.rejects(ask(refused), (error) => {
          const { error: type, status = (failure) => failure.status } = expected;
          assert.ok(typeof type === "string" ? error.constructor.name === type || error.name === type : error instanceof type,
            `the error is a ${error.constructor.name} (${error.name}): ${error}`);
          assert.equal(status(error), 400, `the status of ${error}`);
          assert.match(error.message, expected.words);
          return true;
        });
      });
    }
  });
}

// table compares README.md with what was tested, between two marks; UPDATE=1 writes it.
export function table(mark) {
  test(`the table ${mark} of README.md`, () => {
    const file = new URL("README.md", import.meta.url);
    const given = readFileSync(file, "utf8");
    const lines = [["client", ...columns], columns.map(() => "---").concat("---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
    const wanted = given.replace(new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- end -->)`), (_, begin, end) => `${begin}${lines.join("\n")}\n${end}`);
    assert.ok(wanted.includes(lines.join("\n")), `README.md has no mark ${mark}`);
    if (process.env.UPDATE) writeFileSync(file, wanted);
    else assert.equal(given, wanted, "README.md differs from what was tested: UPDATE=1 make clients writes it");
  });
}
