// What happens when: typing is checked, sound texts are described and run, sliders run again, answers are shown.

import { element } from "../shared/text";
import { Editor } from "./editor";
import { showEquations } from "./equations";
import { Gallery, type Entry } from "./gallery";
import { History, nameOf, type Kept } from "./history";
import { keep, kept } from "./keep";
import { Layout, type Tab } from "./layout";
import { Refused, type Asked, type Diagnostic, type Link } from "./link";
import { Settings } from "./settings";
import { Display } from "./display";
import { showConverged, showVerified } from "./studies";
import { movable, Sliders, type Quantity } from "./values";

const typingPause = 250; // milliseconds after the last key: shorter than the pause of one who looks up
const soon = 1.0; // seconds: texts whose last run took longer are not run by themselves
const mostSliders = 40;

export class Studio {
  private layout: Layout;
  private editor: Editor;
  private parameters = new Sliders(() => this.rerun(true), () => this.rerun(false));
  private initial = new Sliders(() => this.rerun(true), () => this.rerun(false));
  private settings = new Settings(() => this.rerun(false));
  private history: History;
  private stage: Display;
  private gallery: Gallery;
  private folder = "";
  private saved = "";
  private check?: ReturnType<typeof setTimeout>;
  private checking: { again: boolean } | null = null;
  private running: Asked<any> | null = null;
  private pending: { dragging: boolean; asked: number } | null = null;
  private draggedLast = false;
  private sound = false; // the text has no errors
  private seconds = 0; // of the last run
  private shownText: Partial<Record<Tab, string>> = {}; // for which text a pane was filled
  /** Milliseconds from the last change to the picture, and how many pictures there were. */
  latency = 0;
  drawing = 0; // the part of it after the answer of the program
  pictures = 0;

  constructor(place: HTMLElement, private link: Link) {
    this.layout = new Layout(place, (tab) => this.turned(tab));
    this.editor = new Editor(this.layout.editor, () => this.typed(), () => this.rerun(false), () => void this.save());
    this.history = new History(() => this.overlay(), (run) => this.again(run));
    this.stage = new Display(this.layout.pane("Motion"));
    this.gallery = new Gallery(link, (data) => this.stage.thumbnail(data), (entry) => void this.open(entry));
    this.fillControls();
    this.listen();
  }

  async begin(): Promise<void> {
    const hello = await this.link.ask("hello").answer;
    this.folder = hello.folder;
    this.editor.speak(hello);
    const draft = kept(this.folder);
    if (draft) {
      this.layout.path.value = draft.path;
      this.saved = draft.saved;
      this.editor.put(draft.text);
      this.settings.put(draft.wish);
      await this.look();
      this.parameters.put(draft.values);
      this.initial.put(draft.values);
      if (Object.keys(draft.values).length) this.rerun(false);
    } else {
      await this.open({ name: "double_pendulum", title: "" });
    }
  }

  connected(now: "open" | "lost" | "ended"): void {
    document.body.classList.toggle("offline", now !== "open");
    if (now === "open") this.say("");
    else this.say(now === "ended" ? "alembert has ended: start it again, and open its new address" : "connection lost: trying again");
  }

  /** What a driver of the page asks: nothing is under way, and the last picture is drawn. */
  get idle(): boolean {
    return !this.running && !this.pending && !this.checking && this.check === undefined;
  }

  get text(): string {
    return this.editor.text;
  }
  get changed(): Record<string, number> {
    return { ...this.parameters.changed(), ...this.initial.changed() };
  }
  /** There and back, without anything to do. */
  async ping(): Promise<void> {
    await this.link.ask("cancel", { of: -1 }).answer;
  }
  /** The value of a column of the run that is shown, at a time. */
  sample(name: string, time: number): number {
    return this.stage.sample(name, time);
  }

  // Files -------------------------------------------------------------------------------------------------------------

  private async open(entry: Entry): Promise<void> {
    if (this.editor.text !== this.saved && this.editor.text.trim() && !confirm("The text is not saved. Open another one?")) return;
    try {
      const found = await this.link.ask("read", entry.path ? { path: entry.path } : { gallery: entry.name }).answer;
      this.layout.path.value = entry.path ?? `${entry.name}.alm`;
      this.saved = found.text;
      this.parameters.show([], 0);
      this.initial.show([], 0);
      this.settings.put({});
      this.editor.put(found.text);
      this.seconds = 0;
      this.history.forget();
      this.stage.forget();
      await this.look();
    } catch (reason) {
      this.refused(reason);
    }
  }

