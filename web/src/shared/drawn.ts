// What draw statements say, as three.js objects.

import * as THREE from "three";
import { along, ball, colourOf, material, stick, stretch, vector } from "./meshes";
import { Motion, ShapeData, Vector, add, isFinite3, length, scaled, subtract } from "./scene";
import { strut } from "./struts";
import type { ViewOptions } from "./view";

type Update = (time: number, options: ViewOptions) => void;
type Text = { text: string; at: () => Vector; always: boolean };

/** A colour as CSS writes it; the next of the palette where it is none. */
export function shapeColour(name: string, index: number): THREE.Color {
  const known = name && (/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(name) || (THREE.Color.NAMES as Record<string, number>)[name.toLowerCase()] !== undefined);
  return known ? new THREE.Color(name.toLowerCase()) : colourOf(index);
}

function meshOf(motion: Motion, shape: ShapeData, look: THREE.Material): THREE.Object3D {
  const number = (refs: (number | null)[], usual: number) => (refs.length ? motion.number(refs[0]) : usual);
  const shadowed = (mesh: THREE.Mesh) => {
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
  };
  if (shape.kind === "box") {
    const size = shape.size.map((ref) => motion.number(ref));
    const mesh = shadowed(new THREE.Mesh(new THREE.BoxGeometry(size[0], size[1], size[2] ?? 0.3 * Math.min(size[0], size[1])), look));
    mesh.add(new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry), new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.4 })));
    return mesh;
  }
  if (shape.kind === "sphere") return ball(number(shape.radius, 1), look);
  if (shape.kind === "cylinder") {
    const radius = number(shape.radius, 1);
    const group = new THREE.Group();
    group.add(shadowed(new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, number(shape.length, 1), 48), look)));
    // A mark on both faces of what turns with a body: one sees it turn.
    for (const side of shape.body === "ground" ? [] : [-1, 1]) {
      const mark = new THREE.Mesh(new THREE.BoxGeometry(1.5 * radius, 0.01 * radius, 0.12 * radius), material(0xf4f4f4));
      mark.position.y = (side * number(shape.length, 1)) / 2;
      group.add(mark);
    }
    return group;
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(shape.corners ?? []), 3));
  geometry.computeVertexNormals();
  const mesh = shadowed(new THREE.Mesh(geometry, look));
  mesh.scale.setScalar(number(shape.scale, 1));
  return mesh;
}

function addStrut(motion: Motion, shape: ShapeData, thin: number, parent: THREE.Object3D, updates: Update[]): void {
  const [from, to] = [motion.vector(shape.from), motion.vector(shape.to)];
  const natural = Math.max(length(subtract(to, from)), 10 * thin);
  const radius = shape.radius.length ? motion.number(shape.radius[0]) : Math.min(2.6 * thin, 0.3 * natural);
  const made = strut(shape.kind === "spring", shape.kind === "damper", radius, natural, shape.colour ? shapeColour(shape.colour, 0) : undefined);
  parent.add(...made.things);
  updates.push(() => made.place(vector(motion.vector(shape.from)), vector(motion.vector(shape.to))));
}

const stretches = (shape: ShapeData): boolean => ["line", "spring", "damper"].includes(shape.kind);

export function buildShapes(motion: Motion, thin: number, root: THREE.Group, updates: Update[], groupOf: (name: string) => THREE.Group | null, texts: Text[]): void {
  motion.scene.shapes.forEach((shape, index) => {
    const parent = groupOf(shape.body) ?? root;
    const look = material(shapeColour(shape.colour, index));
    const place = (): Vector => (shape.at.length ? motion.vector(shape.at) : [0, 0, 0]);
    if (shape.kind === "spring" || shape.kind === "damper") addStrut(motion, shape, thin, parent, updates);
    else if (shape.kind === "line") {
      const line = stick(0.7 * thin, look);
      parent.add(line);
      updates.push(() => {
        const [from, to] = [motion.vector(shape.from), motion.vector(shape.to)];
        line.visible = isFinite3(from) && isFinite3(to);
        if (line.visible) stretch(line, vector(from), vector(to));
      });
    } else {
      const thing = meshOf(motion, shape, look);
      const holder = new THREE.Group();
      if (shape.kind === "cylinder") {
        thing.quaternion.identity();
        if (shape.axis.length === 0) thing.rotation.x = Math.PI / 2; // about z
      }
      holder.add(thing);
      parent.add(holder);
      updates.push(() => {
        const at = place();
        holder.visible = isFinite3(at);
        if (!holder.visible) return;
        holder.position.set(...at);
        if (shape.axis.length) along(holder, vector(motion.vector(shape.axis)));
        if (shape.rotated.length) {
          const axis = shape.about.length ? motion.vector(shape.about) : ([0, 0, 1] as Vector);
          holder.quaternion.setFromAxisAngle(vector(axis).normalize(), motion.number(shape.rotated[0]));
        }
      });
    }
    if (!shape.label) return;
    const body = motion.scene.bodies.find((b) => b.name === shape.body);
    const middle = (): Vector => (stretches(shape) ? scaled(add(motion.vector(shape.from), motion.vector(shape.to)), 0.5) : place());
    const inWorld = (): Vector => {
      const at = middle();
      if (!body) return at;
      const pose = motion.pose(body);
      return add(pose.place, add(add(scaled(pose.x, at[0]), scaled(pose.y, at[1])), scaled(pose.z, at[2])));
    };
    texts.push({ text: shape.label, at: inWorld, always: true });
  });
}
