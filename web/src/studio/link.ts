// The WebSocket to the program: requests with numbers, answers to them, progress on the way.

export interface Diagnostic {
  line: number; // 0: it has no place in the text
  column: number;
  length: number;
  message: string;
  hint: string;
  file?: string;
  text?: string;
}

/** What the program refused, with what is wrong at its place. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly diagnostics: Diagnostic[],
    readonly cancelled: boolean,
  ) {
    super(message);
  }
}

interface Waiting {
  resolve: (answer: any) => void;
  reject: (reason: Refused) => void;
  progress?: (done: number) => void;
}

export interface Asked<T> {
  id: number;
  answer: Promise<T>;
}

export class Link {
  private socket!: WebSocket;
  private waiting = new Map<number, Waiting>();
  private unsent: string[] = [];
  private next = 1;
  private ended = false;

  /** state is told "open", "lost" (it will be tried again) and "ended" (the program has ended). */
  constructor(
    private address: string,
    private state: (now: "open" | "lost" | "ended") => void,
  ) {
    this.open();
  }

  private open(): void {
    this.socket = new WebSocket(this.address);
    this.socket.onopen = () => {
      for (const text of this.unsent.splice(0)) this.socket.send(text);
      this.state("open");
    };
    this.socket.onmessage = (event) => this.take(JSON.parse(event.data));
    this.socket.onclose = (event) => {
      for (const one of this.waiting.values()) one.reject(new Refused("the connection to the program is lost", [], true));
      this.waiting.clear();
      this.unsent = [];
      this.ended = event.code === 1001;
      this.state(this.ended ? "ended" : "lost");
      setTimeout(() => this.open(), this.ended ? 4000 : 1000);
    };
  }

  private take(said: any): void {
    const one = this.waiting.get(said.id);
    if (!one) return;
    if (said.kind === "progress") {
      one.progress?.(said.done);
      return;
    }
    this.waiting.delete(said.id);
    if (said.kind === "result") one.resolve(said);
    else one.reject(new Refused(said.text ?? "cancelled", said.diagnostics ?? [], said.kind === "cancelled"));
  }

  ask<T = any>(what: string, fields: object = {}, progress?: (done: number) => void): Asked<T> {
    const id = this.next++;
    const text = JSON.stringify({ id, do: what, ...fields });
    const answer = new Promise<T>((resolve, reject) => this.waiting.set(id, { resolve, reject, progress }));
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.unsent.push(text);
    return { id, answer };
  }

  cancel(id: number): void {
    if (this.waiting.has(id)) this.ask("cancel", { of: id }).answer.catch(() => undefined);
  }
}
