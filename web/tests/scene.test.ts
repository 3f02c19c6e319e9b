import { strict as assert } from "node:assert";
import { test } from "node:test";
import { centreOf, rodOf, zeroCurve, zeroSurface } from "../src/shared/constraints";
import { anglesOf, unwrapped } from "../src/shared/derived";
import { Program } from "../src/shared/program";
import { Run, RunData, merged } from "../src/shared/run";
import { Motion, SceneData, Vector, length } from "../src/shared/scene";
import { axisOfSymmetry, boxOf, spread } from "../src/shared/shapes";

const base64 = (list: Float64Array | Uint32Array) => Buffer.from(list.buffer).toString("base64");

function runOf(columns: Record<string, number[]>): Run {
  const names = Object.keys(columns);
  const data: RunData = {
    title: "test", model: "", method: "", step: 0, rows: columns[names[0]].length, every: 1,
    shown: base64(Uint32Array.from(columns[names[0]].map((_, i) => i))),
    columns: names.map((name) => ({ name, kind: name === "t" ? "time" : "coordinates", unit: "", values: base64(Float64Array.from(columns[name])) })),
    events: [],
  };
  return new Run(data);
}

test("a table is a cubic between its knots", () => {
  // 0 before 1, (x - 1)^3 from 1 to 2, 1 + 3 (x - 2) behind; of 2 a
  const program = new Program({
    inputs: ["a"], constants: [2], operators: ["input", "constant", "*", "table"], code: [0, 0, 0, 1, 0, 0, 2, 0, 1, 3, 2, 0],
    tables: [{ knots: [1, 2], pieces: [1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2, 1, 3, 0, 0] }],
  });
  const value = (x: number) => program.run([x / 2])[3];
  assert.deepEqual([0.5, 1, 1.5, 2, 4].map(value), [0, 0, 0.125, 1, 7]);
  assert.equal(program.evaluate(3, [0.75]), 0.125);
});

test("a program computes what its operators say", () => {
  // sin(a)*2 - b
  const program = new Program({
    inputs: ["a", "b"], constants: [2], operators: ["input", "constant", "sin", "*", "-"],
    code: [0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0, 0, 3, 3, 2, 4, 4, 1],
  });
  assert.ok(Math.abs(program.run([0.5, 0.25])[5] - (2 * Math.sin(0.5) - 0.25)) < 1e-15);
  assert.ok(Math.abs(program.evaluate(5, [0.3, 1]) - (2 * Math.sin(0.3) - 1)) < 1e-15);
  assert.throws(() => new Program({ inputs: [], constants: [], operators: ["nonsense"], code: [0, 0, 0] }));
});

test("a run finds its rows, forward and backward in time", () => {
  const run = runOf({ t: [0, 1, 3], x: [0, 10, 30] });
  assert.deepEqual(run.place(2), { row: 1, share: 0.5 });
  const to = new Float64Array(2);
  run.sample(["x", "gone"], 2, to);
  assert.equal(to[0], 20);
  assert.ok(Number.isNaN(to[1]));
  assert.deepEqual(runOf({ t: [0, -1, -2], x: [0, 1, 2] }).place(-1.25), { row: 1, share: 0.25 });
});

test("extremes stand in the order of their rows", () => {
  assert.deepEqual([...merged(Uint32Array.of(0, 10, 20), [0, 1, 2], Uint32Array.of(3, 15), [9, -9])], [0, 9, 1, -9, 2]);
});

/** Two points in the plane: (x1, y1) on a circle about (1, 2), (x2, y2) on a rod to it. */
function doublePendulum(): Motion {
  // Results 0 to 3: the inputs; 4: 1, 5: 2; g1 = (x1 - 1)^2 + (y1 - 2)^2 - 1, g2 = (x2 - x1)^2 + (y2 - y1)^2 - 1
  const operators = ["input", "constant", "-", "*", "+"];
  const code = [
    0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 1, 0, 0, 1, 1, 0, // 0 to 5
    2, 0, 4, 2, 1, 5, 3, 6, 6, 3, 7, 7, 4, 8, 9, 2, 10, 4, // 6 to 11
    2, 2, 0, 2, 3, 1, 3, 12, 12, 3, 13, 13, 4, 14, 15, 2, 16, 4, // 12 to 17
  ];
  const scene = {
    program: { inputs: ["x1", "y1", "x2", "y2"], constants: [1, 2], operators, code },
    gravity: [], bodies: [], joints: [], springs: [], loads: [], contacts: [], shapes: [],
    points: [{ name: "1", position: [0, 1] }, { name: "2", position: [2, 3] }],
    constraints: [
      { name: "rod1", value: 11, points: [0], moving: false },
      { name: "rod2", value: 17, points: [0, 1], moving: false },
    ],
  } as SceneData;
  const motion = new Motion(scene, runOf({ t: [0, 1], x1: [2, 2], y1: [2, 2], x2: [3, 3], y2: [2, 2] }));
  motion.go(0);
  return motion;
}

