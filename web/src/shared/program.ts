// Formulas of a scene: a list of operations on columns of a run, as src/alembert/plot/scene.h describes it.

export interface ProgramData {
  inputs: string[]; // names of columns
  constants: (number | null)[];
  operators: string[];
  code: number[]; // triples (operator, first, second operand)
  tables?: TableData[];
}

/** A function of one number: before the first knot and behind each f + u (b + u (c + u d)), u = x - at. */
export interface TableData { knots: number[]; pieces: number[] }

function tableValue({ knots, pieces }: TableData, x: number): number {
  let [low, high] = [0, knots.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (knots[middle] <= x) low = middle + 1;
    else high = middle;
  }
  const [at, f, b, c, d] = pieces.slice(5 * low, 5 * low + 5);
  const u = x - at;
  return f + u * (b + u * (c + u * d));
}

type Operation = (a: number, b: number) => number;

const operations: Record<string, Operation> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "^": Math.pow,
  negate: (a) => -a,
  atan2: Math.atan2,
  min: Math.min,
  max: Math.max,
  where: (a, b) => (a !== 0 ? b : 0),
  hypot: (a, b) => Math.hypot(a, b),
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  abs: Math.abs,
  positive: (a) => (a > 0 ? 1 : 0),
  sign: Math.sign,
};

export class Program {
  readonly inputs: string[];
  private readonly results: Float64Array;
  private readonly code: Int32Array;
  private readonly operation: (Operation | null)[];
  private readonly reads: boolean[];
  private readonly looksUp: boolean[];
  private readonly tables: TableData[];

  constructor(data: ProgramData) {
    this.inputs = data.inputs;
    this.code = Int32Array.from(data.code);
    this.results = new Float64Array(data.code.length / 3);
    this.operation = data.operators.map((name) => operations[name] ?? null);
    this.reads = data.operators.map((name) => name === "input");
    this.looksUp = data.operators.map((name) => name === "table");
    this.tables = data.tables ?? [];
    for (let k = 0; k < this.results.length; k++) {
      const name = data.operators[this.code[3 * k]];
      if (name === "constant") this.results[k] = data.constants[this.code[3 * k + 1]] ?? NaN;
      else if (name !== "input" && name !== "table" && !operations[name]) throw new Error(`unknown operator ${name}`);
    }
  }

  private readonly needed = new Map<number, Int32Array>();
  private scratch: Float64Array | null = null;

  /** One result by itself; costs only what it needs. */
  evaluate(result: number, inputs: ArrayLike<number>): number {
    const { code, operation, reads } = this;
    let order = this.needed.get(result);
    if (!order) this.needed.set(result, (order = this.reach(result)));
    const values = (this.scratch ??= Float64Array.from(this.results));
    for (const k of order) {
      const which = code[3 * k];
      if (reads[which]) values[k] = inputs[code[3 * k + 1]];
      else if (this.looksUp[which]) values[k] = tableValue(this.tables[code[3 * k + 2]], values[code[3 * k + 1]]);
      else {
        const f = operation[which];
        if (f) values[k] = f(values[code[3 * k + 1]], values[code[3 * k + 2]]);
      }
    }
    return values[result];
  }

  /** Results that one is made of, operands first. */
  private reach(result: number): Int32Array {
    const found = new Set<number>();
    const open = [result];
    while (open.length) {
      const k = open.pop()!;
      if (found.has(k)) continue;
      found.add(k);
      const which = this.code[3 * k];
      if (this.operation[which]) open.push(this.code[3 * k + 1], this.code[3 * k + 2]);
      else if (this.looksUp[which]) open.push(this.code[3 * k + 1]);
    }
    return Int32Array.from(found).sort();
  }

  /** All results, for these values of the inputs; the list is used again by the next call. */
  run(inputs: ArrayLike<number>): Float64Array {
    const { code, results, operation, reads } = this;
    for (let k = 0, at = 0; k < results.length; k++, at += 3) {
      const which = code[at];
      if (reads[which]) results[k] = inputs[code[at + 1]];
      else if (this.looksUp[which]) results[k] = tableValue(this.tables[code[at + 2]], results[code[at + 1]]);
      else {
        const f = operation[which];
        if (f) results[k] = f(results[code[at + 1]], results[code[at + 2]]);
      }
    }
    return results;
  }
}
