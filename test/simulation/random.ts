/** A random source that can be repeated: the same seed gives the same numbers (sfc32, seeded by the hash of a text). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    this.#a = hash(seed, 0x9e3779b9);
    this.#b = hash(seed, 0x243f6a88);
    this.#c = hash(seed, 0xb7e15162);
    for (let i = 0; i < 12; i++) this.next();
  }

  /** A number in [0, 1). */
  next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + t) | 0;
    return (t >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number, both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  /** A random delay: mostly short, now and then very long. */
  delay(typicalMs: number, longMs: number): number {
    const shape = this.next();
    return this.chance(0.06) ? shape * longMs : shape * shape * typicalMs;
  }
}

function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) | 0;
}
