// node studio.mjs PROGRAM WORK [--accept]: drives `alembert studio` in a headless Chromium as a user would. Screenshots go to
// WORK and are compared with what a person accepted (--accept writes that). Says what was found wrong and ends with 1
// where something was; 77 (skipped) where there is no browser. While working on the page: ALEMBERT_BUNDLES names a
// folder (node build.mjs FOLDER) whose bundles are taken instead of the program's.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [program, work] = process.argv.slice(2, 4).map((path) => resolve(path));
const browser = spawnSync(join(dirname(fileURLToPath(import.meta.url)), "..", "..", "tools", "browser.sh"), { encoding: "utf8" });
if (browser.status !== 0) {
  console.log("no browser, and none can be installed here: skipped");
  process.exit(77);
}
rmSync(work, { recursive: true, force: true });
const folder = join(work, "models");
mkdirSync(folder, { recursive: true });
const hostile = `<img src=x onerror="window.hacked=1">`;
writeFileSync(join(folder, "<b>bold<b>.alm"), `model "${hostile.replaceAll('"', "'")}"\nparameter k = 1\ncoordinate x = 1\nkinetic x'^2/2\npotential k*x^2/2\nsolve gauss(2) step 0.05 end 2\n`);

let failures = 0;
let checks = 0;
function expect(good, what) {
  checks++;
  if (good) return;
  failures++;
  console.log(`FAILED: ${what}`);
}

/** The studio on a folder; gives its address and how to end it. */
function start() {
  const child = spawn(program, ["studio", folder, "--port", "0", "--no-browser"]);
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  return new Promise((done) => {
    let said = "";
    child.stdout.on("data", (data) => {
      said += data;
      const found = /http:\/\/\S+\//.exec(said);
      if (found) done({ address: found[0], end: () => (child.kill("SIGINT"), ended) });
    });
  });
}

const studio = await start();
const context = await chromium.launchPersistentContext(join(work, "profile"), {
  executablePath: browser.stdout.trim().split("\n").pop(), headless: true, viewport: { width: 1500, height: 900 }, acceptDownloads: true,
  reducedMotion: "reduce", // software rendering of what nobody looks at would take all processors
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const page = await context.newPage();
const complaints = [];
page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU|WebGL|swiftshader/i.test(message.text()) && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(String(error)));
const asked = [];
page.on("request", (request) => asked.push(request.url()));

for (const name of process.env.ALEMBERT_BUNDLES ? ["studio.js", "studio.css"] : [])
  await page.route(`**/${name}`, (route) => route.fulfill({ path: join(process.env.ALEMBERT_BUNDLES, name) }));

const idle = () => page.waitForFunction(() => window.studio?.idle && window.studio.pictures > 0, null, { timeout: 60_000 });
const sample = (name, t) => page.evaluate(([n, at]) => window.studio.sample(n, at), [name, t]);
const text = () => page.evaluate(() => window.studio.text);
const type = async (what) => {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(what);
};

const acceptedFile = join(dirname(fileURLToPath(import.meta.url)), "accepted_studio.json");
const accept = process.argv.includes("--accept");
const accepted = existsSync(acceptedFile) ? JSON.parse(readFileSync(acceptedFile, "utf8")) : {};
const paper = await context.newPage();

/** A screenshot in WORK, held against the accepted one in 60 x 36 coarse pixels: fonts differ between machines. */
async function looks(name) {
  const shot = await page.screenshot({ path: join(work, `${name}.png`) });
  const pixels = await paper.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const small = document.createElement("canvas");
    [small.width, small.height] = [60, 36];
    const pen = small.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, 60, 36);
    const raw = pen.getImageData(0, 0, 60, 36).data;
    return Array.from({ length: 60 * 36 }, (_, i) => Math.round((raw[4 * i] + raw[4 * i + 1] + raw[4 * i + 2]) / 3));
  }, shot.toString("base64"));
  if (accept) accepted[name] = pixels.map((v) => v.toString(16).padStart(2, "0")).join("");
  const known = accepted[name]?.match(/../g).map((two) => parseInt(two, 16));
  const off = known ? pixels.reduce((sum, v, i) => sum + Math.abs(v - known[i]), 0) / pixels.length : Infinity;
  console.log(`${name}: off by ${off.toFixed(2)} from the accepted picture`);
  expect(off < 5, `the picture '${name}' differs from the accepted one by ${off.toFixed(2)} of 255 on average`);
}

async function opens() {
  await page.goto(studio.address);
  await idle();
  expect((await text()).includes("Double pendulum"), "the page begins with a model");
  expect(await page.locator(".stage-view canvas").count() === 1, "the mechanism is drawn");
  expect(await page.locator(".plot-panel").count() >= 3, "there are plots");
  expect(await page.locator(".code-keyword").count() > 5, "keywords are highlighted");
  expect(asked.every((url) => url.startsWith(studio.address) || url.startsWith("data:") || url.startsWith("blob:")), "nothing is asked of anybody else");
  await looks("opened");
}

