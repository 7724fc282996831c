import type { TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { taskFields } from '../task-trace.ts';

/** How long to wait before a write that failed is tried again. */
const AGAIN_MS = 1000;

/**
 * The suspects that this node runs: tasks that a process was running when it died. Each of them may have crashed the
 * process, so a node runs only one suspect at a time beside its other tasks. If the process dies again, the crash counts
 * against that suspect, and the others keep their attempts.
 */
export class Suspects {
  readonly #engine: EngineContext;
  readonly #onCleared: () => void;
  /** Task id → the function that cancels its timer. */
  readonly #running = new Map<string, () => void>();

  /** @param onCleared Called when the next suspect may be claimed. */
  constructor(engine: EngineContext, onCleared: () => void) {
    this.#engine = engine;
    this.#onCleared = onCleared;
  }

  /** How many suspects the next claim may take. */
  get room(): 0 | 1 {
    return this.#running.size === 0 ? 1 : 0;
  }

  /** Observes a claimed task. A suspect is cleared after its time. */
  observe(record: TaskRecord): void {
    const { id, suspectMs, attempts } = record;
    if (suspectMs === undefined || this.#running.has(id)) return;
    const { log, clock } = this.#engine;
    log.info('Resuming task after its process died', { ...taskFields(record), attempts, observedMs: suspectMs });
    this.#arm(record, clock.now() + suspectMs);
  }

  /** Clears a suspect that has made progress or whose run is over. */
  cleared(taskId: string): void {
    const disarm = this.#running.get(taskId);
    if (disarm === undefined) return;
    disarm();
    this.#running.delete(taskId);
    this.#onCleared();
  }

  #arm(record: TaskRecord, time: number): void {
    const disarm = this.#engine.timers.add(time, () => void this.#clear(record));
    this.#running.set(record.id, disarm);
  }

  async #clear(record: TaskRecord): Promise<void> {
    const { store, node, clock, log } = this.#engine;
    const { id, fence } = record;
    try {
      await store.append({ taskId: id, by: node, guard: { lease: { node, fence } }, cleared: true });
      this.cleared(id);
    } catch (error) {
      log.warn('Could not end the observation of a resumed task; the next one waits', { ...taskFields(record), error });
      if (this.#running.has(id)) this.#arm(record, clock.now() + AGAIN_MS);
    }
  }
}
