// Sliders for parameters and initial values.

import { element, shortNumber } from "../shared/text";

export interface Quantity {
  name: string;
  value: number; // as the text says
  unit: string;
  given?: boolean; // of initial values: the text says it
  parts?: number; // of the vector that it is an entry of
}

/** Initial values that one may want to move: no entries of quaternions, and of many only those that the text gives. */
export function movable(list: Quantity[], most = 16): Quantity[] {
  const plain = list.filter((one) => !(one.parts === 4 && /\.e\[\d\]$/.test(one.name)));
  const given = plain.filter((one) => one.given);
  const chosen = plain.length <= most || !given.length ? plain : given;
  return [...chosen.filter((one) => one.given), ...chosen.filter((one) => !one.given)];
}

/** Where a slider begins and ends, and its step: round numbers around the value, of its sign where that is a size. */
export function reach(value: number): { least: number; most: number; step: number } {
  if (value === 0) return { least: -1, most: 1, step: 0.002 };
  const size = 10 ** Math.floor(Math.log10(Math.abs(value)));
  const most = Math.ceil((2 * Math.abs(value)) / size - 1e-9) * size;
  const step = +(most / 1000).toPrecision(2);
  return value > 0 ? { least: 0, most, step } : { least: -most, most: 0, step };
}

interface Slider {
  row: HTMLElement;
  quantity: Quantity;
  now: number;
  set(value: number): void;
}

/** A group of sliders; `moved` is told while one is dragged, `settled` when it is let go. */
export class Sliders {
  readonly place = element("div", "sliders");
  private sliders = new Map<string, Slider>();

  constructor(
    private moved: () => void,
    private settled: () => void,
  ) {}

  /** Other quantities; what was moved and is still there keeps its value where the text says the same as before. */
  show(quantities: Quantity[], most: number): void {
    const before = this.sliders;
    this.sliders = new Map();
    this.place.replaceChildren();
    for (const quantity of quantities.slice(0, most)) {
      const old = before.get(quantity.name);
      const slider = this.make(quantity);
      this.sliders.set(quantity.name, slider);
      this.place.append(slider.row);
      if (old && old.now !== old.quantity.value && old.quantity.value === quantity.value) slider.set(old.now);
    }
    if (quantities.length > most)
      this.place.append(element("p", "quiet", `${quantities.length - most} more: change them in the text`));
  }

  /** What differs from the text. */
  changed(): Record<string, number> {
    const values: Record<string, number> = {};
    for (const [name, slider] of this.sliders) if (slider.now !== slider.quantity.value) values[name] = slider.now;
    return values;
  }

  /** Puts values in; all others become the text's. */
  put(values: Record<string, number>): void {
    for (const [name, slider] of this.sliders) slider.set(values[name] ?? slider.quantity.value);
  }

  private make(quantity: Quantity): Slider {
    const row = element("label", "slider");
    const name = element("span", "name", quantity.name);
    name.title = quantity.unit ? `${quantity.name} in ${quantity.unit}` : quantity.name;
    const range = element("input");
    const number = element("input", "number");
    const back = element("button", "back", "↺");
    range.type = "range";
    range.setAttribute("aria-label", quantity.name);
    number.type = "text";
    number.inputMode = "decimal";
    number.setAttribute("aria-label", `${quantity.name}, as a number`);
    back.type = "button";
    back.title = "as in the text";
    const { least, most, step } = reach(quantity.value);
    range.min = String(least);
    range.max = String(most);
    range.step = String(step);
    const slider: Slider = {
      row,
      quantity,
      now: quantity.value,
      set: (value) => {
        slider.now = value;
        if (value > +range.max) range.max = String(value);
        if (value < +range.min) range.min = String(value);
        range.value = String(value);
        number.value = shortNumber(value, 6);
        row.classList.toggle("changed", value !== quantity.value);
      },
    };
    range.addEventListener("input", () => {
      const value = +range.value;
      // The grid of a slider rarely meets the value of the text itself.
      slider.set(Math.abs(value - quantity.value) < step / 2 ? quantity.value : value);
      this.moved();
    });
    range.addEventListener("change", () => this.settled());
    number.addEventListener("change", () => {
      const value = Number(number.value.replace(",", "."));
      slider.set(number.value.trim() !== "" && Number.isFinite(value) ? value : slider.now);
      this.settled();
    });
    back.addEventListener("click", (event) => {
      event.preventDefault();
      slider.set(quantity.value);
      this.settled();
    });
    slider.set(quantity.value);
    row.append(name, range, number, back);
    return slider;
  }
}
