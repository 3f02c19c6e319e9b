// The dialog in which the columns of a plot are chosen.

import { isQuaternion } from "./derived";
import type { PlotSpec } from "./plots";
import { Run } from "./run";
import { SceneData } from "./scene";
import { element } from "./text";

const groups: [string, string][] = [
  ["coordinates", "Coordinates"], ["velocities", "Velocities"], ["bodies", "Angles and angular velocities of bodies"],
  ["momenta", "Momenta"], ["multipliers", "Multipliers (reactions)"], ["observed", "Observed"], ["contacts", "Contacts"], ["energy", "Energy"],
  ["residuals", "Residuals"], ["invariants", "Invariants"], ["ports", "Ports and balance"], ["other", "Other columns"],
  ["quaternions", "Quaternions of bodies"],
];

/** The columns of runs by kind; quaternions apart, at the end. */
export function groupedColumns(runs: Run[], scene: SceneData | null): { title: string; names: string[] }[] {
  const kinds = new Map<string, string>();
  for (const run of runs) for (const column of run.columns) if (column.kind !== "time") kinds.set(column.name, isQuaternion(column.name, scene) ? "quaternions" : column.kind);
  return groups.map(([kind, title]) => ({ title, names: [...kinds].filter(([, k]) => k === kind).map(([name]) => name) })).filter((group) => group.names.length);
}

function select(label: string, values: string[], now: string, change: (value: string) => void): HTMLElement {
  const box = element("label", "picker-select", label + " ");
  const list = element("select");
  for (const value of values) {
    const option = element("option", "", value || "no");
    option.value = value;
    option.selected = value === now;
    list.append(option);
  }
  list.addEventListener("change", () => change(list.value));
  box.append(list);
  return box;
}

export function openPicker(spec: PlotSpec, runs: Run[], scene: SceneData | null, done: () => void): void {
  const dialog = element("dialog", "picker");
  const form = element("form");
  form.method = "dialog";
  const title = element("input", "picker-title");
  title.value = spec.title;
  title.ariaLabel = "title";
  title.addEventListener("input", () => (spec.title = title.value));
  const filter = element("input", "picker-filter");
  filter.placeholder = "filter";
  filter.type = "search";
  const list = element("div", "picker-list");
  const columns = groupedColumns(runs, scene);
  const boxes: { name: string; label: HTMLElement; group: HTMLElement }[] = [];
  for (const group of columns) {
    const set = element("fieldset");
    set.append(element("legend", "", group.title));
    for (const name of group.names.slice(0, 600)) {
      const label = element("label");
      const box = element("input");
      box.type = "checkbox";
      box.checked = spec.columns.includes(name);
      box.addEventListener("change", () => {
        spec.columns = box.checked ? [...spec.columns, name] : spec.columns.filter((one) => one !== name);
      });
      label.append(box, element("span", "", name));
      set.append(label);
      boxes.push({ name, label, group: set });
    }
    list.append(set);
  }
  filter.addEventListener("input", () => {
    for (const { name, label } of boxes) label.hidden = !name.toLowerCase().includes(filter.value.toLowerCase());
    for (const { group } of boxes) group.hidden = ![...group.querySelectorAll("label")].some((label) => !label.hidden);
  });
  const names = ["t", ...columns.flatMap((group) => group.names)];
  const events = [...new Set(runs.flatMap((run) => run.events.map((event) => event.name)))];
  const row = element("div", "picker-row");
  row.append(select("over", names, spec.x, (value) => (spec.x = value)));
  if (events.length) row.append(select("at the event only", ["", ...events], spec.section, (value) => (spec.section = value)));
  const change = element("label", "", "");
  const changeBox = element("input");
  changeBox.type = "checkbox";
  changeBox.checked = spec.change;
  changeBox.addEventListener("change", () => (spec.change = changeBox.checked));
  change.append(changeBox, element("span", "", "change from the first value"));
  row.append(change);
  const close = element("button", "picker-done", "show");
  form.append(title, filter, row, list, close);
  dialog.append(form);
  dialog.addEventListener("close", () => {
    dialog.remove();
    done();
  });
  document.body.append(dialog);
  dialog.showModal();
}
