// The model language for the editor: what is a keyword, a number, a name. The words themselves come from the program.

import { StreamLanguage, type StringStream } from "@codemirror/language";

export interface Keyword {
  keyword: string;
  syntax: string;
  description: string;
  example: string;
  kinds: string[];
  words: string[];
}

export interface Words {
  keywords: Keyword[];
  functions: string[];
}

interface State {
  fresh: boolean; // a statement begins here
  depth: number; // of open brackets
  keyword: string; // of the statement
}

const NAME = /^[A-Za-z_\u0080-\uffff][A-Za-z_0-9\u0080-\uffff]*/;
const CONNECTIVES = new Set(["for", "step", "end", "of", "with", "column", "rising", "falling", "when", "after"]);

/** One token: the name of its style, or null for what has none. */
export function token(stream: StringStream, state: State, words: Words): string | null {
  if (stream.sol() && state.depth === 0) {
    const before = state.keyword;
    state.fresh = true;
    state.keyword = before;
  }
  if (stream.eatSpace()) return null;
  if (stream.peek() === "#") {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match(/^"[^"]*"?/)) return "string";
  if (stream.match(/^(\d+\.?\d*(?!\.)|\.\d+)([eE][+-]?\d+)?/) || stream.match(/^\d+/)) {
    state.fresh = false;
    return "number";
  }
  const name = stream.match(NAME) as RegExpMatchArray | null;
  if (name) {
    const word = name[0];
    const begins = state.fresh;
    state.fresh = false;
    const form = begins ? words.keywords.find((one) => one.keyword === word) : undefined;
    if (form) {
      state.keyword = word;
      return "keyword";
    }
    const statement = words.keywords.find((one) => one.keyword === state.keyword);
    if (statement?.kinds.includes(word)) return "typeName";
    if (statement?.words.some((one) => one.replace(/=$/, "") === word) || CONNECTIVES.has(word)) return "modifier";
    if (words.functions.includes(word) && stream.match(/^\s*\(/, false)) return "variableName.function";
    if (stream.match(/^\s*:/, false)) return "labelName";
    return "variableName";
  }
  if (stream.match("..")) return "punctuation"; // of a range
  const sign = stream.next();
  state.fresh = false;
  if (sign === "(" || sign === "[") {
    state.depth++;
    return "bracket";
  }
  if (sign === ")" || sign === "]") {
    state.depth = Math.max(0, state.depth - 1);
    return "bracket";
  }
  return sign === "'" || sign === "=" ? "operator" : "punctuation";
}

/** The language with the words of this program. */
export function language(words: Words): StreamLanguage<State> {
  return StreamLanguage.define<State>({
    name: "alembert",
    startState: () => ({ fresh: true, depth: 0, keyword: "" }),
    copyState: (state) => ({ ...state }),
    token: (stream, state) => token(stream, state, words),
    languageData: { commentTokens: { line: "#" } },
    tokenTable: {},
  });
}
