import { strict as assert } from "node:assert";
import { test } from "node:test";
import { escapeXml, shortNumber } from "../src/shared/text";

test("numbers are short and keep their size", () => {
  assert.equal(shortNumber(0), "0");
  assert.equal(shortNumber(1 / 3), "0.333333");
  assert.equal(shortNumber(-1234567), "-1.23457e6");
  assert.equal(shortNumber(1e-12), "1e-12");
  assert.equal(shortNumber(NaN), "NaN");
});

test("markup becomes text", () => {
  assert.equal(escapeXml(`<a href="x">&'\u0001`), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
});
