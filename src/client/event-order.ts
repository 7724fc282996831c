import { isTerminal } from '../model/state.ts';
import type { Received } from './event.ts';

/** What the number of an event says about it. */
export type Order = 'next' | 'again' | 'wrong';

/**
 * The order of the events of a task, as far as their numbers tell it. A stream that has none is believed: agents
 * must not reorder (1.0 §3.5.2), and a text that comes twice may be meant so.
 */
export class EventOrder {
  #last: Pick<Received, 'number' | 'raw'> | undefined;
  #countsByOne = true;

  /** `again`: it has just come. `wrong`: it comes too late, or another one is missing and nothing can follow. */
  take({ event, number, raw }: Received): Order {
    if (number === undefined) return 'next';
    const last = this.#last;
    this.#last = { number, raw };
    if (last?.number === undefined) return 'next';
    if (number < last.number) return 'wrong';
    // Some agents write one event in several pieces, all with its number.
    if (number === last.number) return JSON.stringify(raw) === JSON.stringify(last.raw) ? 'again' : 'next';
    const isGap = number > last.number + 1;
    if (isGap && this.#countsByOne && isEnd(event)) return 'wrong';
    if (isGap) this.#countsByOne = false;
    return 'next';
  }
}

function isEnd(event: Received['event']): boolean {
  return 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state);
}
