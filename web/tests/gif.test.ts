import assert from "node:assert/strict";
import { test } from "node:test";
import { roundUp, scaleOf } from "../src/shared/arrows";
import { gifOf, paletteOf } from "../src/shared/gif";

/** Pictures of a GIF as indices of its palette, by the rules of GIF89a alone; transparent pixels keep what was there. */
function decode(file: Uint8Array): { width: number; height: number; palette: number[][]; pictures: number[][]; pauses: number[] } {
  const two = (at: number) => file[at] | (file[at + 1] << 8);
  assert.equal(String.fromCharCode(...file.slice(0, 6)), "GIF89a");
  const [width, height] = [two(6), two(8)];
  const colours = 2 << (file[10] & 7);
  const palette = Array.from({ length: colours }, (_, i) => [...file.slice(13 + 3 * i, 16 + 3 * i)]);
  const pictures: number[][] = [];
  const pauses: number[] = [];
  let now = new Array<number>(width * height).fill(0);
  let at = 13 + 3 * colours;
  let clear = -1; // the transparent index
  const blocks = (): number[] => {
    const bytes: number[] = [];
    while (file[at]) {
      bytes.push(...file.slice(at + 1, at + 1 + file[at]));
      at += file[at] + 1;
    }
    at++;
    return bytes;
  };
  while (file[at] !== 0x3b) {
    if (file[at] === 0x21) {
      if (file[at + 1] === 0xf9) {
        clear = file[at + 3] & 1 ? file[at + 6] : -1;
        pauses.push(two(at + 4));
      }
      at += 2;
      blocks();
      continue;
    }
    assert.equal(file[at], 0x2c);
    const least = file[at + 10];
    at += 11;
    const bytes = blocks();
    let bit = 0;
    const code = (wide: number) => {
      let value = 0;
      for (let k = 0; k < wide; k++, bit++) value |= ((bytes[bit >> 3] >> (bit & 7)) & 1) << k;
      return value;
    };
    let table: number[][] = [];
    let wide = least + 1;
    let last: number[] | null = null;
    const out: number[] = [];
    for (;;) {
      const c = code(wide);
      if (c === 1 << least) {
        table = Array.from({ length: (1 << least) + 2 }, (_, i) => [i]);
        wide = least + 1;
        last = null;
        continue;
      }
      if (c === (1 << least) + 1) break;
      const entry: number[] = c < table.length ? table[c] : [...last!, last![0]];
      out.push(...entry);
      if (last && table.length < 4096) table.push([...last, entry[0]]);
      if (table.length === 1 << wide && wide < 12) wide++;
      last = entry;
    }
    now = out.map((index, i) => (index === clear ? now[i] : index));
    pictures.push(now);
  }
  return { width, height, palette, pictures, pauses };
}

test("a GIF gives back its pictures, also where codes grow to twelve bits and begin again", () => {
  const [width, height] = [97, 61];
  let seed = 1;
  const random = () => (seed = (1103515245 * seed + 12345) % 2147483648) / 2147483648;
  const colours = [[0, 0, 0], [255, 255, 255], [222, 33, 33], [0, 115, 181], [8, 156, 115]];
  const chosen = Array.from({ length: 3 }, () => Array.from({ length: width * height }, () => Math.floor(colours.length * random() ** 2)));
  const pictures = chosen.map((picture) => Uint8ClampedArray.from(picture.flatMap((i) => [...colours[i], 255])));
  const made = decode(gifOf(pictures, width, height, 6));
  assert.deepEqual([made.width, made.height, made.pictures.length], [width, height, 3]);
  assert.deepEqual(made.pauses, [6, 6, 6]);
  made.pictures.forEach((picture, k) => {
    assert.equal(picture.length, width * height);
    picture.forEach((index, i) => {
      const [shown, meant] = [made.palette[index], colours[chosen[k][i]]];
      assert.ok(shown.every((v, c) => Math.abs(v - meant[c]) <= 8), `picture ${k}, pixel ${i}: ${shown} for ${meant}`);
    });
  });
});

test("a palette has at most 255 colours, and all of few", () => {
  const many = Uint8ClampedArray.from({ length: 4 * 40000 }, (_, i) => (i % 4 === 3 ? 255 : (i * 7919) % 256));
  assert.ok(paletteOf([many]).length <= 255);
  const two = Uint8ClampedArray.from([255, 0, 0, 255, 0, 0, 255, 255]);
  assert.deepEqual(paletteOf([two]).sort(), [[0, 0, 255], [255, 0, 0]]);
});

test("the scale of arrows is a round number, and no arrow is too long", () => {
  assert.deepEqual([0.9, 1, 1.01, 2.5, 5, 73, 1e-4].map(roundUp).map((v) => +v.toPrecision(6)), [1, 1, 2, 5, 5, 100, 1e-4]);
  for (const most of [0.03, 7, 981, 1.5e5]) {
    const scale = scaleOf(most, 0.4);
    assert.ok(most / scale <= 0.4 * (1 + 1e-9) && most / scale > 0.4 / 2.6, `${most} is drawn ${most / scale} long`);
  }
  assert.equal(scaleOf(0, 1), 0);
});
