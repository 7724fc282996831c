import { type Deferred, deferred } from '../../support/deferred.ts';
import { incoming } from './incoming.ts';
import type { Inbox, IncomingMessage } from '../handler.ts';
import { readOf } from '../replay/journal.ts';
import type { RunPort } from './run-port.ts';

/** Messages that arrive while the handler runs. Each read is recorded, so that a replay returns the same messages. */
export class RunInbox implements Inbox {
  readonly #run: RunPort;
  #reads = 0;
  #arrival: Deferred<void> | undefined;

  constructor(run: RunPort) {
    this.#run = run;
  }

  async take(): Promise<readonly IncomingMessage[]> {
    return this.#read(Number.POSITIVE_INFINITY);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<IncomingMessage> {
    // Ends with the run and without an error, so that a loop beside the main work needs no error handling.
    while (await this.#arrived()) {
      const [message] = await this.#read(1).catch((error: unknown) => {
        if (this.#run.stopReason !== undefined) return [];
        throw error;
      });
      if (message !== undefined) yield message;
    }
  }

  /** Called when a message has arrived or the run is over. */
  wake(): void {
    this.#arrival?.resolve();
    this.#arrival = undefined;
  }

  async #arrived(): Promise<boolean> {
    const { journal, completions } = this.#run;
    for (;;) {
      if (this.#run.isAbandoned) await new Promise(() => {});
      if (this.#run.stopReason !== undefined) return false;
      const nextKey = String(this.#reads + 1);
      if (journal.find('read', nextKey) !== undefined) {
        await completions.again(journal.numberOf('read', nextKey));
        return true;
      }
      if (journal.unread().length > 0) return true;
      await (this.#arrival ??= deferred<void>()).promise;
    }
  }

  async #read(limit: number): Promise<readonly IncomingMessage[]> {
    this.#run.assertRunning();
    const { journal } = this.#run;
    const key = String(++this.#reads);
    const known = journal.find('read', key);
    const unread = known === undefined ? journal.unread().slice(0, limit) : journal.unread(readOf(known));
    const upTo = unread.at(-1)?.number ?? 0;
    journal.markRead(upTo);
    if (known === undefined) {
      // An empty read need not be stored before the handler continues, because its later output is stored after it.
      if (unread.length === 0) this.#run.noteLater('read', key, { upTo });
      else await this.#run.completions.during(() => this.#run.note('read', key, { upTo }));
      this.#run.engine.faultPoint('after-read');
    }
    await this.#run.room();
    return unread.map(({ message }) => incoming(message));
  }
}
