// Downloads: figures as SVG and PNG, numbers as CSV, motion as WebM and GIF.

import type uPlot from "uplot";
import { gifOf } from "./gif";
import type { Plot } from "./plots";
import { escapeXml, isDark, shortNumber } from "./text";
import type { View } from "./view";

export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name for a file: what a title says, without what file systems do not like. */
export const fileName = (title: string, ending: string): string => (title.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "plot") + ending;

type Axis = uPlot.Axis & { _splits?: number[]; _values?: (string | null)[] };

/** The plot as it is seen, as an SVG document. */
export function svgOf(plot: Plot): string {
  const u = plot.chart!;
  const [width, height] = [u.width, u.height];
  const ratio = u.bbox.width / u.over.clientWidth || 1;
  const [left, top, w, h] = [u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height].map((v) => v / ratio);
  const n = (v: number) => String(+v.toFixed(2));
  const out: string[] = [];
  const total = height + 18 * plot.lines.length + 34;
  out.push(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" font-family="system-ui, sans-serif" font-size="12">`);
  out.push(`<rect width="${width}" height="${total}" fill="#fff"/>`);
  out.push(`<text x="${n(left)}" y="18" font-size="15" font-weight="600">${escapeXml(plot.spec.title)}</text><g transform="translate(0 24)">`);
  const [ax, ay] = u.axes as Axis[];
  ax._splits?.forEach((v, i) => {
    const x = left + u.valToPos(v, "x");
    if (x < left - 1 || x > left + w + 1) return;
    out.push(`<path d="M${n(x)} ${n(top)}V${n(top + h)}" stroke="#ddd"/><text x="${n(x)}" y="${n(top + h + 16)}" text-anchor="middle">${escapeXml(String(ax._values?.[i] ?? ""))}</text>`);
  });
  ay._splits?.forEach((v, i) => {
    const y = top + u.valToPos(v, "y");
    if (y < top - 1 || y > top + h + 1) return;
    out.push(`<path d="M${n(left)} ${n(y)}H${n(left + w)}" stroke="#ddd"/><text x="${n(left - 6)}" y="${n(y + 4)}" text-anchor="end">${escapeXml(String(ay._values?.[i] ?? ""))}</text>`);
  });
  out.push(`<clipPath id="frame"><rect x="${n(left)}" y="${n(top)}" width="${n(w)}" height="${n(h)}"/></clipPath><g clip-path="url(#frame)" fill="none" stroke-width="1.5">`);
  for (const line of plot.lines) {
    let path = "";
    let pen = false;
    for (let i = 0; i < line.x.length; i++) {
      const [x, y] = [left + u.valToPos(line.x[i], "x"), top + u.valToPos(line.y[i], "y")];
      if (!Number.isFinite(x) || !Number.isFinite(y)) pen = false;
      else if (line.points) path += `M${n(x)} ${n(y)}h.01`;
      else {
        path += `${pen ? "L" : "M"}${n(x)} ${n(y)}`;
        pen = true;
      }
    }
    const dots = line.points ? ' stroke-width="4" stroke-linecap="round"' : "";
    out.push(`<path d="${path}" stroke="${line.colour}" stroke-dasharray="${line.dash.join(" ")}"${dots}/>`);
  }
  out.push(`</g><rect x="${n(left)}" y="${n(top)}" width="${n(w)}" height="${n(h)}" fill="none" stroke="#333"/>`);
  out.push(`<text x="${n(left + w / 2)}" y="${n(top + h + 32)}" text-anchor="middle">${escapeXml(plot.spec.x)}</text>`);
  plot.lines.forEach((line, i) => {
    const y = height + 12 + 18 * i;
    out.push(`<path d="M${n(left)} ${n(y - 4)}h26" stroke="${line.colour}" stroke-width="2" stroke-dasharray="${line.dash.join(" ")}"/><text x="${n(left + 34)}" y="${n(y)}">${escapeXml(line.label)}</text>`);
  });
  out.push("</g></svg>");
  return out.join("\n");
}

export function exportSvg(plot: Plot): void {
  if (plot.chart) download(fileName(plot.spec.title, ".svg"), svgOf(plot), "image/svg+xml");
}

export function exportPng(plot: Plot): void {
  if (!plot.chart) return;
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && download(fileName(plot.spec.title, ".png"), blob));
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svgOf(plot));
}