async function marksErrors() {
  await type("\npotential lenght*x1");
  const mark = page.locator(".cm-lintRange-error");
  await mark.first().waitFor({ timeout: 10_000 });
  expect((await mark.first().textContent()) === "lenght", `the error is marked at its place, not at '${await mark.first().textContent()}'`);
  const row = await page.locator(".problems .row").first().textContent();
  const line = (await text()).split("\n").length;
  expect(row.includes(`${line}:11`) && row.includes("lenght"), `the list of errors says where: ${row}`);
  await looks("error");
  for (let i = 0; i < 20; i++) await page.keyboard.press("Backspace");
  await page.waitForFunction(() => !document.querySelector(".cm-lintRange-error"));
  await idle();
}

async function completes() {
  await type("\nkin");
  await page.keyboard.press("Control+Space");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "kinetic" }).first().waitFor({ timeout: 5000 });
  await page.keyboard.press("Escape");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Backspace");
  await page.waitForTimeout(300);
  await idle();
}

async function slides() {
  await page.getByLabel("end", { exact: true }).fill("10");
  await page.keyboard.press("Enter");
  await idle();
  const before = await sample("x2", 3);
  const box = await page.getByLabel("m1", { exact: true }).boundingBox();
  const pictures = await page.evaluate(() => window.studio.pictures);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 12; i++) {
    await page.mouse.move(box.x + box.width * (0.5 - 0.03 * i), box.y + box.height / 2);
    await page.waitForTimeout(30);
  }
  await page.mouse.up();
  await idle();
  const after = await sample("x2", 3);
  expect(Number.isFinite(before) && Math.abs(after - before) > 1e-3, `dragging m1 changes the motion: ${before} and ${after}`);
  const m1 = await page.evaluate(() => window.studio.changed.m1);
  expect(m1 > 0 && m1 < 3, `m1 was dragged to ${m1}`);
  const latency = await page.evaluate(() => window.studio.latency);
  const drawn = (await page.evaluate(() => window.studio.pictures)) - pictures;
  const [run, drawing] = await page.evaluate(() => [1000 * window.studio.seconds, window.studio.drawing]);
  console.log(`slider: ${drawn} pictures while dragging, ${latency.toFixed(0)} ms from the last change to its picture (run ${run.toFixed(0)}, page ${drawing.toFixed(0)})`);
  expect(drawn > 1, "runs answer while one drags");
  const released = [];
  for (let i = 0; i < 5; i++) {
    await page.getByLabel("m2, as a number").fill(String(0.5 + 0.1 * i));
    await page.keyboard.press("Enter");
    await idle();
    released.push(await page.evaluate(() => window.studio.latency));
  }
  console.log(`from a value to its picture: ${released.map((one) => one.toFixed(0)).join(", ")} ms`);
  // An initial value too.
  await page.getByLabel("y1', as a number").fill("0.5");
  await page.keyboard.press("Enter");
  await idle();
  expect(Math.abs((await sample("y1'", 0)) - 0.5) < 1e-9, "an initial value is that of the motion");
  await page.screenshot({ path: join(work, "slider.png") });
}

async function overlays() {
  const boxes = page.locator(".kept input[type=checkbox]:not(:disabled)");
  const before = await page.evaluate(() => document.querySelectorAll(".u-legend .u-series").length);
  await boxes.last().check();
  await idle();
  const after = await page.evaluate(() => document.querySelectorAll(".u-legend .u-series").length);
  const others = await page.evaluate(() => window.studio.stage.stage.view.readBack().others.length);
  expect(others === 1, `the mechanism of the other run is drawn: ${others}`);
  expect(after > before, `a run of the history is laid over: ${before} and ${after} curves`);
  await page.screenshot({ path: join(work, "overlay.png") });
  await boxes.last().uncheck();
}

/** Milliseconds from a click on Cancel to its end. */
async function cancelOnce() {
  await page.getByLabel("end", { exact: true }).fill("20000000");
  await page.keyboard.press("Enter");
  await page.locator("header .danger").waitFor({ state: "visible", timeout: 20_000 });
  await page.waitForFunction(() => document.querySelector("header progress").hasAttribute("value"), null, { timeout: 30_000 });
  const taken = await page.evaluate(() => new Promise((done) => {
    const button = document.querySelector("header .danger");
    const begun = performance.now();
    button.click();
    const look = () => (window.studio.idle ? done(performance.now() - begun) : setTimeout(look, 5));
    look();
  }));
  await page.getByLabel("end", { exact: true }).fill("10");
  await page.keyboard.press("Enter");
  await idle();
  return taken;
}

