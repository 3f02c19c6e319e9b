// Contacts: where bodies touch, and the walls that points may touch.

import * as THREE from "three";
import type { Force } from "./arrows";
import { zeroCurve } from "./constraints";
import { Extent } from "./extent";
import { ball, material, vector } from "./meshes";
import { GapData, Motion, Vector, add, dot, isFinite3, length, scaled, subtract, unit } from "./scene";
import { surfaceMesh } from "./surfaces";

type Update = () => void;
const grey = 0x7d828a;
const touching = 0xd55e00;

/** A gap below a hundredth of the mechanism looks closed. */
const closed = 0.01;

/** Marks where bodies touch, and the forces there. */
export function addContacts(motion: Motion, size: number, thin: number, root: THREE.Group, updates: Update[]): Force[] {
  const forces: Force[] = [];
  for (const contact of motion.scene.contacts)
    contact.touch.forEach((touch, k) => {
      const mark = ball(0.8 * thin, material(touching));
      root.add(mark);
      updates.push(() => {
        const at = motion.vector(touch);
        const gap = dot(subtract(at, motion.vector(contact.base)), motion.vector(contact.normal));
        mark.visible = isFinite3(at) && (contact.otherShape !== "plane" || Math.abs(gap) < closed * size);
        if (mark.visible) mark.position.set(...at);
      });
      const force = contact.force?.[k] ?? null;
      if (force !== null) forces.push({ at: () => motion.vector(touch), force: () => scaled(unit(motion.vector(contact.normal)), motion.number(force)) });
    });
  return forces;
}

function gradientOf(field: (at: Vector) => number, at: Vector, dimension: number, h: number): Vector {
  return [0, 1, 2].map((k) => {
    if (k >= dimension) return 0;
    const step: Vector = [0, 0, 0];
    step[k] = h;
    return (field(add(at, step)) - field(subtract(at, step))) / (2 * h);
  }) as Vector;
}

/** A line with hatches on the side that cannot be entered. */
function hatchedWall(field: (at: Vector) => number, low: Vector, high: Vector, size: number): THREE.LineSegments | null {
  const segments = zeroCurve(field, low, high);
  if (!segments.length) return null;
  const points: THREE.Vector3[] = [];
  const gap = 0.05 * size;
  let rest = 0; // of the way to the next hatch
  for (let i = 0; i < segments.length; i += 2) {
    const [a, b] = [segments[i], segments[i + 1]];
    points.push(vector(a), vector(b));
    const way = length(subtract(b, a));
    for (; rest < way; rest += gap) {
      const at = add(a, scaled(subtract(b, a), rest / way));
      const inside = scaled(unit(gradientOf(field, at, 2, 1e-5 * size)), -0.7 * gap);
      points.push(vector(at), vector(add(at, [inside[0] - 0.7 * inside[1], inside[1] + 0.7 * inside[0], 0])));
    }
    rest -= way;
  }
  return new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ color: grey }));
}

/** The same wall may be the gap of many points. */
function sameWall(motion: Motion, a: GapData, b: GapData, places: Vector[]): boolean {
  return places.every((at) => {
    const [x, y] = [motion.elsewhere(a.value, a.places, [at]), motion.elsewhere(b.value, b.places, [at])];
    return Math.abs(x - y) <= 1e-9 * (Math.abs(x) + Math.abs(y) + 1e-9);
  });
}

/** Walls of points with marks where they are touched, and the forces there. Two points keep apart: marked alone. */
export function addGaps(motion: Motion, extent: Extent, thin: number, root: THREE.Group, updates: Update[]): Force[] {
  const forces: Force[] = [];
  const { size } = extent;
  const margin = 0.12 * Math.max(length(subtract(extent.high, extent.low)), size);
  const low = extent.low.map((x) => x - margin) as Vector;
  const high = extent.high.map((x) => x + margin) as Vector;
  const probes: Vector[] = [low, high, scaled(add(low, high), 0.37)];
  const walls: GapData[] = [];
  const most = 12;
  for (const gap of motion.scene.gaps ?? []) {
    const places = () => gap.places.map((refs) => motion.vector(refs));
    const field = (at: Vector) => motion.elsewhere(gap.value, gap.places, [at]);
    if (gap.places.length === 1 && !gap.moving && walls.length < most && !walls.some((other) => sameWall(motion, gap, other, probes))) {
      walls.push(gap);
      const wall = motion.dimension === 2 ? hatchedWall(field, low, high, size) : surfaceMesh(field, low, high, size, 0.35);
      if (wall) root.add(wall);
    }
    const mark = ball(1.1 * thin, material(touching));
    root.add(mark);
    const value = () => motion.number(gap.value);
    updates.push(() => {
      const [at, other] = places();
      mark.visible = isFinite3(at) && Math.abs(value()) < 1e-3 * size;
      if (!mark.visible) return;
      // Below the point, where it touches.
      const aside = other ? unit(subtract(at, other)) : unit(gradientOf(field, at, motion.dimension, 1e-5 * size));
      mark.position.set(...add(at, scaled(aside, -2 * thin)));
    });
    if (gap.force !== null && gap.places.length === 1)
      forces.push({ at: () => places()[0], force: () => scaled(gradientOf(field, places()[0], motion.dimension, 1e-5 * size), motion.number(gap.force)) });
  }
  return forces;
}
