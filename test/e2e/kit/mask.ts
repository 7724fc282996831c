/**
 * Replaces ids and times, which differ from run to run, so that texts can be compared byte by byte. Ids get the given names in the
 * order in which they first appear, and numbers after that. Use one mask for all texts of a test, because they share ids.
 */
export class Mask {
  readonly #names = new Map<string, string>();
  readonly #given: readonly string[];

  constructor(...names: readonly string[]) {
    this.#given = names;
  }

  text(text: string): string {
    return text
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => this.#nameOf(id))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME');
  }

  json(value: unknown): unknown {
    return value === undefined ? undefined : (JSON.parse(this.text(JSON.stringify(value))) as unknown);
  }

  #nameOf(id: string): string {
    const name = this.#names.get(id) ?? this.#given[this.#names.size] ?? `id-${this.#names.size + 1}`;
    this.#names.set(id, name);
    return name;
  }
}