/** A field of a CSV file. */
export const csvField = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/** Each curve with its own first column: they need not have the same rows. */
export function csvOf(plot: { spec: { x: string; log: boolean }; lines: { label: string; x: ArrayLike<number>; y: ArrayLike<number> }[] }): string {
  const { lines, spec } = plot;
  const shared = lines.every((line) => line.x === lines[0].x);
  const columns: { head: string; list: ArrayLike<number> }[] = [];
  lines.forEach((line, i) => {
    if (i === 0 || !shared) columns.push({ head: spec.x, list: line.x });
    columns.push({ head: line.label, list: spec.log ? Array.from(line.y, (v) => 10 ** v) : line.y });
  });
  const rows = Math.max(...columns.map((column) => column.list.length));
  const text = [columns.map((column) => csvField(column.head)).join(",")];
  for (let i = 0; i < rows; i++) text.push(columns.map((column) => (i < column.list.length && Number.isFinite(column.list[i]) ? String(column.list[i]) : "")).join(","));
  return text.join("\n") + "\n";
}

export function exportCsv(plot: Plot): void {
  if (plot.lines.length) download(fileName(plot.spec.title, ".csv"), csvOf(plot), "text/csv");
}

/** What a view shows, on paper: its canvas is transparent, and its words stand beside it. */
export function framed(view: View, canvas: HTMLCanvasElement, width = view.canvas.width): HTMLCanvasElement {
  const height = Math.round((width * view.canvas.height) / view.canvas.width);
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  const dark = isDark();
  pen.fillStyle = dark ? "#1f2227" : "#f4f6f9";
  pen.fillRect(0, 0, width, height);
  view.draw();
  pen.imageSmoothingQuality = "high";
  pen.drawImage(view.canvas, 0, 0, width, height);
  const scale = width / Math.max(view.canvas.clientWidth, 1);
  pen.font = `${12 * scale}px system-ui, sans-serif`;
  pen.fillStyle = dark ? "#ddd" : "#222";
  pen.textBaseline = "middle";
  for (const { text, x, y } of view.words()) pen.fillText(text, x * width + 6 * scale, y * height);
  return canvas;
}

/** Shows so many pictures and makes an animated GIF of them; `pause` in hundredths of a second. */
export async function recordGif(view: View, count: number, pause: number, show: (share: number) => void): Promise<Blob> {
  const widest = 480; // pixels: files of GIF grow fast
  const canvas = document.createElement("canvas");
  const width = Math.min(widest, view.canvas.width);
  const pictures: Uint8ClampedArray[] = [];
  for (let i = 0; i < count; i++) {
    show(i / Math.max(count - 1, 1));
    framed(view, canvas, width);
    pictures.push(canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return new Blob([gifOf(pictures, canvas.width, canvas.height, pause) as Uint8Array<ArrayBuffer>], { type: "image/gif" });
}

/** Records a canvas while `perform` shows pictures on it. Resolves with a WebM file. */
export async function recordVideo(canvas: HTMLCanvasElement, perform: () => Promise<void>): Promise<Blob> {
  const stream = canvas.captureStream(30);
  const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"].find((one) => MediaRecorder.isTypeSupported(one));
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 6_000_000 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const ended = new Promise<void>((resolve) => (recorder.onstop = () => resolve()));
  recorder.start();
  await perform();
  recorder.stop();
  await ended;
  stream.getTracks().forEach((track) => track.stop());
  return new Blob(parts, { type });
}

export { shortNumber };
