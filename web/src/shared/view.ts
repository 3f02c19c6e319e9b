// A mechanism that one can look at: three.js draws what a Motion says.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Compass } from "./compass";
import { Extent, extentOf } from "./extent";
import { colourOf } from "./meshes";
import { Mechanism } from "./mechanism";
import { Motion, Vector } from "./scene";
import { element } from "./text";

export interface ViewOptions {
  forces: boolean; frames: boolean; labels: boolean; inertia: boolean; trails: boolean; shadows: boolean;
  trail: number; // share of the run
  follow: string; // "" or a body or a point
  perspective: boolean;
  others: boolean; // runs beside the first
}

export const usualOptions: ViewOptions = {
  forces: false, frames: false, labels: false, inertia: false, trails: true, shadows: true, trail: 1 / 10, follow: "", perspective: true, others: true,
};

type Places = ReturnType<Mechanism["anchorPlaces"]>;

/** Gives back what a thing holds on the graphics card. */
function free(root: THREE.Object3D): void {
  root.traverse((thing) => {
    const mesh = thing as THREE.Mesh;
    mesh.geometry?.dispose();
    for (const look of [mesh.material ?? []].flat()) {
      (look as THREE.MeshBasicMaterial).map?.dispose();
      look.dispose();
    }
  });
}

export class View {
  readonly canvas: HTMLCanvasElement;
  mechanism: Mechanism;
  readonly options: ViewOptions;
  extent: Extent;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly perspective = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  private readonly parallel = new THREE.OrthographicCamera(-1, 1, 1, -1, -100, 100);
  private controls: OrbitControls;
  private readonly light = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly labels: HTMLDivElement;
  private readonly legend: HTMLDivElement;
  private compass: Compass;
  private ghosts: Mechanism[] = []; // of runs beside the first
  private readonly watcher: ResizeObserver;
  private time = 0;
  private request = 0;
  private followed: Vector | null = null;
  private seen: number[] = []; // corners of what is to be seen, x y z after one another
  private half: [number, number] | null = null; // of what is to be seen in the plane

  constructor(private readonly container: HTMLElement, public motion: Motion, options: Partial<ViewOptions> = {}, others: Motion[] = []) {
    this.options = { ...usualOptions, ...options };
    if (motion.dimension === 2) this.options.perspective = false;
    // Every shadow is a second picture: of so many things it takes too long where no graphics card helps.
    const many = 100;
    if (motion.scene.bodies.length > many) this.options.shadows = false;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.debug.checkShaderErrors = false; // asking would wait for the graphics card
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.labels = element("div", "view-labels");
    this.legend = element("div", "view-legend");
    container.append(this.canvas, this.labels, this.legend);
    this.extent = extentOf(motion);
    this.mechanism = new Mechanism(motion, this.extent);
    this.compass = new Compass(motion);
    this.scene.add(this.mechanism.root);
    this.putGhosts(others);
    if (this.extent.wanders) this.mechanism.addSurroundings();
    else this.measure();
    this.addLights();
    if (!this.options.follow && this.extent.wanders) this.options.follow = this.mechanism.names()[0] ?? "";
    this.controls = this.makeControls();
    this.fit();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(container);
    this.resize();
  }

  get camera(): THREE.PerspectiveCamera | THREE.OrthographicCamera {
    return this.options.perspective ? this.perspective : this.parallel;
  }

  /** Draws the mechanism at a time. */
  show(time: number): void {
    this.time = time;
    this.motion.go(time);
    this.mechanism.update(time, this.options);
    for (const ghost of this.ghosts) {
      ghost.root.visible = this.options.others;
      if (!ghost.root.visible) continue;
      ghost.motion.go(time);
      ghost.update(time, { ...this.options, frames: false, inertia: false });
    }
    this.followBody();
    this.later();
  }

  /** Draws once, before the screen is next refreshed, however often it is asked for. */
  private later(): void {
    if (this.request === 0) this.request = requestAnimationFrame(() => this.draw());
  }

