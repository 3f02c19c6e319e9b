// The mechanism as three.js objects: built once from what a Motion says at its start, moved for every time.

import * as THREE from "three";
import { Arrows } from "./arrows";
import { rodOf, Rod, zeroCurve } from "./constraints";
import { Extent } from "./extent";
import { buildShapes } from "./drawn";
import { ball, colourOf, gridPlane, material, partMesh, setDetail, stick, stretch, support, Trail, vector, along } from "./meshes";
import { BodyData, JointData, Motion, Pose, Vector, add, dot, inBody, isFinite3, length, scaled, subtract } from "./scene";
import { anchorsOf, boxOf, momentsOf, Part, shapeOf } from "./shapes";
import { strut } from "./struts";
import { surfaceMesh } from "./surfaces";
import { addContacts, addGaps } from "./touching";
import type { ViewOptions } from "./view";

interface DrawnBody { data: BodyData; group: THREE.Group; frame: THREE.AxesHelper; ellipsoid: THREE.Object3D; anchors: { at: Vector; name: string }[] }
type Update = (time: number, options: ViewOptions) => void;

const grey = 0x7d828a;

export class Mechanism {
  readonly root = new THREE.Group();
  private readonly bodies: DrawnBody[] = [];
  private readonly updates: Update[] = [];
  private readonly named = new Map<string, () => Vector>();
  private readonly texts: { text: string; at: () => Vector; always: boolean }[] = [];
  private readonly jointPlaces: { name: string; object: THREE.Object3D }[] = [];
  private readonly thin: number; // radius of links
  private readonly arrows: Arrows;

  constructor(readonly motion: Motion, readonly extent: Extent) {
    motion.go(motion.run.t[0]);
    setDetail(motion.scene.bodies.length + motion.scene.joints.length + motion.scene.points.length);
    this.thin = this.linkRadius();
    this.root.matrixWorldAutoUpdate = true;
    motion.scene.bodies.forEach((body, i) => this.addBody(body, i));
    for (const joint of motion.scene.joints) this.addJoint(joint);
    this.addSprings();
    this.arrows = this.addForces();
    this.addPoints();
    motion.scene.shapes.forEach((shape, i) => {
      if (shape.body === "ground" && shape.at.length) this.named.set(shape.label || `${shape.kind} ${i + 1}`, () => motion.vector(shape.at));
    });
    buildShapes(this.motion, this.thin, this.root, this.updates, (name) => this.bodies.find((b) => b.data.name === name)?.group ?? null, this.texts);
    this.built = [...this.root.children];
  }
  private readonly built: THREE.Object3D[];

  /** What is solid: without trails, floors and the sign of gravity. */
  solids(): THREE.Object3D[] {
    return this.built;
  }
  /** The rest, once it is known how much is to be seen. */
  addSurroundings(): void {
    this.addTrails();
    this.addGround();
  }

  names(): string[] {
    return [...this.named.keys()];
  }
  placeOf(name: string): Vector | null {
    const place = this.named.get(name)?.();
    return place && isFinite3(place) ? place : null;
  }
  update(time: number, options: ViewOptions): void {
    for (const body of this.bodies) {
      setPose(body.group, this.motion.pose(body.data));
      body.frame.visible = options.frames;
      body.ellipsoid.visible = options.inertia;
    }
    for (const update of this.updates) update(time, options);
  }
  labels(all: boolean): { text: string; at: Vector }[] {
    return this.texts.filter((label) => all || label.always).map((label) => ({ text: label.text, at: label.at() })).filter((label) => isFinite3(label.at));
  }

  /** What the arrows mean. */
  legend(options: ViewOptions): string {
    return this.arrows.legend(options);
  }

