// The page where tools are pasted. Whatever comes from outside is shown as text.
import { compare, Editor } from "./editor.js";
import { Engine, Latest, Stopped } from "./engine.js";
import { pack, unpack } from "./link.js";
import { visible } from "./text.js";

const $ = (id) => document.getElementById(id);
const most = 8 << 20; // bytes of a text
const mostShown = 100; // findings and changes in a list
const mostPlaces = 6; // of a change
const longestMessage = 20_000; // characters of an error in place of tools

// make returns an element with what it contains: texts and elements.
function make(name, attributes, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...content.map((part) => (typeof part === "string" ? visible(part) : part)));
  return element;
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const anchor = (name) => name.replace(/[^a-zA-Z0-9_$.]/g, "-");
const pageOf = (dialect) => `../surfaces/${anchor(dialect)}.html`;
const states = { refused: ["✕", "refused"], ignored: ["◐", "accepted, a part is ignored"], accepted: ["✓", "accepted"], predicted: ["○", "predicted to be accepted: no recording shows any part of it"], open: ["·", "not checked yet"] };

const example = `{
  "tools": [
    {
      "name": "create_event",
      "description": "Create an event in a calendar",
      "inputSchema": {
        "type": "object",
        "properties": {
          "title": { "type": "string", "minLength": 1 },
          "kind": { "const": "meeting" },
          "start": { "type": "string", "format": "date-time" },
          "attendees": {
            "type": "array",
            "items": { "$ref": "#/$defs/Person" }
          },
          "room": { "type": ["string", "null"] },
          "slot": {
            "type": "array",
            "prefixItems": [{ "type": "integer" }, { "type": "integer" }]
          }
        },
        "required": ["title", "start"],
        "additionalProperties": false,
        "$defs": {
          "Person": {
            "type": "object",
            "properties": {
              "mail": { "type": "string", "format": "email" },
              "optional": { "type": "boolean", "default": false }
            },
            "required": ["mail"]
          }
        }
      }
    }
  ]
}
`;

const root = $("playground");
const address = (name) => new URL(name, location.href).href;
const engine = new Engine({ worker: address("worker.js"), program: address(root.dataset.engine), support: address("wasm_exec.js") }, ({ loaded, total }) => {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  if (!$("status").textContent.startsWith("The engine is loading")) return; // something else was said, such as about a link
  say(total ? `The engine is loading: ${megabytes(loaded)} of ${megabytes(total)} MB` : `The engine is loading: ${megabytes(loaded)} MB`);
});
const questions = new Latest(engine);

let surfaces = []; // those that take tools
let rewrites = {};
let verdicts = new Map(); // by the name of the surface
let chosen = ""; // the surface that is looked at
let isChosen = false; // by the reader
let located; // what the error message means
let tools = [];

const editor = new Editor($("editor"), {
  label: "Tools, as JSON or YAML",
  hint: "Paste or drop tools here:\n\n· the answer of MCP tools/list\n· the tools of OpenAI, Gemini or Anthropic\n· one JSON Schema\n\nJSON or YAML.",
  changed: later,
});

function say(text, state = "") {
  $("status").textContent = visible(text);
  $("status").dataset.state = state;
}

// later checks once the reader pauses.
let timer;
let isLoading = false;
function later() {
  clearTimeout(timer);
  if (location.hash && !isLoading) history.replaceState(null, "", location.pathname); // the link was of another text
  timer = setTimeout(run, 200);
}

// busy shows the button that stops, where an answer takes long.
let slow;
async function ask(kind, question) {
  clearTimeout(slow);
  slow = setTimeout(() => ($("stop").hidden = false), 1000);
  try {
    const answer = await questions.ask(kind, question);
    // An error that leads to no place is an answer, too.
    if (answer?.failure && kind !== "explain") throw new Error(answer.failure);
    return answer;
  } finally {
    if (!questions.isBusy || questions.waiting.size === 0) {
      clearTimeout(slow);
      $("stop").hidden = true;
    }
  }
}

async function run() {
  const text = editor.text;
  const error = $("error").value.trim();
  editor.retune();
  if (text.length + error.length > most) return nothing("The text is too long for this page. Check it on the command line.");
  if (text.trim() === "" && error === "") return nothing(surfaces.length ? "Paste tools to see which providers refuse them." : $("status").textContent);
  try {
    if (surfaces.length) say("Checking", "busy");
    await prepare();
    const isStale = () => editor.text !== text || $("error").value.trim() !== error; // a newer run is on its way
    const found = error === "" ? undefined : await ask("explain", { do: "explain", error, tools: text });
    if (isStale()) return;
    if (text.trim() === "") return alone(found);
    const answer = await ask("check", { do: "check", tools: text, targets: surfaces.map((one) => one.name), brief: true });
    if (!answer || isStale()) return;
    located = found;
    await show(answer, text);
  } catch (problem) {
    nothing(problem.message);
  }
}

