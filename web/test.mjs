// node test.mjs: bundles each tests/*.test.ts for Node.js and runs all of them; needs no browser and no network.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tests = readdirSync(join(here, "tests")).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(tmpdir(), "alembert-web-"));
await build({
  absWorkingDir: here,
  entryPoints: tests.map((name) => join("tests", name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "warning",
  loader: { ".css": "empty" },
});
const files = readdirSync(out).filter((name) => name.endsWith(".mjs")).map((name) => join(out, name));
const run = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(run.status ?? 1);
