/** How long a released stream may take to end by itself before its connection is closed. */
const LINGER_MS = 250;

/** Connections of released streams, which get a moment to become free for the next request. */
export class DrainingConnections {
  readonly #closers = new Set<() => void>();

  /** Calls `close` after 250 ms, unless the returned function is called before. */
  add(close: () => void): () => void {
    const end = (): void => {
      clearTimeout(timer);
      this.#closers.delete(closeNow);
    };
    const closeNow = (): void => {
      end();
      close();
    };
    const timer = setTimeout(closeNow, LINGER_MS);
    this.#closers.add(closeNow);
    return end;
  }

  closeAll(): void {
    for (const close of this.#closers) close();
  }
}
