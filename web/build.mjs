// node build.mjs FOLDER [CPP]: bundles src/page/main.ts and src/studio/main.ts into FOLDER (page.js, page.css, studio.js,
// studio.css), lists the licences of what they contain (licences.txt), and writes all of it as the C++ source CPP, which
// defines web_bundle of src/alembert/plot/web.h. Needs node_modules; no network.
import { build } from "esbuild";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [folder, source] = process.argv.slice(2);

/** The packages whose files went into a bundle. */
function packagesOf(metafile) {
  const names = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const at = path.lastIndexOf("node_modules/");
    if (at < 0) continue;
    const parts = path.slice(at + "node_modules/".length).split("/");
    names.add(parts[0].startsWith("@") ? parts.slice(0, 2).join("/") : parts[0]);
  }
  return names;
}

/** Name, version and licence text of a package, as its licence asks us to hand on. */
function licenceOf(name) {
  const root = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const file = readdirSync(root).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(root, file), "utf8").trim() : "";
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** A C++ literal: compilers take pieces of any length, but short lines keep editors alive. */
function literal(text) {
  const bytes = Buffer.from(text, "utf8");
  const lines = [];
  for (let at = 0; at < bytes.length; at += 4096) {
    let line = "";
    for (const byte of bytes.subarray(at, at + 4096)) {
      if (byte === 0x0a) line += "\\n";
      else if (byte === 0x22 || byte === 0x5c) line += "\\" + String.fromCharCode(byte);
      else if (byte >= 0x20 && byte < 0x7f && byte !== 0x3f) line += String.fromCharCode(byte);
      else line += "\\" + byte.toString(8).padStart(3, "0");
    }
    lines.push(`"${line}"`);
  }
  return lines.length ? lines.join("\n") : '""';
}

const result = await build({
  absWorkingDir: here,
  entryPoints: { page: "src/page/main.ts", studio: "src/studio/main.ts" },
  outdir: resolve(folder),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  charset: "utf8",
  legalComments: "none", // licences.txt has them
  metafile: true,
  logLevel: "warning",
  loader: { ".woff2": "dataurl", ".woff": "empty", ".ttf": "empty" },
});
mkdirSync(folder, { recursive: true });
const packages = [...packagesOf(result.metafile)].sort();
writeFileSync(join(folder, "licences.txt"), packages.map(licenceOf).join("\n" + "-".repeat(72) + "\n\n"));
if (source) {
  const names = ["page.js", "page.css", "studio.js", "studio.css", "licences.txt"];
  const entries = names
    .map((name) => join(folder, name))
    .map((path, i) => `    {"${names[i]}", std::string_view(${literal(existsSync(path) ? readFileSync(path, "utf8") : "")})},\n`);
  const template = readFileSync(join(here, "..", "cmake", "web_bundle.cpp.in"), "utf8");
  writeFileSync(source, template.replace("@entries@", () => entries.join("")));
}
