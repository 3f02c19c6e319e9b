// Plots of columns over time or over one another, with uPlot.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isQuaternion } from "./derived";
import { exportCsv, exportPng, exportSvg } from "./export";
import { openPicker } from "./picker";
import { Column, Run } from "./run";
import { SceneData } from "./scene";
import { element, isDark, shortNumber } from "./text";

export interface PlotSpec {
  title: string;
  x: string; // "t", or a column: a phase plot
  columns: string[];
  change: boolean; // from the first value
  log: boolean; // of the magnitude
  section: string; // "" or an event: the values at it alone
}

/** y of a logarithmic plot is the logarithm. */
export interface Line { label: string; x: ArrayLike<number>; y: ArrayLike<number>; colour: string; dash: number[]; points: boolean }

const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8a7a3c"];
const dark = ["#56b4e9", "#ff8a3d", "#2fc79a", "#e9a9cc", "#e6b84a", "#9ad0ff", "#eeeeee", "#c9b866"];
const dashes = [[], [8, 5], [2, 4], [10, 4, 2, 4]];

/** The values of a column as a plot asks for them; of a logarithmic one the logarithms. */
export function valuesOf(column: Column, change: boolean, log: boolean, list: ArrayLike<number> = column.y): number[] {
  const first = change ? column.values[0] : 0;
  const result = new Array<number>(list.length);
  for (let i = 0; i < list.length; i++) {
    const v = list[i] - first;
    result[i] = log ? Math.log10(Math.abs(v)) : v;
  }
  return result;
}

/** The curves of a plot. With several runs colours tell them apart where there is one column, else dashes do. */
export function linesOf(spec: PlotSpec, runs: Run[], colours: string[]): Line[] {
  const lines: Line[] = [];
  const phase = spec.x !== "t" || spec.section !== "";
  spec.columns.forEach((name, i) =>
    runs.forEach((run, k) => {
      const column = run.column(name);
      const across = run.column(spec.x);
      if (!column || !across) return;
      const one = runs.length > 1 && spec.columns.length === 1;
      const label = (runs.length > 1 ? `${name} (${run.title})` : name) + (column.unit ? ` [${column.unit}]` : "");
      const look = { label, colour: colours[(one ? k : i) % colours.length], dash: one ? [] : dashes[k % dashes.length], points: spec.section !== "" };
      if (spec.section) {
        const [at, over] = [run.columns.indexOf(column), run.columns.indexOf(across)];
        const rows = run.events.filter((event) => event.name === spec.section && event.values.length > Math.max(at, over));
        lines.push({ ...look, x: rows.map((event) => event.values[over]), y: valuesOf(column, spec.change, spec.log, rows.map((event) => event.values[at])) });
      } else if (phase) lines.push({ ...look, x: across.values, y: valuesOf(column, spec.change, spec.log, column.values) });
      else lines.push({ ...look, x: column.t, y: valuesOf(column, spec.change, spec.log) });
    }),
  );
  return lines;
}

/** The plots that a page begins with. */
export function usualPlots(runs: Run[], scene: SceneData | null): PlotSpec[] {
  const run = runs[0];
  const plots: PlotSpec[] = [];
  const most = 8;
  const of = (kind: string) => run.columns.filter((column) => column.kind === kind && !isQuaternion(column.name, scene)).map((column) => column.name);
  const moving = (names: string[]) =>
    names.filter((name) => {
      const values = run.column(name)!.values;
      return values.some((v) => Math.abs(v - values[0]) > 1e-9 * (Math.abs(values[0]) + 1e-3));
    });
  const add = (title: string, columns: string[], more: Partial<PlotSpec> = {}) => {
    if (columns.length) plots.push({ title, x: "t", columns: columns.slice(0, most), change: false, log: false, section: "", ...more });
  };
  add("Observed", of("observed"));
  // Angles of bodies and of joints beside their places would press these flat.
  const isAngle = (name: string) => /\.(phi|angles\[\d\]|angle\d?)'?$/.test(name);
  const states = of("coordinates").length ? of("coordinates") : of("velocities");
  const alive = moving(states);
  add(of("coordinates").length ? "Coordinates" : "States", (alive.length || scene?.bodies.length ? alive : states).filter((name) => !isAngle(name)));
  add("Angles", alive.filter(isAngle));
  const bodies = scene ? run.columns.filter((column) => column.kind === "bodies").slice(0, 3 * 20).map((column) => column.name) : [];
  add("Angles of bodies", moving(bodies.filter((name) => name.includes(".angle."))));
  add("Angular velocities", bodies.filter((name) => name.includes(".omega.") && run.column(name)!.values.some((v) => Math.abs(v) > 1e-9)));
  if (of("coordinates").length) add("Velocities", moving(of("velocities")).filter((name) => !isAngle(name)));
  add("Energy", of("energy"));
  add("Change of the energy", of("energy"), { change: true });
  const ports = of("ports");
  const balance = ports.filter((name) => /balance|dissipated|supplied|residual|stored|change/.test(name));
  add("Ports", ports.filter((name) => !balance.includes(name)));
  add("Balance of power", balance);
  const contact = (what: RegExp) => of("contacts").filter((name) => what.test(name));
  add("Gaps of contacts", contact(/\.gap$/));
  add("Forces in contacts", contact(/\.(force|friction(\[\d+\])?)$/));
  add("Slip in contacts", contact(/\.slip(\[\d+\])?$/));
  add("States of contacts", contact(/\.state$/));
  add("Constraints", of("residuals").filter((name) => run.column(name)!.values.some((v) => v !== 0)), { log: true });
  add("Change of invariants", of("invariants"), { change: true });
  add("Multipliers", of("multipliers").filter((name) => !/\.unit$/.test(name)));
  return plots;
}