// prepare learns once which surfaces there are.
async function prepare() {
  if (surfaces.length) return;
  const answer = await ask("surfaces", { do: "surfaces" });
  if (!answer || surfaces.length) return;
  surfaces = answer.surfaces.filter((one) => one.functions);
  rewrites = answer.rewrites;
  list();
}

// nothing shows that there is no verdict, and why.
function nothing(why) {
  advisedFor = "";
  verdicts = new Map();
  tools = [];
  located = undefined;
  say(why);
  list();
  editor.mark([]);
  $("detail").hidden = true;
  $("meaning").hidden = true;
}

// alone says what an error message without tools says.
function alone(found) {
  nothing("");
  located = found;
  meaning();
  say(found.dialect ? "Paste the tools as well, as they were sent, to see the line." : "No provider that is known here says this.");
}

// verdictOf sums up what a surface says of all tools.
function verdictOf(lines) {
  const findings = [];
  const guilty = new Set();
  let isLost = false;
  let isPredicted = false;
  let problem = "";
  for (const line of lines) {
    if (line.status === "error" && !line.raw) continue; // the tool could not be read
    if (line.error) problem ||= line.error;
    for (const finding of line.raw?.findings ?? []) findings.push({ ...finding, state: "refused", tool: line.tool });
    for (const finding of line.raw?.ignored ?? []) findings.push({ ...finding, state: "ignored", tool: line.tool });
    if (line.raw?.verdict === "rejected") guilty.add(line.tool);
    if (line.raw?.ignored?.length) isLost = true;
    if (!line.raw || (line.raw.seen && line.raw.seen.constructs > 0 && line.raw.seen.accepted === 0)) isPredicted = true;
  }
  const state = guilty.size ? "refused" : isPredicted ? "predicted" : isLost ? "ignored" : "accepted";
  return { state, findings, guilty, lines, problem };
}

async function show(answer, text) {
  const all = answer.tools ?? [];
  const problems = [...(answer.problems ?? []), ...all.filter((tool) => tool.error).map(({ line, error }) => ({ line, text: error }))];
  if (all.every((tool) => tool.error)) return foreign(problems, text);
  tools = all.filter((tool) => !tool.error);
  verdicts = new Map();
  for (const surface of surfaces) verdicts.set(surface.name, verdictOf((answer.lines ?? []).filter((line) => line.target === surface.name)));
  if (located?.lines?.length) chosen = surfaces.find((one) => one.dialect === located.dialect)?.name ?? chosen;
  else if (!isChosen || !verdicts.has(chosen)) {
    const ofInterest = (surface) => verdicts.get(surface.name).state === "refused" && surface.target;
    chosen = (surfaces.find((one) => one.direct && ofInterest(one)) ?? surfaces.find(ofInterest) ?? surfaces[0]).name;
  }
  const unread = problems.length ? `\n${count(problems.length, "part")} of the text could not be read. ${said(problems[0])}` : "";
  const refused = [...verdicts.values()].filter((one) => one.state === "refused").length;
  const direct = surfaces.filter((one) => one.direct);
  const hit = direct.filter((one) => verdicts.get(one.name).state === "refused").length;
  say(
    (refused === 0 ? `No surface is known to refuse ${tools.length === 1 ? "this tool" : "these tools"}.` : `Refused by ${refused} of ${count(surfaces.length, "surface")}, and by ${hit} of the ${direct.length} where clients send tools as they are.`) + unread,
    refused === 0 ? "good" : "bad",
  );
  list();
  meaning();
  await detail();
}

// placed takes the place out of the words of a problem, which may begin with LINE:COLUMN.
function placed({ line, text }) {
  const [whole, own] = /^(\d+):\d+: /.exec(text) ?? ["", line];
  return { state: "refused", line: Number(own), message: text.slice(whole.length) };
}

// said is a problem in a sentence, with its line.
function said(problem) {
  const { line, message } = placed(problem);
  return sentence((line ? `line ${line}: ` : "") + message);
}

// foreign is about a text without tools. It may be an error message.
async function foreign(problems, text) {
  const answer = text.length <= longestMessage ? await ask("explain", { do: "explain", error: text, tools: "" }) : undefined;
  nothing(problems.slice(0, 3).map(said).join("\n") || "The text has no tool.");
  if (!answer?.dialect) {
    editor.mark(problems.map(placed));
    return;
  }
  say(`This is an error message, in the words of ${answer.dialect}.`);
  const move = make("button", { type: "button" }, "Move it to the field for errors");
  move.addEventListener("click", () => {
    $("error").value = text;
    $("error-box").open = true;
    editor.text = "";
    editor.view.focus();
  });
  $("status").append(" ", move);
}

