// A sign in the corner of a view: the axes of the world as they are seen now, and where gravity pulls.

import * as THREE from "three";
import { arrow, stretch } from "./meshes";
import { Motion, isFinite3, length } from "./scene";

const pixels = 96; // of its edge

function letter(text: string, colour: string): THREE.Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.font = "bold 46px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = colour;
  pen.fillText(text, 32, 34);
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = THREE.SRGBColorSpace;
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map, depthTest: false }));
  sprite.scale.setScalar(0.62);
  return sprite;
}

export class Compass {
  readonly scene = new THREE.Scene();
  private readonly camera = new THREE.OrthographicCamera(-1.75, 1.75, 1.75, -1.75, 0, 20);

  constructor(motion: Motion) {
    this.scene.add(new THREE.AmbientLight(0xffffff, 3));
    const put = (to: THREE.Vector3, colour: string, text: string, radius: number) => {
      const sign = arrow(radius, colour);
      stretch(sign, new THREE.Vector3(), to);
      const name = letter(text, colour);
      name.position.copy(to).multiplyScalar(1.32);
      this.scene.add(sign, name);
    };
    put(new THREE.Vector3(1, 0, 0), "#d1495b", "x", 0.05);
    put(new THREE.Vector3(0, 1, 0), "#2a9d4a", "y", 0.05);
    if (motion.dimension === 3) put(new THREE.Vector3(0, 0, 1), "#3a7bd5", "z", 0.05);
    const g = motion.vector(motion.scene.gravity);
    if (motion.scene.gravity.length > 1 && isFinite3(g) && length(g) > 0) put(new THREE.Vector3(...g).normalize(), "#8a8f98", "g", 0.09);
  }

  draw(renderer: THREE.WebGLRenderer, from: THREE.Camera, target: THREE.Vector3): void {
    const back = from.position.clone().sub(target).setLength(8);
    this.camera.up.copy(from.up);
    this.camera.position.copy(back);
    this.camera.lookAt(0, 0, 0);
    const size = renderer.getSize(new THREE.Vector2());
    const clears = renderer.autoClear;
    renderer.autoClear = false;
    renderer.setViewport(4, 4, pixels, pixels);
    renderer.clearDepth();
    renderer.render(this.scene, this.camera);
    renderer.setViewport(0, 0, size.x, size.y);
    renderer.autoClear = clears;
  }
}
