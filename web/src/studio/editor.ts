// The editor: CodeMirror with the model language, its words to complete, and the program's errors at their places.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { element } from "../shared/text";
import { language, type Words } from "./language";
import type { Diagnostic } from "./link";
import { range } from "./places";

const silent = Annotation.define<boolean>(); // a text that was put in, not typed

const style = HighlightStyle.define([
  { tag: tags.keyword, class: "code-keyword" },
  { tag: tags.comment, class: "code-comment" },
  { tag: tags.string, class: "code-string" },
  { tag: tags.number, class: "code-number" },
  { tag: tags.typeName, class: "code-kind" },
  { tag: tags.modifier, class: "code-word" },
  { tag: tags.function(tags.variableName), class: "code-function" },
  { tag: tags.labelName, class: "code-label" },
  { tag: tags.operator, class: "code-operator" },
]);

export interface Name {
  name: string;
  kind: string;
}

/** What may stand where the cursor is. */
export function completions(line: string, words: Words, names: Name[]): Completion[] {
  const first = /^\s*([A-Za-z_]\w*)/.exec(line)?.[1] ?? "";
  const begins = /^\s*\w*$/.test(line);
  const list: Completion[] = [];
  if (begins) {
    for (const one of words.keywords)
      list.push({ label: one.keyword, type: "keyword", detail: one.syntax.slice(one.keyword.length), info: one.description });
    return list;
  }
  const form = words.keywords.find((one) => one.keyword === first);
  for (const kind of form?.kinds ?? []) list.push({ label: kind, type: "class", boost: 2 });
  for (const word of form?.words ?? []) list.push({ label: word.replace(/=$/, ""), type: "property", boost: 1 });
  for (const one of names) list.push({ label: one.name, type: "variable", detail: " " + one.kind });
  for (const one of words.functions) list.push({ label: one, type: "function" });
  const seen = new Set<string>();
  return list.filter((one) => !seen.has(one.label) && seen.add(one.label));
}

export class Editor {
  readonly view: EditorView;
  private names: Name[] = [];
  private words: Words = { keywords: [], functions: [] };
  private speech = new Compartment();

  constructor(place: HTMLElement, typed: (text: string) => void, run: () => void, save: () => void) {
    const own = keymap.of([
      { key: "Mod-Enter", run: () => (run(), true) },
      { key: "Mod-s", preventDefault: true, run: () => (save(), true) },
    ]);
    this.view = new EditorView({
      parent: place,
      state: EditorState.create({
        extensions: [
          own,
          lineNumbers(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          highlightSelectionMatches(),
          autocompletion({ override: [(context) => this.complete(context)] }),
          lintGutter(),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "model text", spellcheck: "false" }),
          syntaxHighlighting(style),
          this.speech.of([]),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.annotation(silent))) typed(this.text);
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Puts another text in; nobody is told that it was typed. */
  put(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, annotations: silent.of(true) });
  }

  speak(words: Words): void {
    this.words = words;
    this.view.dispatch({ effects: this.speech.reconfigure(language(words)) });
  }

  know(names: Name[]): void {
    this.names = names;
  }

  /** Marks what is wrong, where it is. */
  mark(diagnostics: Diagnostic[]): void {
    const text = this.text;
    const marks: Mark[] = diagnostics
      .filter((one) => one.line > 0)
      .map((one) => ({
        ...range(text, one.line, one.column, one.length),
        severity: "error",
        message: one.message,
        renderMessage: () => {
          const box = element("div", "problem", one.message);
          if (one.hint) box.append(element("div", "hint", one.hint));
          return box;
        },
      }));
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Brings a place into view and puts the cursor there. */
  show(line: number, column: number): void {
    const { from } = range(this.text, line, column, 1);
    this.view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    this.view.focus();
  }

  private complete(context: CompletionContext): CompletionResult | null {
    const word = context.matchBefore(/[A-Za-z_][\w.]*/);
    if (!word && !context.explicit) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    if (/#/.test(before)) return null;
    return { from: word ? word.from : context.pos, options: completions(before, this.words, this.names), validFor: /^[\w.]*$/ };
  }
}