// list shows the verdict of each surface: a row for each service, and one for all that have a
// single surface.
function list() {
  const services = new Map();
  for (const surface of surfaces) services.set(surface.service, [...(services.get(surface.service) ?? []), surface]);
  const rows = [...services].filter(([, members]) => members.length > 1);
  const others = [...services.values()].filter((members) => members.length === 1).flat();
  if (others.length) rows.push(["others", others]);
  $("surfaces").replaceChildren(...rows.map(([service, members]) => make("li", {}, make("span", { class: "service" }, service), make("span", { class: "chips" }, ...members.map((surface) => chipOf(surface, service))))));
}

// chipOf is the button that leads to a surface.
function chipOf(surface, row) {
  const verdict = verdicts.get(surface.name);
  const state = verdict?.state ?? "open";
  const [sign, words] = states[state];
  const chip = make(
    "button",
    {
      type: "button",
      class: `chip ${state}`,
      "aria-pressed": String(verdict !== undefined && surface.name === chosen),
      "aria-label": `${surface.dialect}: ${words}`,
      title: `${surface.dialect}, ${surface.doc}: ${words}`,
      "data-name": surface.name,
      disabled: verdict === undefined,
    },
    make("b", { "aria-hidden": "true" }, sign),
    " ",
    row === "others" ? surface.service : surface.dialect.slice(surface.dialect.indexOf("/") + 1),
  );
  chip.addEventListener("click", () => choose(surface.name));
  return chip;
}

function choose(name) {
  chosen = name;
  isChosen = true;
  for (const chip of $("surfaces").querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(chip.dataset.name === name));
  detail().catch((problem) => say(problem.message));
}

// place is a button that leads to a line of the editor.
function place(finding) {
  if (!finding.line) return make("span", { class: "muted" }, "the whole request");
  const lead = make("button", { type: "button", class: "line" }, `line ${finding.line}`);
  lead.addEventListener("click", () => editor.show(finding.line));
  return lead;
}

// listed shows findings, each with its advice if there is one.
function listed(findings, dialect) {
  const items = findings.slice(0, mostShown).map((finding) => {
    const on = finding.surface || dialect;
    const rule = finding.rule ? make("a", { href: `${pageOf(on)}#rule-${anchor(finding.rule)}` }, finding.rule) : "";
    return make("li", {}, make("p", { class: "where" }, place(finding), " ", make("span", { class: `tag ${finding.state}` }, finding.state), " ", rule, " ", make("code", {}, finding.at || "/")), make("blockquote", { class: `said ${finding.state}` }, finding.message), ...(finding.advice ? [make("p", { class: "advice" }, sentence(finding.advice))] : []));
  });
  if (findings.length > mostShown) items.push(make("li", {}, `And ${findings.length - mostShown} more.`));
  return items;
}

// meaning shows what the error message means.
function meaning() {
  const box = $("meaning");
  box.hidden = !located;
  if (!located) return;
  const findings = (located.lines ?? []).flatMap((line) => (line.raw?.findings ?? []).map((finding) => ({ ...finding, state: "refused" })));
  const about = located.dialect ? make("p", {}, "These are the words of ", make("a", { href: pageOf(located.dialect) }, located.dialect), ".") : make("p", {}, "No surface that is known here says this. ", make("a", { href: "../errors.html" }, "Search the known messages"), ".");
  const missing = [];
  const places = (located.places ?? []).filter(Boolean).slice(0, 5);
  if (findings.length === 0 && places.length) missing.push(make("p", {}, "It means ", ...places.flatMap((at, i) => [i ? ", " : "", make("code", {}, at)]), "."));
  if (located.dialect && findings.length === 0 && tools.length) missing.push(make("p", {}, places.length ? "The tools have no such place: paste them as they were sent, in their order." : "It names no place: paste one tool alone."));
  box.replaceChildren(make("h2", {}, "What the message means"), about, ...missing, make("ol", { class: "findings" }, ...listed(findings, located.dialect)));
}

