// What verify and converge found, as pictures.

import { element } from "../shared/text";

interface Property {
  property: string;
  claimed: string;
  measured: string;
  value: number | null;
  verdict: string;
}

export interface Verified {
  model: string;
  method: string;
  properties: Property[];
  notes: string[];
  failed: string | null;
  false_claims: number;
}

/** How far a relative number is on the way from rounding (0) to all of it (1). */
export function share(value: number | null): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  return Math.min(1, Math.max(0, (Math.log10(Math.abs(value) + 1e-17) + 16) / 16));
}

export function showVerified(place: HTMLElement, found: Verified): void {
  const table = element("table", "verified");
  const head = table.createTHead().insertRow();
  for (const title of ["property", "claimed", "measured", "from rounding to 1", "verdict"]) head.append(element("th", "", title));
  const body = table.createTBody();
  for (const one of found.properties) {
    const row = body.insertRow();
    const bad = /false/i.test(one.verdict);
    row.className = bad ? "bad" : /ok|holds|higher/i.test(one.verdict) && !/not hold/i.test(one.verdict) ? "good" : "";
    row.append(element("td", "", one.property), element("td", "", one.claimed), element("td", "", one.measured));
    const cell = row.insertCell();
    const size = /order/.test(one.property) ? null : share(one.value);
    if (size !== null) {
      const bar = cell.appendChild(element("div", "bar"));
      bar.appendChild(element("div", "filled")).style.width = `${Math.max(2, 100 * size)}%`;
      bar.title = String(one.value);
    }
    row.append(element("td", "verdict", one.verdict));
  }
  place.replaceChildren(element("h3", "", `What ${found.method} preserves on ${found.model || "this model"}`), table);
  for (const note of found.notes ?? []) place.append(element("p", "quiet", note));
  if (found.failed) place.append(element("p", "problem", found.failed));
}

export function showConverged(place: HTMLElement, svg: string, text: string): void {
  const picture = element("img", "figure");
  picture.alt = "error against step size and against work";
  picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg); // as a picture: nothing in it is run
  place.replaceChildren(element("h3", "", "Errors against step size and work"), picture, element("pre", "", text));
}
