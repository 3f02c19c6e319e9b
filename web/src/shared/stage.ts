// A run on a page: the view of the mechanism with its controls, and the plots, held together by one time.

import { addDerived } from "./derived";
import { download, fileName, framed, recordGif, recordVideo } from "./export";
import { Plot, PlotSpec, usualPlots } from "./plots";
import { Run, RunData } from "./run";
import { Motion, SceneData } from "./scene";
import "./stage.css";
import { element, shortNumber } from "./text";
import { View, ViewOptions } from "./view";

/** `others` are the scenes of the runs beside the first. */
export interface StageData { scene: SceneData | null; note: string; runs: RunData[]; others?: (SceneData | null)[] }

/** The mechanisms of the runs beside the first, each with its own lengths. */
function motionsBeside(data: StageData, runs: Run[]): Motion[] {
  return runs.slice(1).flatMap((run, i) => {
    const scene = data.others?.[i];
    return scene && run.t.length > 1 ? [new Motion(scene, run)] : [];
  });
}

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

export class Stage {
  readonly runs: Run[];
  readonly plots: Plot[] = [];
  view: View | null = null;
  private time: number;
  private playing = false;
  private loop = true;
  private speed = 1;
  private usualSpeed = 1; // so that a run takes at most a minute
  private last: number | null = null;
  private held = false;
  private interval = 16; // between pictures of late, in milliseconds
  private frameRequest = 0;
  private gone = false;
  private readonly root = element("div", "stage");
  private readonly plotArea = element("div", "stage-plots");
  private readonly slider = element("input", "stage-time");
  private readonly clock = element("output", "stage-clock");
  private readonly playButton = element("button", "stage-play", "▶");
  private readonly observer: ResizeObserver;
  private readonly keys = (event: KeyboardEvent) => this.key(event);
  private readonly scheme = matchMedia("(prefers-color-scheme: dark)");
  private readonly restyle = () => this.plots.forEach((plot) => plot.rebuild());

