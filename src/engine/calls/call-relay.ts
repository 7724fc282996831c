import type { JsonObject } from '../../model/json.ts';
import type { JournalEntry } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { EngineContext } from '../engine-context.ts';
import type { CallRequest, CallUpdateEntry } from './call-request.ts';
import type { PeerUpdate } from './peers.ts';

/** The shortest time between two relayed status texts. */
const PROGRESS_MS = 2000;
/** The shortest time between two writes to the parent. */
const WRITE_MS = 250;

/** Why a stream of a child is no longer followed, and whether it had any update. */
export interface Followed {
  readonly end: 'settled' | 'closed' | 'news' | 'due';
  readonly hasProgressed: boolean;
}

type NextUpdate = IteratorResult<PeerUpdate> | 'news' | 'due' | 'write';

/** Passes updates of a child on to its parent: the ones that the call asks for, a few writes per second. */
export class CallRelay {
  readonly #engine: EngineContext;
  readonly #request: CallRequest;
  readonly #callId: string;
  readonly #write: (entries: readonly JournalEntry[]) => Promise<unknown>;
  #chunks: CallUpdateEntry[] = [];
  #progress: CallUpdateEntry | undefined;
  #progressAt = 0;
  #writtenAt = 0;
  #unnumbered = 0;

  constructor(
    engine: EngineContext,
    request: CallRequest,
    callId: string,
    write: (entries: readonly JournalEntry[]) => Promise<unknown>,
  ) {
    this.#engine = engine;
    this.#request = request;
    this.#callId = callId;
    this.#write = write;
  }

  /**
   * Follows a child until it settles, its stream closes, or a time comes.
   *
   * @param news Resolves when the parent has changed so that the stream is no longer of use.
   */
  async follow(updates: AsyncIterable<PeerUpdate>, news: Promise<void>, until: number | undefined): Promise<Followed> {
    const iterator = updates[Symbol.asyncIterator]();
    const due = deferred<void>();
    const { timers, clock } = this.#engine;
    const disarm = until === undefined ? undefined : timers.add(until, () => due.resolve());
    const other = Promise.race([news.then(() => 'news' as const), due.promise.then(() => 'due' as const)]);
    let hasProgressed = false;
    let next: Promise<IteratorResult<PeerUpdate>> | undefined;
    try {
      for (;;) {
        next ??= iterator.next();
        const writeAt = this.#writeAt;
        const timer = writeAt === undefined ? undefined : this.#timer(writeAt);
        const waiting: Promise<NextUpdate>[] = [next, other];
        if (timer !== undefined) waiting.push(timer.promise.then(() => 'write' as const));
        const update = await Promise.race(waiting);
        timer?.disarm();
        if (update === 'news' || update === 'due') return { end: update, hasProgressed };
        if (update !== 'write') {
          next = undefined;
          if (update.done === true) return { end: 'closed', hasProgressed };
          hasProgressed = true;
          if (update.value.kind === 'settled') return { end: 'settled', hasProgressed };
          this.#add(update.value);
        }
        if ((this.#writeAt ?? Number.POSITIVE_INFINITY) <= clock.now()) await this.#flush();
      }
    } finally {
      disarm?.();
      void Promise.resolve(iterator.return?.()).catch(() => {});
      next?.catch(() => {});
      await this.#flush(true);
    }
  }

  #timer(time: number): Deferred<void> & { readonly disarm: () => void } {
    const timer = deferred<void>();
    return { ...timer, disarm: this.#engine.timers.add(time, () => timer.resolve()) };
  }

  #add(update: Exclude<PeerUpdate, { kind: 'settled' }>): void {
    const { progress, artifact, peer } = this.#request;
    const { event } = update;
    const numbered = { call: this.#callId, ...(event !== undefined && { event }) };
    if (update.kind === 'progress') {
      const { text, path = [peer] } = update;
      // Only the latest text is worth a status.
      if (progress === true) this.#progress = { ...numbered, update: { kind: 'progress', text, path } };
    } else if (update.name === artifact) {
      const { parts, append } = update;
      this.#chunks.push({ ...numbered, update: { kind: 'artifact', parts, append } });
    }
  }

  /** When there is something to write. */
  get #writeAt(): number | undefined {
    if (this.#chunks.length > 0) return this.#writtenAt + WRITE_MS;
    return this.#progress === undefined ? undefined : this.#progressAt + PROGRESS_MS;
  }

  async #flush(isLast = false): Promise<void> {
    const now = this.#engine.clock.now();
    const updates = this.#chunks.splice(0);
    if (this.#progress !== undefined && now >= this.#progressAt + PROGRESS_MS) {
      updates.push(this.#progress);
      this.#progress = undefined;
      this.#progressAt = now;
    } else if (isLast) this.#progress = undefined;
    if (updates.length === 0) return;
    this.#writtenAt = now;
    await this.#write(updates.map((update) => this.#entry(update)));
    this.#engine.faultPoint('after-call-relayed');
  }

  #entry(update: CallUpdateEntry): JournalEntry {
    return updateEntry(update, `${this.#engine.node}.${this.#writtenAt}.${++this.#unnumbered}`);
  }
}

/** The journal entry of an update. @param place Distinguishes updates of peers that do not number their events. */
export function updateEntry(update: CallUpdateEntry, place: string): JournalEntry {
  const key = `${update.call}/${update.update.kind} ${update.event ?? place}`;
  return { kind: 'call-update', key, body: update as unknown as JsonObject };
}
