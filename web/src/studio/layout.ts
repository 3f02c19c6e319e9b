// The parts of the page, where they stand.

import { element } from "../shared/text";

export const tabs = ["Motion", "Equations", "Check", "Verify", "Converge", "Report"] as const;
export type Tab = (typeof tabs)[number];

export class Layout {
  readonly bar = element("header");
  readonly path = element("input", "path");
  readonly state = element("span", "state");
  readonly run = element("button", "primary", "Run");
  readonly cancel = element("button", "danger", "Cancel");
  readonly progress = element("progress");
  readonly save = element("button", "", "Save");
  readonly models = element("button", "", "Models");
  readonly export = element("select");
  readonly theme = element("button", "icon", "◐");
  readonly editor = element("div", "editor");
  readonly problems = element("div", "problems");
  readonly controls = element("aside", "controls");
  readonly panes = new Map<Tab, HTMLElement>();
  private buttons = new Map<Tab, HTMLButtonElement>();
  now: Tab = "Motion";

  constructor(place: HTMLElement, private turned: (tab: Tab) => void) {
    this.path.placeholder = "name.alm";
    this.path.setAttribute("aria-label", "file of the model");
    this.path.spellcheck = false;
    this.progress.max = 1;
    this.cancel.hidden = this.progress.hidden = true;
    this.run.title = "Ctrl+Enter";
    this.save.title = "Ctrl+S";
    this.theme.title = "light or dark";
    this.state.setAttribute("role", "status");
    for (const button of [this.run, this.cancel, this.save, this.models, this.theme]) button.type = "button";
    this.fillExport();
    const brand = element("strong", "brand", "alembert");
    brand.append(element("span", "", " studio"));
    this.bar.append(brand, this.models, this.path, this.save, this.export, this.run, this.cancel, this.progress, this.state, this.theme);

    const left = element("section", "left");
    left.append(this.editor, this.problems);
    const middle = element("section", "middle");
    const strip = element("nav", "tabs");
    strip.setAttribute("role", "tablist");
    middle.append(strip);
    for (const tab of tabs) {
      const button = element("button", "", tab);
      button.type = "button";
      button.setAttribute("role", "tab");
      button.addEventListener("click", () => this.turn(tab));
      this.buttons.set(tab, button);
      strip.append(button);
      const pane = element("div", `pane ${tab.toLowerCase()}`);
      this.panes.set(tab, pane);
      middle.append(pane);
    }
    const main = element("main");
    main.append(left, middle, this.controls);
    place.append(this.bar, main);
    this.mark();
  }

  pane(tab: Tab): HTMLElement {
    return this.panes.get(tab)!;
  }

  turn(tab: Tab): void {
    this.now = tab;
    this.mark();
    this.turned(tab);
  }

  /** While something long goes on; done is null where nobody knows how long it will take. */
  busy(on: boolean, done: number | null = null): void {
    this.cancel.hidden = this.progress.hidden = !on;
    this.run.disabled = on;
    if (done === null) this.progress.removeAttribute("value");
    else this.progress.value = done;
  }

  private mark(): void {
    for (const tab of tabs) {
      this.panes.get(tab)!.hidden = tab !== this.now;
      this.buttons.get(tab)!.setAttribute("aria-selected", String(tab === this.now));
    }
  }

  private fillExport(): void {
    this.export.setAttribute("aria-label", "export");
    for (const [value, label] of [
      ["", "Export…"],
      ["alm", "the model (.alm)"],
      ["html", "a page that stays (.html)"],
      ["csv", "the data (.csv)"],
      ["h5", "the data (.h5)"],
      ["json", "the data (.json)"],
      ["svg", "the figure (.svg)"],
    ]) {
      const option = element("option", "", label);
      option.value = value;
      this.export.append(option);
    }
  }
}
