// Which shape a body gets from its joints, its inertia and what the model says. Nothing here knows how it is drawn.

import {
  BodyData, JointData, Motion, Pose, Vector, add, cross, directionInBody, dot, inBody, isFinite3, length, scaled, subtract, unit,
} from "./scene";

/** A point of a body where something is joined, in the frame of the body. */
export interface Anchor { at: Vector; joint?: JointData; axis?: Vector }

export type Part =
  | { kind: "rod"; from: Vector; to: Vector; thick?: number }
  | { kind: "plate"; corners: Vector[]; spatial: boolean }
  | { kind: "ball"; at: Vector; radius: number; marked?: boolean }
  | { kind: "disk"; at: Vector; axis: Vector; radius: number; thickness: number }
  | { kind: "ring"; at: Vector; axis: Vector; radius: number; thickness: number }
  | { kind: "box"; at: Vector; size: Vector }
  | { kind: "ellipsoid"; at: Vector; size: Vector };

/** Moments about the own axes; in the plane the only one is about z. */
export function momentsOf(motion: Motion, body: BodyData): Vector {
  const i = body.inertia.map((ref) => motion.number(ref));
  if (i.length === 1) return [i[0] / 2, i[0] / 2, i[0]];
  if (i.length === 9) return [i[0], i[4], i[8]];
  return [i[0], i[1], i[2]];
}

/** The edges of a box of even density with these moments. */
export function boxOf(moments: Vector, mass: number): Vector {
  const [a, b, c] = moments;
  const edge = (x: number) => Math.sqrt(Math.max(6 * x / mass, 0));
  return [edge(b + c - a), edge(a + c - b), edge(a + b - c)];
}

/** The axis about which a body is round: two moments are equal there; null where none is. */
export function axisOfSymmetry(moments: Vector): { axis: Vector; flat: boolean; slender: boolean } | null {
  const same = (x: number, y: number) => Math.abs(x - y) <= 0.02 * Math.max(x, y);
  for (const k of [2, 0, 1]) {
    const [x, y] = [moments[(k + 1) % 3], moments[(k + 2) % 3]];
    if (!same(x, y) || same(x, moments[k])) continue;
    const axis: Vector = [0, 0, 0];
    axis[k] = 1;
    return { axis, flat: moments[k] > x, slender: moments[k] < 0.3 * x };
  }
  return null;
}

/** Anchors that are one place are one. */
export function distinct(anchors: Anchor[], tolerance: number): Vector[] {
  const places: Vector[] = [];
  for (const { at } of anchors) if (!places.some((p) => length(subtract(p, at)) <= tolerance)) places.push(at);
  return places;
}

/** How far points are from lying on a line, and from lying in a plane. */
export function spread(points: Vector[]): { line: number; plane: number } {
  let far = 0;
  let axis: Vector = [1, 0, 0];
  for (const a of points) for (const b of points) {
    const d = subtract(b, a);
    if (length(d) > far) { far = length(d); axis = scaled(d, 1 / far); }
  }
  let line = 0;
  let across: Vector = [0, 1, 0];
  for (const p of points) {
    const d = subtract(p, points[0]);
    const off = subtract(d, scaled(axis, dot(d, axis)));
    if (length(off) > line) { line = length(off); across = unit(off); }
  }
  const normal = cross(axis, across);
  let plane = 0;
  for (const p of points) plane = Math.max(plane, Math.abs(dot(subtract(p, points[0]), normal)));
  return { line, plane: line > 0 ? plane : 0 };
}

/** The arms of a wishbone: from both ends of a hinge to a ball; null where it is none. */
function wishbone(anchors: Anchor[], places: Vector[]): Part[] | null {
  const hinges = anchors.filter((a) => a.joint?.kind === "revolute" && a.axis);
  const balls = anchors.filter((a) => a.joint?.kind === "spherical" || a.joint?.kind === "universal");
  if (hinges.length !== 1 || balls.length !== 1 || places.length < 2) return null;
  const [hinge, ball] = [hinges[0], balls[0]];
  const arm = subtract(ball.at, hinge.at);
  if (Math.abs(dot(unit(arm), hinge.axis!)) > 0.3) return null;
  const side = scaled(hinge.axis!, 0.4 * length(arm));
  const ends = [add(hinge.at, side), subtract(hinge.at, side)];
  const parts: Part[] = ends.map((end) => ({ kind: "rod", from: end, to: ball.at }));
  parts.push({ kind: "rod", from: ends[0], to: ends[1], thick: 1.2 });
  // A bridge that carries what else is fixed to it.
  const others = places.filter((p) => length(subtract(p, hinge.at)) > 1e-9 && length(subtract(p, ball.at)) > 1e-9);
  for (const other of others) {
    const s = Math.min(0.9, Math.max(0.1, dot(subtract(other, hinge.at), arm) / dot(arm, arm)));
    const at = (end: Vector): Vector => add(end, scaled(subtract(ball.at, end), s));
    parts.push({ kind: "rod", from: at(ends[0]), to: at(ends[1]) });
    if (length(subtract(other, add(hinge.at, scaled(arm, s)))) > 1e-9) parts.push({ kind: "rod", from: add(hinge.at, scaled(arm, s)), to: other });
  }
  return parts;
}

