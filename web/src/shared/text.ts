// Text and numbers as they are shown. Nothing of a model is ever put into a page as markup.

/** An element with classes and text; text is text, whatever it contains. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** A number in few digits: what fits beside a plot. */
export function shortNumber(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 10 ** digits) return String(+value.toPrecision(digits));
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  return `${+mantissa}e${+exponent}`;
}

/** Text inside XML, for files that are downloaded. */
export function escapeXml(text: string): string {
  const named: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  // Control characters are not allowed in XML.
  return text.replace(/[&<>"']/g, (c) => named[c]).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");
}

/** Whether the page is dark now: chosen on it, or else as the system wants it. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
