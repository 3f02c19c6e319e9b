// node browser.mjs PROGRAM WORK [--accept]: what pages show in a headless Chromium, driven by Playwright and without
// network. Exit code 77 (skipped) where there is no browser. --accept writes the pictures that a person has looked at.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "..", "..");
const [program, work] = process.argv.slice(2, 4).map((path) => resolve(path));
const accept = process.argv.includes("--accept");
const acceptedFile = join(here, "accepted.json");

const found = spawnSync(join(root, "tools", "browser.sh"), { encoding: "utf8" });
if (found.status !== 0) {
  console.log("no browser, and none can be installed here: skipped");
  process.exit(77);
}
const executablePath = found.stdout.trim().split("\n").pop();
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const errors = [];
const check = (good, text) => {
  if (!good) errors.push(text);
};
const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

function run(...words) {
  const done = spawnSync(program, words, { cwd: work, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${words.join(" ")}: ${done.stderr}`);
}

/** Rows of a CSV file as objects. */
function table(file) {
  const [head, ...rows] = readFileSync(join(work, file), "utf8").trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(row.map((value, i) => [head[i], Number(value)])));
}

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const context = await browser.newContext({ viewport: { width: 620, height: 900 }, reducedMotion: "reduce", acceptDownloads: true });
const page = await context.newPage();
page.setDefaultTimeout(60_000);
let looking = "";
page.on("console", (message) => {
  // Software rendering says that reading pictures back is slow.
  if (!/GPU stall|GL Driver Message/.test(message.text())) errors.push(`${looking}: console: ${message.text()}`);
});
page.on("pageerror", (error) => errors.push(`${looking}: ${error.message}`));
page.on("request", (request) => {
  if (!/^(file|data|blob):/.test(request.url())) errors.push(`${looking}: asks for ${request.url()}`);
});

async function open(file) {
  looking = file;
  const start = Date.now();
  await page.goto(pathToFileURL(join(work, file)).href);
  await page.waitForFunction(() => typeof window.alembert?.setTime === "function");
  return Date.now() - start;
}
const at = (time) => page.evaluate((t) => { window.alembert.setTime(t); return window.alembert.view.readBack(); }, time);
/** The view in 48 x 32 coarse pixels. */
const picture = () => page.evaluate(() => {
  const { view } = window.alembert;
  view.draw();
  const small = document.createElement("canvas");
  [small.width, small.height] = [48, 32];
  const pen = small.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, 48, 32);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(view.canvas, 0, 0, 48, 32);
  const data = pen.getImageData(0, 0, 48, 32).data;
  return Array.from({ length: 48 * 32 }, (_, i) => Math.round((data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3));
});
const difference = (a, b) => a.reduce((sum, v, i) => sum + Math.abs(v - b[i]), 0) / a.length;

// The mechanism: links are where joints are, and bodies where the file says
// -------------------------------------------------------------------------

/** A point of a body in the world, from the columns of a row. */
function bodyPose(row, name) {
  const r = [1, 2, 3].map((k) => row[`${name}.r[${k}]`] ?? 0);
  if (`${name}.phi` in row) {
    const [c, s] = [Math.cos(row[`${name}.phi`]), Math.sin(row[`${name}.phi`])];
    return { r, axes: [[c, s, 0], [-s, c, 0], [0, 0, 1]] };
  }
  if (!(`${name}.e[1]` in row)) return null;
  const [a, b, c, d] = [1, 2, 3, 4].map((k) => row[`${name}.e[${k}]`]);
  return { r, axes: [
    [a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)],
    [2 * (b * c - a * d), a * a - b * b + c * c - d * d, 2 * (c * d + a * b)],
    [2 * (b * d + a * c), 2 * (c * d - a * b), a * a - b * b - c * c + d * d]] };
}
const local = (pose, p) => pose.axes.map((axis) => axis.reduce((sum, x, k) => sum + x * (p[k] - pose.r[k]), 0));
const world = (pose, l) => [0, 1, 2].map((k) => pose.r[k] + l[0] * pose.axes[0][k] + l[1] * pose.axes[1][k] + l[2] * pose.axes[2][k]);
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

async function mechanism(model, end) {
  run("run", join(root, "models", `${model}.alm`), "--end", String(end), "--quiet", "--plot", `${model}.html`, "--out", `${model}.csv`);
  await open(`${model}.html`);
  const rows = table(`${model}.csv`);
  const kinds = Object.fromEntries(await page.evaluate(() => window.alembert.data.scene.joints.map((joint) => [joint.name, joint.kind])));
  const points = await page.evaluate(() => window.alembert.data.scene.points.map((point) => ({ name: point.name, columns: point.position.map((ref) => window.alembert.data.scene.program.inputs[window.alembert.data.scene.program.code[3 * ref + 1]]) })));
  const first = await at(rows[0].t);
  const locals = new Map();
  let compared = 0;
  for (const share of [0, 0.37, 1]) {
    const row = rows[Math.round(share * (rows.length - 1))];
    const { anchors, bodies } = share === 0 ? first : await at(row.t);
    for (const body of bodies) {
      const pose = bodyPose(row, body.name);
      if (!pose) continue; // held by the angles of its joints: compared by these
      check(distance(pose.r, body.at) < 1e-6, `${model}: ${body.name} is ${distance(pose.r, body.at)} from where the file says`);
      compared++;
    }
    for (const anchor of anchors.filter((one) => one.body)) {
      const pose = bodyPose(row, anchor.body);
      const key = `${anchor.body} ${anchor.name}`;
      if (pose && share === 0) locals.set(key, local(pose, anchor.at));
      else if (pose) check(distance(world(pose, locals.get(key)), anchor.at) < 1e-6, `${model}: ${key} does not move as the file says`);
      if (kinds[anchor.name] === "distance") continue;
      for (const other of anchors)
        if (other !== anchor && other.name === anchor.name) {
          check(distance(other.at, anchor.at) < 1e-6, `${model}: ${anchor.name} of ${anchor.body} is ${distance(other.at, anchor.at)} from ${other.body || "its joint"}`);
          compared++;
        }
    }
    for (const point of points) {
      const drawn = anchors.find((one) => one.name === point.name && !one.body);
      point.columns.forEach((column, k) => check(drawn && near(drawn.at[k], row[column], 1e-6), `${model}: ${column} is drawn elsewhere`));
      compared += point.columns.length;
    }
  }
  await at(rows[Math.round(0.37 * (rows.length - 1))].t);
  return { compared, pixels: await picture() };
}

const only = process.env.ALEMBERT_MODELS?.split(","); // fewer, while one works on this file
const models = { double_wishbone: 0.6, spinning_top: 0.5, heavy_top: 0.1, double_pendulum: 2, four_bar: 1, slider_crank: 0.5, strandbeest: 1,
  gyroscope: 0.1, cardan_shaft: 0.5, spherical_pendulum: 2, rolling_ball: 1, chain_of_links: 1, cart_pendulum: 2, knife_paraboloid: 2, chain_on_table: 0.5, rocking_block: 1 };
const accepted = existsSync(acceptedFile) ? JSON.parse(readFileSync(acceptedFile, "utf8")) : {};
for (const [model, end] of Object.entries(models)) {
  if (only && !only.includes(model)) continue;
  const { compared, pixels } = await mechanism(model, end);
  const drawn = new Set(pixels).size;
  check(drawn > 12, `${model}: nothing is drawn (${drawn} shades)`);
  const joined = model === "cart_pendulum" // drawn by what its text says;
  check(joined || compared > 0, `${model}: nothing was compared`);
  const text = pixels.map((v) => v.toString(16).padStart(2, "0")).join("");
  if (accept) accepted[model] = text;
  const known = accepted[model]?.match(/../g).map((two) => parseInt(two, 16));
  const off = known ? difference(pixels, known) : Infinity;
  check(off < 3, `${model}: the picture differs from the accepted one by ${off.toFixed(2)} of 255 on average`);
  console.log(`${model}: ${compared} places compared, picture off by ${off.toFixed(3)}`);
}
if (accept) writeFileSync(acceptedFile, JSON.stringify(accepted, null, 1) + "\n");

// Looking around: orbit, scrub, keys
// ----------------------------------
await open("double_wishbone.html");
const before = await at(0);
const stillPicture = await picture();
const box = await page.locator(".stage-view canvas").boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await page.mouse.down();
await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2 + 40, { steps: 4 });
await page.mouse.up();
const turned = await page.evaluate(() => window.alembert.view.readBack());
check(distance(before.camera, turned.camera) > 0.1, "dragging does not turn the view");
check(difference(stillPicture, await picture()) > 1, "the turned view looks the same");
check(distance(before.anchors[0].at, turned.anchors[0].at) === 0, "turning the view moves the mechanism");
await page.locator(".stage-time").fill("2000");
check(near(await page.evaluate(() => window.alembert.now), 0.12, 1e-6), "the slider does not set the time");
await page.locator("h1").click();
await page.keyboard.press("ArrowRight");
check(near(await page.evaluate(() => window.alembert.now), 0.125, 1e-9), "the arrow does not go to the next row");
await page.keyboard.press("Space");
await page.waitForFunction(() => window.alembert.now !== 0.125);
await page.keyboard.press("Space");
await page.locator(".stage-menu summary").click();
await page.locator('input[name="perspective"]').click();
check(await page.evaluate(() => window.alembert.view.camera.isOrthographicCamera === true), "no parallel view");
await page.locator('input[name="forces"]').click();
// Arrows are to the scale that stands beside them.
const arrows = await page.evaluate(() => {
  const { view } = window.alembert;
  view.draw();
  const scale = Number(/force of (\S+)$/.exec(document.querySelector(".view-legend").textContent)?.[1]);
  const drawn = view.mechanism.root.children.filter((one) => one.visible && one.children.length === 2 && one.children[1].geometry?.type === "ConeGeometry").map((one) => one.scale.y * scale);
  const meant = [...view.motion.scene.loads, ...view.motion.scene.joints.filter((joint) => joint.force.length === 3)].map((one) => Math.hypot(...view.motion.vector(one.force)));
  return { scale, drawn: drawn.sort((a, b) => b - a), meant: meant.sort((a, b) => b - a) };
});
check(arrows.scale > 0 && arrows.drawn.length > 2, `no scale of the arrows (${arrows.scale}), or no arrows (${arrows.drawn.length})`);
for (const [i, force] of arrows.drawn.slice(0, 3).entries()) check(near(force, arrows.meant[i], 1e-6 * force), `an arrow stands for ${force}, the reaction is ${arrows.meant[i]}`);
await page.locator('input[name="labels"]').click();
await page.waitForFunction(() => [...document.querySelectorAll(".view-label")].some((label) => label.textContent === "carrier"));
const legend = await page.locator(".plot-panel .u-label").allTextContents();
check(!legend.some((name) => /\.e\[\d\]/.test(name)), "a quaternion is plotted by default");
check(legend.some((name) => name === "carrier.omega.x" || name === "car.omega.x" || name === "lower.omega.x"), `no angular velocity among ${legend.slice(0, 12)}`);

// A finger turns the view, too.
await open("double_wishbone.html");
const touch = await context.newCDPSession(page);
const beforeTouch = (await at(0)).camera;
const pane = await page.locator(".stage-view canvas").boundingBox();
const finger = (type, x, y) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: pane.x + x, y: pane.y + y }] });
await finger("touchStart", 200, 150);
for (const x of [230, 260, 290]) await finger("touchMove", x, 160);
await finger("touchEnd");
check(distance(beforeTouch, (await page.evaluate(() => window.alembert.view.readBack())).camera) > 0.1, "a finger does not turn the view");

// Contacts: walls of points, marks where they touch, columns of their own
await open("chain_on_table.html");
const wall = await page.evaluate(() => {
  const { alembert } = window;
  const { t } = alembert.runs[0];
  const count = (time) => {
    alembert.setTime(time);
    const marks = alembert.view.mechanism.root.children.filter((one) => one.visible && one.isMesh && one.material.color.getHex() === 0xd55e00 && one.renderOrder === 0);
    return marks.length;
  };
  const walls = alembert.view.mechanism.root.children.filter((one) => one.isLineSegments).map((one) => { one.geometry.computeBoundingBox(); return one.geometry.boundingBox.max.y; });
  return { walls, first: count(t[0]), last: count(t[t.length - 1]) };
});
check(wall.walls.length === 1 && near(wall.walls[0], 0, 1e-9), `the table is not drawn once at y = 0 but at ${wall.walls}`);
check(wall.last > wall.first, `touching is not marked: ${wall.first} at first, ${wall.last} at the end`);
const panels = await page.locator(".plot-panel h3").allTextContents();
check(panels.includes("Gaps of contacts") && panels.includes("Forces in contacts") && !panels.includes("Observed"), `contacts have no plots of their own: ${panels}`);
await page.locator(".plot-panel").first().getByRole("button", { name: "columns" }).click();
check((await page.locator(".picker legend").allTextContents()).includes("Contacts"), "the picker has no group of contacts");
await page.locator(".picker-done").click();

// Plots: hover, zoom, log, phase, section
// ---------------------------------------
await open("double_pendulum.html");
const rows = table("double_pendulum.csv");
const over = page.locator(".plot-panel .u-over").first();
await over.scrollIntoViewIfNeeded();
const area = await over.boundingBox();
await page.mouse.move(area.x + 0.4 * area.width, area.y + 0.5 * area.height);
await page.waitForFunction(() => document.querySelector(".u-legend .u-value")?.textContent !== "");
const shown = await page.evaluate(() => [...document.querySelector(".plot-panel .u-legend").querySelectorAll(".u-series")].map((row) => [row.querySelector(".u-label").textContent, Number(row.querySelector(".u-value").textContent)]));
const [[, hovered], ...values] = shown;
const row = rows.find((one) => near(one.t, hovered, 1e-9));
check(row, `no row at the time ${hovered} that is hovered over`);
for (const [name, value] of values) check(row && near(value, row[name], 1e-8 * Math.max(1, Math.abs(row[name]))), `hover shows ${name} = ${value}, the file has ${row?.[name]}`);
check(values.length >= 4, "hover shows too little");
await page.mouse.click(area.x + 0.5 * area.width, area.y + 0.5 * area.height);
check(near(await page.evaluate(() => window.alembert.now), 1, 0.05), "a click on a plot does not go to its time");
const whole = await page.evaluate(() => window.alembert.plots[0].chart.scales.x.max);
await page.mouse.move(area.x + 0.2 * area.width, area.y + 20);
await page.mouse.down();
await page.mouse.move(area.x + 0.6 * area.width, area.y + 24, { steps: 3 });
await page.mouse.up();
check((await page.evaluate(() => window.alembert.plots[0].chart.scales.x.max)) < 0.7 * whole, "dragging does not zoom");
await page.mouse.dblclick(area.x + 0.5 * area.width, area.y + 30);
check(near(await page.evaluate(() => window.alembert.plots[0].chart.scales.x.max), whole, 1e-9), "a double click does not come back");
await page.locator(".plot-panel").first().getByRole("button", { name: "log" }).click();
check((await page.evaluate(() => window.alembert.plots[0].spec.log)) === true, "no logarithmic scale");
await page.locator(".plot-panel").first().getByRole("button", { name: "columns" }).click();
await page.locator(".picker select").first().selectOption("x1");
await page.locator(".picker-done").click();
check(await page.evaluate(() => window.alembert.plots[0].isPhase && window.alembert.plots[0].lines.length > 0), "no phase plot");

// A section at an event, several runs over one another, and markup that stays text
// --------------------------------------------------------------------------------
const title = '<b>bold</b><img src=x onerror="window.hacked=1">';
const model = `model "${title.replace(/"/g, '\\"')}"
parameter w = 1
coordinate x = 1, y
kinetic (x'^2 + y'^2)/2
potential w^2/2*(x^2 + y^2)
event crossing: x = 0
draw sphere ground radius 0.1 at (x, y) label "<i>label</i>"
initial y' = 1/2
solve gauss(2) step 0.05 end 20
`;
writeFileSync(join(work, "markup.alm"), model);
run("run", "markup.alm", "--quiet", "--out", "one.h5", "--plot", "markup.html", "--plot", "markup.svg");
run("run", "markup.alm", "--quiet", "--out", "two.h5", "--set", "w=1.3");
run("view", "one.h5", "two.h5", "--out", "both.html");
await open("both.html");
const both = await page.locator(".plot-panel .u-label").allTextContents();
check(both.includes("x (one.h5)") && both.includes("x (two.h5)"), `the two runs are not both in ${both.slice(0, 6)}`);
// The mechanism of the second is there too, where its own file says.
run("run", join(root, "models", "double_pendulum.alm"), "--end", "2", "--quiet", "--out", "long_arm.h5", "--out", "long_arm.csv", "--set", "l2=1.4");
run("run", join(root, "models", "double_pendulum.alm"), "--end", "2", "--quiet", "--out", "short_arm.h5");
run("view", "short_arm.h5", "long_arm.h5", "--out", "arms.html");
await open("arms.html");
for (const row of [table("long_arm.csv")[0], table("long_arm.csv")[120]]) {
  const { others } = await at(row.t);
  const second = others[0]?.find((one) => one.name === "x2");
  check(others.length === 1 && second && near(second.at[0], row.x2, 1e-6) && near(second.at[1], row.y2, 1e-6), `the second run is drawn elsewhere than its file says: ${JSON.stringify(second)}`);
}
const withOther = await picture();
await page.locator(".stage-menu summary").click();
await page.locator('input[name="others"]').click();
check(difference(withOther, await picture()) > 0.05, "the mechanism of the other run is not seen");
await page.locator(".stage-menu summary").click();

// The motion as a GIF: as many pictures as it should have, which differ
const gifDownload = page.waitForEvent("download");
await page.getByRole("button", { name: "gif", exact: true }).click();
const gif = readFileSync(await (await gifDownload).path());
const decoded = await page.evaluate(async (bytes) => {
  const decoder = new ImageDecoder({ data: Uint8Array.from(bytes), type: "image/gif" });
  await decoder.tracks.ready;
  await decoder.completed;
  const track = decoder.tracks.selectedTrack;
  const { image } = await decoder.decode({ frameIndex: track.frameCount - 1 });
  return { frames: track.frameCount, width: image.displayWidth, again: track.repetitionCount };
}, [...gif]);
check(decoded.frames === 32 && decoded.width > 100 && decoded.again === Infinity, `the GIF has ${JSON.stringify(decoded)}`);
console.log(`GIF: ${decoded.frames} pictures of width ${decoded.width}, ${(gif.length / 1e3).toFixed(0)} kB`);

await open("both.html");
const section = await page.evaluate(() => {
  const plot = window.alembert.plots[0];
  Object.assign(plot.spec, { x: "y", columns: ["x'"], section: "crossing" });
  plot.rebuild();
  return plot.lines.map((line) => Array.from(line.x));
});
check(section.length === 2 && section[0].length >= 5, "no section from events");
await open("markup.html");
check((await page.locator("h1").textContent()).startsWith(title), "the title is not shown as it is written");
check((await page.locator(".view-label").allTextContents()).includes("<i>label</i>"), "a label is not shown as it is written");
check((await page.locator("h1 b, h1 img, .view-label i").count()) === 0, "markup of a title became markup");
writeFileSync(join(work, "columns.csv"), 't,<img src=x onerror=window.hacked=1>\n0,1\n1,2\n2,4\n');
run("view", "columns.csv");
await open("columns.html");
check((await page.locator(".plot-panel .u-label").allTextContents()).includes("<img src=x onerror=window.hacked=1>"), "a column is not shown as it is written");
const download = page.waitForEvent("download");
await page.locator(".plot-panel").first().getByRole("button", { name: "svg" }).click();
const svg = readFileSync(await (await download).path(), "utf8");
check(svg.includes("&lt;img src=x onerror=window.hacked=1&gt;") && !svg.includes("<img"), "markup of a column is markup in the SVG");
check(!/<img|<b>/.test(readFileSync(join(work, "markup.svg"), "utf8")), "markup of the title is markup in the figure");
await page.goto(pathToFileURL(join(work, "markup.svg")).href);
check((await page.evaluate(() => window.hacked)) === undefined, "markup was run");

// A long run
// ----------
run("run", join(root, "models", "oscillator.alm"), "--step", "0.001", "--end", "1000", "--quiet", "--plot", "long.html");
const size = statSync(join(work, "long.html")).size;
const clock = await context.newCDPSession(page);
await clock.send("Performance.enable", { timeDomain: "threadTicks" });
const metrics = async () => Object.fromEntries((await clock.send("Performance.getMetrics")).metrics.map((one) => [one.name, one.value]));
const cpuBefore = (await metrics()).TaskDuration;
const wait = await open("long.html");
const cpu = (await metrics()).TaskDuration - cpuBefore;
check((await page.evaluate(() => window.alembert.runs[0].rows)) === 1_000_001, "rows are missing");
check(size < 10e6, `10^6 rows make ${size} bytes`);
// The page's own processor time, which does not depend on what else the machine does.
check(cpu < 1 && wait < 15_000, `10^6 rows open in ${wait} ms, ${cpu} s of which the page computes`);
console.log(`10^6 rows: ${(size / 1e6).toFixed(2)} MB, opened in ${wait} ms, ${(1000 * cpu).toFixed(0)} ms of the page's own`);

await browser.close();
for (const error of errors) console.log(error);
console.log(`${errors.length} errors`);
process.exit(errors.length ? 1 : 0);
