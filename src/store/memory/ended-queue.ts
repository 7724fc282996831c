/** The part of a row that the queue uses. */
export interface Endable {
  /** The position in the queue, set only by the queue. Undefined if the row is not queued. */
  endedPlace: number | undefined;
}

/** The number of empty slots at the front before they are removed. */
const MAX_GONE = 1024;

/**
 * Ended tasks, or other rows that can expire, in the order in which they ended. Not a `Set`: finding the first entry of a set from
 * which thousands of first entries were deleted means skipping the holes they left, which took longer than all other work of a
 * new task. Here each empty slot is skipped only once.
 */
export class EndedQueue<R extends Endable> {
  #rows: (R | undefined)[] = [];
  #first = 0;
  /** The number of removed slots, because positions count from the first row ever added. */
  #cleared = 0;

  add(row: R): void {
    row.endedPlace = this.#cleared + this.#rows.length;
    this.#rows.push(row);
  }

  /** Removes a row, if it is in the queue. */
  remove(row: R): void {
    if (row.endedPlace === undefined) return;
    this.#rows[row.endedPlace - this.#cleared] = undefined;
    row.endedPlace = undefined;
  }

  /** The row that ended first. */
  first(): R | undefined {
    while (this.#first < this.#rows.length && this.#rows[this.#first] === undefined) this.#first += 1;
    if (this.#first > MAX_GONE && this.#first * 2 > this.#rows.length) {
      this.#rows.splice(0, this.#first);
      this.#cleared += this.#first;
      this.#first = 0;
    }
    return this.#rows[this.#first];
  }

  /** All rows. Removes the empty slots between them. */
  all(): R[] {
    const rows = this.#rows.filter((row) => row !== undefined);
    this.#rows = [];
    this.#first = 0;
    for (const row of rows) this.add(row);
    return rows;
  }
}
