// The runs that were made, to compare and to go back to.

import { element } from "../shared/text";

export interface Kept {
  name: string; // what was different in it
  model: string;
  values: Record<string, number>;
  wish: Record<string, unknown>;
  text: string; // of the model
  data: any; // as the program gave it
  overlaid: boolean;
}

const most = 12;

/** What tells a run apart: values that were changed, and how it was made. */
export function nameOf(values: Record<string, number>, wish: Record<string, unknown>, edited: boolean): string {
  const parts = Object.entries(values).map(([name, value]) => `${name} = ${+value.toPrecision(5)}`);
  if (wish.method) parts.push(String(wish.method));
  if (wish.control !== "fixed" && wish.control) parts.push(String(wish.control));
  if (wish.step) parts.push(`step ${wish.step}`);
  if (wish.tolerance) parts.push(`tolerance ${wish.tolerance}`);
  if (wish.end) parts.push(`end ${wish.end}`);
  if (edited) parts.push("edited text");
  return parts.join(", ") || "as in the text";
}

export class History {
  readonly place = element("div", "history");
  private runs: Kept[] = [];

  constructor(
    private overlay: () => void,
    private again: (run: Kept) => void,
  ) {
    this.draw();
  }

  /** Puts a run first, or in the place of the first where that was only on the way (a slider being dragged). */
  add(run: Kept, replaces: boolean): void {
    if (replaces && this.runs.length) {
      run.overlaid = this.runs[0].overlaid;
      this.runs.shift();
    }
    this.runs.unshift(run);
    this.runs.splice(most);
    this.draw();
  }

  /** Those that are laid over the current one. */
  overlaid(): Kept[] {
    return this.runs.slice(1).filter((one) => one.overlaid);
  }

  private draw(): void {
    this.place.replaceChildren();
    if (this.runs.length < 2) this.place.append(element("p", "quiet", "Runs are kept here, to lay one over another."));
    this.runs.forEach((run, i) => {
      const row = element("div", i === 0 ? "kept now" : "kept");
      const box = element("input");
      box.type = "checkbox";
      box.title = "lay over the current run";
      box.setAttribute("aria-label", `overlay ${run.name}`);
      box.checked = i === 0 || run.overlaid;
      box.disabled = i === 0;
      box.addEventListener("change", () => {
        run.overlaid = box.checked;
        this.overlay();
      });
      const name = element("button", "name", run.name);
      name.type = "button";
      name.title = `${run.model}: ${run.name}\nmake it again`;
      name.addEventListener("click", () => this.again(run));
      const report = run.data.report;
      const steps = report?.statistics?.steps;
      const mark = report?.ending && report.ending !== "done" ? report.ending : steps ? `${steps} steps` : "";
      row.append(box, name, element("span", "quiet", mark));
      this.place.append(row);
    });
  }
}