/** Rows of several curves over one list of times. */
export function aligned(lines: Line[]): uPlot.AlignedData {
  const sorted = lines.map((line) => {
    const n = line.x.length;
    if (n < 2 || line.x[n - 1] >= line.x[0]) return line;
    // A run backward in time.
    return { ...line, x: Array.from(line.x).reverse(), y: Array.from(line.y).reverse() };
  });
  const clean = (y: ArrayLike<number>) => Array.from(y, (v) => (Number.isFinite(v) ? v : null));
  if (sorted.every((line) => line.x === sorted[0].x)) return [Array.from(sorted[0]?.x ?? []), ...sorted.map((line) => clean(line.y))];
  return uPlot.join(sorted.map((line) => [Array.from(line.x), clean(line.y)])) as uPlot.AlignedData;
}

/** With some room; never so narrow beside its values that marks could not be told apart in double precision. */
export function usefulRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const least = size > 0 ? 1e-10 * size : 1e-3;
  const room = Math.max(0.06 * (high - low), high - low < least ? least : 0);
  return [low - room, high + room];
}

export class Plot {
  readonly root = element("section", "plot-panel");
  chart: uPlot | null = null;
  lines: Line[] = [];
  private readonly head = element("div", "plot-head");
  private readonly area = element("div", "plot-area");
  private readonly readout = element("div", "plot-readout");
  private readonly mark = element("div", "plot-now");
  private time = 0;

  constructor(readonly spec: PlotSpec, readonly runs: Run[], private readonly scene: SceneData | null, private readonly onTime: (t: number) => void, onRemove: () => void) {
    this.root.append(this.head, this.area, this.readout);
    this.makeHead(onRemove);
    this.rebuild();
  }

  get isPhase(): boolean {
    return this.spec.x !== "t" || this.spec.section !== "";
  }

  rebuild(): void {
    this.chart?.destroy();
    this.area.replaceChildren();
    this.head.querySelector("h3")!.textContent = this.spec.title;
    this.lines = linesOf(this.spec, this.runs, isDark() ? dark : light);
    if (!this.lines.length || this.lines.every((line) => line.x.length === 0)) {
      this.area.append(element("p", "plot-empty", "nothing to show"));
      this.chart = null;
      return;
    }
    this.chart = this.isPhase ? this.phaseChart() : this.timeChart();
    this.chart.over.append(this.mark);
    this.addMouse(this.chart);
    this.showTime(this.time);
  }

  /** Draws the runs anew where they have become others; what is shown and how stays. */
  refresh(): void {
    const before = this.lines;
    const lines = linesOf(this.spec, this.runs, isDark() ? dark : light);
    const same = lines.length === before.length && lines.every((line, i) => line.label === before[i].label);
    if (!this.chart || this.isPhase || !same || lines.every((line) => line.x.length === 0)) {
      this.rebuild();
      return;
    }
    this.lines = lines;
    this.chart.setData(aligned(lines));
    this.showTime(this.time);
  }