  private async save(): Promise<void> {
    let path = this.layout.path.value.trim();
    if (path && !path.endsWith(".alm")) path += ".alm";
    if (!path) {
      this.layout.path.focus();
      this.say("name the file, then save");
      return;
    }
    this.layout.path.value = path;
    const text = this.editor.text;
    try {
      await this.link.ask("save", { path, text }).answer;
      this.saved = text;
      this.say(`saved ${path}`);
      this.remember();
    } catch (reason) {
      this.refused(reason);
    }
  }

  private async export(format: string): Promise<void> {
    const base = (this.layout.path.value.trim().split("/").pop() || "model").replace(/\.alm$/, "");
    if (format === "alm") {
      this.download(URL.createObjectURL(new Blob([this.editor.text], { type: "text/plain" })), `${base}.alm`);
      return;
    }
    await this.long("export", { ...this.wish(), format }, (found) => {
      this.download(`download/${found.download}`, `${base}.${format}`);
      this.say(`${base}.${format} is ready`);
    });
  }

  private download(address: string, name: string): void {
    const anchor = element("a");
    anchor.href = address;
    anchor.download = name;
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
  }

  // Text --------------------------------------------------------------------------------------------------------------

  private script(): { text: string; path: string } {
    return { text: this.editor.text, path: this.layout.path.value.trim() || "model.alm" };
  }

  private typed(): void {
    this.remember();
    clearTimeout(this.check);
    this.check = setTimeout(() => {
      this.check = undefined;
      void this.look();
    }, typingPause);
  }

  /** Checks the text; a sound one is described, and run where that is quick. */
  private async look(): Promise<void> {
    if (this.checking) {
      this.checking.again = true;
      return;
    }
    const own = (this.checking = { again: false });
    const script = this.script();
    try {
      const { diagnostics } = await this.link.ask("check", script).answer;
      this.problems(diagnostics);
      if (!diagnostics.length) {
        const found = await this.link.ask("describe", script).answer;
        this.describe(found);
        this.sound = true;
        if (this.seconds < soon) this.rerun(false);
        else this.say("press Run: the last run took long");
      } else {
        this.sound = false;
      }
    } catch (reason) {
      this.sound = false;
      this.refused(reason);
    }
    this.checking = null;
    if (own.again) await this.look();
    else this.turned(this.layout.now);
  }

  private problems(diagnostics: Diagnostic[]): void {
    this.editor.mark(diagnostics);
    this.layout.problems.replaceChildren();
    for (const one of diagnostics) {
      const row = element("button", "row");
      row.type = "button";
      row.append(element("span", "place", one.line ? `${one.line}:${one.column}` : (one.file ?? "")), element("span", "", one.message));
      if (one.hint) row.append(element("span", "quiet", one.hint));
      if (one.line) row.addEventListener("click", () => this.editor.show(one.line, one.column));
      this.layout.problems.append(row);
    }
  }

  private describe(found: any): void {
    document.title = `${found.title || "model"} · alembert studio`;
    this.editor.know(found.names);
    this.settings.show(found.methods, found.solve);
    this.parameters.show(found.parameters as Quantity[], mostSliders);
    this.initial.show(movable(found.initial), mostSliders);
    const pane = this.layout.pane("Check");
    pane.replaceChildren(element("pre", "", found.text));
    const refusing = found.methods.filter((one: any) => one.refusal);
    if (refusing.length) {
      const list = element("dl");
      for (const one of refusing) list.append(element("dt", "", one.signature), element("dd", "", one.refusal));
      pane.append(element("h3", "", "Methods that do not take it"), list);
    }
  }

  // Runs --------------------------------------------------------------------------------------------------------------

  private wish(): any {
    return { ...this.script(), ...this.settings.wish(), values: this.changed };
  }

