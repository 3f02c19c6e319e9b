import { strict as assert } from "node:assert";
import { test } from "node:test";
import { csvField, csvOf, fileName } from "../src/shared/export";

test("CSV has fields that a reader takes apart again", () => {
  assert.equal(csvField("x"), "x");
  assert.equal(csvField('a,"b"'), '"a,""b"""');
  const x = [0, 1];
  assert.equal(csvOf({ spec: { x: "t", log: false }, lines: [{ label: "a", x, y: [1, 2] }, { label: "b", x, y: [3, NaN] }] }), "t,a,b\n0,1,3\n1,2,\n");
  assert.equal(csvOf({ spec: { x: "t", log: true }, lines: [{ label: "a", x, y: [1, 2] }] }), "t,a\n0,10\n1,100\n");
});

test("names of files are harmless", () => {
  assert.equal(fileName("../<b>x", ".svg"), ".._b_x.svg");
  assert.equal(fileName("", ".csv"), "plot.csv");
});
