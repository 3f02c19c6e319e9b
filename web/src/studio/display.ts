// Where runs are shown: the shared stage, which takes the next run in place of the last one; and small pictures.

import { Run } from "../shared/run";
import { Motion } from "../shared/scene";
import { Stage, type StageData } from "../shared/stage";
import { element } from "../shared/text";
import { usualPlots } from "../shared/plots";
import { View } from "../shared/view";
import type { Kept } from "./history";

/** What the stage shows: the run of now, and others laid over it. */
export function stageData(run: Kept, overlaid: Kept[]): StageData {
  const named = (one: Kept) => ({ ...one.data.run, title: one.name });
  return { scene: run.data.scene, note: run.data.note ?? "", runs: [named(run), ...overlaid.map(named)], others: overlaid.map((one) => one.data.scene) };
}

/** A curve as the path of a picture of this size. */
export function curve(t: ArrayLike<number>, y: ArrayLike<number>, low: number, high: number, width: number, height: number): string {
  const n = t.length;
  const span = t[n - 1] - t[0] || 1;
  const rise = high - low || 1;
  let path = "";
  for (let i = 0; i < n; i++) {
    if (!Number.isFinite(y[i])) continue;
    const [x, up] = [((t[i] - t[0]) / span) * width, height - ((y[i] - low) / rise) * height];
    path += `${path ? "L" : "M"}${x.toFixed(1)} ${up.toFixed(1)}`;
  }
  return path;
}

const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/** The first plot of a run as a small picture. */
function plotPicture(run: Run, data: any): string {
  const spec = usualPlots([run], data.scene)[0];
  if (!spec) return "";
  const columns = spec.columns.slice(0, colours.length).map((name) => run.column(name)!);
  const all = columns.flatMap((column) => Array.from(column.values)).filter(Number.isFinite);
  const [low, high] = [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), -Infinity)];
  const lines = columns.map((column, i) => `<path d="${curve(run.t, column.values, low, high, 220, 150)}" fill="none" stroke="${colours[i]}" stroke-width="2"/>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 240 170" width="240" height="170">${lines.join("")}</svg>`;
  return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

export class Display {
  private stage: Stage | null = null;
  private run: Kept | null = null;
  private corners = new Map<number, View>(); // by dimension: the cameras differ

  constructor(private place: HTMLElement) {}

  show(run: Kept, overlaid: Kept[]): void {
    this.run = run;
    const data = stageData(run, overlaid);
    if (this.stage?.update(data)) return;
    this.stage?.dispose();
    this.place.replaceChildren();
    this.stage = new Stage(this.place, data);
  }

  overlay(overlaid: Kept[]): void {
    if (this.run) this.show(this.run, overlaid);
  }

  /** While a run is waited for. */
  hold(on: boolean): void {
    this.stage?.hold(on);
  }

  sample(name: string, time: number): number {
    const value = new Float64Array(1);
    this.stage?.runs[0].sample([name], time, value);
    return value[0];
  }

  /** Another model: nothing of the view is kept. */
  forget(): void {
    this.stage?.dispose();
    this.stage = null;
    this.run = null;
  }

  /** The pane is seen again: what was laid out without a size is laid out anew. */
  appear(): void {
    this.stage?.plots.forEach((plot) => plot.resize());
  }

  recolour(): void {
    this.stage?.plots.forEach((plot) => plot.rebuild());
  }

  /** The mechanism as the program saw it, in the middle of its motion; a plot where there is no mechanism. */
  async thumbnail(data: any): Promise<string> {
    const run = new Run({ ...data.run, title: "" });
    if (!data.scene || run.t.length < 2) return plotPicture(run, data);
    const motion = new Motion(data.scene, run);
    let view = this.corners.get(motion.dimension);
    if (view) view.replace(motion, true);
    else {
      const frame = document.body.appendChild(element("div", "corner"));
      view = new View(frame, motion, { shadows: false });
      this.corners.set(motion.dimension, view);
    }
    view.show(run.t[0] + 0.35 * (run.t[run.t.length - 1] - run.t[0]));
    view.draw();
    return view.canvas.toDataURL("image/png");
  }
}
