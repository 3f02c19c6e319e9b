// How large a mechanism is, how far it goes, and where is up.

import { Motion, Refs, Vector, isFinite3, length, scaled, subtract } from "./scene";

export interface Extent {
  size: number; // of the mechanism
  centre: Vector; // of what is to be in sight
  radius: number;
  low: Vector; // of everything that it reaches
  high: Vector;
  up: Vector;
  floor?: number; // how high the lowest thing is
  wanders: boolean; // it goes much farther than it is large
}

/** Places whose motion says how far a mechanism goes. */
function placesOf(motion: Motion): Refs[] {
  const { scene } = motion;
  return [
    ...scene.bodies.map((body) => body.position),
    ...scene.points.map((point) => point.position),
    ...scene.joints.flatMap((joint) => [joint.p, joint.q]),
    ...scene.springs.flatMap((spring) => [spring.p, spring.q]),
    ...scene.loads.map((load) => load.at),
    ...scene.shapes.filter((shape) => shape.body === "ground").flatMap((shape) => [shape.at, shape.from, shape.to]),
  ].filter((refs) => refs.length > 1);
}

/** How far a body reaches around its place, by what is known of its shape. */
function reachOf(motion: Motion): number {
  const { scene } = motion;
  const sizes = [
    ...scene.joints.map((joint) => motion.number(joint.radius[0])),
    ...scene.contacts.flatMap((contact) => contact.size.map((ref) => motion.number(ref))),
    ...scene.shapes.flatMap((shape) => [
      motion.number(shape.radius[0]),
      ...shape.size.map((ref) => motion.number(ref) / 2),
      motion.number(shape.length[0]) / 2,
    ]),
  ].filter(Number.isFinite);
  for (const body of scene.bodies) {
    const mass = motion.number(body.mass[0]);
    const moments = body.inertia.slice(0, 3).map((ref) => motion.number(ref));
    const radius = Math.sqrt(Math.max(...moments) / mass);
    if (Number.isFinite(radius)) sizes.push(1.2 * radius);
  }
  return sizes.length ? Math.max(...sizes) : 0;
}

class Box {
  low: Vector = [Infinity, Infinity, Infinity];
  high: Vector = [-Infinity, -Infinity, -Infinity];
  include(p: Vector): void {
    for (let k = 0; k < 3; k++) {
      this.low[k] = Math.min(this.low[k], p[k]);
      this.high[k] = Math.max(this.high[k], p[k]);
    }
  }
  get diagonal(): number {
    return this.low[0] > this.high[0] ? 0 : length(subtract(this.high, this.low));
  }
}

export function upOf(motion: Motion): Vector {
  if (motion.dimension === 2) return [0, 1, 0];
  const g = motion.vector(motion.scene.gravity);
  if (motion.scene.gravity.length === 3 && isFinite3(g) && length(g) > 0) return scaled(g, -1 / length(g));
  return [0, 0, 1];
}

export function extentOf(motion: Motion): Extent {
  const { t } = motion.run;
  const places = placesOf(motion);
  const samples = Math.min(t.length, 120);
  const whole = new Box();
  let size = 0;
  for (let i = 0; i < samples; i++) {
    const now = new Box();
    motion.go(t[samples > 1 ? Math.round((i * (t.length - 1)) / (samples - 1)) : 0]);
    for (const refs of places) {
      const p = motion.vector(refs);
      if (!isFinite3(p)) continue;
      now.include(p);
      whole.include(p);
    }
    if (Number.isFinite(now.diagonal)) size = Math.max(size, now.diagonal);
  }
  motion.go(t[0]);
  const reach = reachOf(motion);
  const still = motion.scene.constraints.length > 0 || motion.scene.joints.some((j) => j.from === "ground" || j.to === "ground");
  if (still && motion.scene.bodies.length === 0) whole.include([0, 0, 0]);
  const travelled = whole.diagonal;
  // Points alone have no size but that of their paths.
  if (size === 0 && reach === 0) size = travelled || 1;
  const own = Math.max(size, 2 * reach, 1e-12);
  const wanders = motion.scene.bodies.length + motion.scene.shapes.length > 0 && travelled > 12 * own;
  const up = upOf(motion);
  if (wanders || travelled === 0) {
    motion.go(t[0]);
    const first = places.length ? motion.vector(places[0]) : ([0, 0, 0] as Vector);
    return { size: own, centre: first, radius: 1.6 * own, low: whole.low, high: whole.high, up, wanders };
  }
  const centre = scaled([whole.low[0] + whole.high[0], whole.low[1] + whole.high[1], whole.low[2] + whole.high[2]], 0.5);
  const radius = 0.5 * travelled + reach;
  if (motion.scene.bodies.length === 0) return { size: Math.max(own, 0.5 * travelled), centre, radius: 1.1 * radius, low: whole.low, high: whole.high, up, wanders };
  return { size: own, centre, radius: 1.1 * radius, low: whole.low, high: whole.high, up, wanders };
}