  /** Another run beside the first: to be told apart from it, and to let it be seen. */
  fade(): void {
    this.addTrails();
    this.root.traverse((thing) => {
      const mesh = thing as THREE.Mesh;
      mesh.castShadow = mesh.receiveShadow = false;
      for (const look of [mesh.material ?? []].flat()) Object.assign(look, { transparent: true, opacity: 0.3 * look.opacity, depthWrite: false });
    });
  }

  /** Where the ends of links and the signs of joints are on the screen's scene, by the names of the joints. */
  anchorPlaces(): { name: string; body: string; at: Vector }[] {
    this.root.updateMatrixWorld(true);
    const places: { name: string; body: string; at: Vector }[] = [];
    for (const body of this.bodies)
      for (const anchor of body.anchors) {
        const p = vector(anchor.at).applyMatrix4(body.group.matrixWorld);
        places.push({ name: anchor.name, body: body.data.name, at: [p.x, p.y, p.z] });
      }
    for (const { name, object } of this.jointPlaces) {
      const p = new THREE.Vector3().setFromMatrixPosition(object.matrixWorld);
      places.push({ name, body: "", at: [p.x, p.y, p.z] });
    }
    return places;
  }

  /** Where the centres of bodies are on the screen's scene. */
  bodyPlaces(): { name: string; at: Vector }[] {
    this.root.updateMatrixWorld(true);
    return this.bodies.map(({ data, group }) => ({ name: data.name, at: new THREE.Vector3().setFromMatrixPosition(group.matrixWorld).toArray() as Vector }));
  }

  // Building
  // --------

  /** Links are a fraction of the distances between joints, so that long chains stay slender. */
  private linkRadius(): number {
    const { motion, extent } = this;
    const lengths: number[] = [];
    for (const body of motion.scene.bodies) {
      const anchors = anchorsOf(motion, body, motion.pose(body));
      for (const a of anchors) for (const b of anchors) if (length(subtract(a.at, b.at)) > 1e-6 * extent.size) lengths.push(length(subtract(a.at, b.at)));
      for (const a of anchors) if (length(a.at) > 1e-6 * extent.size) lengths.push(2 * length(a.at));
    }
    for (const point of motion.scene.points) {
      const others = motion.scene.points.filter((other) => other !== point).slice(0, 50);
      const d = others.map((other) => length(subtract(motion.vector(point.position), motion.vector(other.position)))).filter((x) => x > 0);
      if (d.length) lengths.push(2 * Math.min(...d));
    }
    lengths.sort((a, b) => a - b);
    const usual = lengths.length ? lengths[lengths.length >> 1] : extent.size;
    return Math.min(0.016 * extent.size, 0.06 * usual);
  }

