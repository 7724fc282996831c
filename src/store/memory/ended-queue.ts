/** What the queue needs of a row. */
export interface Endable {
  /** Its place in the queue, which only the queue sets; undefined while it has none. */
  endedPlace: number | undefined;
}

/** As many that are gone may lie at the front before they are cleared away. */
const MAX_GONE = 1024;

/**
 * Tasks that have ended, or what else has, in that order. Not a set: to find the first of one from which thousands of firsts have been
 * taken is to walk over the holes that they left, which took longer than all the rest of a new task. Here the places of
 * those that are gone are empty, and are walked over once.
 */
export class EndedQueue<R extends Endable> {
  #rows: (R | undefined)[] = [];
  #first = 0;
  /** How many were cleared away: places count from the first row that ever came. */
  #cleared = 0;

  add(row: R): void {
    row.endedPlace = this.#cleared + this.#rows.length;
    this.#rows.push(row);
  }

  /** Lets go of a row at once; one that is not here is passed over. */
  remove(row: R): void {
    if (row.endedPlace === undefined) return;
    this.#rows[row.endedPlace - this.#cleared] = undefined;
    row.endedPlace = undefined;
  }

  /** The one that ended first, of those that are there. */
  first(): R | undefined {
    while (this.#first < this.#rows.length && this.#rows[this.#first] === undefined) this.#first += 1;
    if (this.#first > MAX_GONE && this.#first * 2 > this.#rows.length) {
      this.#rows.splice(0, this.#first);
      this.#cleared += this.#first;
      this.#first = 0;
    }
    return this.#rows[this.#first];
  }

  /** All that are there. Clears away the empty places between them. */
  all(): R[] {
    const rows = this.#rows.filter((row) => row !== undefined);
    this.#rows = [];
    this.#first = 0;
    for (const row of rows) this.add(row);
    return rows;
  }
}
