// What a browser keeps over a reload: the text, where it belongs, and what was chosen.

export interface Draft {
  text: string;
  path: string; // "" where it was never saved
  saved: string; // as it is in the file, or was in the gallery
  values: Record<string, number>;
  wish: Record<string, unknown>;
}

const key = (folder: string) => `alembert studio ${folder}`;

export function keep(folder: string, draft: Draft): void {
  try {
    localStorage.setItem(key(folder), JSON.stringify(draft));
  } catch {
    // A browser without room, or that keeps nothing: the text is still in the page.
  }
}

export function kept(folder: string): Draft | null {
  try {
    const found = JSON.parse(localStorage.getItem(key(folder)) ?? "null");
    return found && typeof found.text === "string" ? { values: {}, wish: {}, path: "", saved: "", ...found } : null;
  } catch {
    return null;
  }
}
