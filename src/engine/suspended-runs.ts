import type { Run } from './run.ts';

/** What the suspended runs of a node may hold in all. */
const MAX_BYTES = 2 ** 26;

/** As much of a run as is needed here. */
type Suspended = Pick<Run, 'taskId' | 'stop'> & { readonly outputs: Pick<Run['outputs'], 'heldBytes'> };

/** Runs that wait in memory, the longest first. Beyond a number, or a size, the oldest go, and begin again by replay. */
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
    // A run that waits says nothing: its size is what it is now.
    const bytes = run.outputs.heldBytes;
    this.#runs.set(run.taskId, { run, bytes });
    this.#bytes += bytes;
    for (const { run: oldest } of this.#runs.values()) {
      if (this.#runs.size <= this.#max && this.#bytes <= MAX_BYTES) return;
      this.#putAway(oldest);
    }
  }

  /** Says whether it was there. */
  delete(taskId: string): boolean {
    this.#bytes -= this.#runs.get(taskId)?.bytes ?? 0;
    return this.#runs.delete(taskId);
  }

  putAllAway(): void {
    for (const { run } of this.#runs.values()) this.#putAway(run);
  }

  #putAway(run: T): void {
    this.delete(run.taskId);
    run.stop('suspended');
  }
}