  constructor(container: HTMLElement, public data: StageData) {
    this.runs = data.runs.map((run) => new Run(run));
    if (data.scene) for (const run of this.runs) addDerived(run, data.scene);
    const { t } = this.runs[0];
    this.time = t[0];
    const span = Math.abs(t[t.length - 1] - t[0]);
    if (span > 60) this.usualSpeed = span / 60;
    if (span > 0 && span < 1) this.usualSpeed = span / 4;
    container.append(this.root);
    if (data.note) this.root.append(element("p", "stage-note", data.note));
    if (data.scene && t.length > 1) this.addView(data.scene);
    this.root.append(this.plotArea);
    this.addPlots();
    this.observer = new ResizeObserver(() => this.plots.forEach((plot) => plot.resize()));
    this.observer.observe(this.plotArea);
    window.addEventListener("keydown", this.keys);
    this.scheme.addEventListener("change", this.restyle);
    this.setTime(this.time);
    if (this.view && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
  }

  /** Other runs in place of these, at the same time and seen from the same side; false where they need another stage. */
  update(data: StageData): boolean {
    const runs = data.runs.map((run) => new Run(run));
    if (data.scene) for (const run of runs) addDerived(run, data.scene);
    const names = (run: Run) => run.columns.map((column) => column.name).join("\n");
    if (names(runs[0]) !== names(this.runs[0]) || data.note !== this.data.note) return false;
    const motion = data.scene && runs[0].t.length > 1 ? new Motion(data.scene, runs[0]) : null;
    if (Boolean(motion) !== Boolean(this.view) || (motion && motion.dimension !== this.view!.motion.dimension)) return false;
    this.data = data;
    this.runs.splice(0, this.runs.length, ...runs);
    if (motion) this.view!.replace(motion, false, motionsBeside(data, runs));
    for (const plot of this.plots) plot.refresh();
    this.setTime(this.time);
    return true;
  }

  get now(): number {
    return this.time;
  }

  setTime(time: number): void {
    const { t } = this.runs[0];
    const [low, high] = [Math.min(t[0], t[t.length - 1]), Math.max(t[0], t[t.length - 1])];
    this.time = Math.min(high, Math.max(low, time));
    this.view?.show(this.time);
    const share = high > low ? (this.time - t[0]) / (t[t.length - 1] - t[0]) : 0;
    this.slider.value = String(Math.round(share * 10_000));
    this.clock.textContent = `t = ${shortNumber(this.time, 5)}`;
    for (const plot of this.plots) plot.showTime(this.time);
  }

  play(on: boolean): void {
    this.playing = on;
    this.last = null;
    this.playButton.textContent = on ? "❚❚" : "▶";
    this.playButton.title = on ? "Pause (space)" : "Play (space)";
    cancelAnimationFrame(this.frameRequest);
    if (on) this.frameRequest = requestAnimationFrame((now) => this.frame(now));
  }

  /** To the next or previous row of the run. */
  step(by: number): void {
    this.play(false);
    const { t } = this.runs[0];
    const { row, share } = this.runs[0].place(this.time);
    const to = by < 0 && share > 0 ? row : row + by;
    this.setTime(t[Math.min(t.length - 1, Math.max(0, to))]);
  }

  dispose(): void {
    this.gone = true;
    cancelAnimationFrame(this.frameRequest);
    window.removeEventListener("keydown", this.keys);
    this.scheme.removeEventListener("change", this.restyle);
    this.observer.disconnect();
    this.view?.dispose();
    this.plots.forEach((plot) => plot.chart?.destroy());
    this.root.remove();
  }

  /** While something else is waited for: where drawing is slow (no graphics card), the motion stands still meanwhile. */
  hold(on: boolean): void {
    this.held = on;
  }

  private frame(now: number): void {
    if (this.gone || !this.playing) return;
    const slowest = 40; // milliseconds between pictures that leave a processor time for other things
    if (this.last !== null && !this.held) this.interval += 0.2 * (Math.min(now - this.last, 500) - this.interval);
    if (this.held && this.interval > slowest) {
      this.last = null;
      this.frameRequest = requestAnimationFrame((next) => this.frame(next));
      return;
    }
    const { t } = this.runs[0];
    const [first, last] = [t[0], t[t.length - 1]];
    const way = last >= first ? 1 : -1;
    if (this.last !== null) {
      let time = this.time + (way * (now - this.last) * this.speed * this.usualSpeed) / 1000;
      if (way * (time - last) > 0) {
        if (!this.loop) {
          this.setTime(last);
          this.play(false);
          return;
        }
        time = first;
      }
      this.setTime(time);
    }
    this.last = now;
    this.frameRequest = requestAnimationFrame((next) => this.frame(next));
  }

  private addView(scene: SceneData): void {
    const frame = element("div", "stage-view");
    this.root.append(frame);
    const controls = element("div", "stage-controls");
    this.root.append(controls);
    try {
      this.view = new View(frame, new Motion(scene, this.runs[0]), {}, motionsBeside(this.data, this.runs));
    } catch (error) {
      frame.replaceChildren(element("p", "stage-note", `The mechanism cannot be drawn here: ${(error as Error).message}`));
      return;
    }
    this.addTimeControls(controls);
    this.addViewControls(controls, this.view);
  }

  private addTimeControls(controls: HTMLElement): void {
    const button = (made: HTMLButtonElement, title: string, act: () => void) => {
      made.type = "button";
      made.title = title;
      made.addEventListener("click", act);
      return made;
    };
    this.slider.type = "range";
    this.slider.min = "0";
    this.slider.max = "10000";
    this.slider.ariaLabel = "time";
    this.slider.addEventListener("input", () => {
      this.play(false);
      const { t } = this.runs[0];
      this.setTime(t[0] + (Number(this.slider.value) / 10_000) * (t[t.length - 1] - t[0]));
    });
    const speed = element("select", "stage-speed");
    speed.title = "Speed";
    for (const value of speeds) {
      const option = element("option", "", `${shortNumber(value * this.usualSpeed, 3)}×`);
      option.value = String(value);
      option.selected = value === 1;
      speed.append(option);
    }
    speed.addEventListener("change", () => (this.speed = Number(speed.value)));
    const loop = button(element("button", "", "⟳"), "Begin again at the end", () => {
      this.loop = !this.loop;
      loop.setAttribute("aria-pressed", String(this.loop));
    });
    loop.setAttribute("aria-pressed", "true");
    controls.append(
      button(this.playButton, "Play (space)", () => this.play(!this.playing)),
      button(element("button", "", "❘◀"), "One row back (left arrow)", () => this.step(-1)),
      button(element("button", "", "▶❘"), "One row forward (right arrow)", () => this.step(1)),
      this.slider, this.clock, speed, loop,
    );
  }

  private addViewControls(controls: HTMLElement, view: View): void {
    const follow = element("select", "stage-follow");
    follow.title = "What the view follows";
    for (const name of ["", ...view.mechanism.names().slice(0, 300)]) {
      const option = element("option", "", name ? `follow ${name}` : "fixed view");
      option.value = name;
      option.selected = name === view.options.follow;
      follow.append(option);
    }
    follow.addEventListener("change", () => {
      view.options.follow = follow.value;
      if (!follow.value) view.fit();
      this.setTime(this.time);
    });
    const menu = element("details", "stage-menu");
    menu.append(element("summary", "", "view"));
    const list = element("div", "stage-menu-list");
    // To the side where there is room.
    menu.addEventListener("toggle", () => list.classList.toggle("stage-menu-right", menu.getBoundingClientRect().left > window.innerWidth / 2));
    const toggles: [keyof ViewOptions, string][] = [
      ["trails", "trails"], ["labels", "names"], ["forces", "reactions of joints and contacts"], ["frames", "frames of bodies"],
      ["inertia", "ellipsoids of inertia"], ["shadows", "shadows"], ["perspective", "perspective"],
    ];
    if (this.runs.length > 1) toggles.push(["others", "the other runs"]);
    for (const [option, text] of toggles) {
      const label = element("label");
      const box = element("input");
      box.type = "checkbox";
      box.name = option;
      box.checked = Boolean(view.options[option]);
      box.addEventListener("change", () => {
        if (option === "perspective") view.setPerspective(box.checked);
        else (view.options[option] as boolean) = box.checked;
        this.setTime(this.time);
      });
      label.append(box, element("span", "", text));
      list.append(label);
    }
    const trail = element("input");
    trail.type = "range";
    trail.min = "1";
    trail.max = "100";
    trail.value = String(100 * view.options.trail);
    trail.addEventListener("input", () => {
      view.options.trail = Number(trail.value) / 100;
      this.setTime(this.time);
    });
    const length = element("label", "", "length of trails ");
    length.append(trail);
    list.append(length);
    menu.append(list);
    const button = (text: string, title: string, act: (made: HTMLButtonElement) => void) => {
      const made = element("button", "", text);
      made.type = "button";
      made.title = title;
      made.addEventListener("click", () => act(made));
      return made;
    };
    controls.append(
      follow, menu,
      button("fit", "Everything in sight (f)", () => { view.fit(); this.setTime(this.time); }),
      button("◐", "Light or dark", () => this.changeTheme()),
      button("picture", "Download what is seen as PNG", () =>
        framed(view, document.createElement("canvas")).toBlob((blob) => blob && download(fileName(this.runs[0].title, ".png"), blob))),
      button("video", "Play once and download it as a video", () => void this.video(view)),
      button("gif", "Download the motion as an animated GIF", (made) => void this.gif(view, made)),
    );
  }

  private changeTheme(): void {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : this.scheme.matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    this.restyle();
  }

  private async video(view: View): Promise<void> {
    const { t } = this.runs[0];
    const [first, last] = [t[0], t[t.length - 1]];
    const seconds = Math.min(30, Math.abs(last - first) / (this.speed * this.usualSpeed));
    this.play(false);
    const canvas = framed(view, document.createElement("canvas"));
    const blob = await recordVideo(canvas, async () => {
      const start = performance.now();
      for (;;) {
        const share = (performance.now() - start) / 1000 / Math.max(seconds, 0.1);
        this.setTime(first + Math.min(1, share) * (last - first));
        framed(view, canvas);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        if (share >= 1) break;
      }
    });
    download(fileName(this.runs[0].title, blob.type.includes("mp4") ? ".mp4" : ".webm"), blob);
  }

  private async gif(view: View, button: HTMLButtonElement): Promise<void> {
    const { t } = this.runs[0];
    const [first, last] = [t[0], t[t.length - 1]];
    const [longest, rate] = [8, 16]; // seconds, pictures a second
    const seconds = Math.min(longest, Math.max(0.5, Math.abs(last - first) / (this.speed * this.usualSpeed)));
    const before = this.time;
    this.play(false);
    button.disabled = true;
    try {
      const blob = await recordGif(view, Math.ceil(seconds * rate), Math.round(100 / rate), (share) => {
        this.setTime(first + share * (last - first));
        button.textContent = `gif ${Math.round(100 * share)} %`;
      });
      download(fileName(this.runs[0].title, ".gif"), blob);
    } finally {
      button.disabled = false;
      button.textContent = "gif";
      this.setTime(before);
    }
  }

  private addPlots(): void {
    const more = element("button", "stage-more", "add a plot");
    more.type = "button";
    this.plotArea.append(more);
    const add = (spec: PlotSpec) => {
      const plot: Plot = new Plot(spec, this.runs, this.data.scene, (t) => { this.play(false); this.setTime(t); }, () => {
        plot.chart?.destroy();
        plot.root.remove();
        this.plots.splice(this.plots.indexOf(plot), 1);
      });
      this.plots.push(plot);
      this.plotArea.insertBefore(plot.root, more);
      plot.rebuild();
      plot.showTime(this.time);
      return plot;
    };
    for (const spec of usualPlots(this.runs, this.data.scene)) add(spec);
    more.addEventListener("click", () => {
      const plot = add({ title: "Plot", x: "t", columns: [], change: false, log: false, section: "" });
      plot.root.querySelector<HTMLButtonElement>(".plot-head button")?.click();
    });
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(target.tagName) || target.isContentEditable) return;
    const { t } = this.runs[0];
    const actions: Record<string, () => void> = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.setTime(t[0]),
      End: () => this.setTime(t[t.length - 1]),
      f: () => this.view?.fit(),
    };
    const act = actions[event.key];
    if (!act || !this.view) return;
    event.preventDefault();
    act();
  }
}