/** A body on a single point: a top, a pendulum rod, or a weight at the end of one. */
function hanging(at: Vector, moments: Vector, mass: number, planar: boolean): Part[] {
  const l = length(at);
  const away = scaled(at, -1 / l);
  const round = axisOfSymmetry(moments);
  if (!planar && round && !round.slender && Math.abs(dot(round.axis, away)) > 0.99) {
    const moment = dot(round.axis, moments as Vector);
    const radius = Math.min(Math.max(Math.sqrt(2 * Math.abs(moment) / mass), 0.25 * l), 0.9 * l);
    return [
      { kind: "rod", from: at, to: scaled(away, 0.35 * l) },
      { kind: "disk", at: [0, 0, 0], axis: away, radius, thickness: 0.18 * l },
    ];
  }
  if (!planar && round?.slender && Math.abs(dot(round.axis, away)) > 0.9) return [{ kind: "rod", from: at, to: scaled(away, l), thick: 1.6 }];
  const about = planar ? moments[2] : Math.max(...moments);
  // A rod whose middle is its centre of mass has m (2 l)^2/12.
  const slender = about > 0.5 * (mass * 4 * l * l) / 12 && about < 1.6 * (mass * 4 * l * l) / 12;
  if (slender) return [{ kind: "rod", from: at, to: scaled(away, l) }];
  return [
    { kind: "rod", from: at, to: [0, 0, 0] },
    { kind: "ball", at: [0, 0, 0], radius: Math.min(0.3 * l, Math.max(0.1 * l, Math.sqrt(2.5 * about / mass))) },
  ];
}

/** A body whose joints are all in its centre: a ring of a gimbal, a rotor, a wheel; else what its inertia says. */
function central(anchors: Anchor[], moments: Vector, mass: number, planar: boolean): Part[] {
  if (anchors.some((a) => a.joint?.kind === "prismatic")) return []; // the block of the slider stands for it
  const axes = anchors.filter((a) => a.axis).map((a) => a.axis!);
  const largest = Math.max(...moments);
  const other = axes.find((axis) => length(cross(axis, axes[0])) > 0.5);
  if (!planar && axes.length > 1 && other) {
    const radius = Math.sqrt(largest / mass) * 1.15;
    return [{ kind: "ring", at: [0, 0, 0], axis: unit(cross(axes[0], other)), radius, thickness: 0.06 * radius }];
  }
  if (planar) {
    const radius = Math.sqrt((2 * moments[2]) / mass);
    return [{ kind: "disk", at: [0, 0, 0], axis: [0, 0, 1], radius, thickness: 0.2 * radius }];
  }
  const round = axisOfSymmetry(moments);
  if (round && round.flat) {
    const radius = Math.sqrt((2 * largest) / mass) * 0.85;
    return [{ kind: "disk", at: [0, 0, 0], axis: round.axis, radius, thickness: 0.3 * radius }];
  }
  if (!round && Math.max(...moments) <= 1.02 * Math.min(...moments))
    return [{ kind: "ball", at: [0, 0, 0], radius: Math.sqrt((2.5 * largest) / mass), marked: true }];
  return [{ kind: "box", at: [0, 0, 0], size: boxOf(moments, mass) }];
}

/** What a body looks like by its joints. `size` is how large the mechanism is. */
export function shapeOf(motion: Motion, body: BodyData, anchors: Anchor[], size: number): Part[] {
  const planar = body.axes.length === 4;
  const mass = motion.number(body.mass[0]);
  const moments = momentsOf(motion, body);
  const tolerance = 1e-6 * size;
  const places = distinct(anchors, tolerance);
  const off = places.filter((p) => length(p) > tolerance);
  if (off.length === 0) return central(anchors, moments, mass, planar);
  if (places.length === 1) return hanging(off[0], moments, mass, planar);
  const arms = planar ? null : wishbone(anchors, places);
  if (arms) return arms;
  const { line, plane } = spread(places);
  const far = Math.max(...places.flatMap((a) => places.map((b) => length(subtract(a, b)))));
  if (line < 0.02 * far) {
    // On one line: a rod between the outermost two.
    let best: [Vector, Vector] = [places[0], places[1]];
    for (const a of places) for (const b of places) if (length(subtract(a, b)) > length(subtract(best[0], best[1]))) best = [a, b];
    const aside = spread([...best, [0, 0, 0]]).line;
    if (aside > 0.08 * far) return [{ kind: "plate", corners: [...best, [0, 0, 0]], spatial: false }];
    return [{ kind: "rod", from: best[0], to: best[1] }];
  }
  return [{ kind: "plate", corners: places, spatial: plane > 0.05 * far }];
}

/** Where joints and springs take hold of a body, now. */
export function anchorsOf(motion: Motion, body: BodyData, pose: Pose): Anchor[] {
  const anchors: Anchor[] = [];
  const { scene } = motion;
  for (const joint of scene.joints) {
    if (joint.kind === "rolling") continue;
    for (const [side, refs] of [[joint.from, joint.p], [joint.to, joint.q]] as const) {
      if (side !== body.name) continue;
      const place = motion.vector(refs);
      if (!isFinite3(place)) continue;
      const frame = joint.frame.map((ref) => motion.number(ref));
      const axis = frame.length === 9 ? directionInBody(pose, [frame[6], frame[7], frame[8]]) : undefined;
      const turns = joint.kind !== "spherical" && joint.kind !== "distance" && joint.kind !== "fixed";
      // A slider may be anywhere on its axis: where it is now says nothing about the body.
      anchors.push({ at: inBody(pose, place), joint, axis: turns ? axis : undefined });
    }
  }
  for (const spring of scene.springs)
    for (const [side, refs] of [[spring.from, spring.p], [spring.to, spring.q]] as const) {
      const place = motion.vector(refs);
      if (side === body.name && isFinite3(place)) anchors.push({ at: inBody(pose, place) });
    }
  return anchors;
}
