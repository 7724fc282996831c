import type { Run } from '../run/run.ts';

/** The memory limit of all suspended runs of a node. */
const MAX_BYTES = 2 ** 26;

/** The part of a run that is needed here. */
type Suspended = Pick<Run, 'taskId' | 'stop'> & { readonly outputs: Pick<Run['outputs'], 'heldBytes'> };

/** Suspended runs in memory, the oldest first. Beyond a number or a size, the oldest are removed and resume by replay. */
export class SuspendedRuns<T extends Suspended = Run> {
  readonly #max: number;
  readonly #runs = new Map<string, { readonly run: T; readonly bytes: number }>();
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#runs.size;
  }

  get(taskId: string): T | undefined {
    return this.#runs.get(taskId)?.run;
  }

  taskIds(): readonly string[] {
    return [...this.#runs.keys()];
  }

  add(run: T): void {
    this.delete(run.taskId);
    // A suspended run publishes nothing, so its size does not change.
    const bytes = run.outputs.heldBytes;
    this.#runs.set(run.taskId, { run, bytes });
    this.#bytes += bytes;
    for (const { run: oldest } of this.#runs.values()) {
      if (this.#runs.size <= this.#max && this.#bytes <= MAX_BYTES) return;
      this.#evict(oldest);
    }
  }

  /** Returns whether the run was in memory. */
  delete(taskId: string): boolean {
    this.#bytes -= this.#runs.get(taskId)?.bytes ?? 0;
    return this.#runs.delete(taskId);
  }

  evictAll(): void {
    for (const { run } of this.#runs.values()) this.#evict(run);
  }

  #evict(run: T): void {
    this.delete(run.taskId);
    run.stop('suspended');
  }
}
