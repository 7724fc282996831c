/**
 * Gives what differs from run to run the same names each time, so that texts can be compared byte by byte: ids and times
 * in the order in which they first appear. One mask for all texts of an exchange, because the same id is in many of them.
 */
export class Mask {
  readonly #names = new Map<string, string>();

  /** Calls a text by a name, wherever it appears. */
  call(text: string, name: string): void {
    this.#names.set(text, name);
  }

  text(text: string): string {
    let masked = text;
    for (const [known, name] of this.#names) masked = masked.replaceAll(known, name);
    return masked
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => this.#nameOf(id))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME');
  }

  json(value: unknown): unknown {
    return value === undefined ? undefined : (JSON.parse(this.text(JSON.stringify(value))) as unknown);
  }

  #nameOf(id: string): string {
    const name = this.#names.get(id) ?? `id-${this.#names.size + 1}`;
    this.#names.set(id, name);
    return name;
  }
}
