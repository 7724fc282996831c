const BEAT = ': keep-alive\n\n';

/** Sends keep-alive comments on all open streams. One timer serves all of them, and none runs without streams. */
export class Heartbeats {
  readonly #everyMs: number;
  readonly #streams = new Set<(beat: string) => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** Adds a stream. Returns a function that removes it. */
  add(write: (beat: string) => void): () => void {
    if (this.#isClosed) return () => {};
    this.#streams.add(write);
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs);
    return () => {
      if (this.#streams.delete(write) && this.#streams.size === 0) this.#stop();
    };
  }

  /** Stops all heartbeats, also of streams that are added later. */
  close(): void {
    this.#isClosed = true;
    this.#streams.clear();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    for (const write of this.#streams) write(BEAT);
  }
}
