"use strict";
{
  const filters = document.getElementById("filters");
  const text = document.getElementById("text");
  const target = document.getElementById("target");
  const state = document.getElementById("state");
  const status = document.getElementById("status");
  const opened = 500; // rows that a filter unfolds at most
  let chunks;

  // read remembers what the rows say, once: there may be many.
  function read() {
    chunks ??= [...document.querySelectorAll(".chunk")].map((box) => ({
      box,
      wasOpen: box.open,
      title: box.querySelector("summary").textContent,
      rows: [...box.querySelectorAll("tbody tr")].map((row) => ({
        row,
        name: row.cells[0].textContent.toLowerCase(),
        states: [...row.cells].slice(1).map((cell) => cell.className),
      })),
    }));
    return chunks;
  }

  function apply() {
    const words = text.value.trim().toLowerCase();
    const column = target.selectedIndex - 1;
    const wanted = state.value;
    const isFiltered = words !== "" || column >= 0 || wanted !== "";
    let shown = 0;
    let all = 0;
    for (const chunk of read()) {
      let found = 0;
      for (const { row, name, states } of chunk.rows) {
        const asked = column < 0 ? states : [states[column]];
        const fits = name.includes(words) && (wanted === "" ? column < 0 || asked[0] !== "" : asked.includes(wanted));
        if (row.hidden === fits) row.hidden = !fits;
        if (fits) found++;
      }
      all += chunk.rows.length;
      chunk.box.hidden = found === 0;
      chunk.box.open = isFiltered ? shown < opened && found > 0 : chunk.wasOpen;
      chunk.box.querySelector("summary").textContent = isFiltered ? `${chunk.title}: ${found}` : chunk.title;
      shown += found;
    }
    const name = column < 0 ? "" : target.value;
    for (const group of document.querySelectorAll(".group")) {
      const fits =
        group.dataset.words.toLowerCase().includes(words) &&
        (name === "" || group.dataset.targets.split(" ").includes(name)) &&
        (wanted === "" || wanted === group.dataset.state);
      group.hidden = !fits;
    }
    status.textContent = isFiltered ? `${shown} of ${all} tools` : "";
  }

  if (filters) {
    filters.hidden = false;
    for (const control of [text, target, state]) control.addEventListener("input", apply);
    document.getElementById("reset").addEventListener("click", () => {
      text.value = "";
      target.selectedIndex = 0;
      state.selectedIndex = 0;
      apply();
    });
    if (text.value !== "" || target.selectedIndex > 0 || state.selectedIndex > 0) apply();
  }

  // A link into what is folded unfolds it.
  const unfold = () => {
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (at instanceof HTMLDetailsElement) at.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
}
