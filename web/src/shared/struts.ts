// Springs as coils and dampers as cylinders between two points.

import * as THREE from "three";
import { coil, material, stick, stretch } from "./meshes";

export interface Strut { things: THREE.Object3D[]; place(p: THREE.Vector3, q: THREE.Vector3): void }

/** `natural` is how far the points are apart where the coil looks as it should. */
export function strut(stiff: boolean, damped: boolean, radius: number, natural: number, colour?: THREE.ColorRepresentation): Strut {
  const coils = stiff ? [coil(radius, 0.17 * radius, natural, material(colour ?? 0xb8862b))] : [];
  const tube = damped ? stick(0.5 * radius, material(colour ?? 0x6a7080)) : null;
  const piston = damped ? stick(0.22 * radius, material(0xb6bcc6)) : null;
  return {
    things: [...coils, ...(tube && piston ? [tube, piston] : [])],
    place(p, q) {
      for (const one of coils) stretch(one, p, q);
      if (!tube || !piston) return;
      const reach = Math.min(0.55 * natural, 0.9 * p.distanceTo(q));
      stretch(tube, p, p.clone().add(q.clone().sub(p).setLength(Math.max(reach, 1e-9))));
      stretch(piston, p, q);
    },
  };
}
