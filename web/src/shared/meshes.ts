// Meshes that a view is made of.

import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { Vector } from "./scene";
import { Part } from "./shapes";

export const vector = (v: Vector): THREE.Vector3 => new THREE.Vector3(v[0], v[1], v[2]);
const up = new THREE.Vector3(0, 1, 0);

/** Colours of Okabe and Ito, which colour-blind people tell apart. */
export const palette = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x8a7a3c];
export const colourOf = (index: number): THREE.Color => new THREE.Color(palette[index % palette.length]);

export function material(colour: THREE.ColorRepresentation, opacity = 1): THREE.MeshStandardMaterial {
  return new THREE.MeshStandardMaterial({
    color: colour, roughness: 0.55, metalness: 0.1, transparent: opacity < 1, opacity,
    side: opacity < 1 ? THREE.DoubleSide : THREE.FrontSide, depthWrite: opacity >= 1,
  });
}

/** Share of the corners that round things get: fewer where there are many of them, which are small then. */
let detail = 1;
export function setDetail(things: number): void {
  detail = things > 60 ? 0.4 : 1;
}
const corners = (usual: number): number => Math.max(6, Math.round(detail * usual));

function solid(geometry: THREE.BufferGeometry, look: THREE.Material): THREE.Mesh {
  const mesh = new THREE.Mesh(geometry, look);
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  return mesh;
}

/** A cylinder of length 1 along y from the origin, for stretch(). */
export function stick(radius: number, look: THREE.Material, top = radius): THREE.Mesh {
  const geometry = new THREE.CylinderGeometry(top, radius, 1, corners(20));
  geometry.translate(0, 0.5, 0);
  return solid(geometry, look);
}

/** Puts a thing of length 1 along y between two points. */
export function stretch(thing: THREE.Object3D, from: THREE.Vector3, to: THREE.Vector3): void {
  const d = to.clone().sub(from);
  const l = d.length();
  thing.position.copy(from);
  thing.scale.set(1, Math.max(l, 1e-9), 1);
  if (l > 0) thing.quaternion.setFromUnitVectors(up, d.divideScalar(l));
}

/** Turns a thing whose axis is y. */
export function along(thing: THREE.Object3D, axis: THREE.Vector3): void {
  if (axis.lengthSq() > 0) thing.quaternion.setFromUnitVectors(up, axis.clone().normalize());
}

/** A cylinder with round ends between two points. */
export function rod(from: Vector, to: Vector, radius: number, look: THREE.Material): THREE.Object3D {
  const [a, b] = [vector(from), vector(to)];
  const mesh = solid(new THREE.CapsuleGeometry(radius, a.distanceTo(b), corners(10) >> 1, corners(20)), look);
  mesh.position.copy(a).lerp(b, 0.5);
  along(mesh, b.sub(a));
  return mesh;
}

export function ball(radius: number, look: THREE.Material): THREE.Mesh {
  return solid(new THREE.SphereGeometry(radius, corners(28), corners(20)), look);
}

/** A ball of two colours: one sees it turn. */
export function markedBall(radius: number, colour: THREE.Color): THREE.Object3D {
  const group = new THREE.Group();
  const other = colour.clone().lerp(new THREE.Color(0xffffff), 0.65);
  for (let k = 0; k < 8; k++) {
    const geometry = new THREE.SphereGeometry(radius, 8, 24, (k * Math.PI) / 4, Math.PI / 4);
    group.add(solid(geometry, material(k % 2 ? colour : other)));
  }
  return group;
}

/** A disk about y with a mark on both faces: one sees it turn. */
export function disk(radius: number, thickness: number, colour: THREE.Color): THREE.Object3D {
  const group = new THREE.Group();
  group.add(solid(new THREE.CylinderGeometry(radius, radius, thickness, 48), material(colour)));
  const light = material(colour.clone().lerp(new THREE.Color(0xffffff), 0.7));
  const dark = material(colour.clone().lerp(new THREE.Color(0x000000), 0.45));
  for (const side of [-1, 1]) {
    for (const [start, look] of [[0, light], [Math.PI, light], [Math.PI / 2, dark], [(3 * Math.PI) / 2, dark]] as const) {
      const mark = new THREE.Mesh(new THREE.CircleGeometry(0.86 * radius, 20, start, Math.PI / 2), look);
      mark.rotation.x = (-side * Math.PI) / 2;
      mark.position.y = side * (thickness / 2) * 1.01;
      mark.receiveShadow = true;
      group.add(mark);
    }
  }
  return group;
}

/** The convex hull of rounded corners. */
export function plate(corners: Vector[], radius: number, look: THREE.Material): THREE.Mesh {
  const points: THREE.Vector3[] = [];
  const round = new THREE.IcosahedronGeometry(radius, 1);
  const places = round.getAttribute("position");
  const seen = new Set<string>();
  for (let i = 0; i < places.count; i++) {
    const p = new THREE.Vector3().fromBufferAttribute(places, i);
    const key = p.toArray().map((x) => Math.round(x / radius / 1e-6)).join();
    if (seen.has(key)) continue;
    seen.add(key);
    for (const corner of corners) points.push(p.clone().add(vector(corner)));
  }
  return solid(new ConvexGeometry(points), look);
}

class Helix extends THREE.Curve<THREE.Vector3> {
  constructor(private readonly turns: number, private readonly radius: number) { super(); }
  override getPoint(s: number, to = new THREE.Vector3()): THREE.Vector3 {
    const end = Math.min(1, 12 * Math.min(s, 1 - s)); // straight at the ends
    const angle = 2 * Math.PI * this.turns * s;
    return to.set(this.radius * end * Math.cos(angle), s, this.radius * end * Math.sin(angle));
  }
}