  private addBody(data: BodyData, index: number): void {
    const { motion } = this;
    const pose = motion.pose(data);
    const group = new THREE.Group();
    const colour = colourOf(index);
    const anchors = anchorsOf(motion, data, pose);
    const parts = this.givenParts(data, pose) ?? (this.isReplaced(data) ? [] : shapeOf(motion, data, anchors, this.extent.size));
    for (const part of parts) group.add(partMesh(part, this.thin, colour));
    const size = Math.max(4 * this.thin, 0.08 * this.extent.size);
    const frame = new THREE.AxesHelper(2 * size);
    const moments = momentsOf(motion, data);
    const edges = boxOf(moments, motion.number(data.mass[0]));
    const ellipsoid = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), material(colour, 0.3));
    // The ellipsoid of even density with these moments: half axes sqrt(5/12) of the edges of the box.
    ellipsoid.scale.set(...(edges.map((x) => Math.max(Math.sqrt(5 / 12) * x, 1e-6 * this.extent.size)) as Vector));
    group.add(frame, ellipsoid);
    this.root.add(group);
    const named = motion.scene.joints.filter((j) => j.kind !== "rolling");
    const held = named.flatMap((joint) => [
      ...(joint.from === data.name ? [{ name: joint.name, at: inBody(pose, motion.vector(joint.p)) }] : []),
      ...(joint.to === data.name ? [{ name: joint.name, at: inBody(pose, motion.vector(joint.q)) }] : []),
    ]);
    // A slider moves along its body: only what is fixed there is an anchor.
    const fixed = held.filter((a) => !slides(named.find((j) => j.name === a.name)!));
    this.bodies.push({ data, group, frame, ellipsoid, anchors: fixed });
    this.named.set(data.name, () => motion.vector(data.position));
    this.texts.push({ text: data.name, at: () => motion.vector(data.position), always: false });
  }

  private isReplaced(data: BodyData): boolean {
    return this.motion.scene.shapes.some((shape) => shape.body === data.name && (shape.kind === "box" || shape.kind === "mesh"));
  }

  /** Shapes that joints and contacts name: wheels and balls that roll, what touches a plane. */
  private givenParts(data: BodyData, pose: Pose): Part[] | null {
    const { motion } = this;
    const parts: Part[] = [];
    for (const joint of motion.scene.joints) {
      if (joint.kind !== "rolling" || (joint.from !== data.name && joint.to !== data.name)) continue;
      const radius = motion.number(joint.radius[0]);
      if (data.axes.length === 4) parts.push({ kind: "disk", at: [0, 0, 0], axis: [0, 0, 1], radius, thickness: 0.15 * radius });
      else if (joint.axle.length === 3) parts.push({ kind: "disk", at: [0, 0, 0], axis: directionOf(pose, motion.vector(joint.axle)), radius, thickness: 0.08 * radius });
      else parts.push({ kind: "ball", at: [0, 0, 0], radius, marked: true });
    }
    for (const contact of motion.scene.contacts) {
      const sides = [{ body: contact.body, shape: contact.shape, at: contact.centre, size: contact.size }];
      if (contact.otherShape === "sphere") sides.push({ body: contact.other, shape: "sphere", at: contact.base, size: contact.otherSize });
      for (const side of sides) {
        if (side.body !== data.name) continue;
        const at = inBody(pose, motion.vector(side.at));
        const size = side.size.map((ref) => motion.number(ref));
        const flat = data.axes.length === 4;
        if (side.shape === "sphere" && flat) parts.push({ kind: "disk", at, axis: [0, 0, 1], radius: size[0], thickness: 0.2 * size[0] });
        else if (side.shape === "sphere") parts.push({ kind: "ball", at, radius: size[0], marked: true });
        else if (side.shape === "box") parts.push({ kind: "box", at, size: [size[0], size[1], size[2] ?? 0.2 * Math.min(size[0], size[1])] });
        else if (side.shape === "ellipsoid") parts.push({ kind: "ellipsoid", at, size: [size[0], size[1], size[2] ?? 0.2 * Math.min(size[0], size[1])] });
        else if (side.shape === "disk") parts.push({ kind: "disk", at, axis: directionOf(pose, motion.vector(contact.axle)), radius: size[0], thickness: 0.06 * size[0] });
      }
    }
    return parts.length ? sameOnce(parts) : null;
  }

  private addJoint(joint: JointData): void {
    const { motion, thin } = this;
    const dark = material(0x3b4048);
    const sign = new THREE.Group();
    const frame = joint.frame.map((ref) => motion.number(ref));
    const r = 1.45 * thin;
    if (joint.kind === "distance") {
      const rod = stick(0.75 * thin, material(0x5b6270));
      const ends = [ball(1.1 * thin, dark), ball(1.1 * thin, dark)];
      this.root.add(rod, ...ends);
      this.updates.push(() => {
        const [p, q] = [vector(motion.vector(joint.p)), vector(motion.vector(joint.q))];
        stretch(rod, p, q);
        ends[0].position.copy(p);
        ends[1].position.copy(q);
      });
      sign.visible = false;
    } else if (joint.kind === "spherical") sign.add(ball(1.25 * r, dark));
    else if (joint.kind === "fixed") sign.add(partMesh({ kind: "box", at: [0, 0, 0], size: [2 * r, 2 * r, 2 * r] }, r, new THREE.Color(0x3b4048)));
    else if (joint.kind === "rolling") sign.add(ball(0.8 * thin, material(0xd55e00)));
    else if (joint.kind === "universal") {
      for (const turn of [0, 1]) {
        const pin = new THREE.Mesh(new THREE.CylinderGeometry(0.7 * r, 0.7 * r, 5 * r, 16), dark);
        if (turn) pin.rotation.z = Math.PI / 2;
        sign.add(pin);
      }
    } else if (joint.kind === "prismatic" || joint.kind === "cylindrical") this.addSlider(joint, sign, r, dark);
    else {
      const pin = new THREE.Mesh(new THREE.CylinderGeometry(1.15 * r, 1.15 * r, motion.dimension === 2 ? 3.2 * r : 4.2 * r, 24), dark);
      pin.castShadow = true;
      sign.add(pin);
    }
    this.root.add(sign);
    this.jointPlaces.push({ name: joint.name, object: sign });
    this.updates.push(() => {
      const at = motion.vector(joint.from === joint.body ? joint.p : joint.q);
      sign.position.set(...at);
      const f = joint.frame.map((ref) => motion.number(ref));
      if (f.length === 9 && f.every(Number.isFinite)) along(sign, new THREE.Vector3(f[6], f[7], f[8]));
      else if (motion.dimension === 2 && joint.kind === "revolute") along(sign, new THREE.Vector3(0, 0, 1));
      else if (f.length === 4 && joint.kind === "prismatic") along(sign, new THREE.Vector3(f[0], f[1], 0));
    });
    this.texts.push({ text: joint.name, at: () => motion.vector(joint.q), always: false });
    if ((joint.from === "ground" || joint.to === "ground") && joint.kind !== "rolling") this.addSupport(joint, frame);
  }

  /** The rail of a slider, as long as it is used, and the block on it. */
  private addSlider(joint: JointData, sign: THREE.Group, r: number, look: THREE.Material): void {
    const { motion } = this;
    // A block on a rail of the ground; a collar where one body slides in another.
    const grounded = joint.from === "ground" || joint.to === "ground";
    if (grounded) sign.add(partMesh({ kind: "box", at: [0, 0, 0], size: [3.4 * r, 5 * r, 3.4 * r] }, r, new THREE.Color(0x3b4048)));
    else sign.add(new THREE.Mesh(new THREE.CylinderGeometry(1.2 * r, 1.2 * r, 2.4 * r, 24), look));
    const { t } = motion.run;
    let low = 0;
    let high = 0;
    for (let i = 0; i < 60; i++) {
      motion.go(t[Math.round((i * (t.length - 1)) / 59)]);
      const axis = axisOf(motion, joint);
      const d = dot(subtract(motion.vector(joint.q), motion.vector(joint.p)), axis);
      if (Number.isFinite(d)) [low, high] = [Math.min(low, d), Math.max(high, d)];
    }
    motion.go(t[0]);
    const rail = stick(0.55 * r, look);
    const margin = Math.max(5 * r, 0.1 * (high - low));
    this.root.add(rail);
    this.updates.push(() => {
      const [p, axis] = [motion.vector(joint.p), axisOf(motion, joint)];
      stretch(rail, vector(add(p, scaled(axis, low - margin))), vector(add(p, scaled(axis, high + margin))));
    });
  }

  private addSupport(joint: JointData, frame: number[]): void {
    const { motion, extent } = this;
    const size = 3 * this.thin;
    const look = material(grey);
    const place = motion.vector(joint.from === "ground" ? joint.p : joint.q);
    if (joint.kind === "prismatic" || joint.kind === "cylindrical" || joint.kind === "planar" || !isFinite3(place)) return;
    if (this.supports.some((other) => length(subtract(other, place)) < 1e-6 * extent.size)) return;
    this.supports.push(place);
    const sign = support(size, look);
    // Upside down where the body hangs from it.
    const body = motion.scene.bodies.find((b) => b.name === joint.body);
    const above = body ? dot(subtract(motion.vector(body.position), place), extent.up) : 1;
    along(sign, vector(scaled(extent.up, above < -1e-9 && frame.length >= 0 && motion.scene.gravity.length ? -1 : 1)));
    const refs = joint.from === "ground" ? joint.p : joint.q;
    this.root.add(sign);
    this.updates.push(() => sign.position.set(...motion.vector(refs)));
  }

  private readonly supports: Vector[] = [];

  private addSprings(): void {
    const { motion, thin } = this;
    for (const spring of motion.scene.springs) {
      const natural = Math.max(length(subtract(motion.vector(spring.q), motion.vector(spring.p))), 1e-6 * this.extent.size);
      const made = strut(spring.stiff, spring.damped, Math.min(2.6 * thin, 0.3 * natural), natural);
      this.root.add(...made.things);
      this.updates.push(() => made.place(vector(motion.vector(spring.p)), vector(motion.vector(spring.q))));
      this.texts.push({ text: spring.name, at: () => scaled(add(motion.vector(spring.p), motion.vector(spring.q)), 0.5), always: false });
    }
  }

  private addForces(): Arrows {
    const { motion, thin, extent, root, updates } = this;
    const loads = motion.scene.loads.map((load) => ({ at: () => motion.vector(load.at), force: () => motion.vector(load.force) }));
    const joints = motion.scene.joints
      .filter((joint) => joint.force.length > 1)
      .map((joint) => ({ at: () => motion.vector(joint.from === joint.body ? joint.p : joint.q), force: () => motion.vector(joint.force) }));
    const contacts = addContacts(motion, extent.size, thin, root, updates as (() => void)[]);
    const gaps = addGaps(motion, extent, thin, root, updates as (() => void)[]);
    return new Arrows(motion, loads, [...joints, ...contacts, ...gaps], extent.size, thin, root, updates);
  }

  /** Points with the rods and surfaces that constraints make of them. */
  private addPoints(): void {
    const { motion, thin, extent } = this;
    let rods: Rod[] = [];
    const surfaces: number[] = [];
    motion.scene.constraints.forEach((constraint, i) => {
      const rod = rodOf(motion, constraint, extent.size);
      if (rod) rods.push(rod);
      else if (!constraint.moving && constraint.points.length === 1) surfaces.push(i);
    });
    // Many points about one centre lie on a sphere; one or two hang on rods.
    const about = (rod: Rod) => rods.filter((other) => other.second === null && rod.second === null && length(subtract(other.centre, rod.centre)) < 1e-6 * extent.size);
    const crowded = rods.filter((rod) => !rod.moving && about(rod).length > 2);
    const spheres = motion.scene.points.length === 1 ? rods.filter((rod) => rod.second === null && !rod.moving) : crowded.slice(0, 1);
    if (motion.dimension === 3) for (const rod of spheres) surfaces.push(motion.scene.constraints.findIndex((constraint) => constraint.name === rod.name));
    rods = rods.filter((rod) => !crowded.includes(rod));
    const radius = motion.scene.points.length > 40 ? 1.2 * thin : 2.2 * thin;
    motion.scene.points.forEach((point, i) => {
      const mesh = ball(radius, material(colourOf(i)));
      this.root.add(mesh);
      this.updates.push(() => mesh.position.set(...motion.vector(point.position)));
      this.jointPlaces.push({ name: point.name, object: mesh });
      this.named.set(point.name, () => motion.vector(point.position));
      this.texts.push({ text: point.name, at: () => motion.vector(point.position), always: false });
    });
    for (const rod of rods) this.addRod(rod);
    const drawn = new Set(rods.filter((rod) => rod.second === null).map((rod) => rod.name));
    for (const i of surfaces.slice(0, 6)) this.addSurface(i, drawn.has(motion.scene.constraints[i].name) ? 0.12 : 0.35);
  }

  private addRod(rod: Rod): void {
    const { motion, thin } = this;
    const stickMesh = stick(0.75 * thin, material(0x5b6270));
    this.root.add(stickMesh);
    const points = motion.scene.points;
    const from = rod.second === null ? rod.moving ?? (() => rod.centre) : () => motion.vector(points[rod.second!].position);
    this.updates.push(() => stretch(stickMesh, vector(from()), vector(motion.vector(points[rod.first].position))));
    this.rodEnds.push({ name: rod.name, from, to: () => motion.vector(points[rod.first].position), mesh: stickMesh });
    if (rod.second !== null) return;
    const pin = motion.dimension === 2 ? support(3 * thin, material(grey)) : ball(1.6 * thin, material(grey));
    // Above the point that hangs on it.
    if (motion.dimension === 2 && rod.centre[1] > motion.vector(points[rod.first].position)[1] - 1e-9) pin.rotation.z = Math.PI;
    this.root.add(pin);
    this.updates.push(() => pin.position.set(...from()));
  }
  private readonly rodEnds: { name: string; from: () => Vector; to: () => Vector; mesh: THREE.Object3D }[] = [];

  private addSurface(index: number, opacity: number): void {
    const { motion, extent } = this;
    const constraint = motion.scene.constraints[index];
    const margin = 0.12 * Math.max(length(subtract(extent.high, extent.low)), extent.size);
    const low = extent.low.map((x) => x - margin) as Vector;
    const high = extent.high.map((x) => x + margin) as Vector;
    const field = (at: Vector) => motion.constraint(constraint, [at]);
    if (motion.dimension === 2) {
      const segments = zeroCurve(field, low, high);
      if (!segments.length) return;
      const geometry = new THREE.BufferGeometry().setFromPoints(segments.map(vector));
      this.root.add(new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: grey })));
      return;
    }
    const mesh = surfaceMesh(field, low, high, extent.size, opacity);
    if (mesh) this.root.add(mesh);
  }

  private addTrails(): void {
    const { motion } = this;
    const refs = [...motion.scene.points.map((p) => p.position), ...motion.scene.bodies.map((b) => b.position),
      ...motion.scene.shapes.filter((s) => s.body === "ground" && s.kind === "sphere").map((s) => s.at)];
    if (refs.length === 0 || refs.length > 30) return;
    const { t } = motion.run;
    const rows = t.length;
    const paths = refs.map(() => new Float32Array(3 * rows));
    for (let row = 0; row < rows; row++) {
      motion.go(t[row]);
      refs.forEach((ref, i) => paths[i].set(motion.vector(ref), 3 * row));
    }
    motion.go(t[0]);
    refs.forEach((_, i) => {
      const path = paths[i];
      let moved = 0;
      for (let row = 1; row < rows; row += Math.max(1, rows >> 6)) moved = Math.max(moved, Math.hypot(path[3 * row] - path[0], path[3 * row + 1] - path[1], path[3 * row + 2] - path[2]));
      if (moved < 1e-3 * this.extent.size) return;
      const trail = new Trail(Math.min(rows, 4000), colourOf(i));
      this.root.add(trail.line);
      this.updates.push((time, options) => {
        trail.line.visible = options.trails;
        const row = motion.run.place(time).row;
        trail.show(path, Math.max(0, row - Math.round(options.trail * rows)), row + 1);
      });
    });
  }

  /** Planes that bodies roll on or touch; else in space a floor below everything, which takes the shadows. */
  private addGround(): void {
    const { motion, extent } = this;
    const planes: { at: Vector; normal: Vector }[] = [];
    for (const joint of motion.scene.joints) if (joint.kind === "rolling") planes.push({ at: motion.vector(joint.p), normal: motion.vector(joint.normal) });
    for (const contact of motion.scene.contacts)
      if (contact.otherShape === "plane" && contact.other === "ground") planes.push({ at: motion.vector(contact.base), normal: motion.vector(contact.normal) });
    const fresh = planes.filter((plane, i) => isFinite3(plane.at) && isFinite3(plane.normal) && !planes.slice(0, i).some((other) =>
      length(subtract(other.normal, plane.normal)) < 1e-6 && Math.abs(dot(subtract(other.at, plane.at), plane.normal)) < 1e-6 * extent.size));
    const reach = 3 * Math.max(extent.size, Math.min(length(subtract(extent.high, extent.low)) || 0, 60 * extent.size));
    for (const plane of fresh) this.addPlane(plane.at, plane.normal, reach, true);
    if (fresh.length || motion.dimension === 2) return;
    const depth = extent.floor === undefined ? -0.95 * extent.radius : extent.floor - dot(extent.centre, extent.up) - 0.08 * extent.radius;
    this.addPlane(add(extent.centre, scaled(extent.up, depth)), extent.up, 3 * extent.radius, false);
  }

  private addPlane(at: Vector, normal: Vector, reach: number, hard: boolean): void {
    const { motion, extent } = this;
    const group = new THREE.Group();
    if (motion.dimension === 2) {
      // A line with hatches below it.
      const n = unit2(normal);
      const points: THREE.Vector3[] = [new THREE.Vector3(-reach, 0, 0), new THREE.Vector3(reach, 0, 0)];
      const gap = 0.06 * extent.size;
      for (let x = -reach; x < reach; x += gap) points.push(new THREE.Vector3(x, 0, 0), new THREE.Vector3(x - 0.6 * gap, -0.6 * gap, 0));
      const line = new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial({ color: grey }));
      line.rotation.z = Math.atan2(n[1], n[0]) - Math.PI / 2;
      group.add(line);
    } else {
      const floor = new THREE.Mesh(new THREE.PlaneGeometry(2 * reach, 2 * reach), hard ? material(0xb9bfc6, 0.4) : new THREE.ShadowMaterial({ opacity: 0.22 }));
      floor.receiveShadow = true;
      floor.renderOrder = -1;
      const cells = Math.min(600, Math.max(16, Math.round((2 * reach) / (hard ? extent.size : 0.25 * extent.radius))));
      const grid = gridPlane(2 * reach, cells, hard ? 0x4a5058 : 0x8a9099, hard ? 0.5 : 0.3);
      floor.position.z = -1e-3 * extent.size;
      group.add(floor, grid);
      group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), vector(normal).normalize());
    }
    group.position.set(...at);
    this.root.add(group);
  }
}

function slides(joint: JointData): boolean {
  return joint.kind === "prismatic" || joint.kind === "cylindrical" || joint.kind === "planar";
}

function axisOf(motion: Motion, joint: JointData): Vector {
  const f = joint.frame.map((ref) => motion.number(ref));
  return f.length === 9 ? [f[6], f[7], f[8]] : [f[0], f[1], 0];
}

function directionOf(pose: Pose, v: Vector): Vector {
  return [dot(v, pose.x), dot(v, pose.y), dot(v, pose.z)];
}

function unit2(v: Vector): Vector {
  const l = Math.hypot(v[0], v[1]) || 1;
  return [v[0] / l, v[1] / l, 0];
}

/** A body that touches several things has its shape once. */
function sameOnce(parts: Part[]): Part[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const key = JSON.stringify(part, (_, value) => (typeof value === "number" ? +value.toPrecision(6) : value));
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

export function setPose(group: THREE.Object3D, pose: Pose): void {
  const m = new THREE.Matrix4().makeBasis(vector(pose.x), vector(pose.y), vector(pose.z));
  m.setPosition(...pose.place);
  group.matrixAutoUpdate = false;
  group.matrix.copy(m);
  group.matrixWorldNeedsUpdate = true;
}
