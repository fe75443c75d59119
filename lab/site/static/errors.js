// Finds the message that an error is one of. All is done here: the text leaves the page for
// nowhere. The index is made from the messages that the program knows.
const search = document.getElementById("search");
const query = document.getElementById("query");
const results = document.getElementById("results");
const status = document.getElementById("status");
const most = 8;

// message takes an error out of the answer of a provider, or of what a client prints: the
// innermost message of the JSON in the text.
export function message(text) {
  for (let depth = 0; depth < 8; depth++) {
    const start = text.indexOf("{");
    const end = text.lastIndexOf("}");
    if (start < 0 || end <= start) return text;
    let body;
    try {
      body = JSON.parse(text.slice(start, end + 1));
    } catch {
      return text;
    }
    const inner = body?.error?.metadata?.raw ?? body?.error?.message ?? body?.message ?? body?.detail ?? body?.error;
    if (typeof inner !== "string" || inner === "") return text;
    text = inner;
  }
  return text;
}

// words are those of a text in lower case, without numbers and signs.
const words = (text) => text.toLowerCase().match(/[a-z_$]{2,}/g) ?? [];

// pattern matches the texts that a shape stands for.
function pattern(shape) {
  const parts = shape.split("…").map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"));
  return new RegExp(parts.join("[^]{0,2000}?"), "i");
}

// unquoted is a text without its quoted parts, which are mostly names of the tool.
const unquoted = (text) => text.replace(/(["'`])(?:(?!\1)[^\n]){0,200}\1/g, " ");

// A message is like a text if it has most of the weight of the words of the text, more than one of
// them, and they are not a small part of the message. That a text has all words of a message in their
// order counts only if they are more than a few common ones.
const leastShare = 0.7;
const leastWords = 2;
const leastOfMessage = 0.25;
const leastOfText = 0.25;

// prepare counts how many messages have each word: rare ones say most, and words that no message
// has say that the text is something else.
export function prepare(index) {
  const having = new Map();
  for (const one of index) {
    one.all = new Set(words(one.shape + " " + one.words.join(" ")));
    one.own = new Set(words(one.shape));
    one.pattern = pattern(one.shape);
    for (const word of one.all) having.set(word, (having.get(word) ?? 0) + 1);
  }
  const weigh = (some) => [...some].reduce((sum, word) => sum + Math.log(1 + index.length / (having.get(word) ?? 0.5)), 0);
  return (text) => {
    const asked = [new Set(words(text)), new Set(words(unquoted(text)))];
    const [total, bare] = asked.map(weigh);
    const found = [];
    for (const one of index) {
      const [common, bareCommon] = asked.map((some) => [...some].filter((word) => one.all.has(word)));
      const share = Math.max(weigh(common) / total || 0, weigh(bareCommon) / bare || 0);
      const covered = common.filter((word) => one.own.has(word)).length / Math.max(one.own.size, 1);
      const told = weigh(one.own) / bare;
      const exact = one.own.size >= leastWords && told >= leastOfText && one.pattern.test(text);
      const alike = common.length >= Math.min(leastWords, asked[0].size) && share >= leastShare && covered >= leastOfMessage;
      if (exact || alike) found.push({ one, exact, score: (exact ? 10 + told : 0) + share + covered });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, most);
  };
}

// pageOf leads to the keyword that the text quotes, if the page of the message has it.
export function pageOf(one, text) {
  const quoted = new Set([...text.matchAll(/["'`]([$\w]+)["'`]/g)].map(([, name]) => name));
  const keyword = one.keywords?.find((name) => quoted.has(name));
  return keyword ? `${one.page}#${keyword}` : one.page;
}

function show(found, text) {
  results.replaceChildren(
    ...found.map(({ one, exact }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = pageOf(one, text);
      link.textContent = one.shape;
      const line = document.createElement("p");
      line.textContent = `${exact ? "these words" : "alike"}: ${one.title}; ${one.services.join(", ")}`;
      item.append(link, line);
      return item;
    }),
  );
  if (text === "") status.textContent = "";
  else if (found.length === 0) status.textContent = "No known message is like it. It may be about something else than tools, such as a key, a limit or the model.";
  else status.textContent = found.length === 1 ? "1 message" : `${found.length} messages, the most alike first`;
}

let find;
async function run() {
  const text = message(query.value.trim().slice(0, 200000));
  find ??= fetch("errors.json")
    .then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    })
    .then(prepare);
  try {
    const ask = await find;
    show(ask(text), text);
  } catch {
    find = undefined;
    status.textContent = "The index could not be loaded. All messages are listed below.";
  }
}

search.hidden = false;
query.addEventListener("input", run);
if (query.value !== "") run(); // the browser kept what was written
