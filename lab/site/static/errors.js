// Finds the message that an error is one of. All is done here: the text leaves the page for
// nowhere. The index is made from the messages that the program knows.
const search = document.getElementById("search");
const query = document.getElementById("query");
const results = document.getElementById("results");
const status = document.getElementById("status");
const most = 8;

// message takes an error out of the answer of a provider, or of what a client prints: the
// innermost message of the JSON in the text.
function message(text) {
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
  const parts = shape.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"));
  return new RegExp(parts.join("[^]{0,2000}?"), "i");
}

// prepare counts how many messages have each word: rare ones say most.
function prepare(index) {
  const having = new Map();
  for (const one of index) {
    one.all = new Set(words(one.shape + " " + one.words.join(" ")));
    one.own = words(one.shape);
    one.pattern = pattern(one.shape);
    for (const word of one.all) having.set(word, (having.get(word) ?? 0) + 1);
  }
  const weight = (word) => Math.log(1 + index.length / (having.get(word) ?? index.length));
  return (text) => {
    const asked = new Set(words(text));
    if (asked.size === 0) return [];
    const total = [...asked].reduce((sum, word) => sum + (having.has(word) ? weight(word) : 0), 0);
    const found = [];
    for (const one of index) {
      let score = 0;
      for (const word of asked) if (one.all.has(word)) score += weight(word);
      const exact = one.own.length > 1 && one.pattern.test(text);
      const covered = one.own.filter((word) => asked.has(word)).length / Math.max(one.own.length, 1);
      const share = total > 0 ? score / total : 0;
      if (exact || share > 0.4) found.push({ one, exact, score: (exact ? 10 + one.own.length / 100 : 0) + share + covered });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, most);
  };
}

function show(found, text) {
  results.replaceChildren(
    ...found.map(({ one, exact }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = one.page;
      link.textContent = one.shape;
      const line = document.createElement("p");
      line.textContent = `${exact ? "these words" : "alike"}: ${one.title}; ${one.services.join(", ")}`;
      item.append(link, line);
      return item;
    }),
  );
  if (text === "") status.textContent = "";
  else if (found.length === 0) status.textContent = "No known message is like it.";
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