async function cancels() {
  // The best of six, beyond what an empty request takes: while other tests keep the machine busy, browser and server
  // wait for their turns.
  const empty = await page.evaluate(async () => {
    const times = [];
    for (let i = 0; i < 9; i++) {
      const begun = performance.now();
      await window.studio.ping();
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b)[4];
  });
  const limit = 200 + 3 * empty;
  const taken = [];
  while (taken.length < 6 && !(Math.min(...taken) < limit)) taken.push(await cancelOnce());
  console.log(`cancel: ${taken.map((one) => one.toFixed(0)).join(", ")} ms, an empty request ${empty.toFixed(0)} ms`);
  expect(Math.min(...taken) < limit, `cancel takes ${taken} ms`);
}

async function keepsText() {
  await type("\n# a word of mine");
  await page.waitForTimeout(100);
  const before = await text();
  await page.reload();
  await idle();
  expect((await text()) === before && before.endsWith("# a word of mine"), "a reload keeps the text");
  await page.locator("header .path").fill("arms.alm");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForFunction(() => document.querySelector("header .state").textContent.includes("saved"));
  expect(readFileSync(join(folder, "arms.alm"), "utf8") === before, "saving writes the file");
}

async function asks() {
  await page.getByRole("tab", { name: "Equations" }).click();
  await page.locator(".equations .katex-display").first().waitFor({ timeout: 20_000 });
  expect(await page.locator(".equations .katex-error").count() === 0, "all equations can be set");
  expect(await page.locator(".equations .katex-display").count() >= 4, "there are equations");
  await looks("equations");
  await page.getByRole("tab", { name: "Check" }).click();
  expect((await page.locator(".pane.check").textContent()).includes("degrees of freedom"), "check says what the model is");
  for (const [tab, sign] of [["Verify", "table.verified tbody tr"], ["Converge", ".pane.converge img.figure"]]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator(`.pane.${tab.toLowerCase()} button.primary`).click();
    await page.locator(sign).first().waitFor({ timeout: 60_000 });
    await page.screenshot({ path: join(work, `${tab.toLowerCase()}.png`) });
  }
  await page.getByRole("tab", { name: "Motion" }).click();
}

async function exports() {
  for (const format of ["csv", "html", "alm"]) {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: 60_000 }), page.getByLabel("export").selectOption(format)]);
    const data = readFileSync(await download.path(), "utf8");
    const sign = { csv: "t,", html: "<!doctype html", alm: "Double pendulum" }[format];
    expect(data.toLowerCase().includes(sign.toLowerCase()) && download.suggestedFilename() === `arms.${format}`, `export of ${format}`);
  }
}

async function markupIsText() {
  await page.getByRole("button", { name: "Models" }).click();
  const card = page.locator(".card", { hasText: "<b>bold<b>.alm" });
  await card.waitFor();
  expect((await card.textContent()).includes("<img src=x"), "a title with markup is shown as text");
  await page.locator(".card img").first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(work, "gallery.png") });
  page.once("dialog", (dialog) => dialog.accept());
  await card.click();
  await idle();
  await page.waitForFunction(() => window.studio.text.includes("onerror"));
  await idle();
  await page.getByRole("tab", { name: "Report" }).click();
  expect((await page.locator(".pane.report").textContent()).includes("<img"), "the report shows it as text");
  await page.getByRole("tab", { name: "Equations" }).click();
  await page.waitForTimeout(500);
  expect(await page.evaluate(() => window.hacked === undefined && !document.querySelector("img[src=x], b")), "markup of a model is no markup");
  await page.getByRole("tab", { name: "Motion" }).click();
}

async function dark() {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("button", { name: "Models" }).click();
  await page.locator(".card", { hasText: "double_wishbone" }).click();
  await page.waitForFunction(() => window.studio.text.includes("wishbone"), null, { timeout: 20_000 });
  await idle();
  await page.waitForTimeout(700);
  await looks("dark");
}

for (const step of [opens, marksErrors, completes, slides, overlays, cancels, keepsText, asks, exports, markupIsText, dark]) {
  try {
    await step();
  } catch (error) {
    failures++;
    console.log(`FAILED in ${step.name}: ${error.message.split("\n").slice(0, 4).join(" | ")}`);
    await page.screenshot({ path: join(work, `failed_${step.name}.png`) }).catch(() => undefined);
  }
}
expect(complaints.length === 0, `the console is silent, not: ${complaints.slice(0, 5).join(" | ")}`);
if (accept) writeFileSync(acceptedFile, JSON.stringify(accepted, null, 1) + "\n");
await page.evaluate(() => (window.stillHere = true));
expect((await studio.end()) === 0, "the studio ends with 0");
const told = page.waitForFunction(() => document.querySelector("header .state").textContent.includes("ended"), null, { timeout: 10_000 });
expect(await told.then(() => true, () => false), "the page says that the program has ended");
await context.close();
console.log(`${checks} checks, ${failures} failed`);
process.exit(failures ? 1 : 0);