  /** Runs with what the sliders say; while a run goes on the latest wish waits. */
  private rerun(dragging: boolean): void {
    this.remember();
    this.pending = { dragging, asked: performance.now() };
    if (!this.running) void this.run();
    // A run that answers while one drags is let through; a long one makes room when the slider is let go.
    else if (!dragging && this.seconds > 0.3) this.link.cancel(this.running.id);
  }

  private async run(): Promise<void> {
    const { dragging, asked } = this.pending!;
    this.pending = null;
    const wish = this.wish();
    const slow = setTimeout(() => this.layout.busy(true), 300);
    this.stage.hold(true);
    const asking = (this.running = this.link.ask("run", wish, (done) => this.layout.busy(true, done)));
    try {
      const data = await this.running.answer;
      clearTimeout(slow);
      this.free();
      const arrived = performance.now() - asked;
      if (data.report.ending === "interrupted") {
        // That it has ended is said, and seen, at once; what it came to is drawn behind that.
        this.ended(data);
        await new Promise((go) => setTimeout(go, 30));
      }
      this.seconds = data.seconds;
      const edited = this.editor.text !== this.saved;
      const run: Kept = {
        name: nameOf(wish.values, wish, edited), model: data.report.model, values: wish.values, wish: this.settings.wish(), text: wish.text, data, overlaid: false,
      };
      this.history.add(run, this.draggedLast && dragging);
      this.draggedLast = dragging;
      this.show(run);
      this.latency = performance.now() - asked;
      this.pictures++;
      this.drawing = this.latency - arrived;
      this.ended(data);
    } catch (reason) {
      this.refused(reason);
    }
    clearTimeout(slow);
    if (this.running === asking) this.free();
    if (this.pending && !this.running) await this.run();
  }

  /** Nothing is under way any more. */
  private free(): void {
    this.running = null;
    this.stage.hold(false);
    this.layout.busy(false);
  }

  private show(run: Kept): void {
    this.stage.show(run, this.history.overlaid());
    const report = run.data.report;
    const pane = this.layout.pane("Report");
    pane.replaceChildren(element("pre", "", run.data.text));
    for (const warning of report.warnings ?? []) pane.append(element("p", "problem", warning.text.replaceAll("`", "")));
  }

  private overlay(): void {
    this.stage.overlay(this.history.overlaid());
  }

  private ended(data: any): void {
    const { report } = data;
    const time = this.latency < 1000 ? `${this.latency.toFixed(0)} ms` : `${(this.latency / 1000).toFixed(1)} s`;
    if (report.ending === "done") {
      const warned = report.warnings?.length ? `, ${report.warnings.length} warning${report.warnings.length > 1 ? "s" : ""}: see Report` : "";
      const moved = (report.initial_changes ?? []).map((one: any) => `${one.name} = ${+one.to.toPrecision(4)}`);
      const note = moved.length ? `, moved onto the constraints: ${moved.slice(0, 3).join(", ")}` : "";
      this.say(`${report.method}, ${report.statistics.steps} steps, ${time}${note}${warned}`);
    } else this.say(report.ending === "interrupted" ? `cancelled at t = ${report.t}` : String(report.reason).replaceAll("`", ""), true);
  }

  private again(run: Kept): void {
    if (run.text !== this.editor.text) {
      this.editor.put(run.text);
      void this.look().then(() => this.put(run));
    } else this.put(run);
  }

  private put(run: Kept): void {
    this.settings.put(run.wish);
    this.parameters.put(run.values);
    this.initial.put(run.values);
    this.rerun(false);
  }

  // Studies -----------------------------------------------------------------------------------------------------------

  /** Something that takes its time: with progress, and to be cancelled. */
  private async long(what: string, fields: object, done: (found: any) => void): Promise<void> {
    if (this.running) this.link.cancel(this.running.id);
    while (this.running) await new Promise((go) => setTimeout(go, 20));
    this.layout.busy(true);
    this.stage.hold(true);
    this.running = this.link.ask(what, fields, (share) => this.layout.busy(true, share));
    try {
      done(await this.running.answer);
    } catch (reason) {
      this.refused(reason);
    }
    this.free();
    if (this.pending) void this.run();
  }

