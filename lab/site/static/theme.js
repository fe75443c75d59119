// The reader's choice of light or dark. It runs before the page is drawn; without it the
// system chooses.
"use strict";
{
  const names = ["auto", "light", "dark"];
  const root = document.documentElement;
  const read = () => {
    try {
      return localStorage.getItem("theme") ?? "auto";
    } catch {
      return "auto"; // the browser keeps nothing
    }
  };
  const apply = (name) => {
    if (name === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", name);
  };
  apply(read());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = (name) => {
      button.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[name] ?? "Auto";
      button.setAttribute("aria-label", "Colours: " + button.textContent.toLowerCase());
    };
    show(read());
    button.hidden = false;
    button.addEventListener("click", () => {
      const next = names[(names.indexOf(read()) + 1) % names.length];
      try {
        localStorage.setItem("theme", next);
      } catch {
        // it holds for this page then
      }
      apply(next);
      show(next);
    });
  });
}
