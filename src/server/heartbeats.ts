const BEAT = ': keep-alive\n\n';

/** Tells all open streams now and then to say that they are alive. One timer for all, and none without streams. */
export class Heartbeats {
  readonly #everyMs: number;
  readonly #streams = new Set<(beat: string) => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size;
  }

  /** Returns what ends it. */
  add(write: (beat: string) => void): () => void {
    this.#streams.add(write);
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs);
    return () => {
      if (!this.#streams.delete(write) || this.#streams.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #beat(): void {
    for (const write of this.#streams) write(BEAT);
  }
}