  /** Fills a pane for the text of now, when somebody looks at it. */
  private turned(tab: Tab): void {
    const text = this.editor.text;
    if (tab === "Motion") this.stage.appear();
    if (!this.sound || this.shownText[tab] === text) return;
    if (tab === "Equations") {
      this.shownText[tab] = text;
      this.derive("");
    } else if (tab === "Verify" || tab === "Converge") {
      this.shownText[tab] = text;
      const pane = this.layout.pane(tab);
      const start = element("button", "primary", tab === "Verify" ? "Measure what the method preserves" : "Measure orders and work");
      start.type = "button";
      start.addEventListener("click", () => this.measure(tab));
      pane.replaceChildren(start);
    }
  }

  private derive(form: string): void {
    const pane = this.layout.pane("Equations");
    const choice = element("select");
    choice.setAttribute("aria-label", "form of the equations");
    for (const [value, label] of [["", "all that is derived"], ["index1", "index 1"], ["index2", "index 2"], ["ggl", "Gear-Gupta-Leimkuhler"]]) {
      const option = element("option", "", label);
      option.value = value;
      choice.append(option);
    }
    choice.value = form;
    choice.addEventListener("change", () => this.derive(choice.value));
    const place = element("div", "equations", "…");
    pane.replaceChildren(choice, place);
    this.link.ask("derive", { ...this.script(), form }).answer.then(
      (found) => showEquations(place, found.latex),
      (reason) => place.replaceChildren(element("p", "problem", reason.message)),
    );
  }

  private measure(tab: "Verify" | "Converge"): void {
    const pane = this.layout.pane(tab);
    const start = pane.firstElementChild!;
    const place = element("div", "", "measuring…");
    pane.replaceChildren(start, place);
    const show = (found: any) => (tab === "Verify" ? showVerified(place, found.found) : showConverged(place, found.svg, found.text));
    void this.long(tab.toLowerCase(), this.wish(), show).then(() => {
      if (place.textContent === "measuring…") place.textContent = "";
    });
  }

  // The page ----------------------------------------------------------------------------------------------------------

  private say(text: string, bad = false): void {
    this.layout.state.textContent = text;
    this.layout.state.classList.toggle("bad", bad);
  }

  private refused(reason: unknown): void {
    if (!(reason instanceof Refused)) throw reason;
    if (reason.cancelled) {
      this.say(reason.message);
      return;
    }
    const own = reason.diagnostics.filter((one) => one.line > 0);
    if (own.length) this.problems(reason.diagnostics);
    const first = reason.diagnostics[0];
    this.say(first ? `${first.message}${first.hint ? `: ${first.hint}` : ""}` : reason.message, true);
  }

  private remember(): void {
    if (!this.folder) return;
    keep(this.folder, {
      text: this.editor.text, path: this.layout.path.value.trim(), saved: this.saved,
      values: this.changed, wish: this.settings.wish(),
    });
    this.layout.save.classList.toggle("wanted", this.editor.text !== this.saved);
  }

  private fillControls(): void {
    const group = (title: string, content: HTMLElement, open: boolean) => {
      const box = element("details", "group");
      box.open = open;
      box.append(element("summary", "", title), content);
      this.layout.controls.append(box);
    };
    group("Parameters", this.parameters.place, true);
    group("Initial values", this.initial.place, true);
    group("Method and steps", this.settings.place, true);
    group("Runs", this.history.place, true);
  }

  private listen(): void {
    const { layout } = this;
    layout.run.addEventListener("click", () => this.rerun(false));
    layout.cancel.addEventListener("click", () => {
      this.pending = null;
      if (this.running) this.link.cancel(this.running.id);
    });
    layout.save.addEventListener("click", () => void this.save());
    layout.models.addEventListener("click", () => void this.gallery.show());
    layout.path.addEventListener("change", () => this.remember());
    layout.export.addEventListener("change", () => {
      const format = layout.export.value;
      layout.export.value = "";
      if (format) void this.export(format);
    });
    layout.theme.addEventListener("click", () => {
      document.documentElement.dataset.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try {
        localStorage.setItem("alembert theme", document.documentElement.dataset.theme);
      } catch {
        // not kept then
      }
      this.stage.recolour();
    });
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        void this.save();
      } else if (event.key === "Escape" && this.running) this.link.cancel(this.running.id);
    });
    window.addEventListener("beforeunload", () => this.remember());
  }
}