/** A coil of length 1 along y. Its wire is thinned along y beforehand, since stretch() will lengthen it. */
export function coil(radius: number, wire: number, natural: number, look: THREE.Material): THREE.Mesh {
  const turns = Math.max(4, Math.min(14, Math.round(natural / (5 * wire))));
  const curve = new Helix(turns, radius / Math.max(natural, 1e-9));
  const geometry = new THREE.TubeGeometry(curve, 24 * turns, wire / Math.max(natural, 1e-9), 8);
  geometry.scale(natural, 1, natural);
  return solid(geometry, look);
}

/** An arrow of length 1 along y, for stretch(). */
export function arrow(radius: number, colour: THREE.ColorRepresentation): THREE.Object3D {
  const group = new THREE.Group();
  const look = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.4, emissive: colour, emissiveIntensity: 0.25 });
  const shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 0.76, 12), look);
  shaft.position.y = 0.38;
  const head = new THREE.Mesh(new THREE.ConeGeometry(2.6 * radius, 0.24, 16), look);
  head.position.y = 0.88;
  group.add(shaft, head);
  return group;
}

export function partMesh(part: Part, radius: number, colour: THREE.Color): THREE.Object3D {
  const look = material(colour);
  switch (part.kind) {
    case "rod": return rod(part.from, part.to, radius * (part.thick ?? 1), look);
    case "plate": {
      const mesh = plate(part.corners, radius, material(colour, part.spatial ? 0.5 : 1));
      if (!part.spatial) return mesh;
      const group = new THREE.Group();
      group.add(mesh, new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry, 40), new THREE.LineBasicMaterial({ color: colour })));
      return group;
    }
    case "ball": {
      const mesh = part.marked ? markedBall(part.radius, colour) : ball(part.radius, look);
      mesh.position.copy(vector(part.at));
      return mesh;
    }
    case "disk": {
      const mesh = disk(part.radius, part.thickness, colour);
      mesh.position.copy(vector(part.at));
      along(mesh, vector(part.axis));
      return mesh;
    }
    case "ring": {
      const mesh = solid(new THREE.TorusGeometry(part.radius, part.thickness, 16, 64), look);
      mesh.position.copy(vector(part.at));
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), vector(part.axis).normalize());
      return mesh;
    }
    case "box": {
      const thin = 0.02 * Math.max(...part.size);
      const mesh = solid(new THREE.BoxGeometry(...(part.size.map((x) => Math.max(x, thin)) as Vector)), look);
      mesh.position.copy(vector(part.at));
      const edges = new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry), new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.5 }));
      mesh.add(edges);
      return mesh;
    }
    case "ellipsoid": {
      const mesh = markedBall(1, colour);
      mesh.scale.set(...part.size);
      mesh.position.copy(vector(part.at));
      return mesh;
    }
  }
}

/** The sign of a support: a wedge on a plate, its tip in the origin, down along -y. */
export function support(size: number, look: THREE.Material): THREE.Object3D {
  const group = new THREE.Group();
  const wedge = solid(new THREE.ConeGeometry(0.8 * size, 1.3 * size, 4, 1), look);
  wedge.position.y = -0.65 * size;
  wedge.rotation.y = Math.PI / 4;
  const base = solid(new THREE.BoxGeometry(2.2 * size, 0.25 * size, 1.6 * size), look);
  base.position.y = -1.4 * size;
  group.add(wedge, base);
  return group;
}

/** A square of lines. They are a texture: lines that pass behind the eye are lost where no graphics card draws them. */
export function gridPlane(edge: number, cells: number, colour: THREE.ColorRepresentation, opacity: number): THREE.Mesh {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, 128, 1.5);
  pen.fillRect(0, 0, 1.5, 128);
  pen.fillRect(0, 126.5, 128, 1.5);
  pen.fillRect(126.5, 0, 1.5, 128);
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.repeat.set(cells, cells);
  texture.anisotropy = 8;
  const look = new THREE.MeshBasicMaterial({ map: texture, color: colour, transparent: true, opacity, depthWrite: false, side: THREE.DoubleSide });
  return new THREE.Mesh(new THREE.PlaneGeometry(edge, edge), look);
}

/** A line whose colour fades towards its beginning. */
export class Trail {
  readonly line: THREE.Line;
  private readonly places: THREE.BufferAttribute;
  private readonly colours: THREE.BufferAttribute;

  constructor(private readonly most: number, private readonly colour: THREE.Color) {
    const geometry = new THREE.BufferGeometry();
    this.places = new THREE.BufferAttribute(new Float32Array(3 * most), 3);
    this.colours = new THREE.BufferAttribute(new Float32Array(4 * most), 4);
    geometry.setAttribute("position", this.places);
    geometry.setAttribute("color", this.colours);
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.line.frustumCulled = false;
  }

  show(points: Float32Array, from: number, to: number): void {
    const count = Math.min(to - from, this.most);
    const first = to - count;
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < 3; k++) this.places.setComponent(i, k, points[3 * (first + i) + k]);
      this.colours.setXYZW(i, this.colour.r, this.colour.g, this.colour.b, 0.9 * ((i + 1) / count) ** 1.5);
    }
    this.places.needsUpdate = true;
    this.colours.needsUpdate = true;
    this.line.geometry.setDrawRange(0, count);
  }
}
