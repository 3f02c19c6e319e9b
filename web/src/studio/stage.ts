// Where a run is shown: the mechanism that moves, and plots.

import { element } from "../shared/text.ts";
import type { Kept } from "./history.ts";

export class Stage {
  constructor(private place: HTMLElement) {}
  show(run: Kept, _overlaid: Kept[]): void {
    this.place.replaceChildren(element("p", "", run.name));
  }
  overlay(_overlaid: Kept[]): void {}
  forget(): void {}
  appear(): void {}
  recolour(): void {}
  async thumbnail(_data: any): Promise<string> {
    return "";
  }
}
