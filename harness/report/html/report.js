"use strict";
{
  const filters = document.getElementById("filters");
  const text = document.getElementById("text");
  const target = document.getElementById("target");
  const state = document.getElementById("state");
  const status = document.getElementById("status");
  const opened = 500; // rows that a filter unfolds at most
  let chunks;

  // read remembers what the rows say, once: there may be many. A row has its outcomes by
  // target. Where there are many targets, a column has an outcome and names them.
  function read() {
    const names = [...target.options].slice(1).map((option) => option.value);
    const outcomes = [...state.options].slice(1).map((option) => option.value);
    const isWide = document.querySelector(".tools.wide") !== null;
    chunks ??= [...document.querySelectorAll(".chunk")].map((box) => ({
      box,
      wasOpen: box.open,
      title: box.querySelector("summary").textContent,
      rows: [...box.querySelectorAll("tbody tr")].map((row) => {
        const states = new Map();
        for (const [i, cell] of [...row.cells].slice(1).entries()) {
          if (!isWide) states.set(names[i], cell.className);
          else if (cell.textContent !== "") for (const name of cell.textContent.split(", ")) states.set(name, outcomes[i]);
        }
        return { row, name: row.cells[0].textContent.toLowerCase(), states };
      }),
    }));
    return chunks;
  }

  function apply() {
    const words = text.value.trim().toLowerCase();
    const of = target.value;
    const wanted = state.value;
    const isFiltered = words !== "" || of !== "" || wanted !== "";
    let shown = 0;
    let all = 0;
    for (const chunk of read()) {
      let found = 0;
      for (const { row, name, states } of chunk.rows) {
        const asked = of === "" ? [...states.values()] : [states.get(of) ?? ""];
        const fits = name.includes(words) && (wanted === "" ? of === "" || asked[0] !== "" : asked.includes(wanted));
        if (row.hidden === fits) row.hidden = !fits;
        if (fits) found++;
      }
      all += chunk.rows.length;
      chunk.box.hidden = found === 0;
      chunk.box.open = isFiltered ? shown < opened && found > 0 : chunk.wasOpen;
      chunk.box.querySelector("summary").textContent = isFiltered ? `${chunk.title}: ${found}` : chunk.title;
      shown += found;
    }
    for (const group of document.querySelectorAll(".group")) {
      const fits =
        group.dataset.words.toLowerCase().includes(words) &&
        (of === "" || group.dataset.targets.split(" ").includes(of)) &&
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
