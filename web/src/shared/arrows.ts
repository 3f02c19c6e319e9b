// Forces as arrows: loads, reactions of joints and forces in contacts, all to one scale.

import * as THREE from "three";
import { arrow, stretch, vector } from "./meshes";
import { Motion, Vector, add, isFinite3, length, scaled } from "./scene";
import type { ViewOptions } from "./view";

export interface Force { at: () => Vector; force: () => Vector }

/** 1, 2 or 5 times a power of ten, not below a number. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-12)) ?? 10);
}

/** The largest of some forces in a run, at a hundred times of it. */
function largest(motion: Motion, forces: Force[]): number {
  const { t } = motion.run;
  let most = 0;
  for (let i = 0; i < 100 && forces.length; i++) {
    motion.go(t[Math.round((i * (t.length - 1)) / 99)]);
    for (const { force } of forces) {
      const value = force();
      if (isFinite3(value)) most = Math.max(most, length(value));
    }
  }
  motion.go(t[0]);
  return most;
}

/** How many units of force an arrow of length 1 stands for, so that the largest has about this length. */
export function scaleOf(most: number, long: number): number {
  return most > 0 ? roundUp(most / long) : 0;
}

export class Arrows {
  private readonly loads: number; // largest of them
  private readonly reactions: number;
  private scale = 0;

  /** Loads are always shown, reactions (of joints, in contacts) where they are asked for. */
  constructor(motion: Motion, loads: Force[], reactions: Force[], private readonly size: number, thin: number, root: THREE.Group, updates: ((time: number, options: ViewOptions) => void)[]) {
    this.loads = largest(motion, loads);
    this.reactions = largest(motion, reactions);
    const put = (forces: Force[], colour: number, wanted: (options: ViewOptions) => boolean) => {
      for (const one of forces) {
        const sign = arrow(0.7 * thin, colour);
        root.add(sign);
        updates.push((_, options) => {
          const scale = this.choose(options);
          const [at, force] = [one.at(), one.force()];
          const l = length(force) / scale;
          sign.visible = wanted(options) && isFinite3(at) && isFinite3(force) && l > 1e-3 * size;
          if (sign.visible) stretch(sign, vector(at), vector(add(at, scaled(force, 1 / scale))));
        });
      }
    };
    if (this.loads > 0) put(loads, 0xcc3311, () => true);
    if (this.reactions > 0) put(reactions, 0xaa3377, (options) => options.forces);
  }

  private choose(options: ViewOptions): number {
    return (this.scale = scaleOf(Math.max(this.loads, options.forces ? this.reactions : 0), 0.3 * this.size));
  }

  /** What is to be said about the arrows; "" where there are none. */
  legend(options: ViewOptions): string {
    return this.choose(options) > 0 ? `arrows: length 1 is a force of ${+this.scale.toPrecision(3)}` : "";
  }
}
