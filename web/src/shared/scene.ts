// What is to be drawn, as src/alembert/plot/scene.h writes it, and where it is at a time. Nothing here knows how it is
// drawn.

import { Program, ProgramData } from "./program";
import { Run } from "./run";

/** The number of a result of the program; null where a column is missing. */
export type Ref = number | null;
export type Refs = Ref[];

export interface BodyData { name: string; position: Refs; axes: Refs; omega: Refs; mass: Refs; inertia: Refs }
export interface JointData {
  name: string; kind: string; from: string; to: string; body: string;
  p: Refs; q: Refs; frame: Refs; force: Refs; radius: Refs; normal: Refs; axle: Refs;
}
export interface SpringData { name: string; from: string; to: string; p: Refs; q: Refs; stiff: boolean; damped: boolean }
export interface LoadData { name: string; body: string; at: Refs; force: Refs }
export interface ContactData {
  name: string; body: string; other: string; shape: string; otherShape: string;
  centre: Refs; base: Refs; normal: Refs; touch: Refs[]; size: Refs; otherSize: Refs; axle: Refs;
  force?: Refs; // along the normal, of each point that may touch
}
export interface ShapeData {
  kind: string; body: string; colour: string; label: string;
  at: Refs; rotated: Refs; about: Refs; size: Refs; radius: Refs; length: Refs; axis: Refs; from: Refs; to: Refs; scale: Refs;
  corners?: number[];
}
export interface PointData { name: string; position: Refs }
export interface ConstraintData { name: string; value: number; points: number[]; moving: boolean }

/** A gap of points: above 0 where they are apart from what they may touch. */
export interface GapData { name: string; value: number; places: Refs[]; moving: boolean; force: Ref }

export interface SceneData {
  program: ProgramData;
  gravity: Refs;
  bodies: BodyData[];
  joints: JointData[];
  springs: SpringData[];
  loads: LoadData[];
  contacts: ContactData[];
  shapes: ShapeData[];
  points: PointData[];
  constraints: ConstraintData[];
  gaps?: GapData[];
}

export type Vector = [number, number, number];

/** A body at a time: its place, and its own axes in the world. */
export interface Pose { place: Vector; x: Vector; y: Vector; z: Vector }

/** A scene together with a run: everything at a time. */
export class Motion {
  readonly program: Program;
  readonly dimension: 2 | 3;
  private results: Float64Array;
  private readonly inputs: Float64Array;
  private readonly trial: Float64Array;

  constructor(readonly scene: SceneData, readonly run: Run) {
    this.program = new Program(scene.program);
    this.inputs = new Float64Array(this.program.inputs.length);
    this.trial = new Float64Array(this.inputs.length);
    this.results = this.program.run(this.inputs);
    this.dimension = dimensionOf(scene);
  }

  /** Goes to a time; what follows speaks of it. */
  go(time: number): void {
    this.run.sample(this.program.inputs, time, this.inputs);
    this.results = this.program.run(this.inputs);
  }

  number(ref: Ref | undefined): number {
    return ref === null || ref === undefined ? NaN : this.results[ref];
  }
  /** A place or a direction; in the plane the third is 0. */
  vector(refs: Refs): Vector {
    return [this.number(refs[0]), this.number(refs[1]), refs.length > 2 ? this.number(refs[2]) : 0];
  }
  pose(body: BodyData): Pose {
    const a = body.axes.map((ref) => this.number(ref));
    const place = this.vector(body.position);
    if (a.length === 4) return { place, x: [a[0], a[1], 0], y: [a[2], a[3], 0], z: [0, 0, 1] };
    return { place, x: [a[0], a[1], a[2]], y: [a[3], a[4], a[5]], z: [a[6], a[7], a[8]] };
  }
  /** The value of a constraint for other places of its points. */
  constraint(data: ConstraintData, places: Vector[]): number {
    return this.elsewhere(data.value, data.points.map((point) => this.scene.points[point].position), places);
  }
  /** A result where columns that are places have other values. */
  elsewhere(value: number, columns: Refs[], places: Vector[]): number {
    const inputs = this.trial;
    inputs.set(this.inputs);
    columns.forEach((refs, i) =>
      refs.forEach((ref, k) => {
        if (ref !== null) inputs[this.scene.program.code[3 * ref + 1]] = places[i][k];
      }),
    );
    return this.program.evaluate(value, inputs);
  }
}

function dimensionOf(scene: SceneData): 2 | 3 {
  const lists = [
    ...scene.bodies.map((body) => body.position),
    ...scene.points.map((point) => point.position),
    ...scene.shapes.flatMap((shape) => [shape.at, shape.from, shape.size]),
  ];
  return lists.some((list) => list.length === 3) ? 3 : 2;
}

// Vectors
// -------

export const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a: Vector, s: number): Vector => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vector): number => Math.hypot(a[0], a[1], a[2]);
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const unit = (a: Vector): Vector => {
  const l = length(a);
  return l > 0 ? scaled(a, 1 / l) : [0, 0, 1];
};
export const isFinite3 = (a: Vector): boolean => a.every(Number.isFinite);

/** A point of the world in the frame of a body. */
export function inBody(pose: Pose, point: Vector): Vector {
  const d = subtract(point, pose.place);
  return [dot(d, pose.x), dot(d, pose.y), dot(d, pose.z)];
}
export function directionInBody(pose: Pose, v: Vector): Vector {
  return [dot(v, pose.x), dot(v, pose.y), dot(v, pose.z)];
}