  draw(): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
    this.moveLight();
    this.renderer.render(this.scene, this.camera);
    this.compass.draw(this.renderer, this.camera, this.controls.target);
    this.placeLabels();
    this.legend.textContent = this.mechanism.legend(this.options);
  }

  /** Mechanisms of other runs, translucent; those of another dimension cannot be beside this one. */
  private putGhosts(motions: Motion[]): void {
    for (const ghost of this.ghosts) {
      this.scene.remove(ghost.root);
      free(ghost.root);
    }
    const most = 4; // more hide one another
    this.ghosts = motions
      .filter((motion) => motion.dimension === this.motion.dimension)
      .slice(0, most)
      .map((motion) => {
        const ghost = new Mechanism(motion, extentOf(motion));
        ghost.fade();
        this.scene.add(ghost.root);
        return ghost;
      });
  }

  /** What is to be in sight: the mechanism as it was built, at several times. */
  private measure(): void {
    const { t } = this.motion.run;
    const box = new THREE.Box3();
    const plain = { ...this.options, trails: false, frames: false, inertia: false, forces: false };
    this.seen = [];
    for (let i = 0; i < 24; i++) {
      const time = t[Math.round((i * (t.length - 1)) / 23)];
      for (const mechanism of [this.mechanism, ...this.ghosts]) {
        mechanism.motion.go(time);
        mechanism.update(time, plain);
        mechanism.root.updateMatrixWorld(true);
        for (const thing of mechanism.solids()) this.see(thing, box);
      }
    }
    this.motion.go(t[0]);
    if (box.isEmpty() || !Number.isFinite(box.min.x + box.max.x)) return;
    const size = box.getSize(new THREE.Vector3());
    this.extent.centre = box.getCenter(new THREE.Vector3()).toArray() as Vector;
    this.half = [size.x / 2, size.y / 2];
    this.extent.radius = 0.5 * size.length() * (this.motion.dimension === 2 ? 1.06 : 0.86);
    let lowest = Infinity;
    for (let i = 0; i < this.seen.length; i += 3)
      lowest = Math.min(lowest, this.seen[i] * this.extent.up[0] + this.seen[i + 1] * this.extent.up[1] + this.seen[i + 2] * this.extent.up[2]);
    this.extent.floor = lowest;
    this.mechanism.addSurroundings();
  }

  /** Makes a thing one of those that are to be in sight. */
  private see(thing: THREE.Object3D, box: THREE.Box3): void {
    thing.traverseVisible((part) => {
      const geometry = (part as THREE.Mesh).geometry as THREE.BufferGeometry | undefined;
      if (!geometry) return;
      if (!geometry.boundingBox) geometry.computeBoundingBox();
      const one = geometry.boundingBox!.clone().applyMatrix4(part.matrixWorld);
      if (!Number.isFinite(one.min.x + one.max.x)) return;
      box.union(one);
      for (let c = 0; c < 8; c++) this.seen.push(c & 1 ? one.max.x : one.min.x, c & 2 ? one.max.y : one.min.y, c & 4 ? one.max.z : one.min.z);
    });
  }

  /** Everything in sight, from the usual side. */
  fit(): void {
    const { centre, radius } = this.extent;
    const middle = new THREE.Vector3(...centre);
    const up = new THREE.Vector3(...this.extent.up);
    for (const camera of [this.perspective, this.parallel]) {
      camera.up.copy(up);
      const distance = radius / Math.sin((this.perspective.fov / 2) * (Math.PI / 180)) * 1.02;
      camera.position.copy(middle).add(this.direction().multiplyScalar(distance));
      camera.near = camera instanceof THREE.OrthographicCamera ? -20 * radius : distance / 200;
      camera.far = distance + 40 * radius;
      camera.lookAt(middle);
    }
    this.parallel.zoom = 1;
    this.followed = null;
    this.controls.target.copy(middle);
    if (this.motion.dimension === 3 && this.seen.length) this.approach();
    this.controls.update();
    this.resize();
  }

  /** As near as everything is still in sight. */
  private approach(): void {
    const direction = this.direction();
    const up = new THREE.Vector3(...this.extent.up);
    const right = up.clone().cross(direction).normalize();
    const above = direction.clone().cross(right);
    const [width, height] = [Math.max(this.container.clientWidth, 50), Math.max(this.container.clientHeight, 50)];
    const tall = Math.tan((35 / 2) * (Math.PI / 180)) / (width >= height ? 1 : width / height) / 1.08;
    const wide = (tall * width) / height;
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    const p = new THREE.Vector3();
    const places: [number, number, number][] = [];
    for (let i = 0; i < this.seen.length; i += 3) {
      p.set(this.seen[i], this.seen[i + 1], this.seen[i + 2]);
      const at: [number, number, number] = [p.dot(right), p.dot(above), p.dot(direction)];
      places.push(at);
      for (const k of [0, 1]) [low[k], high[k]] = [Math.min(low[k], at[k]), Math.max(high[k], at[k])];
    }
    const centre = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, new THREE.Vector3(...this.extent.centre).dot(direction)];
    let distance = 0;
    for (const [x, y, z] of places) distance = Math.max(distance, Math.abs(x - centre[0]) / wide + z - centre[2], Math.abs(y - centre[1]) / tall + z - centre[2]);
    const target = new THREE.Vector3().addScaledVector(right, centre[0]).addScaledVector(above, centre[1]).addScaledVector(direction, centre[2]);
    for (const camera of [this.perspective, this.parallel]) {
      camera.position.copy(target).addScaledVector(direction, distance);
      camera.lookAt(target);
    }
    this.controls.target.copy(target);
  }

  /** Whence one looks at first: in the plane from above it, in space from the front, a little from the right and above. */
  private direction(): THREE.Vector3 {
    if (this.motion.dimension === 2) return new THREE.Vector3(0, 0, 1);
    const up = new THREE.Vector3(...this.extent.up);
    const front = Math.abs(up.y) > 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0).addScaledVector(up, -up.x).normalize();
    const side = up.clone().cross(front).normalize();
    return front.multiplyScalar(0.72).addScaledVector(side, -0.6).addScaledVector(up, 0.38).normalize();
  }

  setPerspective(on: boolean): void {
    const from = this.camera;
    const target = this.controls.target.clone();
    this.options.perspective = on;
    this.camera.position.copy(from.position);
    this.controls.dispose();
    this.controls = this.makeControls();
    this.controls.target.copy(target);
    this.controls.update();
    this.resize();
  }

  /** Turns the view by angles, as dragging does. */
  orbit(across: number, upward: number): void {
    const target = this.controls.target;
    const offset = this.camera.position.clone().sub(target);
    const up = this.camera.up;
    offset.applyAxisAngle(up, -across);
    const side = offset.clone().cross(up).normalize();
    offset.applyAxisAngle(side, upward);
    this.camera.position.copy(target).add(offset);
    this.controls.update();
    this.later();
  }

  /** Another motion of the same dimension in place of this one; the camera stays where it is while that shows it. */
  replace(motion: Motion, fit = false, others: Motion[] = []): void {
    const { extent: before, half } = this;
    this.scene.remove(this.mechanism.root);
    free(this.mechanism.root);
    this.motion = motion;
    this.extent = extentOf(motion);
    this.mechanism = new Mechanism(motion, this.extent);
    free(this.compass.scene);
    this.compass = new Compass(motion);
    this.scene.add(this.mechanism.root);
    this.putGhosts(others);
    if (this.extent.wanders) this.mechanism.addSurroundings();
    else this.measure();
    this.followed = null;
    const [least, most] = [0.4, 1.3]; // of the size before: what a view shows well
    const growth = this.extent.radius / before.radius;
    if (fit || !(growth > least && growth < most)) {
      this.fit();
      return;
    }
    this.half = half;
    Object.assign(this.extent, { centre: before.centre, radius: before.radius });
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.watcher.disconnect();
    this.controls.dispose();
    free(this.scene);
    free(this.compass.scene);
    this.renderer.dispose();
    this.canvas.remove();
    this.labels.remove();
    this.legend.remove();
  }

  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = false;
    if (this.motion.dimension === 2) {
      controls.enableRotate = false;
      controls.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.PAN };
      controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    }
    controls.addEventListener("change", () => this.later());
    return controls;
  }

  private addLights(): void {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8890a0, this.motion.dimension === 2 ? 2.2 : 1.5));
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(1024, 1024);
    this.light.shadow.bias = -0.0005;
    this.light.shadow.normalBias = 0.01 * this.extent.size;
    this.scene.add(this.light, this.light.target);
    const camera = this.light.shadow.camera;
    const reach = 1.3 * Math.max(this.extent.size, Math.min(this.extent.radius, 6 * this.extent.size));
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.01 * reach;
    camera.far = 8 * reach;
  }

  private moveLight(): void {
    const target = this.controls.target;
    const up = new THREE.Vector3(...this.extent.up);
    const reach = this.light.shadow.camera.right;
    const from = this.motion.dimension === 2 ? new THREE.Vector3(-0.4, 0.6, 1.5) : up.clone().multiplyScalar(2).add(new THREE.Vector3(0.9, -0.5, 0.35));
    this.light.castShadow = this.options.shadows && this.motion.dimension === 3;
    this.light.target.position.copy(target);
    this.light.position.copy(target).addScaledVector(from.normalize(), 3 * reach);
  }

  private followBody(): void {
    const place = this.options.follow ? this.mechanism.placeOf(this.options.follow) : null;
    if (!place) {
      this.followed = null;
      return;
    }
    const before = this.followed ?? ([this.controls.target.x, this.controls.target.y, this.controls.target.z] as Vector);
    const d = new THREE.Vector3(place[0] - before[0], place[1] - before[1], place[2] - before[2]);
    this.followed = place;
    this.camera.position.add(d);
    this.controls.target.add(d);
    this.camera.lookAt(this.controls.target);
    this.camera.updateMatrixWorld();
  }

  private resize(): void {
    const width = Math.max(this.container.clientWidth, 50);
    const height = Math.max(this.container.clientHeight, 50);
    this.renderer.setSize(width, height, false);
    this.perspective.aspect = width / height;
    const r = this.extent.radius * 1.05;
    let [w, h] = width > height ? [(r * width) / height, r] : [r, (r * height) / width];
    if (this.motion.dimension === 2 && this.half) {
      const [x, y] = [Math.max(this.half[0], 0.05 * r), Math.max(this.half[1], 0.05 * r)].map((v) => 1.12 * v);
      const scale = Math.max(x / width, y / height);
      [w, h] = [scale * width, scale * height];
    }
    Object.assign(this.parallel, { left: -w, right: w, bottom: -h, top: h });
    // A narrow window must not cut off the sides.
    this.perspective.fov = width >= height ? 35 : (2 * Math.atan((Math.tan((35 / 2) * (Math.PI / 180)) * height) / width) * 180) / Math.PI;
    this.perspective.updateProjectionMatrix();
    this.parallel.updateProjectionMatrix();
    this.later();
  }

  /** What is written beside things, and where on the picture (0 to 1). */
  words(): { text: string; x: number; y: number }[] {
    return this.mechanism.labels(this.options.labels).map(({ text, at }) => {
      const p = new THREE.Vector3(...at).project(this.camera);
      return { text, x: (p.x + 1) / 2, y: (1 - p.y) / 2 };
    });
  }

  private placeLabels(): void {
    const wanted = this.mechanism.labels(this.options.labels);
    while (this.labels.childElementCount > wanted.length) this.labels.lastElementChild!.remove();
    while (this.labels.childElementCount < wanted.length) this.labels.append(element("span", "view-label"));
    wanted.forEach(({ text, at }, i) => {
      const p = new THREE.Vector3(...at).project(this.camera);
      const label = this.labels.children[i] as HTMLElement;
      label.textContent = text;
      label.style.left = `${(50 * (p.x + 1)).toFixed(2)}%`;
      label.style.top = `${(50 * (1 - p.y)).toFixed(2)}%`;
      label.hidden = !(p.z < 1);
    });
  }

  /** What a test reads back: where things are drawn. */
  readBack(): { time: number; anchors: Places; bodies: ReturnType<Mechanism["bodyPlaces"]>; others: Places[]; camera: number[] } {
    const others = this.ghosts.map((ghost) => ghost.anchorPlaces());
    return { time: this.time, anchors: this.mechanism.anchorPlaces(), bodies: this.mechanism.bodyPlaces(), others, camera: this.camera.position.toArray() };
  }
}

export { colourOf };