test("rods are told from their constraints", () => {
  const motion = doublePendulum();
  const first = rodOf(motion, motion.scene.constraints[0], 1);
  assert.ok(first && first.second === null);
  assert.ok(length([first.centre[0] - 1, first.centre[1] - 2, 0]) < 1e-6);
  const second = rodOf(motion, motion.scene.constraints[1], 1);
  assert.ok(second && second.second === 1);
});

test("what is no sphere has no centre", () => {
  assert.equal(centreOf((p) => p[2] - p[0] ** 2 - p[1] ** 2, [0.3, 0.2, 0.1], 3, 1), null, "paraboloid");
  assert.equal(centreOf((p) => p[0] + 2 * p[1], [0, 0, 0], 3, 1), null, "plane");
  const centre = centreOf((p) => Math.hypot(p[0] - 1, p[1], p[2] + 2) - 3, [4, 0, -2], 3, 1);
  assert.ok(centre && length([centre[0] - 1, centre[1], centre[2] + 2]) < 1e-5, "not only squares");
});

test("zero sets lie where the function is zero", () => {
  const sphere = (p: Vector) => p[0] ** 2 + p[1] ** 2 + p[2] ** 2 - 1;
  const triangles = zeroSurface(sphere, [-1.2, -1.2, -1.2], [1.2, 1.2, 1.2], 24);
  assert.ok(triangles.length > 1000 && triangles.length % 3 === 0);
  let area = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = triangles.slice(i, i + 3);
    const u = b.map((x, k) => x - a[k]);
    const v = c.map((x, k) => x - a[k]);
    area += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
  }
  assert.ok(Math.abs(area / (4 * Math.PI) - 1) < 0.02, "the area of the unit sphere");
  for (const p of triangles) assert.ok(Math.abs(sphere(p)) < 0.02);
  const circle = zeroCurve((p) => p[0] ** 2 + p[1] ** 2 - 1, [-1.5, -1.5, 0], [1.5, 1.5, 0]);
  let perimeter = 0;
  for (let i = 0; i < circle.length; i += 2) perimeter += length([circle[i][0] - circle[i + 1][0], circle[i][1] - circle[i + 1][1], 0]);
  assert.ok(Math.abs(perimeter / (2 * Math.PI) - 1) < 0.01);
});

test("inertia tells shapes", () => {
  // A box 1 x 2 x 3 of mass 12: moments 13, 10, 5.
  assert.deepEqual(boxOf([13, 10, 5], 12).map((x) => +x.toFixed(12)), [1, 2, 3]);
  assert.deepEqual(axisOfSymmetry([1, 1, 2])?.axis, [0, 0, 1]);
  assert.equal(axisOfSymmetry([1, 1, 1]), null);
  assert.equal(axisOfSymmetry([0.1, 5, 5])?.slender, true);
  assert.ok(spread([[0, 0, 0], [1, 1, 0], [2, 2, 0]]).line < 1e-12);
});

test("angles of a pose, through any number of turns", () => {
  const c = Math.cos(0.4);
  const s = Math.sin(0.4);
  const pose = { place: [0, 0, 0] as Vector, x: [c, s, 0] as Vector, y: [-s, c, 0] as Vector, z: [0, 0, 1] as Vector };
  assert.ok(Math.abs(anglesOf(pose)[2] - 0.4) < 1e-12);
  assert.deepEqual([...unwrapped(Float64Array.of(3, -3, 3))].map((x) => +x.toFixed(6)), [3, +(2 * Math.PI - 3).toFixed(6), 3]);
});
