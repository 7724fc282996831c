const BEAT = ': keep-alive\n\n';

/** Tells all open streams now and then to say that they are alive. One timer for all, and none without streams. */
export class Heartbeats {
  readonly #everyMs: number;
  readonly #streams = new Set<(beat: string) => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size;
  }

  /** Returns what ends it. */
  add(write: (beat: string) => void): () => void {
    if (this.#isClosed) return () => {};
    this.#streams.add(write);
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs);
    return () => {
      if (this.#streams.delete(write) && this.#streams.size === 0) this.#stop();
    };
  }

  /** No stream beats any more, not even one that is added later. */
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
