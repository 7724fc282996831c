import { isTerminal } from '../../model/state.ts';
import type { Received } from '../event.ts';

/** Whether an event is the next one, a duplicate, or out of order. */
export type Order = 'next' | 'again' | 'wrong';

/**
 * Checks the order of the events of a task by their numbers. Events without numbers are accepted as they come, because agents must
 * not reorder them (1.0 §3.5.2) and a repeated text may be intended.
 */
export class EventOrder {
  #last: Pick<Received, 'number' | 'raw'> | undefined;
  #countsByOne = true;

  /** `again`: a duplicate of the last event. `wrong`: it is too late, or an event before the final one is missing. */
  take({ event, number, raw }: Received): Order {
    if (number === undefined) return 'next';
    const last = this.#last;
    this.#last = { number, raw };
    if (last?.number === undefined) return 'next';
    if (number < last.number) return 'wrong';
    // Some agents send one event in several pieces with the same number.
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
