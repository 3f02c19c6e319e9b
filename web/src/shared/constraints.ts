// Constraints on points: which are rods, and the surfaces and curves of the others.

import { ConstraintData, Motion, Vector, add, dot, length, scaled, subtract } from "./scene";

/** Where a point hangs on: another point, or a place that does not move. */
export interface Rod { name: string; first: number; second: number | null; centre: Vector; moving?: () => Vector }

export interface Surface { name: string; triangles: Vector[] }
export interface Curve { name: string; segments: Vector[] }

type Field = (place: Vector) => number;

function gradient(f: Field, at: Vector, dimension: number, size: number): Vector {
  const h = 1e-5 * size;
  const g: Vector = [0, 0, 0];
  for (let k = 0; k < dimension; k++) {
    const step: Vector = [0, 0, 0];
    step[k] = h;
    g[k] = (f(add(at, step)) - f(subtract(at, step))) / (2 * h);
  }
  return g;
}

/** The centre about which f depends on the distance alone: where all gradients meet; null where they do not. */
export function centreOf(f: Field, near: Vector, dimension: number, size: number): Vector | null {
  const offsets: Vector[] = [
    [0.3, 0.1, 0.17],
    [-0.21, 0.37, -0.11],
    [0.13, -0.29, 0.33],
    [-0.35, -0.19, 0.07],
  ];
  const lines = offsets.map((offset) => {
    const at = add(near, scaled([offset[0], offset[1], dimension > 2 ? offset[2] : 0], size));
    const g = gradient(f, at, dimension, size);
    return { at, direction: scaled(g, 1 / length(g)) };
  });
  if (lines.some((line) => !line.direction.every(Number.isFinite))) return null;
  // The nearest points of the first two lines.
  const [a, b] = lines;
  const between = subtract(b.at, a.at);
  const c = dot(a.direction, b.direction);
  const bottom = 1 - c * c;
  if (bottom < 1e-8) return null; // parallel: a plane
  const s = (dot(between, a.direction) - c * dot(between, b.direction)) / bottom;
  const centre = add(a.at, scaled(a.direction, s));
  for (const line of lines) {
    const d = subtract(centre, line.at);
    const off = subtract(d, scaled(line.direction, dot(d, line.direction)));
    if (!(length(off) < 1e-4 * size)) return null;
  }
  return centre;
}

/** The rod that a constraint is, or null. `size` is how far things are apart. */
export function rodOf(motion: Motion, data: ConstraintData, size: number): Rod | null {
  const dimension = motion.dimension;
  const places = data.points.map((point) => motion.vector(motion.scene.points[point].position));
  if (data.points.length === 1) {
    const now = () => centreOf((at) => motion.constraint(data, [at]), motion.vector(motion.scene.points[data.points[0]].position), dimension, size);
    const centre = now();
    if (!centre) return null;
    // Where it hangs on may move with time.
    return { name: data.name, first: data.points[0], second: null, centre, ...(data.moving ? { moving: () => now() ?? centre } : {}) };
  }
  if (data.moving) return null;
  const between: Field = (d) => motion.constraint(data, [add(places[1], d), places[1]]);
  const centre = centreOf(between, subtract(places[0], places[1]), dimension, size);
  if (!centre || length(centre) > 1e-4 * size) return null;
  // It must not depend on where both are.
  const d = subtract(places[0], places[1]);
  const moved: Vector = [0.7 * size, -0.4 * size, dimension > 2 ? 0.5 * size : 0];
  const here = between(scaled(d, 1.3));
  const there = motion.constraint(data, [add(add(places[1], moved), scaled(d, 1.3)), add(places[1], moved)]);
  if (!(Math.abs(here - there) <= 1e-6 * (Math.abs(here) + Math.abs(there)) + 1e-12)) return null;
  return { name: data.name, first: data.points[0], second: data.points[1], centre: [0, 0, 0] };
}

/** Where f is 0 in the square from low to high, as pairs of points. */
export function zeroCurve(f: Field, low: Vector, high: Vector, cells = 90): Vector[] {
  const at = (i: number, j: number): Vector => [low[0] + ((high[0] - low[0]) * i) / cells, low[1] + ((high[1] - low[1]) * j) / cells, 0];
  const values: number[][] = [];
  for (let i = 0; i <= cells; i++) {
    values.push([]);
    for (let j = 0; j <= cells; j++) values[i].push(f(at(i, j)));
  }
  const segments: Vector[] = [];
  for (let i = 0; i < cells; i++) {
    for (let j = 0; j < cells; j++) {
      for (const corners of [[[i, j], [i + 1, j], [i + 1, j + 1]], [[i, j], [i + 1, j + 1], [i, j + 1]]]) {
        const found = crossings(corners.map(([a, b]) => at(a, b)), corners.map(([a, b]) => values[a][b]));
        if (found.length === 2) segments.push(...found);
      }
    }
  }
  return segments;
}

/** The places on the edges of a triangle or tetrahedron where values change their sign. */
function crossings(places: Vector[], values: number[]): Vector[] {
  const found: Vector[] = [];
  for (let a = 0; a < places.length; a++)
    for (let b = a + 1; b < places.length; b++) {
      if (!Number.isFinite(values[a]) || !Number.isFinite(values[b]) || values[a] > 0 === values[b] > 0) continue;
      const s = values[a] / (values[a] - values[b]);
      found.push(add(places[a], scaled(subtract(places[b], places[a]), s)));
    }
  return found;
}

// The six tetrahedra of a cube, by the bits of their corners.
const tetrahedra = [
  [0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7],
];

/** Where f is 0 in the box from low to high, as triangles. */
export function zeroSurface(f: Field, low: Vector, high: Vector, cells = 32): Vector[] {
  const n = cells + 1;
  const at = (i: number, j: number, k: number): Vector => [
    low[0] + ((high[0] - low[0]) * i) / cells,
    low[1] + ((high[1] - low[1]) * j) / cells,
    low[2] + ((high[2] - low[2]) * k) / cells,
  ];
  const values = new Float64Array(n * n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) for (let k = 0; k < n; k++) values[(i * n + j) * n + k] = f(at(i, j, k));
  const triangles: Vector[] = [];
  for (let i = 0; i < cells; i++)
    for (let j = 0; j < cells; j++)
      for (let k = 0; k < cells; k++) {
        let positive = 0;
        for (let c = 0; c < 8; c++) positive += values[((i + (c & 1)) * n + j + ((c >> 1) & 1)) * n + k + (c >> 2)] > 0 ? 1 : 0;
        if (positive === 0 || positive === 8) continue;
        for (const corners of tetrahedra) {
          const places = corners.map((c) => at(i + (c & 1), j + ((c >> 1) & 1), k + (c >> 2)));
          const found = crossings(places, corners.map((c) => values[((i + (c & 1)) * n + j + ((c >> 1) & 1)) * n + k + (c >> 2)]));
          if (found.length === 3) triangles.push(found[0], found[1], found[2]);
          // Four crossings: 0-2, 0-3, 1-2, 1-3 of two corners on each side, whose neighbours are 0, 1, 3, 2.
          else if (found.length === 4) triangles.push(found[0], found[1], found[2], found[1], found[3], found[2]);
        }
      }
  return triangles;
}
