// Places of the program (lines and columns from 1, columns count characters) and those of the editor (UTF-16 units).

/** The offset in a line of UTF-16 units behind so many characters. */
export function unitsBehind(line: string, characters: number): number {
  let units = 0;
  for (const character of line) {
    if (characters-- <= 0) break;
    units += character.length;
  }
  return units;
}

/** From and to of a place in a text; a place behind the end is at the end, and at least one unit is covered. */
export function range(text: string, line: number, column: number, length: number): { from: number; to: number } {
  const lines = text.split("\n");
  const at = Math.min(Math.max(line, 1), lines.length);
  let start = 0;
  for (let i = 0; i < at - 1; i++) start += lines[i].length + 1;
  const own = lines[at - 1];
  let from = start + unitsBehind(own, Math.max(column, 1) - 1);
  let to = start + unitsBehind(own, Math.max(column, 1) - 1 + Math.max(length, 1));
  if (to === from && from > start) from--; // behind the last character: mark that one
  if (to === from && to < text.length) to++;
  return { from, to };
}
