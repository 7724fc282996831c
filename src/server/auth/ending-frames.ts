import type { Timers } from '../../support/timers.ts';
import type { EventFrames } from '../event-frames.ts';

/** A stream that is cut short at a time. */
export class EndingFrames implements AsyncIterableIterator<string, undefined> {
  readonly #frames: EventFrames;
  readonly #cancel: () => void;

  constructor(frames: EventFrames, time: number, timers: Timers) {
    this.#frames = frames;
    this.#cancel = timers.add(time, () => frames.cutShort());
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const next = await this.#frames.next();
    if (next.done === true) this.#cancel();
    return next;
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.#cancel();
    return this.#frames.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
