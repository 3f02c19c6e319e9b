// Animated GIF (89a): a palette for all pictures, pixels that did not change left transparent, LZW.

/** The 255 colours that pictures need most, by cutting the cloud of their colours (five bits a channel) at its medians. */
export function paletteOf(pictures: Uint8ClampedArray[]): number[][] {
  const counts = new Uint32Array(32768);
  for (const picture of pictures) for (let i = 0; i < picture.length; i += 4) counts[((picture[i] >> 3) << 10) | ((picture[i + 1] >> 3) << 5) | (picture[i + 2] >> 3)]++;
  const channel = (colour: number, k: number) => (colour >> (10 - 5 * k)) & 31;
  type Box = { colours: number[]; axis: number; spread: number };
  const boxOf = (colours: number[]): Box => {
    const spreads = [0, 1, 2].map((k) => {
      let [low, high] = [31, 0];
      for (const colour of colours) [low, high] = [Math.min(low, channel(colour, k)), Math.max(high, channel(colour, k))];
      return high - low;
    });
    const spread = Math.max(...spreads);
    return { colours, axis: spreads.indexOf(spread), spread };
  };
  const boxes = [boxOf([...counts.keys()].filter((colour) => counts[colour] > 0))];
  while (boxes.length < 255) {
    const widest = boxes.reduce((best, box, i) => (box.spread * Math.sqrt(box.colours.length) > boxes[best].spread * Math.sqrt(boxes[best].colours.length) ? i : best), 0);
    const { colours, axis, spread } = boxes[widest];
    if (spread === 0) break;
    colours.sort((a, b) => channel(a, axis) - channel(b, axis));
    let at = colours.length >> 1;
    // Equal values stay together.
    while (at > 0 && channel(colours[at], axis) === channel(colours[at - 1], axis)) at--;
    if (at === 0) for (at = 1; channel(colours[at], axis) === channel(colours[0], axis); ) at++;
    boxes.splice(widest, 1, boxOf(colours.slice(0, at)), boxOf(colours.slice(at)));
  }
  return boxes.map(({ colours }) => {
    const sum = [0, 0, 0, 0];
    for (const colour of colours) {
      for (let k = 0; k < 3; k++) sum[k] += counts[colour] * ((channel(colour, k) * 255) / 31);
      sum[3] += counts[colour];
    }
    return sum.slice(0, 3).map((v) => Math.round(v / Math.max(sum[3], 1)));
  });
}

/** Codes of GIF's LZW, in blocks of at most 255 bytes. */
export function compressed(pixels: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  let width = 9;
  const put = (code: number) => {
    bits |= code << held;
    for (held += width; held >= 8; held -= 8) {
      bytes.push(bits & 255);
      bits >>>= 8;
    }
  };
  const [clear, end] = [256, 257];
  let table = new Map<number, number>();
  let next = 258;
  put(clear);
  let prefix = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const key = prefix * 256 + pixels[i];
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    if (next < 4096) {
      if (next === 1 << width) width++;
      table.set(key, next++);
    } else {
      put(clear);
      table = new Map();
      next = 258;
      width = 9;
    }
    prefix = pixels[i];
  }
  put(prefix);
  if (next === 1 << width && width < 12) width++;
  put(end);
  if (held > 0) bytes.push(bits & 255);
  const blocks = new Uint8Array(bytes.length + Math.ceil(bytes.length / 255) + 1); // ends with an empty one
  for (let at = 0, to = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks[to] = block.length;
    blocks.set(block, to + 1);
    to += block.length + 1;
  }
  return blocks;
}

const two = (value: number): number[] => [value & 255, value >> 8];

/** Pictures of one size (red, green, blue, alpha) as a GIF that begins again; `pause` in hundredths of a second. */
export function gifOf(pictures: Uint8ClampedArray[], width: number, height: number, pause: number): Uint8Array {
  const samples = pictures.filter((_, i) => i % Math.ceil(pictures.length / 8) === 0);
  const palette = paletteOf(samples);
  const nearest = new Int16Array(32768).fill(-1);
  const indexOf = (r: number, g: number, b: number): number => {
    const key = ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
    if (nearest[key] < 0) {
      let best = Infinity;
      palette.forEach(([x, y, z], i) => {
        const d = 2 * (x - r) ** 2 + 4 * (y - g) ** 2 + (z - b) ** 2;
        if (d < best) [best, nearest[key]] = [d, i];
      });
    }
    return nearest[key];
  };
  const transparent = 255;
  const parts: ArrayLike<number>[] = [[...new TextEncoder().encode("GIF89a"), ...two(width), ...two(height), 0xf7, 0, 0]];
  parts.push(Array.from({ length: 256 }, (_, i) => palette[i] ?? [0, 0, 0]).flat());
  parts.push([0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0]);
  let before: Uint8Array | null = null;
  for (const picture of pictures) {
    const now = new Uint8Array(width * height);
    for (let i = 0; i < now.length; i++) now[i] = indexOf(picture[4 * i], picture[4 * i + 1], picture[4 * i + 2]);
    const last = before;
    const shown = last ? now.map((index, i) => (index === last[i] ? transparent : index)) : now;
    parts.push([0x21, 0xf9, 4, last ? 0x05 : 0x04, ...two(pause), transparent, 0], [0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0, 8], compressed(shown));
    before = now;
  }
  parts.push([0x3b]);
  const file = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}
