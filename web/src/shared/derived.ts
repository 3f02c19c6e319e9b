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

/** Angles and angular velocities of bodies at all rows, computed together when the first of them is looked at. */
class Turning {
  private lists: Float64Array[] | null = null;
  constructor(private readonly motion: Motion, private readonly bodies: BodyData[]) {}

  /** The k-th of body i: angles about x, y, z, then omega. */
  at(i: number, k: number): Float64Array {
    this.lists ??= this.make();
    return this.lists[6 * i + k];
  }

  private make(): Float64Array[] {
    const { motion, bodies } = this;
    const { t } = motion.run;
    const lists = Array.from({ length: 6 * bodies.length }, () => new Float64Array(t.length));
    for (let row = 0; row < t.length; row++) {
      motion.go(t[row]);
      bodies.forEach((body, i) => {
        anglesOf(motion.pose(body)).forEach((angle, k) => (lists[6 * i + k][row] = angle));
        for (let k = 0; k < 3; k++) lists[6 * i + 3 + k][row] = motion.number(body.omega[k]);
      });
    }
    return lists.map((list, i) => (i % 6 < 3 ? unwrapped(list) : list));
  }
}

/** Bodies that turn in space and whose columns are all there. */
export function turningBodies(scene: SceneData): BodyData[] {
  return scene.bodies.filter((body) => body.axes.length === 9 && body.axes.every((ref) => ref !== null));
}

export function addDerived(run: Run, scene: SceneData): void {
  const bodies = turningBodies(scene).slice(0, 40);
  const turning = new Turning(new Motion(scene, run), bodies);
  bodies.forEach((body, i) => {
    ["x", "y", "z"].forEach((axis, k) => {
      if (!run.column(`${body.name}.angles[1]`)) run.add(new LateColumn(`${body.name}.angle.${axis}`, "bodies", "", run.t, () => turning.at(i, k)));
    });
    ["x", "y", "z"].forEach((axis, k) => {
      if (body.omega.every((ref) => ref !== null)) run.add(new LateColumn(`${body.name}.omega.${axis}`, "bodies", "", run.t, () => turning.at(i, 3 + k)));
    });
  });
}

/** Whether a column is an entry of a quaternion of a body, or its rate. */
export function isQuaternion(name: string, scene: SceneData | null): boolean {
  const found = /^(?:p\.)?(.*)\.e\[[1-4]\]'?$/.exec(name);
  return found !== null && scene !== null && scene.bodies.some((body) => body.name === found[1]);
}
