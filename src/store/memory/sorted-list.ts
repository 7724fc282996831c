/** A chunk with more items than this is split. */
const MAX_CHUNK = 512;

/**
 * A sorted list. Items are kept in chunks, because inserting into an array or deleting from it moves all later items: 600 µs with
 * 100,000 items, 0.6 µs with 500. `K` defines the order; no two items are equal in it.
 */
export class SortedList<K, T extends K> {
  readonly #compare: (a: K, b: K) => number;
  /** No chunk is empty. */
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

  /** Removes the item that is equal to the key, if there is one. */
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

  /** The items that are not less than the key. */
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

  /** At most `limit` matching items in reverse order, starting at the end or before `end`. */
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

  /** Most items are added at the end, so the last chunk is filled instead of split. */
  #append(item: T): void {
    const chunk = this.#chunks.at(-1);
    if (chunk !== undefined && chunk.length < MAX_CHUNK) chunk.push(item);
    else this.#chunks.push([item]);
  }

  /** The first chunk whose last item is not less than the key. */
  #chunkOf(key: K): number {
    return lowerBound(this.#chunks, (chunk) => this.#compare(chunk[chunk.length - 1] as T, key) < 0);
  }

  #positionIn(chunk: readonly T[], key: K): number {
    return lowerBound(chunk, (item) => this.#compare(item, key) < 0);
  }
}

/** The index of the first sorted item for which `comesBefore` is false. */
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
