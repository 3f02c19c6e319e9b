// The LaTeX document of derived equations, taken apart: KaTeX sets formulas, the page sets the rest.

export type Piece = { text: string } | { formula: string };
export type Block =
  | { kind: "heading"; pieces: Piece[] }
  | { kind: "words"; pieces: Piece[] }
  | { kind: "list"; items: Piece[][] }
  | { kind: "display"; formula: string };

/** What LaTeX asks to be written with a backslash, as it is read. */
function plain(text: string): string {
  return text.replace(/\\textbackslash\{\}/g, "\\").replace(/\\([%_&#{}$])/g, "$1").replace(/\\noindent\s*/g, "").replace(/~/g, " ");
}

/** "the $q$ of it" as text and formulas. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  text.split(/(?<!\\)\$/).forEach((part, i) => {
    if (part) found.push(i % 2 ? { formula: part } : { text: plain(part) });
  });
  return found;
}

/** What stands between a brace and the one that closes it, and where that ends. */
function braced(text: string, open: number): { inside: string; end: number } {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return { inside: text.slice(open + 1, i), end: i + 1 };
  }
  return { inside: text.slice(open + 1), end: text.length };
}

export function blocks(document: string): Block[] {
  const begin = document.indexOf("\\begin{document}");
  const end = document.indexOf("\\end{document}");
  let rest = document.slice(begin < 0 ? 0 : begin + 16, end < 0 ? undefined : end);
  const found: Block[] = [];
  const say = (words: string) => {
    for (const paragraph of words.split(/\n\s*\n/)) if (paragraph.trim()) found.push({ kind: "words", pieces: pieces(paragraph.trim()) });
  };
  const mark = /\\paragraph\{|\\begin\{(align\*|itemize)\}|\\\[/;
  for (let at = mark.exec(rest); at; at = mark.exec(rest)) {
    say(rest.slice(0, at.index));
    rest = rest.slice(at.index);
    if (at[0].startsWith("\\paragraph")) {
      const title = braced(rest, rest.indexOf("{"));
      found.push({ kind: "heading", pieces: pieces(title.inside) });
      rest = rest.slice(title.end);
    } else if (at[0] === "\\[") {
      const close = rest.indexOf("\\]");
      found.push({ kind: "display", formula: rest.slice(2, close) });
      rest = rest.slice(close + 2);
    } else {
      const closing = `\\end{${at[1]}}`;
      const close = rest.indexOf(closing);
      const inside = rest.slice(at[0].length, close < 0 ? undefined : close);
      rest = close < 0 ? "" : rest.slice(close + closing.length);
      if (at[1] === "itemize") found.push({ kind: "list", items: inside.split("\\item").slice(1).map((item) => pieces(item.trim())) });
      else found.push({ kind: "display", formula: `\\begin{align*}${inside}\\end{align*}` });
    }
  }
  say(rest);
  return found;
}
