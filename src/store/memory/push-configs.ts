import type { PushConfigPut, PushConfigQuery, PushConfigRecord } from '../store.ts';

/** Where to tell of one task. Kept as JSON, so that what others do to their copies stays with them. */
export class PushConfigs {
  /** One that is set again keeps its place. */
  readonly #byId = new Map<string, string>();

  constructor(first?: PushConfigRecord) {
    if (first !== undefined) this.#byId.set(first.id, JSON.stringify(first));
  }

  put(config: PushConfigRecord, max: number): PushConfigPut {
    const known = this.#byId.get(config.id);
    if (known === undefined && this.#byId.size >= max) return { kind: 'full' };
    const { createdAt } = known === undefined ? config : toRecord(known);
    const json = JSON.stringify({ ...config, createdAt });
    this.#byId.set(config.id, json);
    return { kind: 'stored', record: toRecord(json) };
  }

  page({ id, limit, after }: PushConfigQuery): readonly PushConfigRecord[] {
    const ids = [...this.#byId.keys()];
    const start = after === undefined ? 0 : ids.indexOf(after) + 1;
    return [...this.#byId]
      .slice(start)
      .filter(([one]) => id === undefined || one === id)
      .slice(0, limit)
      .map(([, json]) => toRecord(json));
  }

  delete(id: string): boolean {
    return this.#byId.delete(id);
  }
}

function toRecord(json: string): PushConfigRecord {
  return JSON.parse(json) as PushConfigRecord;
}