  /** Where the animation is. */
  showTime(t: number): void {
    this.time = t;
    const chart = this.chart;
    if (!chart) return;
    this.mark.className = this.isPhase ? "plot-now plot-point" : "plot-now";
    if (!this.isPhase) {
      const x = chart.valToPos(t, "x");
      this.mark.style.transform = `translateX(${x}px)`;
      this.mark.hidden = !(x >= 0 && x <= chart.over.clientWidth);
      return;
    }
    const run = this.runs[0];
    const { row } = run.place(t);
    const [across, column] = [run.column(this.spec.x), run.column(this.spec.columns[0])];
    this.mark.hidden = this.spec.section !== "" || !across || !column;
    if (across && column && !this.mark.hidden) {
      const y = valuesOf(column, this.spec.change, this.spec.log, [column.values[row]])[0];
      this.mark.style.transform = `translate(${chart.valToPos(across.values[row], "x")}px, ${chart.valToPos(y, "y")}px)`;
    }
  }

  resize(): void {
    if (this.chart) this.chart.setSize({ width: this.width(), height: 240 });
    this.showTime(this.time);
  }

  private text(v: number): string {
    return shortNumber(this.spec.log ? 10 ** v : v, 9);
  }

  private width(): number {
    return Math.max(260, this.area.clientWidth || 560);
  }

  private axes(xLabel: string): uPlot.Axis[] {
    const ink = isDark() ? "#ccc" : "#333";
    const grid = { stroke: isDark() ? "#33373d" : "#ddd", width: 1 };
    const common = { stroke: ink, grid, ticks: grid, font: "12px system-ui, sans-serif" };
    const values = (_: uPlot, list: number[]) => list.map((v) => (v === null ? "" : shortNumber(v, 5)));
    const powers = { incrs: [1, 2, 3, 5, 10, 20, 50, 100], values: (_: uPlot, list: number[]) => list.map((v) => (Number.isInteger(v) ? `1e${v}` : "")) };
    return [{ ...common, label: xLabel, labelSize: 18, size: 34, values }, { ...common, size: 64, values, ...(this.spec.log ? powers : {}) }];
  }

  private timeChart(): uPlot {
    const data = aligned(this.lines);
    return new uPlot(
      {
        width: this.width(), height: 240, axes: this.axes("t"),
        scales: { x: { time: false }, y: { range: (_: uPlot, low: number, high: number) => usefulRange(low, high) } },
        cursor: {
          drag: { x: true, y: true, uni: 40 }, sync: { key: "alembert", setSeries: false },
          dataIdx: (u, series, at) => nearestValue(u.data[series] as (number | null)[], at),
        },
        legend: { live: true },
        series: [
          { label: "t", value: (_, v) => (v === null ? "" : shortNumber(v, 9)) },
          ...this.lines.map((line) => ({
            label: line.label, stroke: line.colour, dash: line.dash, width: 1.5, spanGaps: true, points: { show: line.x.length < 40 },
            value: (_: uPlot, v: number | null) => (v === null ? "" : this.text(v)),
          })),
        ],
      },
      data, this.area,
    );
  }