// advised returns the findings of a surface, with what to write. Finding that takes longer than
// judging the tools.
async function advised(surface, text) {
  const answer = await ask("advise", { do: "advise", tools: text, targets: [surface.name] });
  const { findings } = verdictOf(answer?.lines ?? []);
  const said = (answer?.lines ?? []).flatMap((line, i) => (line.raw?.findings ?? []).map((finding, j) => [finding, answer.advice[i][j]]));
  const keyOf = (finding) => JSON.stringify([finding.rule, finding.at, finding.line, finding.message]);
  const byKey = new Map(said.map(([finding, advice]) => [keyOf(finding), advice]));
  return answer && findings.map((finding) => ({ ...finding, advice: byKey.get(keyOf(finding)) }));
}

// detail shows what the chosen surface says, and what to write instead. What it shows stays while the
// same surface and text are chosen again.
let endCompare;
let shownFor = "";
let advisedFor = "";
async function detail() {
  const surface = surfaces.find((one) => one.name === chosen);
  const verdict = verdicts.get(chosen);
  if (!surface || !verdict) return;
  const { findings } = verdict;
  const fromError = (located?.lines ?? []).flatMap((line) => (line.raw?.findings ?? []).map((finding) => ({ ...finding, state: "refused" })));
  editor.mark(fromError.length && located.dialect === surface.dialect ? fromError : findings);
  $("detail").hidden = false;
  $("detail-title").replaceChildren(make("a", { href: pageOf(surface.name === "portable" ? "mcp/inputSchema" : surface.dialect) }, surface.dialect), ": ", make("span", { class: `tag ${verdict.state}` }, states[verdict.state][1]));
  $("detail-doc").textContent = sentence(surface.doc);
  const text = editor.text;
  const question = `${surface.name} ${text}`;
  if (advisedFor !== question) $("findings").replaceChildren(...listed(findings, surface.dialect));
  const isCurrent = () => chosen === surface.name && editor.text === text;
  if (verdict.guilty.size && advisedFor !== question) {
    const shown = await advised(surface, text);
    if (!shown || !isCurrent()) return;
    $("findings").replaceChildren(...listed(shown, surface.dialect));
  }
  advisedFor = question;
  const seen = verdict.lines.map((line) => line.raw?.seen).filter(Boolean);
  const sum = (name) => seen.reduce((total, one) => total + one[name], 0);
  const grades = [...new Set(verdict.lines.map((line) => line.raw?.evidence).filter(Boolean))];
  $("evidence").textContent = verdict.problem || `Evidence: ${grades.map((grade) => (grade === "predicted" ? "predicted by the model of the surface" : grade)).join(", ")}.` + (seen.length ? ` Recorded acceptances show ${sum("accepted")} of the ${count(sum("constructs"), "construct")} in ${tools.length === 1 ? "the tool" : "the tools"}.` : "");

  const target = surface.target;
  $("normalized").hidden = !target;
  $("no-normalizer").hidden = Boolean(target);
  if (!target) return;
  $("target").textContent = target;
  const answer = await ask("normalize", { do: "normalize", tools: text, targets: [target] });
  if (!answer || !isCurrent()) return;
  if (shownFor !== answer.wire) $("copied").textContent = "";
  shownFor = answer.wire;
  const guilty = answer.sides?.findIndex((side) => verdict.guilty.has(side.tool)) ?? -1;
  const sides = answer.sides ?? [];
  const select = $("tool");
  select.replaceChildren(...sides.map((side, i) => make("option", { value: i }, side.tool)));
  select.closest("label").hidden = sides.length < 2;
  select.value = String(Math.max(guilty, 0));
  select.onchange = () => changes(answer, Number(select.value));
  changes(answer, Math.max(guilty, 0));
}

const losses = { exact: "keeps its meaning", widens: "takes more values", closes: "takes no properties that it does not list", widens_closes: "takes more values, and no properties that it does not list", narrows: "takes fewer values", both: "takes some more values, and some fewer" };
const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.?!]$/.test(text) ? "" : ".") : "");

