// Surfaces on which a function is 0, as meshes.

import * as THREE from "three";
import { zeroSurface } from "./constraints";
import { material, vector } from "./meshes";
import { Vector, add, cross, dot, length, subtract } from "./scene";

/** Where `field` is 0 in the box from low to high; null where it is nowhere. */
export function surfaceMesh(field: (at: Vector) => number, low: Vector, high: Vector, size: number, opacity: number): THREE.Mesh | null {
  const triangles = zeroSurface(field, low, high);
  if (!triangles.length) return null;
  const h = 1e-4 * size;
  const normalAt = (p: Vector): Vector => {
    const g = [0, 1, 2].map((k) => {
      const e: Vector = [0, 0, 0];
      e[k] = h;
      return field(add(p, e)) - field(subtract(p, e));
    }) as Vector;
    const l = length(g) || 1;
    return [g[0] / l, g[1] / l, g[2] / l];
  };
  const normals = new Float32Array(3 * triangles.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = triangles.slice(i, i + 3);
    const three = [a, b, c].map(normalAt);
    // Corners in the order that the normals say: else light comes from the wrong side of every second triangle.
    if (dot(cross(subtract(b, a), subtract(c, a)), three[0]) < 0) {
      [triangles[i + 1], triangles[i + 2]] = [c, b];
      [three[1], three[2]] = [three[2], three[1]];
    }
    three.forEach((normal, k) => normals.set(normal, 3 * (i + k)));
  }
  const geometry = new THREE.BufferGeometry().setFromPoints(triangles.map(vector));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  const mesh = new THREE.Mesh(geometry, material(0x8fa3b8, opacity));
  mesh.renderOrder = 1;
  return mesh;
}
