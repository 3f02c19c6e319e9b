import assert from "node:assert/strict";
import { test } from "node:test";
import { StringStream } from "@codemirror/language";
import { completions } from "../src/studio/editor";
import { nameOf } from "../src/studio/history";
import { token } from "../src/studio/language";
import { blocks, pieces } from "../src/studio/latex";
import { range } from "../src/studio/places";
import { offered } from "../src/studio/settings";
import { share } from "../src/studio/studies";
import { reach } from "../src/studio/values";

const words = {
  keywords: [
    { keyword: "kinetic", syntax: "kinetic EXPR", description: "the kinetic energy", example: "", kinds: [], words: [] },
    { keyword: "joint", syntax: "joint KIND NAME", description: "", example: "", kinds: ["hinge", "ball"], words: ["axis=", "from="] },
    { keyword: "solve", syntax: "solve METHOD", description: "", example: "", kinds: [], words: [] },
  ],
  functions: ["sin", "norm"],
};

function tokens(line: string): [string, string | null][] {
  const stream = new StringStream(line, 2, 2);
  const state = { fresh: true, depth: 0, keyword: "" };
  const found: [string, string | null][] = [];
  while (!stream.eol()) {
    stream.start = stream.pos;
    const style = token(stream, state, words);
    assert.ok(stream.pos > stream.start, "a token moves on");
    if (stream.current().trim()) found.push([stream.current(), style]);
  }
  return found;
}

test("keywords count only at the start of a statement", () => {
  assert.deepEqual(tokens("kinetic m/2*x'^2  # half")[0], ["kinetic", "keyword"]);
  assert.deepEqual(tokens("kinetic m/2*x'^2  # half").at(-1), ["# half", "comment"]);
  assert.deepEqual(tokens("kinetic kinetic")[1], ["kinetic", "variableName"]);
  assert.deepEqual(tokens("joint hinge a from=b").slice(1), [["hinge", "typeName"], ["a", "variableName"], ["from", "modifier"], ["=", "operator"], ["b", "variableName"]]);
  assert.deepEqual(tokens("solve a step 1e-3 end 2.5")[2], ["step", "modifier"]);
  assert.deepEqual(tokens("kinetic sin(x) + sin").map((one) => one[1]), ["keyword", "variableName.function", "bracket", "variableName", "bracket", "punctuation", "variableName"]);
});

test("ranges and numbers are told apart", () => {
  assert.deepEqual(tokens("x 1..3").map((one) => one[0]), ["x", "1", "..", "3"]);
  assert.deepEqual(tokens("x .5e+3")[1], [".5e+3", "number"]);
});

test("anything is taken apart", () => {
  for (const line of ['"open', "§ é ∂x", "((((", "'''", "1.2.3", "\\", "#"]) tokens(line);
});

test("places count characters, the editor units", () => {
  assert.deepEqual(range("ab\ncdef\n", 2, 2, 2), { from: 4, to: 6 });
  assert.deepEqual(range("𝛼𝛽 x", 1, 4, 1), { from: 5, to: 6 });
  assert.deepEqual(range("ab", 1, 3, 1), { from: 1, to: 2 }); // behind the end: the last character
  assert.deepEqual(range("ab\nc", 9, 1, 1), { from: 3, to: 4 });
  assert.deepEqual(range("", 1, 1, 1), { from: 0, to: 0 });
});

test("a document is taken apart into formulas and words", () => {
  const text = String.raw`\documentclass{article}
\begin{document}

\noindent A 100\% model\_a of $q$.

\paragraph{$\dot p = f$, where $f_{x}$}
\begin{align*}
  f_{x} &= 0 \\
  g &= 1
\end{align*}

\paragraph{Symbols}
\begin{itemize}
  \item $t$: time
  \item names
\end{itemize}
\[ E \dot x = z \]
\end{document}
`;
  const found = blocks(text);
  assert.deepEqual(found.map((one) => one.kind), ["words", "heading", "display", "heading", "list", "display"]);
  assert.deepEqual((found[0] as any).pieces, [{ text: "A 100% model_a of " }, { formula: "q" }, { text: "." }]);
  assert.deepEqual((found[1] as any).pieces, [{ formula: "\\dot p = f" }, { text: ", where " }, { formula: "f_{x}" }]);
  assert.equal((found[4] as any).items.length, 2);
  assert.deepEqual(pieces("costs \\$5"), [{ text: "costs $5" }]);
});

test("sliders reach round numbers around a value", () => {
  assert.deepEqual(reach(9.81), { least: 0, most: 20, step: 0.02 });
  assert.deepEqual(reach(1), { least: 0, most: 2, step: 0.002 });
  assert.equal(reach(-0.3).most, 0);
  assert.equal(reach(0).least, -1);
  for (const value of [1e-9, 3.7e5, -2e-3]) {
    const { least, most, step } = reach(value);
    assert.ok(least <= value && value <= most && step > 0 && step < most - least);
  }
});

test("methods that take the model come first", () => {
  const method = (example: string, refusal: string) => ({ signature: example, example, summary: "", orders: "", refusal });
  const list = offered([method("a", "no"), method("b", "")], "c");
  assert.deepEqual(list.map((one) => one.value), ["", "auto", "b", "a"]);
});

test("completion offers what may stand there", () => {
  assert.deepEqual(completions("ki", words, []).map((one) => one.label), ["kinetic", "joint", "solve"]);
  const inside = completions("joint h", words, [{ name: "m", kind: "parameter" }]).map((one) => one.label);
  assert.ok(inside.includes("hinge") && inside.includes("axis") && inside.includes("m") && !inside.includes("kinetic"));
});

test("runs are told apart by what was changed", () => {
  assert.equal(nameOf({}, { control: "fixed" }, false), "as in the text");
  assert.equal(nameOf({ m1: 2 }, { control: "tolerance", tolerance: 1e-6 }, true), "m1 = 2, tolerance, tolerance 0.000001, edited text");
});

test("bars reach from rounding to one", () => {
  assert.equal(share(1), 1);
  assert.ok(share(1e-16)! < 0.01);
  assert.equal(share(null), null);
});
