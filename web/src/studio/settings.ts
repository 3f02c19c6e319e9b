// Method, step, end and tolerance of runs.

import { element } from "../shared/text";

export interface MethodInfo {
  signature: string;
  example: string;
  summary: string;
  orders: string;
  refusal: string;
}

export interface Solve {
  method?: string;
  step?: number;
  end?: number;
}

function field(label: string, input: HTMLElement): HTMLElement {
  const row = element("label", "field");
  row.append(element("span", "name", label), input);
  return row;
}

/** The methods that a list offers: those that take the model first, by the names that they are written with. */
export function offered(methods: MethodInfo[], own: string): { value: string; label: string; refusal: string }[] {
  const list = [...methods].sort((a, b) => Number(a.refusal !== "") - Number(b.refusal !== ""));
  return [
    { value: "", label: own ? `${own} (model)` : "as usual", refusal: "" },
    { value: "auto", label: "chosen for the model", refusal: "" },
    ...list.map((one) => ({ value: one.example, label: one.example, refusal: one.refusal })),
  ];
}

export class Settings {
  readonly place = element("div", "settings");
  private method = element("select");
  private note = element("p", "quiet");
  private step = element("input");
  private end = element("input");
  private control = element("select");
  private tolerance = element("input");
  private methods: MethodInfo[] = [];

  constructor(private changed: () => void) {
    for (const [input, label] of [
      [this.step, "step"],
      [this.end, "end"],
      [this.tolerance, "tolerance"],
    ] as const) {
      input.type = "text";
      input.inputMode = "decimal";
      input.setAttribute("aria-label", label);
      input.addEventListener("change", () => this.told());
    }
    this.tolerance.placeholder = "1e-8";
    this.method.setAttribute("aria-label", "method");
    this.control.setAttribute("aria-label", "steps");
    for (const [value, label] of [
      ["fixed", "all equal"],
      ["tolerance", "by a tolerance"],
      ["reversible", "reversible"],
    ]) {
      const option = element("option", "", label);
      option.value = value;
      this.control.append(option);
    }
    this.method.addEventListener("change", () => this.told());
    this.control.addEventListener("change", () => this.told());
    this.place.append(
      field("method", this.method), this.note, field("steps", this.control), field("step", this.step),
      field("tolerance", this.tolerance), field("end", this.end),
    );
    this.arrange();
  }

  show(methods: MethodInfo[], solve: Solve): void {
    const chosen = this.method.value;
    this.methods = methods;
    this.method.replaceChildren();
    for (const one of offered(methods, solve.method ?? "")) {
      const option = element("option", "", one.label);
      option.value = one.value;
      option.disabled = one.refusal !== "";
      option.title = one.refusal;
      this.method.append(option);
    }
    this.method.value = chosen;
    if (this.method.selectedIndex < 0) this.method.value = "";
    this.step.placeholder = solve.step ? String(solve.step) : "needed";
    this.end.placeholder = solve.end ? String(solve.end) : "needed";
    this.arrange();
  }

  /** As a run is asked for. */
  wish(): Record<string, unknown> {
    const number = (input: HTMLInputElement) => {
      const value = Number(input.value.replace(",", "."));
      return input.value.trim() && Number.isFinite(value) ? value : undefined;
    };
    const control = this.control.value;
    return {
      method: this.method.value,
      control,
      step: number(this.step),
      end: number(this.end),
      tolerance: control === "tolerance" ? number(this.tolerance) : undefined,
    };
  }

  put(wish: Record<string, unknown>): void {
    const text = (value: unknown) => (value === undefined || value === null ? "" : String(value));
    this.method.value = text(wish.method);
    this.control.value = text(wish.control) || "fixed";
    this.step.value = text(wish.step);
    this.end.value = text(wish.end);
    this.tolerance.value = text(wish.tolerance);
    this.arrange();
  }

  private told(): void {
    this.arrange();
    this.changed();
  }

  private arrange(): void {
    const one = this.methods.find((candidate) => candidate.example === this.method.value);
    this.note.textContent = one ? `${one.summary}${one.orders ? `; order ${one.orders}` : ""}` : "";
    this.tolerance.parentElement!.hidden = this.control.value !== "tolerance";
  }
}
