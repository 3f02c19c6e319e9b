// Derived equations, set by KaTeX.

import katex from "katex";
import "katex/dist/katex.min.css";
import { element } from "../shared/text";
import { blocks, type Piece } from "./latex";

// Names of a model may be anything: no command of theirs is trusted, and what cannot be set is shown as it is written.
const options = { throwOnError: false, trust: false, strict: "ignore" as const, maxExpand: 1000, maxSize: 20 };

function put(place: HTMLElement, list: Piece[]): void {
  for (const piece of list) {
    if ("text" in piece) {
      place.append(piece.text);
    } else {
      const formula = element("span");
      katex.render(piece.formula, formula, options);
      place.append(formula);
    }
  }
}

export function showEquations(place: HTMLElement, latex: string): void {
  place.replaceChildren();
  for (const block of blocks(latex)) {
    if (block.kind === "heading") put(place.appendChild(element("h3")), block.pieces);
    else if (block.kind === "words") put(place.appendChild(element("p")), block.pieces);
    else if (block.kind === "list") {
      const list = place.appendChild(element("ul"));
      for (const item of block.items) put(list.appendChild(element("li")), item);
    } else {
      const box = place.appendChild(element("div", "display"));
      katex.render(block.formula, box, { ...options, displayMode: true });
    }
  }
}
