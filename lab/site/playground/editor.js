// The editor with the words of a provider at their lines, and the view of a tool as given and
// normalized.
//
// The Content-Security-Policy of the page allows no style inside it. In a shadow tree
// CodeMirror uses constructed style sheets, which the policy does not forbid; in the page
// itself it would insert style elements.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers, placeholder, WidgetType } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { visible } from "./text.js";

const look = EditorView.theme({
  "&": { backgroundColor: "var(--page)", color: "var(--text)", fontSize: "0.85rem", height: "100%" },
  "&.cm-focused": { outline: "3px solid var(--link)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", border: "none" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { background: "light-dark(#cfe0fb, #2b4266)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "light-dark(#dbe7fb, #2b4266)" },
  ".cm-placeholder": { color: "var(--muted)", whiteSpace: "pre-wrap" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--sunken)", color: "var(--muted)", border: "1px solid var(--line)" },
  ".marked-refused": { backgroundColor: "var(--bad-back)" },
  ".marked-ignored": { backgroundColor: "var(--warn-back)" },
  ".words": { padding: "0.15rem 0.6rem 0.3rem 1rem", whiteSpace: "pre-wrap", overflowWrap: "anywhere", fontSize: "0.8rem", borderLeft: "3px solid" },
  ".words-refused": { color: "var(--bad)", backgroundColor: "var(--bad-back)", borderColor: "var(--bad)" },
  ".words-ignored": { color: "var(--warn)", backgroundColor: "var(--warn-back)", borderColor: "var(--warn)" },
  ".cm-deletedChunk, .cm-merge-a .cm-changedLine": { backgroundColor: "var(--bad-back) !important" },
  ".cm-changedLine, .cm-insertedLine, &.cm-merge-b .cm-changedLine": { backgroundColor: "var(--good-back) !important" },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--bad-back) !important" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": { background: "light-dark(#f9d3d0, #5a221e) !important" },
  "&.cm-merge-b .cm-changedText": { background: "light-dark(#c6ebd4, #1a4a2f) !important" },
  ".cm-collapsedLines": { background: "var(--sunken) !important", color: "var(--muted)", padding: "0.1rem 0.6rem" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--link)" },
  { tag: tags.definition(tags.propertyName), color: "var(--link)" },
  { tag: tags.string, color: "light-dark(#14592f, #98dcb4)" },
  { tag: [tags.number, tags.bool, tags.null], color: "light-dark(#6f2bd1, #cfb0ff)" },
  { tag: tags.comment, color: "var(--muted)" },
]);

// words is what a provider says, below the line that it means.
class Words extends WidgetType {
  constructor(state, text) {
    super();
    this.state = state;
    this.text = text;
  }
  eq(other) {
    return other.state === this.state && other.text === this.text;
  }
  toDOM() {
    const box = document.createElement("div");
    box.className = `words words-${this.state}`;
    box.textContent = visible(this.text);
    return box;
  }
  ignoreEvent() {
    return false;
  }
}

const setMarks = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const mostLines = 200; // that are marked
const mostWords = 400; // characters of a message in the editor

const shadow = (host) => host.shadowRoot ?? host.attachShadow({ mode: "open" });
const isJSON = (text) => /^\s*([[{"/]|$)/.test(text);
const common = [lineNumbers(), highlightSpecialChars(), codeFolding(), foldGutter({ openText: "▾", closedText: "▸" }), syntaxHighlighting(colours), EditorView.lineWrapping, look];

export class Editor {
  constructor(host, { label, hint, changed }) {
    this.language = new Compartment();
    this.isJSON = true;
    this.view = new EditorView({
      root: shadow(host),
      parent: shadow(host),
      extensions: [
        common,
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        placeholder(hint),
        keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]), // Tab leads on, as in the rest of the page
        this.language.of(json()),
        marks,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed();
        }),
      ],
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  // retune chooses the language of the text.
  retune() {
    if (isJSON(this.text) === this.isJSON) return;
    this.isJSON = !this.isJSON;
    this.view.dispatch({ effects: this.language.reconfigure(this.isJSON ? json() : yaml()) });
  }

  // mark shows findings, {state, line, message}, at their lines.
  mark(findings) {
    const doc = this.view.state.doc;
    const byLine = new Map();
    for (const finding of findings) {
      if (finding.line < 1 || finding.line > doc.lines) continue;
      if (!byLine.has(finding.line) && byLine.size === mostLines) continue;
      byLine.set(finding.line, [...(byLine.get(finding.line) ?? []), finding]);
    }
    const made = [];
    for (const [number, here] of [...byLine].sort(([a], [b]) => a - b)) {
      const line = doc.line(number);
      const isRefused = here.some((one) => one.state === "refused");
      made.push(Decoration.line({ class: isRefused ? "marked-refused" : "marked-ignored" }).range(line.from));
      const texts = new Map(here.map((one) => [one.message, one.state]));
      for (const [text, state] of [...texts].slice(0, 3)) {
        const short = text.length > mostWords ? text.slice(0, mostWords) + "…" : text;
        made.push(Decoration.widget({ widget: new Words(state, short), block: true, side: 1 }).range(line.to));
      }
    }
    this.view.dispatch({ effects: setMarks.of(Decoration.set(made, true)) });
  }

  // show leads to a line.
  show(number) {
    const line = this.view.state.doc.line(Math.min(Math.max(number, 1), this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
    this.view.focus();
  }
}

// compare shows two texts, side by side where there is room, and returns what ends it.
export function compare(host, before, after, isWide) {
  const root = shadow(host);
  const fixed = (label) => [common, json(), EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" })];
  const collapseUnchanged = { margin: 3, minSize: 6 };
  const diffConfig = { scanLimit: 2000, timeout: 500 };
  if (isWide) {
    const view = new MergeView({
      root,
      parent: root,
      a: { doc: before, extensions: fixed("The tool as given") },
      b: { doc: after, extensions: fixed("The tool normalized") },
      collapseUnchanged,
      diffConfig,
    });
    return () => view.destroy();
  }
  const view = new EditorView({
    root,
    parent: root,
    doc: after,
    extensions: [fixed("What was changed"), unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged, diffConfig })],
  });
  return () => view.destroy();
}