// changes shows one tool as given and normalized, with each change.
function changes(answer, index) {
  const side = answer.sides?.[index];
  endCompare?.();
  endCompare = undefined;
  if (!side) {
    $("outcome").textContent = answer.lines?.[0]?.error || answer.failure || "Nothing could be normalized.";
    $("changes").replaceChildren();
    return;
  }
  const line = answer.lines.filter((one) => one.normalized)[index];
  const normalized = line.normalized;
  const made = normalized.changes ?? [];
  const outcome = [made.length === 0 ? "Nothing has to change." : `${count(made.length, "change")}. The tool ${losses[normalized.loss]}.`];
  outcome.push(normalized.verdict === "accepted" ? "Then it is accepted." : "It is still refused.");
  if (normalized.fallback) outcome.push(`It is sent with strict false: ${normalized.fallback}.`);
  $("outcome").textContent = visible(outcome.join(" "));
  endCompare = compare($("compare"), side.given, side.normalized, matchMedia("(min-width: 60rem)").matches);
  const part = (value) => {
    const text = JSON.stringify(value);
    return make("code", {}, text.length > 300 ? text.slice(0, 300) + "…" : text);
  };
  $("changes").replaceChildren(
    ...listed(
      (normalized.findings ?? []).map((finding) => ({ ...finding, state: "refused", line: 0 })),
      line.dialect,
    ),
    ...grouped(made).map(({ change, places }) =>
      make(
        "li",
        {},
        make("p", { class: "where" }, make("a", { href: `../rewrites/${anchor(change.rule)}.html` }, change.rule), " ", make("span", { class: `tag ${change.loss === "exact" ? "good" : "warn"}` }, losses[change.loss])),
        make("p", {}, sentence(rewrites[change.rule]) + (change.restored ? " Calls are changed back." : "")),
        ...(change.before !== undefined || change.after !== undefined ? [make("p", { class: "turn" }, change.before === undefined ? "nothing" : part(change.before), " → ", change.after === undefined ? "nothing" : part(change.after))] : []),
        make("p", { class: "turn" }, "at ", ...places.slice(0, mostPlaces).flatMap((at, i) => [i ? ", " : "", make("code", {}, at)]), places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : ""),
      ),
    ),
  );
}

// grouped puts the changes together that do the same in several places.
function grouped(made) {
  const groups = new Map();
  for (const change of made) {
    const key = JSON.stringify([change.rule, change.loss, change.restored, change.before, change.after]);
    if (!groups.has(key) && groups.size === mostShown) continue;
    if (!groups.has(key)) groups.set(key, { change, places: [] });
    groups.get(key).places.push(change.from || change.at || "/");
  }
  return [...groups.values()];
}

// copy puts a text into the clipboard and says so.
async function copy(text, where) {
  try {
    await navigator.clipboard.writeText(text);
    where.textContent = "Copied";
  } catch {
    where.textContent = "The browser does not let this page copy.";
  }
}

// load puts an input into the fields.
function load({ tools: text, error, surface }) {
  $("error").value = error ?? "";
  if (error) $("error-box").open = true;
  isChosen = Boolean(surface);
  chosen = surface ?? "";
  isLoading = true;
  editor.text = text;
  isLoading = false;
  clearTimeout(timer);
  run();
}

async function fromLink() {
  try {
    const input = await unpack(location.hash.slice(1));
    if (input) load(input);
  } catch {
    nothing("The link holds no tools that can be read.");
  }
}

async function read(file) {
  if (file.size > most) return nothing("The file is too long for this page. Check it on the command line.");
  load({ tools: await file.text() });
}

$("example").addEventListener("click", () => load({ tools: example }));
$("clear").addEventListener("click", () => {
  load({ tools: "", error: "" });
  history.replaceState(null, "", location.pathname);
  editor.view.focus();
});
$("file").addEventListener("change", () => {
  if ($("file").files[0]) read($("file").files[0]);
  $("file").value = "";
});
$("open").addEventListener("click", () => $("file").click());
$("error").addEventListener("input", later);
$("stop").addEventListener("click", () => questions.stop());
$("copy").addEventListener("click", () => copy(shownFor, $("copied")));
$("link").addEventListener("click", async () => {
  try {
    const fragment = await pack({ tools: editor.text, error: $("error").value, surface: isChosen ? chosen : "" });
    history.replaceState(null, "", "#" + fragment);
    await copy(location.href, $("linked"));
  } catch (problem) {
    $("linked").textContent = problem.message;
  }
});
// A file may be dropped anywhere; the editor would take its text in the middle of another.
for (const name of ["dragover", "drop"]) {
  document.addEventListener(
    name,
    (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      event.stopPropagation();
      if (name === "drop" && event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
    },
    true,
  );
}
addEventListener("hashchange", fromLink);

root.hidden = false;
say("The engine is loading");
prepare().then(
  () => {
    if (!$("status").textContent.startsWith("The engine is loading")) return; // something else was said
    nothing("Paste tools to see which providers refuse them.");
    // The first check reads all recordings. That can be done before there is a tool.
    const first = { do: "check", tools: '{"type":"object"}', targets: surfaces.map((one) => one.name), brief: true };
    questions.ask("first", first).catch(() => {}); // the next question says what is wrong
  },
  (problem) => say(problem instanceof Stopped ? problem.message : `The engine could not be started: ${problem.message}. The command line does the same.`),
);
if (location.hash.length > 1) fromLink();
else if ($("error").value !== "") run(); // the browser kept what was written
