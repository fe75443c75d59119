// What xgrammar's own code, compiled to WebAssembly, makes of schemas. It reads JSON Lines
// of {id, schema, instances?} and answers each with {id, verdict, message?, at?, accepts?}:
// schema and instances may be texts, so that numbers stay as they are spelt. accepts says
// of each instance whether the grammar takes it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Module from "node:module";
import { createInterface } from "node:readline";

// The package says that it is an ES module, and its code is CommonJS.
const file = createRequire(import.meta.url).resolve("@mlc-ai/web-xgrammar");
const source = readFileSync(file, "utf8");
const said = [];
console.log = console.warn = console.error = (...words) => said.push(words.join(" "));

// A refusal ends the module for good: the next schema needs another.
function load() {
  const module = new Module(file);
  module.filename = file;
  module._compile(source, file);
  return module.exports;
}

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));

async function judge(engine, { id, schema, instances }) {
  const grammar = await engine.Grammar.fromJSONSchema(text(schema));
  const answer = { id, verdict: "accepted" };
  if (instances) {
    answer.accepts = [];
    for (const instance of instances) {
      answer.accepts.push(await engine.Testings.isGrammarAcceptString(grammar, text(instance)));
    }
  }
  grammar.dispose();
  return answer;
}

let engine = load();
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  said.length = 0;
  let answer;
  try {
    answer = await judge(engine, question);
  } catch (thrown) {
    engine = load();
    // A message of several lines is said line by line, and the end of the module after it.
    const from = said.findIndex((words) => words.startsWith("[FATAL] "));
    const to = said.findIndex((words, index) => index > from && words.startsWith("Aborted("));
    const fatal = from < 0 ? null : /^\[FATAL\] \S*\/(\w+\.(?:cc|h):\d+): ([^]*)$/.exec(said.slice(from, to).join("\n"));
    // What is thrown without a line of the source is a crash of the module: of an exception
    // of C++ it is the address, and of a stack that is too small the words of the machine.
    if (fatal) {
      answer = { id: question.id, verdict: "rejected", message: fatal[2], at: fatal[1] };
    } else if (typeof thrown === "number") {
      answer = { id: question.id, verdict: "rejected" };
    } else {
      answer = { id: question.id, verdict: "crashes", message: String(thrown?.message ?? thrown) };
    }
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
