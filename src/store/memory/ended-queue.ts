/** What the queue needs of a row. */
export interface Endable {
  /** It was removed, by whomever. */
  isGone: boolean;
}

/** As many that are gone may lie at the front before they are cleared away. */
const MAX_GONE = 1024;

/**
 * The tasks that have ended, in that order. Not a set: to find the first of one from which thousands of firsts have been
 * taken is to walk over the holes that they left, which took longer than all the rest of a new task.
 */
export class EndedQueue<R extends Endable> {
  #rows: R[] = [];
  #first = 0;

  add(row: R): void {
    this.#rows.push(row);
  }

  /** The one that ended first, of those that are there. */
  first(): R | undefined {
    while (this.#rows[this.#first]?.isGone === true) this.#first += 1;
    if (this.#first > MAX_GONE && this.#first * 2 > this.#rows.length) {
      this.#rows.splice(0, this.#first);
      this.#first = 0;
    }
    return this.#rows[this.#first];
  }

  all(): R[] {
    this.#rows = this.#rows.filter(({ isGone }) => !isGone);
    this.#first = 0;
    return [...this.#rows];
  }
}
