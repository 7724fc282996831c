/** A chunk with more items than this becomes two. */
const MAX_CHUNK = 512;

/**
 * Items in order. They lie in chunks, because to put one into an array, or to take one out, moves all that come after it:
 * 600 µs with 100,000 of them, 0.6 µs with 500. `K` is what decides the order; no two items are equal in it.
 */
export class SortedList<K, T extends K> {
  readonly #compare: (a: K, b: K) => number;
  /** None of them is empty. */
  readonly #chunks: T[][] = [];
  #length = 0;

  constructor(compare: (a: K, b: K) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#length;
  }

  add(item: T): void {
    this.#length += 1;
    const place = this.#chunkOf(item);
    const chunk = this.#chunks[place];
    if (chunk === undefined) {
      this.#append(item);
      return;
    }
    chunk.splice(this.#positionIn(chunk, item), 0, item);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(place + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  /** Removes the item that has this place, if there is one. */
  remove(key: K): void {
    const place = this.#chunkOf(key);
    const chunk = this.#chunks[place];
    if (chunk === undefined) return;
    const position = this.#positionIn(chunk, key);
    if (this.#compare(chunk[position] as T, key) !== 0) return;
    this.#length -= 1;
    chunk.splice(position, 1);
    if (chunk.length === 0) this.#chunks.splice(place, 1);
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (const chunk of this.#chunks) for (const item of chunk) yield item;
  }

  /** The items that do not come before a place. */
  *from(key: K): IterableIterator<T> {
    const first = this.#chunkOf(key);
    for (let place = first; place < this.#chunks.length; place++) {
      const chunk = this.#chunks[place] ?? [];
      const start = place === first ? this.#positionIn(chunk, key) : 0;
      for (let position = start; position < chunk.length; position++) yield chunk[position] as T;
    }
  }

  count(matches: (item: T) => boolean): number {
    let count = 0;
    for (const chunk of this.#chunks) {
      for (const item of chunk) count += Number(matches(item));
    }
    return count;
  }

  /** The last items that match, or the last of those before `end`, in reverse order: at most `limit` of them. */
  backwards(limit: number, end?: K, matches: (item: T) => boolean = () => true): T[] {
    const found: T[] = [];
    const last = end === undefined ? this.#chunks.length : this.#chunkOf(end);
    for (let place = Math.min(last, this.#chunks.length - 1); place >= 0; place -= 1) {
      const chunk = this.#chunks[place] ?? [];
      const stop = end === undefined ? chunk.length : this.#positionIn(chunk, end);
      for (let position = stop - 1; position >= 0; position -= 1) {
        if (found.length >= limit) return found;
        const item = chunk[position] as T;
        if (matches(item)) found.push(item);
      }
    }
    return found;
  }

  /** Most items come at the end, so the chunks there are filled instead of split. */
  #append(item: T): void {
    const chunk = this.#chunks.at(-1);
    if (chunk !== undefined && chunk.length < MAX_CHUNK) chunk.push(item);
    else this.#chunks.push([item]);
  }

  /** The first chunk that does not end before the place. */
  #chunkOf(key: K): number {
    return lowerBound(this.#chunks, (chunk) => this.#compare(chunk[chunk.length - 1] as T, key) < 0);
  }

  #positionIn(chunk: readonly T[], key: K): number {
    return lowerBound(chunk, (item) => this.#compare(item, key) < 0);
  }
}

/** Where the first of the sorted items stands that does not come before. */
function lowerBound<T>(items: readonly T[], comesBefore: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comesBefore(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