  private phaseChart(): uPlot {
    const draw = (u: uPlot, index: number): null => {
      const line = this.lines[index - 1];
      const { ctx } = u;
      const ratio = devicePixelRatio || 1;
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      ctx.strokeStyle = ctx.fillStyle = line.colour;
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash(line.dash.map((d) => d * ratio));
      ctx.beginPath();
      let pen = false;
      for (let i = 0; i < line.x.length; i++) {
        const [x, y] = [u.valToPos(line.x[i], "x", true), u.valToPos(line.y[i], "y", true)];
        if (!Number.isFinite(x) || !Number.isFinite(y)) pen = false;
        else if (line.points) {
          ctx.moveTo(x + 2 * ratio, y);
          ctx.arc(x, y, 2 * ratio, 0, 2 * Math.PI);
        } else if (pen) ctx.lineTo(x, y);
        else {
          ctx.moveTo(x, y);
          pen = true;
        }
      }
      if (line.points) ctx.fill();
      else ctx.stroke();
      ctx.restore();
      return null;
    };
    const range = (list: ArrayLike<number>[]): [number, number] => {
      let [low, high] = [Infinity, -Infinity];
      for (const values of list) for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i])) [low, high] = [Math.min(low, values[i]), Math.max(high, values[i])];
      const room = 0.05 * (high - low) || 0.05 * Math.abs(high) || 1;
      return [low - room, high + room];
    };
    const [x, y] = [range(this.lines.map((line) => line.x)), range(this.lines.map((line) => line.y))];
    // uPlot keeps what zooming sets; a double click comes back to the whole.
    const chart = new uPlot(
      {
        mode: 2, width: this.width(), height: 300, axes: this.axes(this.spec.x),
        scales: { x: { time: false, auto: false, range: (_, low, high) => (low === null ? x : [low, high]), min: x[0], max: x[1] }, y: { auto: false, range: (_, low, high) => (low === null ? y : [low, high]), min: y[0], max: y[1] } },
        cursor: { drag: { x: true, y: true, setScale: true }, points: { show: false } },
        legend: { show: true, live: false },
        series: [
          {},
          ...this.lines.map((line) => ({ label: line.label, stroke: line.colour, facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }], paths: draw as unknown as uPlot.Series.PathBuilder })),
        ],
      } as uPlot.Options,
      [null, ...this.lines.map((line) => [Array.from(line.x), Array.from(line.y)])] as unknown as uPlot.AlignedData,
      this.area,
    );
    chart.setScale("x", { min: x[0], max: x[1] });
    chart.setScale("y", { min: y[0], max: y[1] });
    chart.over.addEventListener("dblclick", () => {
      chart.setScale("x", { min: x[0], max: x[1] });
      chart.setScale("y", { min: y[0], max: y[1] });
    });
    chart.over.addEventListener("mousemove", (event) => this.phaseReadout(chart, event));
    return chart;
  }

  private phaseReadout(chart: uPlot, event: MouseEvent): void {
    const box = chart.over.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best = 20 * 20;
    let text = "";
    for (const line of this.lines)
      for (let i = 0; i < line.x.length; i++) {
        const d = (chart.valToPos(line.x[i], "x") - px) ** 2 + (chart.valToPos(line.y[i], "y") - py) ** 2;
        if (d < best) {
          best = d;
          text = `${this.spec.x} = ${shortNumber(line.x[i], 9)}, ${line.label} = ${this.text(line.y[i])}`;
        }
      }
    this.readout.textContent = text;
  }

  /** A click goes to that time; the wheel zooms; dragging with shift pans. */
  private addMouse(chart: uPlot): void {
    const { over } = chart;
    let down: { x: number; y: number; pan: boolean; scales: [number, number, number, number] } | null = null;
    const scales = (): [number, number, number, number] => [chart.scales.x.min!, chart.scales.x.max!, chart.scales.y.min!, chart.scales.y.max!];
    over.addEventListener("mousedown", (event) => {
      const pan = event.shiftKey || event.button === 1;
      down = { x: event.clientX, y: event.clientY, pan, scales: scales() };
      if (pan) {
        event.stopImmediatePropagation();
        event.preventDefault();
      }
    }, true);
    over.addEventListener("mousemove", (event) => {
      if (!down?.pan) return;
      const [x0, x1, y0, y1] = down.scales;
      const dx = ((event.clientX - down.x) / over.clientWidth) * (x1 - x0);
      chart.setScale("x", { min: x0 - dx, max: x1 - dx });
      const dy = ((event.clientY - down.y) / over.clientHeight) * (y1 - y0);
      chart.setScale("y", { min: y0 + dy, max: y1 + dy });
      this.showTime(this.time);
    });
    over.addEventListener("mouseup", (event) => {
      const still = down && !down.pan && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 3;
      down = null;
      if (still && !this.isPhase) this.onTime(chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
      setTimeout(() => this.showTime(this.time));
    });
    over.addEventListener("dblclick", () => setTimeout(() => this.showTime(this.time)));
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      const factor = event.deltaY < 0 ? 0.8 : 1.25;
      const at = chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
      const [x0, x1] = scales();
      chart.setScale("x", { min: at - (at - x0) * factor, max: at + (x1 - at) * factor });
      this.showTime(this.time);
    }, { passive: false });
  }

  private makeHead(onRemove: () => void): void {
    const button = (text: string, title: string, act: () => void) => {
      const made = element("button", "", text);
      made.title = title;
      made.type = "button";
      made.addEventListener("click", act);
      this.head.append(made);
      return made;
    };
    this.head.append(element("h3", "", this.spec.title));
    button("columns", "Choose what is shown", () => openPicker(this.spec, this.runs, this.scene, () => this.rebuild()));
    const log = button("log", "Logarithmic scale of magnitudes", () => {
      this.spec.log = !this.spec.log;
      log.setAttribute("aria-pressed", String(this.spec.log));
      this.rebuild();
    });
    log.setAttribute("aria-pressed", String(this.spec.log));
    button("svg", "Download as SVG", () => exportSvg(this));
    button("png", "Download as PNG", () => exportPng(this));
    button("csv", "Download as CSV", () => exportCsv(this));
    button("×", "Remove this plot", onRemove);
  }
}

/** The index nearest to one where a curve has a value. */
export function nearestValue(list: (number | null)[], at: number): number {
  for (let d = 0; d < list.length; d++) {
    if (list[at - d] !== null && list[at - d] !== undefined) return at - d;
    if (list[at + d] !== null && list[at + d] !== undefined) return at + d;
  }
  return at;
}
