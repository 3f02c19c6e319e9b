// Columns that a page adds to those of a run: angles and angular velocities of bodies, in place of quaternions.

import { Column, Run } from "./run";
import { BodyData, Motion, Pose, SceneData } from "./scene";

/** Angles of rotations about x, then y, then z, all of the world: R = Rz(c) Ry(b) Rx(a). */
export function anglesOf(pose: Pose): [number, number, number] {
  const sine = Math.min(1, Math.max(-1, -pose.x[2]));
  return [Math.atan2(pose.y[2], pose.z[2]), Math.asin(sine), Math.atan2(pose.x[1], pose.x[0])];
}

/** Without jumps by whole turns. */
export function unwrapped(list: Float64Array): Float64Array {
  const result = Float64Array.from(list);
  for (let i = 1; i < result.length; i++) {
    const turns = Math.round((result[i] - result[i - 1]) / (2 * Math.PI));
    result[i] -= 2 * Math.PI * turns;
  }
  return result;
}

/** A column whose values are computed when they are first looked at. */
class LateColumn implements Column {
  private list: Float64Array | null = null;
  constructor(readonly name: string, readonly kind: string, readonly unit: string, readonly t: Float64Array, private readonly make: () => Float64Array) {}
  get values(): Float64Array {
    return (this.list ??= this.make());
  }
  get y(): Float64Array {
    return this.values;
  }
}

function collect(motion: Motion, read: () => number): Float64Array {
  const { t } = motion.run;
  const list = new Float64Array(t.length);
  for (let i = 0; i < t.length; i++) {
    motion.go(t[i]);
    list[i] = read();
  }
  return list;
}

/** Bodies that turn in space and whose columns are all there. */
export function turningBodies(scene: SceneData): BodyData[] {
  return scene.bodies.filter((body) => body.axes.length === 9 && body.axes.every((ref) => ref !== null));
}

export function addDerived(run: Run, scene: SceneData): void {
  const motion = new Motion(scene, run);
  for (const body of turningBodies(scene).slice(0, 200)) {
    const angles = body.name + ".angle";
    if (!run.column(`${body.name}.angles[1]`))
      ["x", "y", "z"].forEach((axis, k) =>
        run.add(new LateColumn(`${angles}.${axis}`, "bodies", "", run.t, () => unwrapped(collect(motion, () => anglesOf(motion.pose(body))[k])))));
    if (body.omega.every((ref) => ref !== null))
      ["x", "y", "z"].forEach((axis, k) =>
        run.add(new LateColumn(`${body.name}.omega.${axis}`, "bodies", "", run.t, () => collect(motion, () => motion.number(body.omega[k])))));
  }
}

/** Whether a column is an entry of a quaternion of a body, or its rate. */
export function isQuaternion(name: string, scene: SceneData | null): boolean {
  const found = /^(?:p\.)?(.*)\.e\[[1-4]\]'?$/.exec(name);
  return found !== null && scene !== null && scene.bodies.some((body) => body.name === found[1]);
}
