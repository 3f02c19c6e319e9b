// The numbers of a run, as src/alembert/plot/rows.h writes them.

export interface ColumnData {
  name: string;
  kind: string;
  unit: string;
  values: string;
  extremeRows?: string;
  extremes?: string;
  extremeTimes?: string;
}

export interface RunData {
  title: string;
  model: string;
  method: string;
  step: number;
  rows: number;
  every: number;
  shown: string;
  columns: ColumnData[];
  events: { name: string; values: string }[];
}

export interface Column {
  name: string;
  kind: string;
  unit: string;
  values: Float64Array; // at the rows that are shown
  t: Float64Array; // with the extremes between them
  y: Float64Array;
}

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const list = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) list[i] = raw.charCodeAt(i);
  return list.buffer;
}
const doubles = (text: string) => new Float64Array(bytes(text));
const integers = (text: string) => new Uint32Array(bytes(text));

/** Two lists of rows with values, as one in the order of the rows. */
export function merged(rows: Uint32Array, values: ArrayLike<number>, moreRows: Uint32Array, more: ArrayLike<number>): Float64Array {
  const result = new Float64Array(values.length + more.length);
  let i = 0;
  let j = 0;
  for (let k = 0; k < result.length; k++) {
    if (j >= moreRows.length || (i < rows.length && rows[i] < moreRows[j])) result[k] = values[i++];
    else result[k] = more[j++];
  }
  return result;
}

export class Run {
  readonly title: string;
  readonly columns: Column[] = [];
  readonly t: Float64Array;
  readonly rows: number;
  readonly complete: boolean; // every row of the run is here
  readonly events: { name: string; values: Float64Array }[];
  private readonly byName = new Map<string, Column>();

  constructor(readonly data: RunData) {
    this.title = data.title;
    this.rows = data.rows;
    const shown = integers(data.shown);
    this.complete = shown.length === data.rows;
    this.t = doubles(data.columns[0].values);
    for (const column of data.columns) {
      const values = doubles(column.values);
      let t: Float64Array = this.t;
      let y: Float64Array = values;
      if (column.extremes) {
        const rows = integers(column.extremeRows!);
        t = merged(shown, this.t, rows, doubles(column.extremeTimes!));
        y = merged(shown, values, rows, doubles(column.extremes));
      }
      this.add({ name: column.name, kind: column.kind, unit: column.unit, values, t, y });
    }
    this.events = data.events.map((event) => ({ name: event.name, values: doubles(event.values) }));
  }

  add(column: Column): void {
    this.columns.push(column);
    this.byName.set(column.name, column);
  }

  column(name: string): Column | undefined {
    return this.byName.get(name);
  }

  /** The last row that is not behind a time, and how far the time is on the way to the next (0 to 1). */
  place(time: number): { row: number; share: number } {
    const { t } = this;
    const forward = t[t.length - 1] >= t[0];
    let low = 0;
    let high = t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (forward ? t[middle] <= time : t[middle] >= time) low = middle;
      else high = middle - 1;
    }
    if (low + 1 >= t.length || t[low + 1] === t[low]) return { row: low, share: 0 };
    return { row: low, share: Math.min(1, Math.max(0, (time - t[low]) / (t[low + 1] - t[low]))) };
  }

  /** Values of columns at a time, straight between two rows; NaN where there is no such column. */
  sample(names: string[], time: number, to: Float64Array): void {
    const { row, share } = this.place(time);
    for (let i = 0; i < names.length; i++) {
      const values = this.byName.get(names[i])?.values;
      if (!values) to[i] = NaN;
      else to[i] = share > 0 ? values[row] + share * (values[row + 1] - values[row]) : values[row];
    }
  }
}
